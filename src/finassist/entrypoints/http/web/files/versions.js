// Earlier versions of questions that were edited, with what came after them then.
import {api} from "./api.js";
import {$, actions, button, el, icon, openDialog} from "./dom.js";
import {question, Reply} from "./message.js";
import {t} from "./words.js";

async function everything(id) {
	const messages = [];
	let page;
	do {
		page = await api("GET", `user/conversations/${id}/messages?include=superseded&limit=100&offset=${messages.length}`);
		messages.push(...page.messages);
	} while (page.hasMore);
	return messages;
}

// Of each question that is shown its earlier versions, the oldest first: the messages from one to the next. Empty without any.
export async function earlierVersions({id, messageCount}) {
	const {total} = await api("GET", `user/conversations/${id}/messages?include=superseded&limit=1`);
	const found = new Map();
	if (total <= messageCount) return found;
	const messages = await everything(id);
	const at = new Map(messages.map((message, index) => [message.id, index]));
	for (const {id: shown, status, replaces} of messages) {
		const versions = [];
		for (let [to, from] = [shown, replaces]; from && status !== "superseded"; [to, from] = [from, messages[at.get(from)]?.replaces])
			versions.unshift(messages.slice(at.get(from), at.get(to)));
		if (versions.length) found.set(shown, versions);
	}
	return found;
}

// `askAgain(text)` asks in the words of an earlier version.
export function offer(node, versions, askAgain) {
	const label = t("earlier_versions", {n: versions.length});
	node.querySelector(".versions")?.remove();
	node.querySelector(".tools").prepend(button(icon("history"), () => open(versions, askAgain), ".quiet.versions", {ariaLabel: label, title: label}));
}

function open(versions, askAgain) {
	const total = versions.length + 1;
	const dialog = openDialog(t("earlier_versions", {n: versions.length}), ...versions.map((messages, index) => el("section",
		el("h3", t("version", {n: index + 1, total})), messages.map(drawn),
		actions(button(t("ask_again"), () => (dialog.close(), askAgain(messages[0].content)), "", {ariaLabel: `${t("ask_again")}: ${messages[0].content}`})))));
	dialog.classList.add("broad");
}

// A message as it was, to be read and not to be worked with.
function drawn(message) {
	const node = message.role === "user" ? question(message) : new Reply(message).node;
	node.querySelectorAll(".tools,.chips,.sources").forEach((each) => each.remove());
	node.querySelectorAll(".cite").forEach((each) => each.replaceWith(el("sup", `[${each.textContent}]`)));
	return node;
}
