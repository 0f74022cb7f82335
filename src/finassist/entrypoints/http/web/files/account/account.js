// Who uses the page: signing in and out, the allowance, and the menu of an account. What few visits need is loaded when
// it is opened.
import {api, isSignedIn, signOut} from "../api.js";
import {chat, showAddress} from "../chat.js";
import {stopChoosing} from "../choosing.js";
import {clearQuestion} from "../composer.js";
import {$, actions, button, el, late, openMenu} from "../dom.js";
import {link} from "../markdown.js";
import {loadList} from "../side.js";
import {t} from "../words.js";
import {openSignIn} from "./sign_in.js";

const NOWHERE = /^https?:\/\/[^/]+\.example(\/|$)/; // the service's defaults: names that lead nowhere

const settings = late(() => import("./settings.js")), cards = late(() => import("./cards.js"));
const data = late(() => import("./data.js")), links = late(() => import("../share/links.js"));
export const openCards = cards("openCards"), openMailed = settings("openMailed");
const openData = data("openData");
const openAccount = settings("openAccount"), openFiles = data("openFiles"), openShares = links("openShares");

let health, options; // of signing in, known after the first launch

// How people sign in here: other providers keep some of it to themselves.
export const auth = () => ({isBuiltIn: health?.provider.name === "local", hasPasswords: health?.provider.name !== "oidc",
	sms: options?.smsProvider, mail: options?.emailProvider, social: options?.socialProviders ?? []});

// Who is calling, after every change of it. Launching with a token claims what the guest wrote.
export async function launch() {
	let launched;
	[launched, health, options] = await Promise.all(
		[api("GET", "app/launch"), health ?? api("GET", "auth/health"), options ?? api("GET", "auth/options")]);
	const {userData, freeThreshold, systemUrls} = launched.appLaunchResponseData;
	const urls = [[t("terms"), systemUrls.termsAndConditions], [t("privacy"), systemUrls.privacyPolicy], [t("help"), systemUrls.faqs]];
	const name = userData.name || userData.email;
	const menu = [[t("account"), openAccount], [t("about_you"), openCards], [t("your_files"), openFiles], [t("shared_links"), openShares],
		[t("sign_out"), () => signOut().then(clearQuestion).then(showCaller)]];
	$("account").replaceChildren(
		el("p", {id: "allowance"}),
		isSignedIn() ? button(name, ({currentTarget}) => openMenu(name, menu, currentTarget), ".wide", {ariaHasPopup: "menu"}) : actions(
			button(t("sign_up"), () => openSignIn("signup"), ".main"), button(t("sign_in"), () => openSignIn("signin"))),
		el("p.links", button(t("your_data"), openData, ".quiet"), urls.map(([label, href]) => !NOWHERE.test(href) && link(href, label))));
	showAllowance(freeThreshold);
}

export async function showCaller() {
	await launch();
	stopChoosing();
	await loadList();
	if (!isSignedIn() || !chat.conversation && !chat.turn) await showAddress(); // what was asked meanwhile stays
}

export function showAllowance({total, remaining}) {
	const text = t("allowance", {remaining, total});
	$("allowance").replaceChildren(text, el("progress", {max: total || 1, value: remaining, ariaLabel: text}));
}
