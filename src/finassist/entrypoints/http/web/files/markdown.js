// A small part of Markdown, made into elements. Text of the model never becomes HTML, images are not loaded,
// and links lead to web and mail addresses alone.
import {el} from "./dom.js";

const INLINE = new RegExp([
	/`([^`\n]+)`/, // 1 code
	/\*\*(?=\S)([^\n]+?)\*\*/, // 2 strong
	/(?<![\w*])\*(?=[^\s*])([^*\n]+?)\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]+?)_(?!\w)/, // 3, 4 emphasis
	/!?\[([^\]\n]+)\]\(([^)\s]+)[^)\n]*\)/, // 5, 6 link
	/\[(\d{1,2})\]/, // 7 citation
].map(({source}) => source).join("|"), "g");

function inline(text, cite) {
	const nodes = [];
	let end = 0;
	for (const match of text.matchAll(INLINE)) {
		const [whole, code, strong, star, line, label, address, number] = match;
		nodes.push(text.slice(end, match.index));
		end = match.index + whole.length;
		if (code) nodes.push(el("code", code));
		else if (strong) nodes.push(el("strong", ...inline(strong, cite)));
		else if (star || line) nodes.push(el("em", ...inline(star || line, cite)));
		else if (number) nodes.push(cite(Number(number)) ?? whole);
		else nodes.push(link(address, label) ?? label);
	}
	nodes.push(text.slice(end));
	return nodes.flatMap((node) => typeof node === "string" ? lines(node) : [node]);
}

const lines = (text) => text.split("\n").flatMap((line, index) => index ? [el("br"), line] : [line]);

// A link that tells the other side nothing, or null for an address that is neither web nor mail.
export function link(address, label) {
	if (!/^(https?:\/\/|mailto:)/i.test(address ?? "")) return null;
	return el("a", {href: address, target: "_blank", rel: "noopener noreferrer nofollow"}, label);
}

const cells = (row) => row.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
const ITEM = /^( *)([-*+]|\d{1,3}[.)]) +(.*)$/;

// The blocks of a text. `cite(number)` makes the mark of a source, or null.
export function render(text, cite = () => null) {
	const rows = text.split("\n");
	const blocks = [];
	let at = 0;
	const take = (test) => {
		const start = at;
		while (at < rows.length && test(rows[at])) at++;
		return rows.slice(start, at);
	};
	while (at < rows.length) {
		const row = rows[at];
		const heading = /^(#{1,6}) +(.+?) *#*$/.exec(row);
		if (!row.trim()) at++;
		else if (row.startsWith("```")) {
			at++;
			blocks.push(el("pre", {tabIndex: 0}, el("code", take((line) => !line.startsWith("```")).join("\n"))));
			at++;
		} else if (heading) {
			at++;
			blocks.push(el(`h${Math.min(heading[1].length + 2, 6)}`, ...inline(heading[2], cite)));
		} else if (/^ *([-*_])( *\1){2,} *$/.test(row)) {
			at++;
			blocks.push(el("hr"));
		} else if (ITEM.test(row)) {
			blocks.push(list(take((line) => ITEM.test(line) || /^ {2,}\S/.test(line)), cite));
		} else if (row.startsWith(">")) {
			const quoted = take((line) => line.startsWith(">")).map((line) => line.replace(/^> ?/, ""));
			blocks.push(el("blockquote", ...render(quoted.join("\n"), cite)));
		} else if (row.includes("|") && /^[\s|:-]*-[\s|:-]*$/.test(rows[at + 1] ?? "")) {
			blocks.push(table(take((line) => line.includes("|")), cite));
		} else {
			const first = rows[at++];
			const more = take((line) => line.trim() && !/^(```|#{1,6} |>)/.test(line) && !ITEM.test(line));
			blocks.push(el("p", ...inline([first, ...more].join("\n"), cite)));
		}
	}
	return blocks;
}

// A list; what is indented below an item belongs to it.
function list(rows, cite) {
	const [, indent, mark] = ITEM.exec(rows[0]);
	const node = el(/\d/.test(mark) ? "ol" : "ul", /\d/.test(mark) ? {start: parseInt(mark, 10)} : {});
	for (let at = 0; at < rows.length;) {
		const item = ITEM.exec(rows[at++])?.[3] ?? rows[at - 1].trim();
		const below = [];
		while (at < rows.length && /^ */.exec(rows[at])[0].length > indent.length) below.push(rows[at++]);
		const isList = below.some((row) => ITEM.test(row));
		node.append(el("li", ...inline(isList ? item : [item, ...below.map((row) => row.trim())].join("\n"), cite),
			...(isList ? render(below.map((row) => row.slice(indent.length + 2)).join("\n"), cite) : [])));
	}
	return node;
}

function table([head, , ...rows], cite) {
	const line = (tag, row) => el("tr", ...cells(row).map((cell) => el(tag, ...inline(cell, cite))));
	return el("div.scroll", {tabIndex: 0, role: "group", ariaLabel: "Table"}, el("table", {},
		el("thead", line("th", head)), el("tbody", ...rows.map((row) => line("td", row)))));
}
