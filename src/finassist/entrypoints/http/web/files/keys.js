// Keys, and the list of them. Single letters can be switched off: dictation and tremor type them unasked.
import {forBrowser} from "./api.js";
import {$, checkbox, el, openDialog} from "./dom.js";

const OFF = "finassist.keys-off";
const FIELDS = "input:not([type=checkbox]),textarea,select,[contenteditable]";

export function startKeys(acts) {
	const keys = [
		["?", "Show these keys", help],
		["/", "Write a question", () => $("question").focus()],
		["n", "Begin a new chat", acts.newChat],
		["s", "Search the conversations", acts.search],
		["e", "Edit the last question", () => press(".asked", "Edit")],
		["r", "Try the last reply again", () => press(".reply", "Try again")],
		["c", "Copy the last reply", () => press(".reply", "Copy the reply")],
	];
	const fixed = [["Enter", "Send the question"], ["Shift + Enter", "Begin a new line"], ["Escape", "Close what is open"]];
	const press = (kind, label) => [...document.querySelectorAll(`${kind} [aria-label="${label}"]`)].at(-1)?.click();

	function help() {
		const row = ([key, what]) => [el("dt", el("kbd", key)), el("dd", what)];
		openDialog("Keys", el("dl", [...keys, ...fixed].flatMap(row)), checkbox("Single keys work", {
			defaultChecked: !forBrowser.getItem(OFF),
			onchange: ({target}) => target.checked ? forBrowser.removeItem(OFF) : forBrowser.setItem(OFF, "1"),
		}));
	}

	addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog")) return;
		if (event.target.closest?.(FIELDS) || forBrowser.getItem(OFF)) return;
		const act = keys.find(([key]) => key === event.key)?.[2];
		if (!act) return;
		event.preventDefault();
		act();
	});
	return help;
}
