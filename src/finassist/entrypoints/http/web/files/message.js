// How one message looks.
import {api} from "./api.js";
import {charts} from "./messages/charts.js";
import {ask, askInstead} from "./chat.js";
import {$, actions, button, copy, countDown, el, field, formDialog, iconButton, late, say, tell} from "./dom.js";
import {csvOf, save} from "./export.js";
import {render} from "./markdown.js";
import {openSources} from "./messages/sources.js";
import {language, t} from "./words.js";

const REDRAWN_EVERY_MS = 60;
const clock = new Intl.DateTimeFormat(language, {timeStyle: "short"});
const dayAndClock = new Intl.DateTimeFormat(language, {dateStyle: "medium", timeStyle: "short"});
const full = new Intl.DateTimeFormat(language, {dateStyle: "full", timeStyle: "medium"});

// When a message was written: of today the time alone. What was asked just now has no time of the service yet.
function timeOf({createdAt = new Date().toISOString()}) {
	const at = new Date(createdAt);
	const isToday = at.toDateString() === new Date().toDateString();
	return el("time", {dateTime: createdAt, title: full.format(at)}, (isToday ? clock : dayAndClock).format(at));
}

// A question. `message` has no id until its reply is there.
export function question(message) {
	const {content, attachments = []} = message;
	const node = el("article.asked", el("h2.unseen", t("you")), el("div.plain", content),
		attachments.length && el("ul.files", attachments.map((file) => el("li", fileChip(file)))),
		el("div.tools", {role: "group", ariaLabel: t("this_question")}, timeOf(message),
			iconButton("edit", t("edit"), () => edit(node)), iconButton("copy", t("copy_question"), () => copy(content))));
	return Object.assign(node, {message});
}

// Word a question anew, where it stands. What was said after it goes when the new one is sent.
export function edit(node, text = node.message.content) {
	if (node.querySelector("form")) return;
	const shown = [...node.children].slice(1);
	const box = el("textarea", {value: text, ariaLabel: t("your_question"), rows: 3});
	const close = () => {
		editor.remove();
		shown.forEach((child) => (child.hidden = false));
		node.querySelector(".tools button").focus();
	};
	const editor = el("form.editor", {
		onsubmit: (event) => {
			event.preventDefault();
			if (box.value.trim()) close(), askInstead(node, box.value.trim());
		},
		onkeydown: (event) => {
			if (event.key === "Escape") event.stopPropagation(), close();
			else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) event.preventDefault(), editor.requestSubmit();
		},
	}, box, actions(el("button.main", t("ask_again")), button(t("cancel"), close)));
	shown.forEach((child) => (child.hidden = true));
	node.append(editor);
	box.focus();
}

const openPreview = late(() => import("./messages/preview.js"))("openPreview");
const readAloud = late(() => import("./messages/aloud.js"))("readAloud");
const READABLE = /\.(csv|tsv|txt|md|json|ofx|qfx|qif|sta|xml|html?)$/i;

// A file of a message: what can be shown is, anything else is a link where there is one.
export function fileChip(file) {
	const {filename, mimeType, url, transcript} = file;
	const isSafe = /^(https?|blob):/.test(url);
	const isImage = isSafe && mimeType.startsWith("image/");
	const label = [isImage ? el("img", {src: url, alt: "", loading: "lazy"}) : "", filename];
	const isText = (isSafe || file.file) && (mimeType.startsWith("text/") || mimeType === "application/json" || READABLE.test(filename));
	if (isImage || isText || transcript) return el("button.file", {type: "button", title: t("preview"), onclick: () => openPreview(file)}, label);
	return isSafe ? el("a.file", {href: url, target: "_blank", rel: "noopener"}, label) : el("span.file", label);
}

const FENCE = /^ *(```|~~~)/gm;
const NEW_BLOCK = /\n\n(?=[\p{L}#])/gu; // nothing before it changes with what comes after it

// Where the last block of a text begins that stands for itself, not within code.
function settledUpTo(text, from) {
	let end = from;
	for (const {index} of text.slice(from).matchAll(NEW_BLOCK)) {
		const before = text.slice(from, from + index);
		if ((before.match(FENCE)?.length ?? 0) % 2 === 0) end = from + index + 2;
	}
	return end;
}

// A reply that grows with the events of its turn; `message` is one that is already there.
export class Reply {
	text = "";
	#calls = {};
	#timer;
	#settled = 0; // so much of the text is drawn for good while the rest is written
	#tail = [];

	constructor(message) {
		this.waiting = el("p.waiting", t("looking_up"));
		this.calls = el("div");
		this.body = el("div.text");
		this.rest = el("div");
		this.node = el("article.reply", el("h2.unseen", "finassist"), this.calls, this.body, this.waiting, this.rest);
		if (message) this.finish(message);
	}

	take(event) {
		this.node.ariaBusy = "true";
		if (event.type === "lost") {
			this.waiting.textContent = t("connection_lost");
			this.waiting.hidden = false;
			this.waiting.classList.add("lost");
			return;
		}
		this.waiting.classList.remove("lost");
		if (event.type === "token") {
			this.text += event.content;
			this.#timer ??= setTimeout(() => this.#drawMore(), REDRAWN_EVERY_MS);
		} else {
			this.waiting.hidden = true; // the call stands where it was
			this.#showCall({...event, id: event.toolCallId});
		}
	}

	// Draw only the blocks that can still change: a long reply costs no more than a short one.
	#drawMore() {
		this.#timer = null;
		this.waiting.hidden = true;
		const drawn = (text) => render(text, (number) => this.#mark(number, []));
		const end = settledUpTo(this.text, this.#settled);
		const settled = drawn(this.text.slice(this.#settled, end));
		const tail = drawn(this.text.slice(end));
		this.#tail.forEach((node) => node.remove());
		this.body.append(...settled, ...tail);
		[this.#settled, this.#tail] = [end, tail];
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
		return source && button(String(number), () => openSources(sources, this.text, number), ".cite", {ariaLabel: t("source", {number, title: source.title})});
	}

	// Show what is known of a calculation; its result comes later than its call.
	#showCall(call) {
		const before = this.#calls[call.id];
		const known = {...before?.known, ...call};
		const node = calculation(known, this.text);
		if (before) before.node.replaceWith(node);
		else this.calls.append(node);
		this.#calls[call.id] = {known, node};
	}

	finish({content, toolCalls, sources, visualEmbeds, suggestions, status, ...message}) {
		this.text = content;
		this.node.ariaBusy = null;
		toolCalls.forEach((call) => this.#showCall(call));
		this.#draw(sources);
		this.body.querySelectorAll("pre, .scroll").forEach(withCopy);
		if (this.body.querySelector(".tex")) import("./messages/math.js").then(({drawFormulas}) => drawFormulas(this.body), () => {}); // else they are texts
		const last = this.body.lastChild;
		if (last?.textContent === suggestions.map(({title}) => title).join("")) last.remove(); // the same as a list
		const chips = suggestions.length && el("ul.chips", suggestions.map(({title, message}) => el("li", button(title, () => ask(message)))));
		const note = {stopped: t("you_stopped"), interrupted: t("interrupted"), error: t("reply_failed")}[status];
		this.rest.replaceChildren(el("div", toolCalls.flatMap(({name, result}) => charts(result ?? {}, words(name))),
			chips, visualEmbeds.map(quoteImage), sources.length && this.#sources(sources), note && el("p.note", note), this.#tools(message)));
	}

	#sources(sources) {
		const count = sources.filter(({cited}) => cited).length;
		return el("div", button(count ? t("source_count", {n: count}) : t("related"), () => openSources(sources, this.text), ".sources"),
			el("ol.printed", sources.filter(({cited}) => cited).map(({index, title, url}) => el("li", {value: index}, title, url && ` ${url}`))));
	}

	// What can be done with a reply; one without text can only be asked for again.
	#tools(message) {
		const again = iconButton("again", t("try_again"), () => {
			let asked = this.node;
			do asked = asked.previousElementSibling; while (asked && !asked.matches(".asked"));
			if (asked) askInstead(asked);
		});
		const taken = this.text && [feedback(message), iconButton("copy", t("copy_reply"), () => copy(this.text)),
			"speechSynthesis" in window && iconButton("aloud", t("read_aloud"), ({currentTarget}) => readAloud(this.body, currentTarget), {ariaPressed: "false"})];
		const by = !$("model").hidden && message.model; // where there is a choice, who answered
		return el("div.tools", taken, again, timeOf(message), by && el("small", by));
	}

	abandon() {
		this.node.ariaBusy = null;
		this.#draw();
	}
}

// Code and tables can be taken along by themselves.
function withCopy(node) {
	const table = node.querySelector("table");
	const take = table ? [iconButton("copy", t("copy_csv"), () => copy(csvOf(table))), button("CSV", () => save("table.csv", csvOf(table), "text/csv"), ".quiet", {ariaLabel: t("save_csv")})]
		: iconButton("copy", t("copy_code"), () => copy(node.textContent));
	const block = el("div.block");
	node.replaceWith(block);
	block.append(node, el("div.take", node.dataset.language && el("span", node.dataset.language), take));
}

export const words = (name) => name.replace(/_|(?=[A-Z])/g, " ").toLowerCase().replace(/^./, (first) => first.toUpperCase());
const written = (value) => typeof value === "object" ? JSON.stringify(value) : value.toLocaleString(language);

// What a reply says of a calculation itself is not shown a second time.
function calculation({name, arguments: given, result, isError}, said) {
	const {answer, formula, steps = [], assumptions = []} = result ?? {};
	if (answer && [answer, formula, ...steps].every((text) => !text || said.includes(text))) return el("p.called", words(name));
	const part = (title, items, tag, item) => items.length && [el("h3", title), el(tag, items.flatMap(item))];
	const entry = (text) => el("li", text);
	return el("details", {},
		el("summary", words(name), el("small", isError ? t("not_worked_out") : result === undefined && t("working"))),
		answer && el("p", answer),
		part(t("given"), Object.entries(given), "dl", ([key, value]) => [el("dt", words(key)), el("dd", written(value))]),
		formula && [el("h3", t("formula")), el("p", el("code", formula))],
		part(t("steps"), steps, "ol", entry), part(t("assumptions"), assumptions, "ul", entry));
}

const quoteImage = ({imageUrl, quoteText}) => el("figure", {},
	el("img", {src: imageUrl, alt: "", loading: "lazy", onerror: ({target}) => target.remove()}),
	quoteText && el("figcaption", quoteText));

function feedback({id, feedback: given}) {
	const node = el("div.feedback", {role: "group", ariaLabel: t("this_reply")});
	const rate = async (rating, feedback) => {
		given = await api("POST", `user/messages/${id}/feedback`, {rating, feedback: feedback || undefined});
		draw();
		say(t("thank_you"));
	};
	const thumb = (rating, name, label) => iconButton(name, label, async () => {
		await rate(rating, given?.feedback).catch(tell);
		node.querySelector(`.${name}`).parentNode.focus();
	}, {ariaPressed: String(given?.rating === rating)});
	const sayMore = () => formDialog(t("say_more"), [field(t("good_or_bad"), {name: "more", maxLength: 1000, value: given.feedback ?? ""})],
		t("send"), ({more}) => rate(given.rating, more.trim()));
	const draw = () => node.replaceChildren(thumb(1, "good", t("good_reply")), thumb(-1, "bad", t("bad_reply")),
		given ? button(given.feedback ? t("thank_you") : t("say_more"), sayMore, ".quiet") : "");
	draw();
	return node;
}

// A wait is counted down on the first button.
export function notice(text, buttons = [], seconds = 0, kind = ".failed") {
	const shown = buttons.map(([label, act], index) => button(label, act, index ? "" : ".main"));
	if (seconds && shown.length) countDown(shown[0], seconds);
	return el(`div.notice${kind}`, el("p", {role: "alert"}, text), actions(...shown));
}
