// Who uses the page: signing up, in and out, the allowance, and the cards that get to know somebody.
import {api, isSignedIn, signIn, signOut} from "./api.js";
import {$, actions, button, checkbox, choice, el, field, form, formDialog, openDialog, openMenu, say} from "./dom.js";
import {openShares} from "./share.js";

export function showAccount({userData, freeThreshold, systemUrls}, changed) {
	const links = [["Terms", systemUrls.termsAndConditions], ["Privacy", systemUrls.privacyPolicy], ["Help", systemUrls.faqs]];
	const name = button(userData.name || userData.email, () => openMenu(name, [
		["About you", openCards], ["Shared links", openShares], ["Sign out", () => signOut().then(changed)],
	]), {"aria-expanded": "false"}, ".wide");
	$("account").replaceChildren(
		el("p", {id: "allowance"}),
		isSignedIn() ? name : actions(
			button("Sign up", () => openSignIn("signup", changed), {}, ".main"), button("Sign in", () => openSignIn("signin", changed))),
		el("p.links", ...links.map(([label, href]) => el("a", {href, target: "_blank", rel: "noopener noreferrer"}, label))));
	showAllowance(freeThreshold);
}

export function showAllowance({total, remaining}) {
	const text = `${remaining} of ${total} free messages left`;
	$("allowance").replaceChildren(text, el("progress", {max: total || 1, value: remaining, "aria-label": text}));
}

export function openSignIn(kind, changed, reason = "") {
	const isNew = kind === "signup";
	const dialog = formDialog(isNew ? "Create an account" : "Sign in", [
			el("p", `${reason}The conversations of this device come along.`),
			isNew && field("Name", {name: "name", autocomplete: "name", maxLength: 100}),
			field("Email", {name: "email", type: "email", autocomplete: "username"}),
			field("Password", {name: "password", type: "password", autocomplete: isNew ? "new-password" : "current-password"},
				isNew && "At least 8 characters, with an uppercase letter, a lowercase letter and a digit."),
			checkbox("Stay signed in on this device", {name: "remember"}),
		], isNew ? "Create account" : "Sign in", async (values) => {
			await signIn(kind, {...values, remember: Boolean(values.remember)});
			await changed();
			say("You are signed in.");
		}, button(isNew ? "I have an account" : "I am new here", () => (dialog.close(), openSignIn(isNew ? "signin" : "signup", changed)), {}, ".quiet"));
}

export async function openCards() {
	const dialog = openDialog("About you", el("div"));
	const show = (...nodes) => dialog.lastChild.replaceChildren(...nodes);
	const load = async () => {
		const {profile, cards} = await api("GET", "user-profile");
		if (!cards.length) return show(el("p", "You have answered everything. Thank you."));
		show(el("p", `Answers shape the replies; none is a must. ${profile.completionPercent}% complete.`),
			form(cards.map(cardFields), "Save", async (_, node) => {
				const answers = cards.flatMap((card) => card.questions.map((each) => answerOf(node, card, each)).filter(Boolean));
				if (answers.length) await api("POST", "user-profile/answers", {answers});
				say("Saved.");
				await load();
			}, button("Other questions", () => api("POST", "user-profile/session").then(load).catch(fail))));
	};
	const fail = (error) => show(el("p.wrong", {role: "alert"}, error.message));
	await load().catch(fail);
}

const cardFields = ({title, subtitle, questions}) => el("fieldset", el("legend", title), el("p", subtitle),
	...questions.map(questionField), checkbox("Do not use these answers in replies", {name: `private-${questions[0].id}`}));

function questionField({id, text, type, options, min, max}) {
	if (type === "multi_select") {
		return el("fieldset", el("legend", text), ...options.map(({value, label}) => checkbox(label, {name: id, value})));
	}
	if (type === "text" || type === "number") return field(text, type === "text" ? {name: id, maxLength: max ?? 500} : {name: id, type, step: "any", min, max});
	const choices = type === "boolean" ? [["true", "Yes"], ["false", "No"]] : options.map(({value, label}) => [value, label]);
	return choice(text, id, [["", "–"], ...choices]);
}

function answerOf(node, card, {id, type}) {
	const given = new FormData(node).getAll(id).filter((value) => value.trim());
	if (!given.length) return null;
	const value = {multi_select: given, boolean: given[0] === "true", number: Number(given[0])}[type] ?? given[0];
	return {cardId: card.id, questionId: id, value, doNotUse: node.elements[`private-${card.questions[0].id}`].checked};
}
