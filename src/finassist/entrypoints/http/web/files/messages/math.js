// Formulas in LaTeX as MathML, which browsers lay out by themselves. What is not known stays text, so nothing a model writes
// becomes markup. The formula as text (markdown.js) is what stands there before, and where it is too deep or long.
import {SYMBOLS} from "../markdown.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const DEEPEST = 20, LONGEST = 2000; // groups in groups, and characters
const HIGHEST = 40; // elements in elements: a script, say, has what it stands at in it, and one of a matrix four more
const NAMED = new Set("ln log lg exp sin cos tan max min lim sup inf det gcd Pr arg".split(" "));
const LIMITS = /^[∑∏]$|^(lim|max|min|sup|inf)$/;
const lookup = (known) => new Map(Object.entries(known)); // an object would also know what all objects have, as `constructor`
const ACCENTS = lookup({bar: "¯", overline: "¯", hat: "^", widehat: "^", tilde: "~", vec: "→", dot: "˙", underline: "_", overbrace: "⏞", underbrace: "⏟"});
const SPACES = lookup({",": ".17em", ":": ".22em", ">": ".22em", ";": ".28em", " ": ".3em", "~": ".3em", quad: "1em", qquad: "2em"});
const WORDS = /^(text(bf|it|rm|sf|tt|normal)?|math(rm|bf|it|cal|sf|tt|bb)|operatorname|mbox)$/;
const SILENT = /^(left|right|[bB]igg?[lrm]?|displaystyle|textstyle|(no)?limits|nonumber|hline|!|boxed)$/;
const FENCES = lookup({pmatrix: "()", bmatrix: "[]", vmatrix: "||", cases: "{"});

function node(name, children = [], attributes = {}) {
	const made = document.createElementNS(MATHML, name);
	for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
	made.append(...children);
	made.height = 1 + Math.max(0, ...children.map(({height}) => height ?? 0));
	if (made.height > HIGHEST) throw new RangeError("too deep");
	return made;
}

const row = (children) => children.length === 1 ? children[0] : node("mrow", children);
const sign = (text, attributes) => node("mo", [text], attributes);

class Formula {
	constructor(tex, isBlock) {
		this.tokens = tex.replaceAll("{,}", ",").match(/\\(?:[a-zA-Z]+\*?|.)|\d+(?:[.,]\d+)*|./gsu) ?? [];
		Object.assign(this, {at: 0, depth: 0, isBlock});
	}

	get next() {
		return this.tokens[this.at];
	}

	skip() {
		while (/^\s$/.test(this.next ?? "")) this.at++;
	}

	// The lines up to an end, each of the cells between `&`.
	lines(isEnd) {
		if (++this.depth > DEEPEST) throw new RangeError("too deep");
		const lines = [[[]]];
		for (; this.at < this.tokens.length && !isEnd(this.next); this.skip()) {
			const token = this.tokens[this.at++];
			const cells = lines.at(-1);
			if (token === "&") cells.push([]);
			else if (token === "\\\\") lines.push([[]]);
			else this.put(cells.at(-1), token);
		}
		this.depth--;
		return lines;
	}

	// What stands up to an end; several lines are a table.
	read(isEnd) {
		const lines = this.lines(isEnd);
		this.at++;
		return lines.length + lines[0].length > 2 ? this.table(lines) : row(lines[0][0]);
	}

	table(lines) {
		const shown = lines.filter((cells) => cells.some(({length}) => length));
		return node("mtable", shown.map((cells) => node("mtr", cells.map((cell) => node("mtd", [row(cell)])))), {displaystyle: this.isBlock});
	}

	// One sign, or a group in braces.
	operand() {
		this.skip();
		if (++this.depth > DEEPEST) throw new RangeError("too deep");
		const found = [];
		if (/^\d./.test(this.next ?? "")) this.tokens.splice(this.at, 1, this.next[0], this.next.slice(1)); // of 12 the 1
		if (this.at < this.tokens.length && this.next !== "}") this.put(found, this.tokens[this.at++]);
		this.depth--;
		return row(found);
	}

	// What stands in braces, as it is written.
	raw() {
		this.skip();
		if (this.next !== "{") return this.tokens[this.at++] ?? "";
		let text = "";
		for (let deep = 0; this.at < this.tokens.length;) {
			const token = this.tokens[this.at++];
			deep += token === "{" ? 1 : token === "}" ? -1 : 0;
			if (!deep) break;
			if (!"{}".includes(token)) text += /^\\[^a-zA-Z]$/.test(token) ? token[1] : token;
		}
		return text;
	}

	put(cell, token) {
		if (token === "^" || token === "_") return this.script(cell, token);
		const made = this.one(token);
		if (made) cell.push(made);
	}

	// A sign above or below what was read last; a second one joins the first.
	script(cell, mark) {
		const base = cell.pop() ?? node("mrow");
		const kind = LIMITS.test(base.textContent) && this.isBlock ? {"^": "mover", _: "munder", both: "munderover"} : {"^": "msup", _: "msub", both: "msubsup"};
		const other = this.operand();
		const isScript = ["msub", "msup", "munder", "mover"].includes(base.localName) && base.mark && base.mark !== mark;
		if (!isScript) return cell.push(Object.assign(node(kind[mark], [base, other]), {mark, both: kind.both}));
		const [core, first] = base.children;
		cell.push(node(base.both, mark === "^" ? [core, first, other] : [core, other, first]));
	}

	one(token) {
		if (token === "{") return this.read((each) => each === "}");
		if (/^\d/.test(token)) return node("mn", [token]);
		if (token === "-") return sign("−");
		if (token === "'") return sign("′");
		if (token === "~") return node("mspace", [], {width: SPACES.get("~")});
		if (/^\s$|^\}$/.test(token)) return null;
		if (token[0] !== "\\") return /\p{L}/u.test(token) ? node("mi", [token]) : /[$€£¥₹%#]/.test(token) ? node("mtext", [token]) : sign(token);
		return this.command(token.slice(1));
	}

	command(name) {
		if (SILENT.test(name)) return this.next === "." && /^(left|right)$/.test(name) ? void this.at++ : null;
		if (SPACES.has(name)) return node("mspace", [], {width: SPACES.get(name)});
		if (/^[dtc]?frac$/.test(name)) return node("mfrac", [this.operand(), this.operand()], name === "dfrac" ? {displaystyle: true} : {});
		if (name === "binom") return node("mrow", [sign("("), node("mfrac", [this.operand(), this.operand()], {linethickness: 0}), sign(")")]);
		if (name === "sqrt") return this.root();
		if (WORDS.test(name.replace("*", ""))) return node("mtext", [this.raw()]);
		if (ACCENTS.has(name)) return node(/^under/.test(name) ? "munder" : "mover", [this.operand(), sign(ACCENTS.get(name))]);
		if (name === "begin") return this.environment();
		if (name === "tag" || name === "label" || name === "end") return this.raw(), null;
		if (NAMED.has(name)) return node("mi", [name]);
		const symbol = SYMBOLS.get(name);
		if (symbol) return node(/[\p{L}∞€£]/u.test(symbol) ? "mi" : "mo", [symbol]);
		return /^[a-zA-Z]/.test(name) ? node("mtext", [name]) : /[{}|]/.test(name) ? sign(name.replace("|", "‖")) : node("mtext", [name]);
	}

	root() {
		this.skip();
		if (this.next !== "[") return node("msqrt", [this.operand()]);
		this.at++;
		const degree = this.read((each) => each === "]");
		return node("mroot", [this.operand(), degree]);
	}

	environment() {
		const name = this.raw().replace("*", "");
		if (name === "array") this.raw();
		const table = this.table(this.lines((each) => each === "\\end"));
		this.at++;
		this.raw();
		const [open, close] = FENCES.get(name) ?? "";
		return node("mrow", [open && sign(open), table, close && sign(close)].filter(Boolean));
	}
}

export function mathOf(tex, isBlock) {
	const made = new Formula(tex, isBlock).read(() => false);
	return node("math", [made], isBlock ? {display: "block"} : {});
}

// Draw the formulas of a reply, each in the place of its text.
export function drawFormulas(within) {
	for (const place of within.querySelectorAll(".tex")) {
		const {tex, isBlock} = place;
		if (!tex || tex.length > LONGEST) continue;
		try {
			place.replaceChildren(mathOf(tex, isBlock));
		} catch (error) {
			if (!(error instanceof RangeError)) reportError(error); // else it is too deep; its text stays
		}
	}
}
