// Shows the description of this service, and calls it where this page came from: "try it out" then works behind
// every proxy, and needs no other origin than the page's own. Tokens are kept until the page is left.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

const description = await (await fetch("openapi.json")).json();
description.servers = [{url: new URL(".", location).href.replace(/\/$/, "")}];

SwaggerUIBundle({
	spec: description,
	dom_id: "#docs",
	deepLinking: true,
	defaultModelsExpandDepth: 0,
	displayOperationId: true,
	displayRequestDuration: true,
	filter: true,
	persistAuthorization: false,
	validatorUrl: null, // it would be asked for a badge, elsewhere
});
