// What is in a file, without leaving the page: pictures, tables and texts; what is said in a recording.
import {actions, el, openDialog} from "../dom.js";
import {link} from "../markdown.js";
import {t} from "../words.js";

const READ_MAX = 2 ** 18; // bytes
const ROWS_MAX = 200;
const DAY = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}$/;
const AMOUNT = /^[-+\u2212(]?\p{Sc}? ?\d[\d.,'\s]*( ?\p{Sc})?[-)]?$/u;
const TABLE = /\.(csv|tsv)$/i;

// A text in the encodings that files of banks have; the last character may be cut.
function decoded(bytes) {
	const [first, second] = bytes;
	if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
	try {
		return new TextDecoder("utf-8", {fatal: true}).decode(bytes, {stream: true});
	} catch {
		return new TextDecoder("windows-1252").decode(bytes);
	}
}

// The cells of a table, whichever sign is between them. What stands in quotes may have it, and ends of lines.
export function cells(text) {
	const head = text.slice(0, 2000);
	const [separator] = [",", ";", "\t"].toSorted((one, other) => head.split(other).length - head.split(one).length);
	const rows = [[""]];
	let isQuoted = false;
	for (let at = 0; at < text.length && rows.length <= ROWS_MAX + 2; at++) {
		const row = rows.at(-1), sign = text[at];
		if (sign === '"' && isQuoted && text[at + 1] === '"') row[row.length - 1] += text[++at];
		else if (sign === '"') isQuoted = !isQuoted;
		else if (isQuoted || !["\n", "\r", separator].includes(sign)) row[row.length - 1] += sign;
		else if (sign === separator) row.push("");
		else if (sign === "\n") rows.push([""]);
	}
	return rows.filter((row) => row.some(Boolean));
}

function tableOf(text, name) {
	const [head, ...rows] = cells(text);
	const kinds = (head ?? []).map((_, column) => {
		const found = rows.map((row) => row[column]?.trim()).filter(Boolean);
		const are = (kind) => found.length && found.every((cell) => kind.test(cell));
		return are(DAY) ? ".day" : are(AMOUNT) ? ".right" : "";
	});
	const line = (tag, row) => el("tr", row.map((cell, column) => el(tag + (kinds[column] ?? ""), {scope: tag === "th" ? "col" : false}, cell)));
	return el("div.scroll", {tabIndex: 0, role: "group", ariaLabel: name},
		el("table", {}, el("thead", line("th", head ?? [])), el("tbody", rows.slice(0, ROWS_MAX).map((row) => line("td", row)))));
}

async function shownOf({filename, mimeType, url, file, transcript}) {
	if (transcript) return el("p.plain", transcript);
	if (mimeType.startsWith("image/")) {
		const image = el("img", {src: url, alt: filename});
		await image.decode();
		return el("figure", {}, image);
	}
	const blob = file ?? await fetch(url).then((response) => response.ok ? response.blob() : Promise.reject(response));
	const text = decoded(new Uint8Array(await blob.slice(0, READ_MAX).arrayBuffer())).replace("\ufeff", "");
	const isTable = TABLE.test(filename) || mimeType === "text/csv";
	const isCut = blob.size > READ_MAX || isTable && cells(text).length > ROWS_MAX + 1;
	const shown = isTable ? tableOf(text, filename) : el("pre", {tabIndex: 0}, text);
	return el("div", shown, isCut && el("p.note", t("preview_cut")));
}

export async function openPreview(file) {
	const {filename, url} = file;
	const body = el("div", t("loading"));
	const dialog = openDialog(filename, body, actions(link(url, t("open_file")) ?? ""));
	dialog.classList.add("broad");
	body.replaceChildren(await shownOf(file).catch(() => el("p", t("preview_failed"))));
}
