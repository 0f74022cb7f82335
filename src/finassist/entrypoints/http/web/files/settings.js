// The settings of an account: its email, password, second factor and sessions. Loaded when one of them is opened.
import {enter, isBuiltIn, newPassword, openSignIn, password, showCaller} from "./account.js";
import {api, isSignedIn, signOut} from "./api.js";
import {$, actions, button, copyable, el, field, formDialog, openDialog, openLoaded, say, tell} from "./dom.js";

const PLATFORMS = {web: "Browser", ios: "iPhone or iPad", android: "Android device"};
const {format} = new Intl.DateTimeFormat([], {dateStyle: "medium", timeStyle: "short"});
const when = (time) => format(new Date(time));

const part = (id, title, ...children) => el("section", {id}, el("h3", {tabIndex: -1}, title), ...children);
const act = (label, task, props) => button(label, () => task().catch(tell), "", props);
const codeField = (label, name = "code", value = "") =>
	field(label, {name, value, autocomplete: "one-time-code", autocapitalize: "off"});

export const openAccount = () => openLoaded("Account", async (again) => {
	// Show what has changed, and lead there: the button that was pressed may be gone.
	const done = async (id, message) => {
		await again();
		$(id)?.append(el("p.note", message));
		$(id)?.firstChild.focus();
		say(message);
	};
	const [{appLaunchResponseData: {userData}}, {sessions}, factor] = await Promise.all([
		api("GET", "app/launch"), api("GET", "auth/sessions"), isBuiltIn() && api("GET", "auth/second-factor")]);
	return el("div", isBuiltIn() && userData.email && [emailPart(userData, done), passwordPart(done)],
		isBuiltIn() && factorPart(factor, done), sessionsPart(sessions, done));
});

const emailPart = ({email, isVerified}, done) => part("account-email", "Email",
	el("p", isVerified ? `${email} is confirmed.` : `${email} is not confirmed yet.`),
	!isVerified && act("Send a confirmation mail", async () => {
		const {message} = await api("POST", "auth/email/verify/send");
		openVerification("", message, (told) => done("account-email", told));
	}));

const passwordPart = (done) => part("account-password", "Password", button("Change the password", () => formDialog("Change the password", [
	el("p", "You stay signed in here, and are signed out everywhere else."),
	password("Present password", "currentPassword"), newPassword(),
], "Change the password", async (values) => {
	const {message} = await api("POST", "auth/password/change", values).catch((error) => {
		if (error.code === "INVALID_CREDENTIALS") error.details = [{field: "currentPassword", message: "This is not your password."}];
		throw error;
	});
	return () => done("account-password", message);
})));

const factorPart = ({enabled, recoveryCodesLeft}, done) => part("account-factor", "Second factor", enabled
	? el("p", `On: signing in needs a code of your authenticator app. Recovery codes left: ${recoveryCodesLeft}.`)
	: el("p", "Off. With it, signing in needs a code of an authenticator app as well."),
	enabled ? button("Switch off", () => switchOff(done)) : act("Switch on", () => switchOn(done)));

async function switchOn(done) {
	const {otpauthUri, secret} = await api("POST", "auth/second-factor");
	formDialog("Switch the second factor on", [
		el("p", "Add finassist to your authenticator app: ", el("a", {href: otpauthUri}, "open the app on this device"), ", or enter this key there."),
		copyable("Key", secret, "textarea", {rows: 2}), codeField("The code that the app shows"),
	], "Switch on", async (values) => {
		const {recoveryCodes} = await api("POST", "auth/second-factor/confirm", values);
		return () => showRecoveryCodes(recoveryCodes, () => done("account-factor", "The second factor is on."));
	});
}

function showRecoveryCodes(codes, after) {
	const dialog = openDialog("Recovery codes",
		el("p", "Without the app, each of these signs you in once. They are shown only now: keep them where you find them."),
		copyable("Recovery codes", codes.join("\n"), "textarea", {rows: codes.length}),
		actions(button("I have kept them", () => dialog.close())));
	dialog.closedBy = "closerequest"; // not by a click beside it
	dialog.querySelector("textarea").focus(); // not the button that closes it
	dialog.addEventListener("close", after);
}

const switchOff = (done) => formDialog("Switch the second factor off?", [codeField("A code of the app, or a recovery code")], "Switch off", async (values) => {
	await api("DELETE", "auth/second-factor", values);
	return () => done("account-factor", "The second factor is off.");
});

function sessionsPart(sessions, done) {
	const end = (path, message) => async () => {
		await api("DELETE", path);
		await done("account-sessions", message);
	};
	const items = sessions.map(({id, platform, createdAt, lastSeenAt, current, devices}) => {
		const name = current ? "This session" : PLATFORMS[platform] ?? "Unknown device";
		const since = `since ${when(createdAt)}`;
		return el("li.row", el("div", el("strong", name), el("br"),
			el("small", `${since}, last seen ${when(lastSeenAt)}${devices.length > 1 ? `, on ${devices.length} devices` : ""}`)),
			!current && act("End", end(`auth/sessions/${id}`, "The session has ended."), {ariaLabel: `End: ${name}, ${since}`}));
	});
	return part("account-sessions", "Where you are signed in", el("ul", items),
		sessions.some(({current}) => !current) && act("End all others", end("auth/sessions", "All other sessions have ended.")));
}

// A sign-in that needs a second factor.
export const openChallenge = (started, then) => formDialog("Second factor", [
	codeField("A code of your authenticator app, or a recovery code"),
], "Sign in", (values) => enter("signin/second-factor", {...started, ...values}, then).catch((error) => {
	if (error.code !== "CHALLENGE_EXPIRED") throw error;
	return () => openSignIn("signin", "That took too long, or too many tries: please begin again. ", then);
}));

export const openForgotten = (email) => formDialog("Forgotten password", [
	el("p", "A mail brings a link to choose a new one."),
	field("Email", {name: "email", type: "email", autocomplete: "username", value: email}),
], "Send the mail", async (values) => {
	const {message} = await api("POST", "auth/password/forgot", values);
	return () => openReset("", message);
});

function openReset(token, told = "") {
	const dialog = formDialog("Choose a new password", [
		told && el("p", told), codeField("The code in the mail", "token", token), newPassword(),
	], "Change the password", async (values) => {
		await api("POST", "auth/password/reset", values);
		if (isSignedIn()) await signOut().then(showCaller); // all sessions have ended
		return () => openSignIn("signin", "The password is changed. ");
	});
	if (token) dialog.querySelector("[type=password]").focus();
}

const openVerification = (token, told, after) => formDialog("Confirm your email", [
	told && el("p", told), codeField("The code in the mail", "token", token),
], "Confirm", async (values) => {
	const {message} = await api("POST", "auth/email/verify", values);
	return () => after(message);
});

// What the link of a mail asks for.
export function openMailed(what, token) {
	if (what === "reset") openReset(token);
	else openVerification(token, "", (told) => openDialog("Confirm your email", el("p", told)));
}
