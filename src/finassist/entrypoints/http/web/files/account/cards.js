// What the service asks about somebody, so that replies fit better.
import {api} from "../api.js";
import {button, checkbox, choice, el, field, form, openLoaded, say} from "../dom.js";
import {t} from "../words.js";

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
