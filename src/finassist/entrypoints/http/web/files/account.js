// Who uses the page: signing up, in and out, the allowance, and the cards that get to know somebody. The
// settings of an account are a module of their own, which few visits need.
import {api, download, isSignedIn, signIn, signOut, unreachable} from "./api.js";
import {chat, showAddress} from "./chat.js";
import {$, actions, button, checkbox, choice, el, field, form, formDialog, openDialog, openLoaded, openMenu, say, tell} from "./dom.js";
import {link} from "./markdown.js";
import {words} from "./message.js";
import {openShares} from "./share.js";
import {loadList} from "./side.js";

const NOWHERE = /^https?:\/\/[^/]+\.example(\/|$)/; // the service's defaults: names that lead nowhere

const settings = (name) => (...given) => import("./settings.js").then((module) => module[name](...given), () => tell(unreachable()));
const openChallenge = settings("openChallenge"), openForgotten = settings("openForgotten");
export const openMailed = settings("openMailed");

let provider; // of the accounts, known after the first launch
export const isBuiltIn = () => provider?.name === "local"; // the others keep passwords and second factors to themselves

// Who is calling, after every change of it. Launching with a token claims what the guest wrote.
export async function launch() {
	let launched;
	[launched, {provider}] = await Promise.all([api("GET", "app/launch"), provider ? {provider} : api("GET", "auth/health")]);
	const {userData, freeThreshold, systemUrls} = launched.appLaunchResponseData;
	const links = [["Terms", systemUrls.termsAndConditions], ["Privacy", systemUrls.privacyPolicy], ["Help", systemUrls.faqs]];
	const name = userData.name || userData.email;
	const menu = [["Account", settings("openAccount")], ["About you", openCards], ["Shared links", openShares], ["Sign out", () => signOut().then(showCaller)]];
	$("account").replaceChildren(
		el("p", {id: "allowance"}),
		isSignedIn() ? button(name, () => openMenu(name, menu), ".wide") : actions(
			button("Sign up", () => openSignIn("signup"), ".main"), button("Sign in", () => openSignIn("signin"))),
		el("p.links", button("Your data", openData, ".quiet"), links.map(([label, href]) => !NOWHERE.test(href) && link(href, label))));
	showAllowance(freeThreshold);
}

export async function showCaller() {
	await launch();
	await loadList();
	if (!isSignedIn() || !chat.conversation) await showAddress();
}

export function showAllowance({total, remaining}) {
	const text = `${remaining} of ${total} free messages left`;
	$("allowance").replaceChildren(text, el("progress", {max: total || 1, value: remaining, ariaLabel: text}));
}

export const password = (label, name = "password", autocomplete = "current-password") => field(label, {name, type: "password", autocomplete});
export const newPassword = () => password("A password of 8 characters or more, with A–Z, a–z and a digit", "password", "new-password");

// `then` is called when somebody has signed in.
export function openSignIn(kind, reason = "", then = null) {
	const isNew = kind === "signup";
	const dialog = formDialog(isNew ? "Create an account" : "Sign in", [
		el("p", `${reason}The conversations of this device come along.`),
		isNew && field("Name", {name: "name", autocomplete: "name", maxLength: 100}),
		field("Email", {name: "email", type: "email", autocomplete: "username"}),
		isNew ? newPassword() : password("Password"),
		checkbox("Stay signed in on this device", {name: "remember"}),
	], isNew ? "Create account" : "Sign in", (values) => enter(kind, {...values, remember: Boolean(values.remember)}, then).catch((error) => {
		if (error.code !== "SECOND_FACTOR_REQUIRED") throw error;
		return () => openChallenge({challenge: error.details.challenge, remember: Boolean(values.remember)}, then);
	}), button(isNew ? "I have an account" : "I am new here", () => (dialog.close(), openSignIn(isNew ? "signin" : "signup", reason, then)), ".quiet"),
	!isNew && isBuiltIn() && button("Forgot your password?", () => (dialog.close(), openForgotten(dialog.querySelector("[type=email]").value)), ".quiet"));
}

// Sign in, and say so when the form has closed.
export async function enter(kind, values, then) {
	await signIn(kind, values);
	await showCaller();
	return () => (say("You are signed in."), then?.());
}

// Whom a guest's data belongs to is known by the device.
function openData() {
	const dialog = formDialog("Your data", [el("p", "Your conversations, files, answers and links, in one ZIP archive.")], "Download", async () => {
		const href = URL.createObjectURL(await download("auth/me/export"));
		el("a", {href, download: "finassist-export.zip"}).click();
		setTimeout(URL.revokeObjectURL, 60_000, href);
	}, button("Delete everything", () => (dialog.close(), openErasure()), ".danger"));
}

function openErasure() {
	formDialog("Delete everything?", [
		el("p", "All that is kept of you will be gone for good: conversations, files, answers, links and the account."),
		isSignedIn() && password("Password"),
	], "!Delete everything", async (values) => {
		const receipt = await api("DELETE", "auth/me", isSignedIn() ? values : null);
		await signOut();
		return () => (showReceipt(receipt), showCaller());
	});
}

function showReceipt({receiptId, counts}) {
	const address = new URL(`api/v1/erasure/${receiptId}`, document.baseURI).href;
	openDialog("Your receipt", el("p", "This is being erased:"),
		el("ul", ...Object.entries(counts).filter(([, count]) => count).map(([kind, count]) => el("li", `${words(kind)}: ${count}`))),
		el("p", "For a year, this address says how far it is: ", link(address, address)));
}

export const openCards = () => openLoaded("About you", async (again) => {
	const {profile, cards} = await api("GET", "user-profile");
	return el("div", el("p", `Answers shape the replies; none is a must. ${profile.completionPercent}% complete.`),
		cards.length ? cardForm(cards, again, button("Other questions", () => api("POST", "user-profile/session").then(again, again)))
			: el("p", "You have answered everything. Thank you."),
		Object.keys(profile.answers).length > 0 && button("Your answers", openAnswers));
});

const openAnswers = ({target}) => (target.closest("dialog").close(), openLoaded("Your answers", async (again) => {
	const cards = (await api("GET", "user-profile/cards")).cards
		.map((card) => ({...card, questions: card.questions.filter(({answer}) => answer)})).filter(({questions}) => questions.length);
	return el("div", el("p", "What you clear is withdrawn."), cardForm(cards, again));
}));

const cardForm = (cards, again, ...more) => form(cards.map(cardFields), "Save", async (_, node) => {
	const answers = cards.flatMap((card) => card.questions.map((each) => answerOf(node, card, each)).filter(Boolean));
	if (answers.length) await api("POST", "user-profile/answers", {answers});
	say("Saved.");
	await again();
}, ...more);

const cardFields = ({title, subtitle, questions}) => el("fieldset", el("legend", title), el("p", subtitle), ...questions.map(questionField),
	checkbox("Do not use these answers in replies", {name: `private-${questions[0].id}`, defaultChecked: questions.every(({answer}) => answer?.doNotUse)}));

function questionField({id: name, text, type, options, min, max, answer}) {
	const given = answer?.value;
	if (type === "multi_select") {
		return el("fieldset", el("legend", text), ...options.map(({value, label}) => checkbox(label, {name, value, checked: given?.includes(value)})));
	}
	if (type === "text" || type === "number") return field(text, {name, value: given, ...(type === "text" ? {maxLength: max ?? 500} : {type, step: "any", min, max})});
	const choices = type === "boolean" ? [["true", "Yes"], ["false", "No"]] : options.map(({value, label}) => [value, label]);
	const node = choice(text, name, [["", "–"], ...choices]);
	node.children[1].value = given ?? "";
	return node;
}

// An answer that is new, changed or withdrawn.
function answerOf(node, card, {id, type, answer}) {
	const given = new FormData(node).getAll(id).filter((value) => value.trim());
	const box = node.elements[`private-${card.questions[0].id}`];
	const value = !given.length ? null : {multi_select: given, boolean: given[0] === "true", number: Number(given[0])}[type] ?? given[0];
	const same = JSON.stringify(value) === JSON.stringify(answer?.value ?? null);
	if (same && (!answer || box.checked === box.defaultChecked)) return null;
	return {cardId: card.id, questionId: id, value, doNotUse: box.checked};
}
