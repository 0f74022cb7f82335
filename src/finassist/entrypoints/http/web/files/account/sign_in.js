// Signing in and up: by password, by phone, on the provider's own page, or with a social provider's token.
import {api, forTab, signIn} from "../api.js";
import {button, checkbox, countDown, el, field, formDialog, late, say, tell} from "../dom.js";
import {t} from "../words.js";
import {auth, showCaller} from "./account.js";

const LOGIN = "finassist.login"; // what was begun on another site: this tab alone may finish it
const NAMES = {"accounts.google.com": "Google", "appleid.apple.com": "Apple", "login.microsoftonline.com": "Microsoft"};

const openForgotten = late(() => import("./settings.js"))("openForgotten");

// A password, and the button that shows it.
export function password(label, name = "password", autocomplete = "current-password", hint = "") {
	const node = field(label, {name, type: "password", autocomplete, hint});
	const input = node.children[1];
	const shower = button(t("show_it"), () => {
		const isShown = input.type === "password";
		input.type = isShown ? "text" : "password";
		shower.ariaPressed = isShown;
	}, ".quiet", {ariaPressed: "false", ariaLabel: t("show_password")});
	const row = el("div.row.shown");
	input.replaceWith(row);
	row.append(input, shower);
	return node;
}
export const newPassword = (label = t("new_password")) => password(label, "password", "new-password", t("password_rule"));
export const codeField = (label, name = "code", value = "") =>
	field(label, {name, value, autocomplete: "one-time-code", autocapitalize: "off"});

// `then` is called when somebody has signed in; `question` is asked when that took the way over another site.
export function openSignIn(kind, reason = "", then = null, question = "") {
	const isNew = kind === "signup";
	const other = button(isNew ? t("have_account") : t("new_here"), () => (dialog.close(), openSignIn(isNew ? "signin" : "signup", reason, then, question)), ".quiet");
	const title = isNew ? t("create_account_title") : t("sign_in");
	const told = el("p", `${reason}${t("come_along")}`);
	const remembered = () => dialog.querySelector("[name=remember]").checked;
	const stay = checkbox(t("stay"), {name: "remember"});
	const dialog = auth().hasPasswords ? formDialog(title, [
		told,
		isNew && field(t("name"), {name: "name", autocomplete: "name", maxLength: 100}),
		field(t("email"), {name: "email", type: "email", autocomplete: "username"}),
		isNew ? newPassword(t("password")) : password(t("password")),
		stay,
	], isNew ? t("create_account") : t("sign_in"), (values) => enter(kind, {...values, remember: Boolean(values.remember)}, then), other,
	!isNew && auth().isBuiltIn && button(t("forgot"), () => (dialog.close(), openForgotten(dialog.querySelector("[type=email]").value)), ".quiet"))
		: formDialog(t("sign_in"), [told, stay], t("on_provider_page"), () => beginRedirect(remembered(), question));
	if (!auth().hasPasswords) return;
	const ways = [
		!auth().isBuiltIn && [t("on_provider_page"), () => beginRedirect(remembered(), question)],
		...auth().social.map(({issuer}) => [t("continue_with", {name: nameOf(issuer)}), () => beginSocial(issuer, remembered(), question)]),
		[t("by_phone"), () => (dialog.close(), openPhone(remembered(), then))],
	].filter(Boolean);
	dialog.lastChild.before(el("div.ways", el("p.or", t("or")), ways.map(([label, act]) => button(label, async () => act().catch?.(tell), ".wide"))));
}

const nameOf = (issuer) => NAMES[new URL(issuer).host] ?? new URL(issuer).host;

// Sign in, and say so when the form has closed. What asks for a second factor goes on with that.
export async function enter(kind, values, then) {
	try {
		await signIn(kind, values);
	} catch (error) {
		if (error.code !== "SECOND_FACTOR_REQUIRED") throw error;
		return () => openChallenge({challenge: error.details.challenge, remember: values.remember}, then);
	}
	await showCaller();
	return () => (say(t("signed_in")), then?.());
}

export const openChallenge = (started, then) => formDialog(t("second_factor"), [
	codeField(t("your_app_code")),
], t("sign_in"), (values) => enter("signin/second-factor", {...started, ...values}, then).catch((error) => {
	if (error.code !== "CHALLENGE_EXPIRED") throw error;
	return () => openSignIn("signin", `${t("took_too_long")} `, then);
}));

async function openPhone(remember, then) {
	formDialog(t("by_phone"), [
		el("p", t(auth().sms === "console" ? "code_in_log" : "phone_told")),
		field(t("phone"), {name: "phone", type: "tel", autocomplete: "tel", placeholder: "+44 7700 900123"}),
	], t("send_code"), async ({phone}) => {
		const sent = await api("POST", "auth/send-otp", {phone: phone.replace(/[\s().-]/g, "")});
		return () => openCode(sent, remember, then);
	});
}

function openCode({phone, resendAfterSeconds}, remember, then) {
	const again = button(t("send_again"), async () => {
		try {
			countDown(again, (await api("POST", "auth/resend-otp", {phone})).resendAfterSeconds, t("send_again"));
			say(t("code_sent", {phone}));
		} catch (error) {
			if (error.retryAfter) countDown(again, error.retryAfter, t("send_again"));
			else tell(error);
		}
	}, ".quiet");
	const dialog = formDialog(t("by_phone"), [
		el("p", t("code_sent", {phone})), auth().sms === "console" && el("p.note", t("code_in_log")),
		codeField(t("sms_code"), "otp"),
	], t("sign_in"), ({otp}) => enter("verify-otp", {phone, otp: otp.trim(), remember}, then), again);
	dialog.querySelector("[name=otp]").inputMode = "numeric";
	countDown(again, resendAfterSeconds);
}

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const secret = () => base64url(crypto.getRandomValues(new Uint8Array(33)));
const begin = (kept) => forTab.setItem(LOGIN, JSON.stringify({...kept, address: location.hash}));

// The provider gives a code, which is good for nobody who does not know the verifier.
async function beginRedirect(remember, question) {
	if (!crypto.subtle) throw new Error(t("needs_https"));
	const [state, verifier] = [secret(), secret()];
	const codeChallenge = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
	const redirectUri = new URL(".", document.baseURI).href;
	const {authorizationUrl} = await api("POST", "auth/login/social", {state, codeChallenge, redirectUri});
	begin({state, verifier, remember, question});
	location.assign(authorizationUrl);
}

async function beginSocial(issuer, remember, question) {
	const [state, nonce] = [secret(), secret()];
	begin({state, nonce, remember, question});
	location.assign(`api/v1/auth/login/social?${new URLSearchParams({issuer, state, nonce})}`);
}

const claimsOf = (token) => JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));

// Finish what was begun on another site, when its answer is in the address, from where it goes at once. Gives back
// what to do when the page is there.
export async function finishSignIn() {
	const answer = new URLSearchParams(location.hash.slice(1));
	if (!answer.has("state")) return null;
	const {state, verifier, nonce, remember, question, address = ""} = JSON.parse(forTab.getItem(LOGIN) ?? "{}");
	forTab.removeItem(LOGIN);
	history.replaceState(null, "", location.pathname + address);
	const failed = (message) => () => void tell({message});
	if (!state || state !== answer.get("state")) return failed(t("sign_in_lost"));
	if (answer.has("error")) return failed(answer.get("error_description") || answer.get("error"));
	const done = () => (say(t("signed_in")), question);
	try {
		const token = answer.get("id_token");
		if (token && claimsOf(token).nonce !== nonce) return failed(t("sign_in_lost"));
		if (token) await signIn("social", {idToken: token, remember});
		else await signIn("login/social/token", {code: answer.get("code"), codeVerifier: verifier, remember});
		return done;
	} catch (error) {
		if (error.code !== "SECOND_FACTOR_REQUIRED") return failed(error.message);
		return () => void openChallenge({challenge: error.details.challenge, remember});
	}
}
