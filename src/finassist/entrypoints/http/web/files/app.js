// A chat client of the public API.
import {launch, openCards, openMailed, showAllowance} from "./account/account.js";
import {finishSignIn, openSignIn} from "./account/sign_in.js";
import {api, forBrowser, isSignedIn} from "./api.js";
import {ask, chat, newChat, openConversation, resume, showAddress, startChat} from "./chat.js";
import {chooseFiles, offerModels, setLimits, startComposer} from "./composer.js";
import {$, button, el, formDialog, icon, say, tell} from "./dom.js";
import {startKeys} from "./keys.js";
import {notice} from "./message.js";
import {openShare} from "./share/share.js";
import {loadList, markOpen, openSide, showSide, showTags, startSide} from "./side.js";
import {language, t} from "./words.js";

const EXAMPLES = ["example_1", "example_2"].map((key) => ({publicValue: t(key)}));
const SHOWN_ON_PHONES = 4;
const THEMES = ["system", "light", "dark"];
let preprompts, opinions, shared;

function home() {
	return el("div.home", el("h2", t("welcome")),
		el("button.export", {type: "button", onclick: chooseFiles}, icon("sheet"), el("span", t("bank_export"), el("small", t("bank_export_told")))),
		el("ul.chips", (preprompts.length ? preprompts : EXAMPLES).map((each) => suggestion(each)), preprompts.length > SHOWN_ON_PHONES && el("li.rest", button(t("more"), showAll, ".quiet"))),
		opinions.length && [el("h3", t("second_opinion")), el("ul.cards", opinions.map((each) => suggestion(each, "second_opinion")))],
		isSignedIn() && button(t("tell_about_you"), openCards));
}

// On a phone the first few are shown, so that what stands below them is seen.
function showAll({target}) {
	const list = target.closest("ul");
	list.classList.add("all");
	list.children[SHOWN_ON_PHONES].firstChild.focus();
}

const suggestion = ({key, publicValue, description}, type) => {
	const node = button(publicValue, () => ask(publicValue, [], {preprompt_key: key, type}), "", {title: description});
	if (type) node.append(el("small", description));
	return el("li", node);
};

async function loadCatalog() {
	let limits, models, model;
	[{preprompts}, opinions, {limits, models, model}] = await Promise.all(
		["public/preprompts", "public/second-opinion/preprompts", "ai/health"].map((path) => api("GET", path)));
	setLimits(limits);
	offerModels(models, model);
}

function showTheme(theme) {
	document.documentElement.dataset.theme = theme;
	$("theme").ariaLabel = $("theme").title = t("theme", {theme: t(`theme_${theme}`)});
	$("theme").onclick = () => {
		const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
		forBrowser.setItem("finassist.theme", next);
		showTheme(next);
		say($("theme").title);
	};
}

// The service puts the words into the page: it is told the language by a cookie, which says nothing else.
function offerLanguages(select) {
	const name = (code) => new Intl.DisplayNames([code], {type: "language"}).of(code).replace(/^./, (first) => first.toUpperCase());
	const options = select.dataset.known.split(" ").map((value) => el("option", {value, lang: value, selected: value === language}, name(value)));
	select.replaceChildren(...options);
	select.onchange = () => {
		document.cookie = `finassist_language=${select.value};path=${new URL(".", location).pathname};max-age=31536000;samesite=lax`;
		location.reload();
	};
}

async function begin() {
	try {
		const signedIn = await finishSignIn();
		await Promise.all([launch(), loadCatalog()]);
		loadList();
		if (shared) await continueShared();
		else await resume();
		const refused = signedIn?.();
		if (refused) ask(refused);
	} catch (error) {
		$("messages").replaceChildren(notice(error.message, [[t("try_again"), begin]], error.retryAfter));
	}
}

// Make the copy of a shared conversation, and open it. A link on another site does not do so by itself.
async function continueShared() {
	const id = shared;
	shared = null;
	const copy = async () => {
		const {conversationId} = await api("POST", `public/share/${id}/continue`);
		await openConversation(conversationId);
		loadList();
	};
	const isAsked = document.referrer && new URL(document.referrer).origin === location.origin;
	if (!isAsked) formDialog(t("continue_question"), [el("p", t("continue_told"))], t("continue"), copy);
	else return copy().catch((error) => showAddress().then(() => tell(error)));
	await showAddress();
}

function takeShared() {
	shared = /^#continue=([\w-]+)$/.exec(location.hash)?.[1];
	if (shared) history.replaceState(null, "", location.pathname);
	return shared;
}

// The link of a mail. Its token leaves the address at once, and is not kept in the history.
function takeMailed() {
	const [, what, token] = /^#(reset|verify)=([\w-]+)$/.exec(location.hash) ?? [];
	if (!what) return;
	history.replaceState(null, "", location.pathname);
	openMailed(what, token);
}

for (const node of document.querySelectorAll("[data-icon]")) node.prepend(icon(node.dataset.icon));
showTheme(document.documentElement.dataset.theme ?? "system");
offerLanguages($("language"));
startSide();
startComposer(ask, () => chat.turn);
startChat({
	home,
	allowance: showAllowance,
	changed: loadList,
	opened: () => (markOpen(), showSide(false)),
	signIn: (kind, then, question) => openSignIn(kind, "", then, question),
	named: showTags,
});
const help = startKeys({newChat, search: () => (openSide(), $("find").focus())});
$("keys").onclick = help;
$("skip").onclick = () => $("question").focus();
const share = () => openShare(chat.conversation, isSignedIn() ? null : () => openSignIn("signup", `${t("account_to_share")} `, share));
$("share").onclick = share;
addEventListener("session", () => launch().then(() => loadList())); // what was asked stays on the screen
addEventListener("hashchange", () => takeShared() ? continueShared() : takeMailed());
takeMailed();
takeShared();
begin();
