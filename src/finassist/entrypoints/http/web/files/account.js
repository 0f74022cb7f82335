// Who uses the page: signing up, in and out, the allowance, and the cards that get to know somebody. The
// settings of an account are a module of their own, which few visits need.
import {api, download, isSignedIn, signIn, signOut, unreachable} from "./api.js";
import {chat, showAddress} from "./chat.js";
import {$, actions, button, checkbox, choice, el, field, form, formDialog, openDialog, openLoaded, openMenu, say, tell} from "./dom.js";
import {link} from "./markdown.js";
import {words} from "./message.js";
import {openShares} from "./share.js";
import {loadList} from "./side.js";
import {t} from "./words.js";

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
	const links = [[t("terms"), systemUrls.termsAndConditions], [t("privacy"), systemUrls.privacyPolicy], [t("help"), systemUrls.faqs]];
	const name = userData.name || userData.email;
	const menu = [[t("account"), settings("openAccount")], [t("about_you"), openCards], [t("shared_links"), openShares], [t("sign_out"), () => signOut().then(showCaller)]];
	$("account").replaceChildren(
		el("p", {id: "allowance"}),
		isSignedIn() ? button(name, () => openMenu(name, menu), ".wide") : actions(
			button(t("sign_up"), () => openSignIn("signup"), ".main"), button(t("sign_in"), () => openSignIn("signin"))),
		el("p.links", button(t("your_data"), openData, ".quiet"), links.map(([label, href]) => !NOWHERE.test(href) && link(href, label))));
	showAllowance(freeThreshold);
}

export async function showCaller() {
	await launch();
	await loadList();
	if (!isSignedIn() || !chat.conversation) await showAddress();
}

export function showAllowance({total, remaining}) {
	const text = t("allowance", {remaining, total});
	$("allowance").replaceChildren(text, el("progress", {max: total || 1, value: remaining, ariaLabel: text}));
}

export const password = (label, name = "password", autocomplete = "current-password") => field(label, {name, type: "password", autocomplete});
export const newPassword = () => password(t("new_password"), "password", "new-password");

// `then` is called when somebody has signed in.
export function openSignIn(kind, reason = "", then = null) {
	const isNew = kind === "signup";
	const dialog = formDialog(isNew ? t("create_account_title") : t("sign_in"), [
		el("p", `${reason}${t("come_along")}`),
		isNew && field(t("name"), {name: "name", autocomplete: "name", maxLength: 100}),
		field(t("email"), {name: "email", type: "email", autocomplete: "username"}),
		isNew ? newPassword() : password(t("password")),
		checkbox(t("stay"), {name: "remember"}),
	], isNew ? t("create_account") : t("sign_in"), (values) => enter(kind, {...values, remember: Boolean(values.remember)}, then).catch((error) => {
		if (error.code !== "SECOND_FACTOR_REQUIRED") throw error;
		return () => openChallenge({challenge: error.details.challenge, remember: Boolean(values.remember)}, then);
	}), button(isNew ? t("have_account") : t("new_here"), () => (dialog.close(), openSignIn(isNew ? "signin" : "signup", reason, then)), ".quiet"),
	!isNew && isBuiltIn() && button(t("forgot"), () => (dialog.close(), openForgotten(dialog.querySelector("[type=email]").value)), ".quiet"));
}

// Sign in, and say so when the form has closed.
export async function enter(kind, values, then) {
	await signIn(kind, values);
	await showCaller();
	return () => (say(t("signed_in")), then?.());
}

// Whom a guest's data belongs to is known by the device.
function openData() {
	const dialog = formDialog(t("your_data"), [el("p", t("data_told"))], t("download"), async () => {
		const href = URL.createObjectURL(await download("auth/me/export"));
		el("a", {href, download: "finassist-export.zip"}).click();
		setTimeout(URL.revokeObjectURL, 60_000, href);
	}, button(t("delete_all"), () => (dialog.close(), openErasure()), ".danger"));
}

function openErasure() {
	formDialog(t("delete_all_question"), [
		el("p", t("delete_all_told")),
		isSignedIn() && password(t("password")),
	], `!${t("delete_all")}`, async (values) => {
		const receipt = await api("DELETE", "auth/me", isSignedIn() ? values : null);
		await signOut();
		return () => (showReceipt(receipt), showCaller());
	});
}

function showReceipt({receiptId, counts}) {
	const address = new URL(`api/v1/erasure/${receiptId}`, document.baseURI).href;
	openDialog(t("receipt"), el("p", t("being_erased")),
		el("ul", ...Object.entries(counts).filter(([, count]) => count).map(([kind, count]) => el("li", `${words(kind)}: ${count}`))),
		el("p", `${t("receipt_told")} `, link(address, address)));
}

export const openCards = () => openLoaded(t("about_you"), async (again) => {
	const {profile, cards} = await api("GET", "user-profile");
	return el("div", el("p", t("cards_told", {percent: profile.completionPercent})),
		cards.length ? cardForm(cards, again, button(t("other_questions"), () => api("POST", "user-profile/session").then(again, again)))
			: el("p", t("all_answered")),
		Object.keys(profile.answers).length > 0 && button(t("your_answers"), openAnswers));
});

const openAnswers = ({target}) => (target.closest("dialog").close(), openLoaded(t("your_answers"), async (again) => {
	const cards = (await api("GET", "user-profile/cards")).cards
		.map((card) => ({...card, questions: card.questions.filter(({answer}) => answer)})).filter(({questions}) => questions.length);
	return el("div", el("p", t("clear_told")), cardForm(cards, again));
}));

const cardForm = (cards, again, ...more) => form(cards.map(cardFields), t("save"), async (_, node) => {
	const answers = cards.flatMap((card) => card.questions.map((each) => answerOf(node, card, each)).filter(Boolean));
	if (answers.length) await api("POST", "user-profile/answers", {answers});
	say(t("saved"));
	await again();
}, ...more);

const cardFields = ({title, subtitle, questions}) => el("fieldset", el("legend", title), el("p", subtitle), ...questions.map(questionField),
	checkbox(t("do_not_use"), {name: `private-${questions[0].id}`, defaultChecked: questions.every(({answer}) => answer?.doNotUse)}));

function questionField({id: name, text, type, options, min, max, answer}) {
	const given = answer?.value;
	if (type === "multi_select") {
		return el("fieldset", el("legend", text), ...options.map(({value, label}) => checkbox(label, {name, value, checked: given?.includes(value)})));
	}
	if (type === "text" || type === "number") return field(text, {name, value: given, ...(type === "text" ? {maxLength: max ?? 500} : {type, step: "any", min, max})});
	const choices = type === "boolean" ? [["true", t("yes")], ["false", t("no")]] : options.map(({value, label}) => [value, label]);
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
