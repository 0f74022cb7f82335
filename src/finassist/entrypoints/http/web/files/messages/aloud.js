// A reply read aloud by the browser's own voice, in the language that its words are of.
import {language, t} from "../words.js";

// What the texts of a language have in every line.
const COMMON = {
	en: "the of and to is in you your for that", de: "der die das und ist sie nicht für mit ein", fr: "le la les et est vous des une pour pas",
	es: "el los las es una que por para con su", pt: "o os as é uma que para com não você", it: "il gli è una che per con non di sono",
};

export function languageOf(text) {
	if (/[\u0900-\u097f]/.test(text)) return "hi";
	const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
	const count = (code) => words.filter((word) => COMMON[code].split(" ").includes(word)).length;
	const [best] = Object.keys(COMMON).toSorted((one, other) => count(other) - count(one));
	return words.length > 5 && count(best) ? best : language;
}

let last; // the button of what is being read

function stop() {
	speechSynthesis.cancel();
	if (last) mark(last, false);
	last = null;
}

function mark(button, isOn) {
	button.ariaPressed = String(isOn);
	button.title = button.ariaLabel = t(isOn ? "stop_reading" : "read_aloud");
}

// What is said of a reply: its paragraphs, one after the other, without marks of sources and what only eyes take in.
function spoken(body) {
	const copy = body.cloneNode(true);
	copy.querySelectorAll("sup, .cite, .take, pre").forEach((each) => each.remove());
	const blocks = [...copy.querySelectorAll("p, li, h3, h4, h5, h6, tr")].filter((each) => !each.querySelector("p, li"));
	return blocks.map((each) => (each.cells ? [...each.cells].map((cell) => cell.textContent).join(", ") : each.textContent).trim()).filter(Boolean);
}

// Read what `body` shows, or stop when it is that which is being read.
export function readAloud(body, button) {
	const isOn = last === button;
	stop();
	const texts = isOn ? [] : spoken(body);
	if (!texts.length) return;
	last = button;
	mark(button, true);
	const lang = languageOf(texts.join(" "));
	texts.forEach((text, at) => {
		const said = Object.assign(new SpeechSynthesisUtterance(text), {lang});
		said.onend = said.onerror = () => last === button && at === texts.length - 1 && stop();
		speechSynthesis.speak(said);
	});
}

addEventListener("pagehide", stop);
