// The sources of a reply, in a panel beside the conversation, with what the reply took of each marked.
import {$, el} from "../dom.js";
import {link, render} from "../markdown.js";
import {t} from "../words.js";

let opener;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const TAKEN = .75; // of a sentence's words are in the reply

const segments = new Intl.Segmenter("en", {granularity: "sentence"});

// The passage, with the sentences marked that the reply repeats; the nearest one where it says it in other words.
function passage(snippet, said) {
	const known = new Set(wordsOf(said));
	const blocks = snippet.split(/\n{2,}/).map((text) => text.startsWith("|") ? text : [...segments.segment(text)].map(({segment}) => {
		const words = wordsOf(segment);
		return {segment, share: words.length > 2 ? words.filter((word) => known.has(word)).length / words.length : 0};
	}));
	const least = Math.min(TAKEN, Math.max(0, ...blocks.flat().map(({share}) => share ?? 0)));
	return blocks.flatMap((block) => typeof block === "string" ? render(block, (number) => `[${number}]`)
		: el("p", block.map(({segment, share}) => share && share >= least ? el("mark", segment) : segment)));
}

const entry = (said = "") => ({index, title, url, snippet}) => el("li", {value: index, tabIndex: -1},
	link(url, title) ?? el("strong", title), passage(snippet, said));

export function openSources(sources, said, number) {
	const [cited, related] = [true, false].map((is) => sources.filter((source) => Boolean(source.cited) === is));
	opener = document.activeElement;
	$("passages").replaceChildren(cited.length ? el("ol", cited.map(entry(said))) : "",
		related.length ? el("div", el("h3", t("related")), el("ol", related.map(entry()))) : "");
	document.body.classList.add("panel-open");
	const chosen = $("passages").querySelector(number ? `[value="${number}"]` : "li");
	$("passages").querySelectorAll("li").forEach((item) => (item.ariaCurrent = item === chosen && number ? "true" : null));
	chosen.scrollIntoView({block: "nearest"});
	chosen.focus();
}

export function closeSources() {
	if (!document.body.classList.contains("panel-open")) return false;
	document.body.classList.remove("panel-open");
	if (opener?.isConnected) opener.focus();
	else $("log").focus();
	return true;
}
