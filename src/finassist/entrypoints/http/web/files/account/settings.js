// The settings of an account: name, picture, email, password, second factor and sessions.
import {api, isSignedIn, signOut} from "../api.js";
import {$, actions, button, choice, copyable, el, field, form, formDialog, late, openDialog, openLoaded, say, tell, walkThrough} from "../dom.js";
import {language, t} from "../words.js";
import {auth, showCaller} from "./account.js";
import {codeField, newPassword, openSignIn, password} from "./sign_in.js";

const code = late(() => import("./qr.js"))("code");
const PLATFORMS = {web: t("browser"), ios: t("ios"), android: t("android")};
const {format} = new Intl.DateTimeFormat(language, {dateStyle: "medium", timeStyle: "short"});
const when = (time) => format(new Date(time));

const part = (id, title, ...children) => el("section", {id}, el("h3", {tabIndex: -1}, title), ...children);
const act = (label, task, props) => button(label, () => task().catch(tell), "", props);

export const openAccount = () => openLoaded(t("account"), async (again) => {
	// Show what has changed, and lead there: the button that was pressed may be gone.
	const done = async (id, message) => {
		shown = id;
		await again();
		$(id)?.append(el("p.note", message));
		$(id)?.firstChild.focus();
		say(message);
	};
	const {isBuiltIn} = auth();
	const [{user}, {appLaunchResponseData: {userData}}, {sessions}, factor] = await Promise.all([api("GET", "auth/me"),
		api("GET", "app/launch"), api("GET", "auth/sessions"), isBuiltIn && api("GET", "auth/second-factor")]);
	return partByPart([profilePart(user, done), ...(isBuiltIn && userData.email ? [emailPart(userData, done), passwordPart(done)] : []),
		isBuiltIn && factorPart(factor, done), sessionsPart(sessions, done)].filter(Boolean));
}, "broad");

let shown; // the part of the settings that was looked at last

// One part at a time, and the list of them beside it; above it on a phone.
function partByPart(parts) {
	const tabs = parts.map((each) => {
		Object.assign(each, {role: "tabpanel", ariaLabel: each.firstChild.textContent});
		return button(each.ariaLabel, () => show(each.id), ".quiet", {role: "tab", id: `${each.id}-tab`, "aria-controls": each.id});
	});
	function show(id) {
		shown = id;
		parts.forEach((each, at) => {
			each.hidden = each.id !== id;
			tabs[at].ariaSelected = String(!each.hidden);
			tabs[at].tabIndex = each.hidden ? -1 : 0;
		});
	}
	show(parts.find(({id}) => id === shown)?.id ?? parts[0].id);
	const walk = (event) => walkThrough(event, tabs, (tab) => (tab.focus(), tab.click()));
	return el("div.settings", el("div.parts", {role: "tablist", ariaLabel: t("account"), ariaOrientation: "vertical", onkeydown: walk}, tabs), el("div", parts));
}

// What is said of a mail: without a server for mails there is none.
const mailed = (message) => auth().mail === "console" ? t("mail_in_log") : message;

const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "hi"];

function profilePart({fullName, avatarUrl, preferences}, done) {
	const change = async (body) => {
		await api("PATCH", "auth/me", body);
		await showCaller();
		await done("account-profile", t("saved"));
	};
	const picker = el("input", {type: "file", accept: "image/jpeg,image/png,image/gif,image/webp", hidden: true, onchange: () => {
		const sent = new FormData();
		sent.append("avatar", picker.files[0]);
		change(sent).catch(tell);
	}});
	const names = new Intl.DisplayNames(language, {type: "language"});
	const known = [...new Set([preferences.language, ...LANGUAGES])];
	const languages = choice(t("language_told"), "language", known.map((each) => [each, names.of(each)]));
	languages.children[1].value = preferences.language;
	return part("account-profile", t("profile"),
		el("div.row", avatarUrl && el("img.avatar", {src: avatarUrl, alt: t("picture")}), picker,
			button(avatarUrl ? t("other_picture") : t("add_picture"), () => picker.click()),
			avatarUrl && act(t("remove_picture"), () => change({_clearAvatar: true}))),
		form([field(t("name"), {name: "fullName", value: fullName, autocomplete: "name", maxLength: 100}), languages], t("save"),
			({fullName: name, language: wanted}) => change({fullName: name.trim(), preferences: {language: wanted}})));
}

const emailPart = ({email, isVerified}, done) => part("account-email", t("email"),
	el("p", isVerified ? t("confirmed", {email}) : t("not_confirmed", {email})),
	!isVerified && act(t("send_confirmation"), async () => {
		const {message} = await api("POST", "auth/email/verify/send");
		openVerification("", mailed(message), (told) => done("account-email", told));
	}));

const passwordPart = (done) => part("account-password", t("password"), button(t("change_password"), () => formDialog(t("change_password"), [
	el("p", t("password_told")),
	password(t("present_password"), "currentPassword"), newPassword(),
], t("change_password"), async (values) => {
	const {message} = await api("POST", "auth/password/change", values).catch((error) => {
		if (error.code === "INVALID_CREDENTIALS") error.details = [{field: "currentPassword", message: t("wrong_password")}];
		throw error;
	});
	return () => done("account-password", message);
})));

const factorPart = ({enabled, recoveryCodesLeft}, done) => part("account-factor", t("second_factor"), enabled
	? el("p", t("factor_on", {n: recoveryCodesLeft}))
	: el("p", t("factor_off")),
	enabled ? button(t("switch_off"), () => switchOff(done)) : act(t("switch_on"), () => switchOn(done)));

async function switchOn(done) {
	const {otpauthUri, secret} = await api("POST", "auth/second-factor");
	const drawn = await code(otpauthUri, t("scan"));
	formDialog(t("switch_on_title"), [
		drawn && el("figure", {}, drawn, el("figcaption", t("scan"))),
		el("p", `${t("add_to_app")} `, el("a", {href: otpauthUri}, t("open_app")), t("or_key")),
		copyable(t("key"), secret, "textarea", {rows: 2}), codeField(t("app_code")),
	], t("switch_on"), async (values) => {
		const {recoveryCodes} = await api("POST", "auth/second-factor/confirm", values);
		return () => showRecoveryCodes(recoveryCodes, () => done("account-factor", t("factor_is_on")));
	});
}

function showRecoveryCodes(codes, after) {
	const dialog = openDialog(t("recovery_codes"),
		el("p", t("recovery_told")),
		copyable(t("recovery_codes"), codes.join("\n"), "textarea", {rows: codes.length}),
		actions(button(t("have_kept"), () => dialog.close())));
	dialog.closedBy = "closerequest"; // not by a click beside it
	dialog.querySelector("textarea").focus(); // not the button that closes it
	dialog.addEventListener("close", after);
}

const switchOff = (done) => formDialog(t("switch_off_title"), [codeField(t("app_or_recovery"))], t("switch_off"), async (values) => {
	await api("DELETE", "auth/second-factor", values);
	return () => done("account-factor", t("factor_is_off"));
});

function sessionsPart(sessions, done) {
	const end = (path, message) => async () => {
		await api("DELETE", path);
		await done("account-sessions", message);
	};
	const items = sessions.map(({id, platform, createdAt, lastSeenAt, current, devices}) => {
		const name = current ? t("this_session") : PLATFORMS[platform] ?? t("unknown_device");
		const since = t("since", {time: when(createdAt)});
		return el("li.row", el("div", el("strong", name), el("br"),
			el("small", [since, t("last_seen", {time: when(lastSeenAt)}), ...(devices.length > 1 ? [t("on_devices", {n: devices.length})] : [])].join(", "))),
			!current && act(t("end"), end(`auth/sessions/${id}`, t("session_over")), {ariaLabel: t("end_session", {name, since})}));
	});
	return part("account-sessions", t("where_signed_in"), el("ul", items),
		sessions.some(({current}) => !current) && act(t("end_others"), end("auth/sessions", t("others_over"))));
}

export const openForgotten = (email) => formDialog(t("forgotten"), [
	el("p", mailed(t("forgotten_told"))),
	field(t("email"), {name: "email", type: "email", autocomplete: "username", value: email}),
], t("send_mail"), async (values) => {
	const {message} = await api("POST", "auth/password/forgot", values);
	return () => openReset("", mailed(message));
});

function openReset(token, told = "") {
	const dialog = formDialog(t("choose_password"), [
		told && el("p", told), codeField(t("mail_code"), "token", token), newPassword(),
	], t("change_password"), async (values) => {
		await api("POST", "auth/password/reset", values);
		if (isSignedIn()) await signOut().then(showCaller); // all sessions have ended
		return () => openSignIn("signin", `${t("password_changed")} `);
	});
	if (token) dialog.querySelector("[type=password]").focus();
}

const openVerification = (token, told, after) => formDialog(t("confirm_email"), [
	told && el("p", told), codeField(t("mail_code"), "token", token),
], t("confirm"), async (values) => {
	const {message} = await api("POST", "auth/email/verify", values);
	return () => after(message);
});

// What the link of a mail asks for.
export function openMailed(what, token) {
	if (what === "reset") openReset(token);
	else openVerification(token, "", (told) => openDialog(t("confirm_email"), el("p", told)));
}
