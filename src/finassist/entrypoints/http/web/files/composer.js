// The question field and its attachments: by button, paste, drag and drop.
import {forTab} from "./api.js";
import {$, button, el, iconButton, say} from "./dom.js";
import {fileChip} from "./message.js";
import {t} from "./words.js";

const DRAFT = "finassist.draft"; // what is being written outlives a reload
const INLINE_MAX = 24; // MB of all files of a question together
const limits = {messageMaxChars: 2000, attachmentsMax: 5};

export const setLimits = (given) => Object.assign(limits, given);

// Which model answers, where there is a choice.
export function offerModels(models, usual) {
	$("model").hidden = models.length < 2;
	$("model").replaceChildren(...models.map((value) => el("option", {value, selected: value === usual}, value)));
}

export const chosenModel = () => $("model").hidden ? undefined : $("model").value;

let files = [];
const box = $("question");
const STATEMENT = /\.(csv|tsv|xlsx|ofx|qfx|qif|sta|mt940)$/i; // a PDF may be anything
const ASKS = ["ask_where", "ask_subscriptions", "ask_months"];
let submit; // what is written, or a text that is offered

export const chooseFiles = () => $("picker").click();
const usual = $("hint").textContent;

function hint(text) {
	$("hint").textContent = text || usual;
	$("hint").classList.toggle("wrong", Boolean(text));
	if (text) say(text);
}

const excess = () => [...box.value.trim()].length - limits.messageMaxChars;

function grow() {
	if (box.value) forTab.setItem(DRAFT, box.value);
	else forTab.removeItem(DRAFT);
	box.style.height = "auto";
	box.style.height = `${box.scrollHeight}px`;
	hint(excess() > 0 && t("too_long", {n: excess()}));
}

function add(chosen) {
	hint();
	for (const file of chosen) {
		const together = files.reduce((sum, {size}) => sum + size, file.size);
		const wrong = files.length >= limits.attachmentsMax ? t("files_max", {n: limits.attachmentsMax})
			: together > INLINE_MAX * 2 ** 20 && t("files_size", {n: INLINE_MAX});
		if (wrong) hint(wrong);
		else files.push(file);
	}
	draw();
	box.focus();
}

function draw() {
	$("files").replaceChildren(...files.map((file) => el("li", fileChip(attachment(file)),
		iconButton("close", t("remove", {name: file.name}), () => {
			files = files.filter((each) => each !== file);
			draw();
			box.focus();
		}))));
	const isStatement = files.some(({name}) => STATEMENT.test(name));
	$("asks").hidden = !isStatement;
	document.body.classList.toggle("with-statement", isStatement);
}

// What a message has of a file, before it is sent.
export const attachment = (file) => ({
	file, filename: file.name, mimeType: file.type, url: file.type.startsWith("image/") && URL.createObjectURL(file),
});

export const encoded = (file) => new Promise((resolve, reject) => {
	const reader = new FileReader();
	reader.onload = () => resolve({
		data: reader.result.slice(reader.result.indexOf(",") + 1), mimeType: file.type || "application/octet-stream", filename: file.name,
	});
	reader.onerror = () => reject(new Error(t("unreadable", {name: file.name})));
	reader.readAsDataURL(file);
});

export function putBack(message, chosen = []) {
	box.value = [message, box.value].filter(Boolean).join("\n\n"); // what was begun meanwhile stays
	grow();
	if (chosen.length) add(chosen);
}

export function clearQuestion() {
	files = [];
	box.value = "";
	draw();
	grow();
}

// `ask(message, files)` gets what is sent, `isBusy()` says whether a reply is being written.
export function startComposer(ask, isBusy) {
	box.value = forTab.getItem(DRAFT) ?? "";
	grow();
	$("attach").onclick = chooseFiles;
	$("asks").append(...ASKS.map((key) => el("li", button(t(key), () => submit(t(key))))));
	$("picker").onchange = ({target}) => {
		add(target.files);
		target.value = "";
	};
	box.oninput = grow;
	box.onkeydown = (event) => {
		if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
		event.preventDefault();
		$("composer").requestSubmit();
	};
	submit = (message) => {
		if (isBusy()) return;
		if (matchMedia("(pointer:coarse)").matches) box.blur(); // the keyboard of a phone would hide the reply
		else if (document.activeElement !== box) box.focus(); // the button goes
		ask(message, files);
		clearQuestion();
	};
	$("composer").onsubmit = (event) => {
		event.preventDefault();
		const message = box.value.trim();
		if (excess() > 0) return;
		if (message) submit(message);
		else hint(files.length && t("question_for_file"));
	};
	const take = (event, transfer) => {
		if (!transfer.files.length) return;
		event.preventDefault();
		add(transfer.files);
	};
	const mark = (on) => document.body.classList.toggle("dropping", on);
	box.onpaste = (event) => take(event, event.clipboardData);
	document.ondragover = (event) => {
		if (!event.dataTransfer.types.includes("Files")) return;
		event.preventDefault();
		mark(true);
	};
	document.ondragleave = ({relatedTarget}) => mark(Boolean(relatedTarget));
	document.ondrop = (event) => {
		mark(false);
		take(event, event.dataTransfer);
	};
}
