// How one message looks.
import {api} from "./api.js";
import {ask} from "./chat.js";
import {actions, button, countDown, el, field, formDialog, iconButton, say, tell} from "./dom.js";
import {link, render} from "./markdown.js";

const REDRAWN_EVERY_MS = 60;

export const question = ({content, attachments = []}) =>
	el("article.asked", el("h2.unseen", "You"), el("div.plain", content),
		attachments.length && el("ul.files", attachments.map((file) => el("li", fileChip(file)))));

export function fileChip({filename, mimeType, url}) {
	const isSafe = /^(https?|blob):/.test(url);
	const shown = isSafe && mimeType.startsWith("image/") ? el("img", {src: url, alt: "", loading: "lazy"}) : "";
	return isSafe ? el("a.file", {href: url, target: "_blank", rel: "noopener"}, shown, filename) : el("span.file", shown, filename);
}

// A reply that grows with the events of its turn; `message` is one that is already there.
export class Reply {
	text = "";
	#calls = {};
	#timer;

	constructor(message) {
		this.waiting = el("p.waiting", "Looking it up…");
		this.calls = el("div");
		this.body = el("div.text");
		this.rest = el("div");
		this.node = el("article.reply", el("h2.unseen", "finassist"), this.calls, this.body, this.waiting, this.rest);
		if (message) this.finish(message);
	}

	take(event) {
		this.node.ariaBusy = "true";
		if (event.type === "lost") {
			this.waiting.textContent = "The connection was lost. Trying again…";
			this.waiting.hidden = false;
		} else if (event.type === "token") {
			this.text += event.content;
			this.#timer ??= setTimeout(() => this.#draw(), REDRAWN_EVERY_MS);
		} else this.#showCall({...event, id: event.toolCallId});
	}

	#draw(sources = []) {
		clearTimeout(this.#timer);
		this.#timer = null;
		this.waiting.hidden = true;
		this.body.replaceChildren(...render(this.text, (number) => this.#mark(number, sources)));
	}

	// The mark of a source, which opens it. While the reply is written its sources are not known yet.
	#mark(number, sources) {
		if (!sources.length) return el("sup", `[${number}]`);
		const source = sources.find(({index}) => index === number);
		return source && button(String(number), () => {
			this.sources.open = true;
			this.sources.querySelector(`[value="${number}"]`).focus();
		}, ".cite", {ariaLabel: `Source ${number}: ${source.title}`});
	}

	// Show what is known of a calculation; its result comes later than its call.
	#showCall(call) {
		const before = this.#calls[call.id];
		const known = {...before?.known, ...call};
		const node = calculation(known);
		if (before) before.node.replaceWith(node);
		else this.calls.append(node);
		this.#calls[call.id] = {known, node};
	}

	finish({content, toolCalls, sources, visualEmbeds, suggestions, status, ...message}) {
		this.text = content;
		this.node.ariaBusy = null;
		toolCalls.forEach((call) => this.#showCall(call));
		this.sources = sources.length && sourceList(sources);
		this.#draw(sources);
		const last = this.body.lastChild;
		if (last?.textContent === suggestions.map(({title}) => title).join("")) last.remove(); // the same as a list
		const chips = suggestions.length && el("ul.chips", suggestions.map(({title, message}) => el("li", button(title, () => ask(message)))));
		const note = {stopped: "You stopped this reply.", interrupted: "This reply was interrupted.", error: "This reply failed."}[status];
		this.rest.replaceChildren(el("div", chips, visualEmbeds.map(quoteImage), this.sources, note && el("p.note", note), content && feedback(message)));
	}

	abandon() {
		this.node.ariaBusy = null;
		this.#draw();
	}
}

function sourceList(sources) {
	const [cited, related] = [true, false].map((is) => sources.filter((source) => Boolean(source.cited) === is));
	const list = (some) => el("ol", some.map(({index, title, url, snippet}) => el("li", {value: index, tabIndex: -1},
		link(url, title) ?? el("strong", title), el("p", snippet))));
	const count = cited.length && `${cited.length} source${cited.length > 1 ? "s" : ""}`;
	return el("details.sources", {}, el("summary", count || "Related"), count && list(cited),
		related.length && [count && el("h3", "Related"), list(related)]);
}

export const words = (name) => name.replace(/_|(?=[A-Z])/g, " ").toLowerCase().replace(/^./, (first) => first.toUpperCase());
const written = (value) => typeof value === "object" ? JSON.stringify(value) : value.toLocaleString("en");

function calculation({name, arguments: given, result, isError}) {
	const {answer, formula, steps = [], assumptions = []} = result ?? {};
	const part = (title, items, tag, item) => items.length && [el("h3", title), el(tag, items.flatMap(item))];
	const entry = (text) => el("li", text);
	return el("details", {},
		el("summary", words(name), el("small", isError ? "could not be worked out" : result === undefined && "working…")),
		answer && el("p", answer),
		part("Given", Object.entries(given), "dl", ([key, value]) => [el("dt", words(key)), el("dd", written(value))]),
		formula && [el("h3", "Formula"), el("p", el("code", formula))],
		part("Steps", steps, "ol", entry), part("Assumptions", assumptions, "ul", entry));
}

const quoteImage = ({imageUrl, quoteText}) => el("figure", {},
	el("img", {src: imageUrl, alt: "", loading: "lazy", onerror: ({target}) => target.remove()}),
	quoteText && el("figcaption", quoteText));

function feedback({id, feedback: given}) {
	const node = el("div.feedback", {role: "group", ariaLabel: "This reply"});
	const rate = async (rating, feedback) => {
		given = await api("POST", `user/messages/${id}/feedback`, {rating, feedback: feedback || undefined});
		draw();
		say("Thank you.");
	};
	const thumb = (rating, name, label) => iconButton(name, label, async () => {
		await rate(rating, given?.feedback).catch(tell);
		node.querySelector(`.${name}`).parentNode.focus();
	}, {ariaPressed: String(given?.rating === rating)});
	const sayMore = () => formDialog("Say more", [field("What was good or bad?", {name: "more", maxLength: 1000, value: given.feedback ?? ""})],
		"Send", ({more}) => rate(given.rating, more.trim()));
	const draw = () => node.replaceChildren(thumb(1, "good", "Good reply"), thumb(-1, "bad", "Bad reply"),
		given ? button(given.feedback ? "Thank you." : "Say more", sayMore, ".quiet") : "");
	draw();
	return node;
}

// A wait is counted down on the first button.
export function notice(text, buttons = [], seconds = 0) {
	const shown = buttons.map(([label, act], index) => button(label, act, index ? "" : ".main"));
	if (seconds) countDown(shown[0], seconds);
	return el("div.notice", el("p", {role: "alert"}, text), actions(...shown));
}
