// A reply read aloud by the browser's own voice, in the language that its words are of.
import {$} from "../dom.js";
import {textOf} from "../markdown.js";
import {language, t} from "../words.js";

let common; // of each language that the page has, the words that its texts have in every line; read once

async function commonWords() {
	const read = async (code) => [code, (await (await fetch(`web/${code}.json`)).json()).common_words.split(" ")];
	return new Map(await Promise.all($("language").dataset.known.split(" ").map(read)));
}

export async function languageOf(text) {
	if (/\p{Script=Devanagari}/u.test(text)) return "hi"; // whose texts have words of others in Latin letters
	const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
	if (words.length < 6) return language;
	common ??= commonWords();
	const known = await common.catch(() => (common = null, new Map()));
	const counts = [...known].map(([code, of]) => [code, words.filter((word) => of.includes(word)).length]);
	const [best, count] = counts.toSorted(([, one], [, other]) => other - one)[0] ?? [];
	return count ? best : language;
}

let last; // the button of what is being read
let times = 0; // that something else or nothing was to be read

function stop() {
	times++;
	speechSynthesis.cancel();
	if (last) mark(last, false);
	last = null;
}

function mark(button, isOn) {
	button.ariaPressed = String(isOn);
	button.title = button.ariaLabel = t(isOn ? "stop_reading" : "read_aloud");
}

// What is said of a reply: its parts, one after the other, without marks of sources and what only eyes take in.
function spoken(body) {
	const copy = body.cloneNode(true);
	copy.querySelectorAll("sup, .cite, .take").forEach((each) => each.remove());
	copy.querySelectorAll("pre").forEach((each) => each.replaceChildren());
	return textOf(copy).split(/\n{2,}/).map((text) => text.trim()).filter(Boolean);
}

const isShown = (button) => button.isConnected && !button.closest("[hidden]");

// Read what `body` shows, or stop when it is that which is being read.
export async function readAloud(body, button) {
	const isOn = last === button;
	stop();
	const mine = times;
	const texts = isOn || !isShown(button) ? [] : spoken(body);
	if (!texts.length) return;
	last = button;
	mark(button, true);
	const lang = await languageOf(texts.join(" "));
	if (mine !== times) return; // it was stopped meanwhile
	texts.forEach((text, at) => {
		const said = Object.assign(new SpeechSynthesisUtterance(text), {lang});
		said.onend = said.onerror = () => mine === times && at === texts.length - 1 && stop();
		speechSynthesis.speak(said);
	});
}

// What is no longer on the page is not read on: another conversation is there, or another version, or somebody else.
new MutationObserver(() => last && !isShown(last) && stop()).observe($("messages"), {childList: true});
addEventListener("pagehide", stop);
