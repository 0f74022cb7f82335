// The question field and its attachments: by button, paste, drag and drop.
import {$, el, icon, iconButton, say} from "./dom.js";

const MEGABYTE = 2 ** 20;
const INLINE_MAX = 24; // MB of all files of a question together
const limits = {messageMaxChars: 2000, attachmentMaxBytes: 20 * MEGABYTE, attachmentsMax: 5};

export const setLimits = (given) => Object.assign(limits, given);

let files = [];
const box = $("question");
const usual = $("hint").textContent;

function hint(text) {
	$("hint").textContent = text || usual;
	$("hint").classList.toggle("wrong", Boolean(text));
	if (text) say(text);
}

const excess = () => [...box.value.trim()].length - limits.messageMaxChars;

function grow() {
	box.style.height = "auto";
	box.style.height = `${box.scrollHeight}px`;
	hint(excess() > 0 && `${excess()} characters too long.`);
}

function add(chosen) {
	hint();
	for (const file of chosen) {
		const together = files.reduce((sum, {size}) => sum + size, file.size);
		const wrong = files.length >= limits.attachmentsMax ? `At most ${limits.attachmentsMax} files can be sent at once.`
			: file.size > limits.attachmentMaxBytes ? `${file.name} is larger than ${limits.attachmentMaxBytes / MEGABYTE} MB.`
			: together > INLINE_MAX * MEGABYTE ? `The files are larger than ${INLINE_MAX} MB together.`
			: !file.size && `${file.name} is empty.`;
		if (wrong) hint(wrong);
		else files.push(file);
	}
	draw();
	box.focus();
}

function draw() {
	$("files").replaceChildren(...files.map((file) => el("li.file", picture(file), el("span", file.name),
		iconButton("close", `Remove ${file.name}`, () => {
			files = files.filter((each) => each !== file);
			draw();
			box.focus();
		}))));
}

const picture = (file) => file.type.startsWith("image/") ? el("img", {src: URL.createObjectURL(file), alt: ""}) : icon("file");

const base64 = (file) => new Promise((resolve, reject) => {
	const reader = new FileReader();
	reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
	reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
	reader.readAsDataURL(file);
});

export const encoded = (chosen) => Promise.all(chosen.map(async (file) => ({
	data: await base64(file), mimeType: file.type || "application/octet-stream", filename: file.name,
})));

export function putBack(message) {
	box.value ||= message;
	grow();
}

// `ask(message, files)` gets what is sent, `isBusy()` says whether a reply is being written.
export function startComposer(ask, isBusy) {
	$("attach").onclick = () => $("picker").click();
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
	$("composer").onsubmit = (event) => {
		event.preventDefault();
		const message = box.value.trim();
		if (isBusy() || excess() > 0) return;
		if (!message) return hint(files.length && "Write a question about the file.");
		if (document.activeElement === $("send")) box.focus(); // the button goes
		ask(message, files);
		files = [];
		box.value = "";
		draw();
		grow();
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
