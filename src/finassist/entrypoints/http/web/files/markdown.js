// The Markdown of replies, made into elements: CommonMark without HTML, entities and headings by underlining.
// Text of the model never becomes HTML, images are not loaded, and links lead to web and mail addresses alone.
// Written by hand: libraries make strings of HTML, which the page's policy refuses, and weigh as much as the whole page.
// tests/data/markdown_cases.yaml holds it to what the pages of shares show. A reply of one line can be long, so no
// expression may go over a text more than a few times.
import {el} from "./dom.js";
import {t} from "./words.js";

const STACKED = 4; // columns, from which on a table stands cell below cell on a phone
const DEEPEST = 20; // nested blocks, and emphases that wait for their end

const INLINE = new RegExp([
	/\\\((?<round>(?:(?!\\\().)+?)\\\)/, // formulas, between the delimiters that shares/formulas.py knows
	/\\\[(?<square>(?=\s|[^\][\\]*(?:\\[^\][]|[\^_=]))(?:(?!\\\[).)+?)\\\]/,
	/\$\$(?<dollars>[^$]+)\$\$/,
	/\\(?<escaped>[!-/:-@[-`{-~]|(?=\n))/,
	/(?<!`)(?<fence>`+)(?!`)(?<code>.+?)(?<!`)\k<fence>(?!`)/,
	/!?\[(?<label>(?:[^[\]\n]|\[[^[\]\n]*\](?!\())*)\]\((?<address>(?:[^()\s]|\([^()\s]*\))+)(?: +"[^"\n]*")?\)/,
	/\[(?<number>\d{1,2})\]/, // citation
	/[*_]/, // emphasis
].map(({source}) => source).join("|"), "gs");

const linesOf = (text) => text.split("\n").flatMap((line, index) => index ? [el("br"), line] : line);

function inline(text, cite) {
	const nodes = [];
	const open = [];
	const plain = (piece) => nodes.push(...linesOf(piece));
	let end = 0;
	for (const {index, 0: whole, groups} of text.matchAll(INLINE)) {
		const {round, square, dollars, escaped, code, label, address, number} = groups;
		if (index < end) continue; // within a run of marks
		plain(text.slice(end, index));
		end = index + whole.length;
		const tex = round ?? square ?? dollars;
		if (tex) nodes.push(place(tex, round == null));
		else if (escaped != null) plain(escaped);
		else if (code) nodes.push(el("code", code.replace(/\n/g, " ").replace(/^ (.*\S.*) $/, "$1")));
		else if (number) nodes.push(cite(Number(number)) ?? whole);
		else if (address) {
			const shown = label ? inline(label, cite) : [address];
			nodes.push(...[link(address, shown) ?? shown].flat());
		} else {
			while (text[end] === whole) end++;
			emphasis(nodes, open, text, index, end);
		}
	}
	plain(text.slice(end));
	return nodes;
}

// A formula as text, with what it is drawn from when the reply is there; a clone keeps the text.
function place(tex, isBlock) {
	const text = formula(tex);
	return Object.assign(el("span.tex", {"data-text": text}, linesOf(text)), {tex, isBlock});
}

const PARTS = "p, li, h3, h4, h5, h6, tr, pre, table";

// What an element shows as text, each of its parts apart: a formula is its text, whether it is drawn by now or not.
export function textOf(node) {
	const copy = node.cloneNode(true);
	copy.querySelectorAll(".tex").forEach((each) => each.replaceWith(each.dataset.text));
	copy.querySelectorAll("br").forEach((each) => each.replaceWith("\n"));
	copy.querySelectorAll("td + td, th + th").forEach((each) => each.before(", "));
	copy.querySelectorAll(PARTS).forEach((each) => (each.before("\n\n"), each.after("\n\n")));
	return copy.textContent.trim();
}

const PAIRS = ("times × cdot · div ÷ pm ± mp ∓ ast * approx ≈ sim ~ equiv ≡ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ ll ≪ gg ≫ "
	+ "sum ∑ prod ∏ int ∫ partial ∂ infty ∞ to → rightarrow → Rightarrow ⇒ implies ⇒ in ∈ ldots … dots … cdots … "
	+ "alpha α beta β gamma γ delta δ epsilon ε theta θ lambda λ mu μ pi π rho ρ sigma σ tau τ phi φ chi χ omega ω "
	+ "euro € pounds £ Delta Δ Sigma Σ Phi Φ Omega Ω lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ mid | vert |").split(" ");
export const SYMBOLS = new Map(PAIRS.flatMap((name, at) => at % 2 ? [] : [[name, PAIRS[at + 1]]]));
const SPACES = /^(q?quad|[,;:>~ ])$/;
const SILENT = /^(left|right|bigg?|Bigg?|text(bf|it)?|math(rm|bf|it|cal)|operatorname|boxed|displaystyle|(no)?limits|hline|overline|bar|hat|vec|tag|label|!)$/;
const NUMBER_OR_WORD = /^(-?\d[\d.,]*%?|\p{L}+)$/u, NUMBER_OR_LETTER = /^(-?\d[\d.,]*|\p{L})$/u;
const SINGLE = /^(-?[^\s+\-−×·÷±=/^()]+|\([^()]*\))$/;
const grouped = (text, alone) => !text || alone.test(text) ? text : `(${text})`;

// A formula in LaTeX as text: \frac{a}{b} is a/b.
export function formula(tex) {
	const tokens = tex.match(/\\(?:[a-zA-Z]+|.)|./gsu) ?? [];
	let at = 0;
	const read = (depth) => {
		let text = "";
		while (at < tokens.length) {
			const token = tokens[at++];
			if (token !== "}") text += one(token, depth);
			else if (depth) break;
		}
		return text;
	};
	const operand = (depth) => {
		while (isSpace(tokens[at] ?? "")) at++;
		return at < tokens.length && depth < DEEPEST ? one(tokens[at++], depth + 1).trim() : "";
	};
	const one = (token, depth) => {
		if (token === "{") return depth < DEEPEST ? read(depth + 1) : "";
		if (token === "^" || token === "_") return token + grouped(operand(depth), token === "^" ? NUMBER_OR_LETTER : SINGLE);
		if (token[0] !== "\\") return isSpace(token) || token === "~" ? " " : token === "&" ? "" : token;
		const name = token.slice(1);
		if (/^[dtc]?frac$/.test(name)) return `${grouped(operand(depth), SINGLE)}/${grouped(operand(depth), NUMBER_OR_WORD)}`;
		if (name === "sqrt") return `√${grouped(operand(depth), NUMBER_OR_WORD)}`;
		if (name === "begin" || name === "end") return operand(depth), "";
		if (name === "\\") return "\n";
		return SPACES.test(name) ? " " : SILENT.test(name) ? "" : SYMBOLS.get(name) ?? name;
	};
	return read(0).split("\n").map((line) => line.trim().replace(/\s+/g, " ")).join("\n").trim();
}

const isSpace = (character) => /\s/.test(character);
const isSign = (character) => /[\p{P}\p{S}]/u.test(character);
const isWord = (character) => /[\p{L}\p{N}]/u.test(character);

// A run of `*` or `_`: it ends what is `open`, as far as it can, and may begin another emphasis.
function emphasis(nodes, open, text, start, end) {
	const [mark, before = " ", after = " "] = [text[start], text[start - 1], text[end]];
	const size = end - start;
	const touches = (one, other) => !isSpace(one) && (!isSign(one) || isSpace(other) || isSign(other));
	const [left, right] = [touches(after, before), touches(before, after)];
	const inWords = mark === "*" && !(size === 1 && isWord(before) && isWord(after)); // 2*3*4 has no emphasis
	const begins = size < DEEPEST && left && (inWords || !right || isSign(before));
	const ends = right && (inWords || !left || isSign(after));
	const fits = (one) => one.mark === mark && !((begins || one.ends) && (one.size + size) % 3 === 0 && size % 3);
	let count = size;
	for (let at; ends && count && (at = open.findLastIndex(fits)) >= 0;) {
		open.length = at + 1;
		const one = open[at];
		const used = Math.min(one.count, count, 2);
		nodes.push(el(used > 1 ? "strong" : "em", nodes.splice(one.at + 1)));
		nodes[one.at] = mark.repeat(one.count -= used);
		count -= used;
		if (!one.count) open.pop();
	}
	if (count && begins) open.push({mark, ends, size, count, at: nodes.length});
	if (open.length > DEEPEST) open.shift();
	nodes.push(mark.repeat(count));
}

// A link that tells the other side nothing, or null for an address that is neither web nor mail.
export function link(address, label) {
	if (!/^(https?:\/\/|mailto:)/i.test(address ?? "")) return null;
	return el("a", {href: address, target: "_blank", rel: "noopener noreferrer nofollow"}, label);
}

const FENCE = /^ *(~{3,}|`{3,}(?=[^`]*$)) *([\w+#.-]{0,20})/;
const HEADING = /^ *(#{1,6})(?: +(.*))?$/;
const RULE = /^ *([-*_])( *\1){2,} *$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:( +)(\S.*)|\s*)$/;
const QUOTE = /^ *> ?/;

const indent = (row) => /^ */.exec(row)[0].length;
const isLine = (row) => FENCE.test(row) || HEADING.test(row) || RULE.test(row);
const kind = (row = "") => RULE.test(row) ? null : ITEM.exec(row)?.[2].at(-1);
const cells = (row) => row.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/)
	.map((cell) => cell.trim().replaceAll("\\|", "|"));

// The classes of the columns of a table that begins with these rows, or nothing.
function columns(head, rule) {
	if (!head.includes("|") || !/^ *[-|:]/.test(rule)) return null;
	const sides = cells(rule).map((cell) => /^(:?)-+(:?)$/.exec(cell));
	if (sides.length !== cells(head).length || !sides.every(Boolean)) return null;
	return sides.map(([, left, right]) => !right ? "" : left ? ".center" : ".right");
}

// The elements of a text. `cite(number)` makes the mark of a source, or null.
export const render = (text, cite = () => null) =>
	new Blocks(text.replace(/^[ \t]+/gm, (space) => space.replaceAll("\t", "    ")).split(/\r?\n/), cite, DEEPEST).read();

class Blocks {
	constructor(rows, cite, deeper) {
		Object.assign(this, {rows, cite, deeper, at: 0});
	}

	get row() {
		return this.rows[this.at];
	}

	read() {
		const nodes = [];
		let gap = false;
		while (this.at < this.rows.length) {
			if (this.row.trim()) {
				this.isLoose ||= gap;
				nodes.push(this.block());
			} else this.at++;
			gap = nodes.length && this.rows[this.at - 1]?.trim() === "";
		}
		return nodes;
	}

	block() {
		const {row} = this;
		const sides = columns(row, this.rows[this.at + 1]);
		const [, marks, title = ""] = HEADING.exec(row) ?? [];
		if (this.deeper && kind(row)) return this.list();
		if (this.deeper && QUOTE.test(row)) return this.quote();
		if (sides) return this.table(sides);
		this.at++;
		if (FENCE.test(row)) return this.code(row, ...FENCE.exec(row).slice(1));
		if (RULE.test(row)) return el("hr");
		if (marks) return el(`h${Math.min(marks.length + 2, 6)}`, inline(title.replace(/(^| )#+ *$/, "").trim(), this.cite));
		const more = this.take((line) => line.trim() && !this.interrupts());
		return el("p", inline([row, ...more].map((line) => line.trim()).join("\n"), this.cite));
	}

	take(test) {
		const start = this.at;
		while (this.at < this.rows.length && test(this.row, this.at - start)) this.at++;
		return this.rows.slice(start, this.at);
	}

	// Whether this row ends the paragraph above it, which stands in the same block or in one that ends with it.
	interrupts(isOutside) {
		const {row} = this;
		const [, , mark, , first] = ITEM.exec(row) ?? [];
		const isList = isOutside ? mark : first && /^1?\D/.test(mark);
		return (isOutside || indent(row) < 4) && (isList || isLine(row) || QUOTE.test(row)) || columns(row, this.rows[this.at + 1]);
	}

	// What a list item or a quote holds: the rows that `strip` does not refuse, and those that go on with a paragraph.
	inner(rows, strip) {
		this.take((row) => {
			const last = rows.at(-1)?.trim();
			const goesOn = () => last && row.trim() && !isLine(last) && !this.interrupts(true);
			const line = strip(row) ?? (goesOn() ? row : null);
			return line != null && rows.push(line);
		});
		return new Blocks(rows, this.cite, this.deeper - 1);
	}

	quote() {
		return el("blockquote", this.inner([], (row) => QUOTE.test(row) ? row.replace(QUOTE, "") : null).read());
	}

	list() {
		const own = kind(this.row);
		const start = parseInt(this.row);
		const items = [];
		let isLoose = false;
		do {
			const [, before, mark, space = " ", first = ""] = ITEM.exec(this.row);
			const offset = before.length + mark.length + (space.length < 5 ? space.length : 1);
			this.at++;
			const item = this.inner([first], (row) => row.trim() && indent(row) < offset ? null : row.slice(offset));
			items.push(item.read());
			const end = this.at;
			while (!this.rows[this.at - 1].trim()) this.at--;
			if (kind(this.rows[end]) === own) {
				isLoose ||= end > this.at;
				this.at = end;
			}
			isLoose ||= item.isLoose;
		} while (kind(this.row) === own);
		const bare = (node) => node.localName === "p" ? [...node.childNodes] : node;
		const nodes = items.map((item) => el("li", isLoose ? item : item.flatMap(bare)));
		return start >= 0 ? el("ol", {start: start !== 1 && start}, nodes) : el("ul", nodes);
	}

	table(sides) {
		const isWide = sides.length >= STACKED;
		let names; // of the columns: where a wide table stands cell below cell, each has its own
		const row = (tag, line) => {
			const shown = cells(line);
			const made = el("tr", {role: isWide && "row"}, sides.map((side, index) => el(tag + side,
				{role: isWide && (tag === "th" ? "columnheader" : "cell"), "data-name": isWide && names?.[index]}, inline(shown[index] ?? "", this.cite))));
			names ??= [...made.cells].map(textOf);
			return made;
		};
		const goesOn = (line) => line.includes("|") && !isLine(line) && !QUOTE.test(line) && !ITEM.test(line);
		const [head, , ...body] = this.take((line, index) => index < 2 || goesOn(line));
		const role = isWide && "rowgroup";
		return el(`div.scroll${isWide ? ".wide" : ""}`, {tabIndex: 0, role: "group", ariaLabel: t("table")}, el("table", {role: isWide && "table"},
			el("thead", {role}, row("th", head)), el("tbody", {role}, body.map((line) => row("td", line)))));
	}

	code(row, fence, language) {
		const end = new RegExp(`^ *${fence}+ *$`);
		const lines = this.take((line) => !end.test(line)).map((line) => line.slice(Math.min(indent(line), indent(row))));
		this.at++;
		return el("pre", {tabIndex: 0, "data-language": language || null}, el("code", lines.join("\n")));
	}
}
