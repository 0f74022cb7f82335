// Earlier versions of questions that were edited, with what came after them then.
import {api} from "../api.js";
import {actions, button, el, iconButton, say} from "../dom.js";
import {question, Reply} from "../message.js";
import {t} from "../words.js";

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

let away; // leads back from the earlier version that is shown

// Show the present version again, when another one is shown.
export function leaveEarlier() {
	away?.();
	away = null;
}

// A question with earlier versions leads to them where it stands, with what came after each. `askAgain(text)` asks in the
// words of an earlier one.
export function offer(node, versions, askAgain) {
	const total = versions.length + 1;
	const go = (wanted, step) => {
		leaveEarlier();
		const shown = wanted === total ? node : earlier(node, versions[wanted - 1], wanted);
		const [back, on] = shown.querySelectorAll(".versions button");
		const turned = step < 0 ? back : on;
		(turned.disabled ? step < 0 ? on : back : turned).focus();
		shown.scrollIntoView({block: "nearest"});
		say(t("version", {n: wanted, total}));
	};
	const switcher = (n) => {
		const button = (name, label, step) => iconButton(name, label, () => go(n + step, step), {disabled: n + step < 1 || n + step > total});
		return el("span.versions", {role: "group", ariaLabel: t("version", {n, total})},
			button("back", t("version_before"), -1), el("small", `${n}/${total}`), button("on", t("version_after"), 1));
	};
	// The version in the place of the present one, and of all that came after it.
	function earlier(present, messages, n) {
		const hidden = [];
		for (let each = present; each; each = each.nextElementSibling) if (!each.hidden) hidden.push(each);
		const drawn = messages.map(asItWas);
		drawn[0].querySelector(".tools").prepend(switcher(n));
		const part = el("section", {ariaLabel: t("version", {n, total})}, el("div.notice", el("p", t("version_told")),
			actions(button(t("version_newest"), () => go(total, 1), ".main"), button(t("version_again"), () => (leaveEarlier(), askAgain(messages[0].content))))), drawn);
		present.before(part);
		hidden.forEach((each) => (each.hidden = true));
		away = () => {
			part.remove();
			hidden.forEach((each) => (each.hidden = false));
		};
		return part;
	}
	node.querySelector(".versions")?.remove();
	node.querySelector(".tools").prepend(switcher(total));
}

// A message to be read and not to be worked with.
function asItWas(message) {
	const node = message.role === "user" ? question(message) : new Reply(message).node;
	node.querySelectorAll(".tools > :not(time), .chips, .sources").forEach((each) => each.remove());
	node.querySelectorAll(".cite").forEach((each) => each.replaceWith(el("sup", `[${each.textContent}]`)));
	return node;
}
