// A chat client of the public API.
import {openCards, openSignIn, showAccount, showAllowance} from "./account.js";
import {api, forBrowser, isSignedIn} from "./api.js";
import {ask, chat, resume, showAddress, startChat} from "./chat.js";
import {setLimits, startComposer} from "./composer.js";
import {$, button, el, icon, say} from "./dom.js";
import {notice} from "./message.js";
import {openShare} from "./share.js";
import {loadList, markOpen, showSide, startSide} from "./side.js";

const EXAMPLES = ["How large should my emergency fund be?", "What does a loan of 20,000 at 6% over 5 years cost?"];
const THEMES = ["system", "light", "dark"];
const catalog = {preprompts: [], opinions: []};

// Who is calling, after every change of it. Launching with a token claims what the guest wrote.
async function launch() {
	showAccount((await api("GET", "app/launch")).appLaunchResponseData, changed);
}

async function changed() {
	await launch();
	await loadList();
	if (!isSignedIn() || !chat.conversation) await showAddress();
}

function home() {
	const {preprompts, opinions} = catalog;
	return el("div.home", el("h2", "What would you like to understand about money?"),
		el("ul.chips", preprompts.length
			? preprompts.map(({key, publicValue, description}) => suggestion(publicValue, {preprompt_key: key}, description))
			: EXAMPLES.map((text) => suggestion(text))),
		opinions.length && [el("h3", "A second opinion"),
			el("ul.cards", opinions.map(({key, publicValue, description}) => suggestion(publicValue, {preprompt_key: key, type: "second_opinion"}, null, description)))],
		isSignedIn() && button("Tell a little about yourself, and replies fit better", openCards));
}

const suggestion = (text, options, title, note) => {
	const node = button(text, () => ask(text, [], options), {title});
	if (note) node.append(el("small", note));
	return el("li", node);
};

async function loadCatalog() {
	const [{preprompts}, opinions, health] = await Promise.all(
		["public/preprompts", "public/second-opinion/preprompts", "ai/health"].map((path) => api("GET", path)));
	Object.assign(catalog, {preprompts, opinions});
	setLimits(health.limits);
}

function showTheme(theme) {
	document.documentElement.dataset.theme = theme;
	$("theme").ariaLabel = $("theme").title = `Theme: ${theme}`;
}

function nextTheme() {
	const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
	forBrowser.setItem("finassist.theme", theme);
	showTheme(theme);
	say(`Theme: ${theme}`);
}

async function begin() {
	try {
		await Promise.all([launch(), loadCatalog()]);
		loadList();
		await resume();
	} catch (error) {
		$("messages").replaceChildren(notice(error.message, [["Try again", () => location.reload()]], error.retryAfter));
	}
}

for (const node of document.querySelectorAll("[data-icon]")) node.prepend(icon(node.dataset.icon));
showTheme(document.documentElement.dataset.theme ?? "system");
startSide();
startComposer(ask, () => chat.turn);
startChat({
	home,
	allowance: showAllowance,
	changed: loadList,
	opened: () => (markOpen(), showSide(false)),
	signIn: (kind) => openSignIn(kind, changed),
});
$("theme").onclick = nextTheme;
$("skip").onclick = (event) => {
	event.preventDefault();
	$("question").focus();
};
$("share").onclick = () => isSignedIn() ? openShare(chat.conversation) : openSignIn("signin", changed, "An account is needed to share. ");
addEventListener("session", () => launch().then(() => loadList())); // what was asked stays on the screen
begin();
