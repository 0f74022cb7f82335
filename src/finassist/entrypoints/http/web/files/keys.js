// Keys, and the list of them. Single letters can be switched off: dictation and tremor type them unasked.
import {forBrowser} from "./api.js";
import {$, checkbox, el, openDialog} from "./dom.js";
import {t} from "./words.js";

const OFF = "finassist.keys-off";
const FIELDS = "input:not([type=checkbox]),textarea,select,[contenteditable]";

export function startKeys(acts) {
	const keys = [
		["?", t("key_help"), help],
		["/", t("key_write"), () => $("question").focus()],
		["n", t("key_new"), acts.newChat],
		["s", t("key_search"), acts.search],
		["e", t("key_edit"), () => press(".asked", t("edit"))],
		["r", t("key_again"), () => press(".reply", t("try_again"))],
		["c", t("key_copy"), () => press(".reply", t("copy_reply"))],
	];
	const fixed = [["Enter", t("key_send")], ["Shift + Enter", t("key_line")], ["↓ ↑", t("key_list")], ["Escape", t("key_close")]];
	const press = (kind, label) => [...document.querySelectorAll(`${kind} [aria-label="${label}"]`)].filter((node) => node.checkVisibility()).at(-1)?.click();

	function help() {
		const row = ([key, what]) => [el("dt", el("kbd", key)), el("dd", what)];
		openDialog(t("keys"), el("dl", [...keys, ...fixed].flatMap(row)), checkbox(t("key_single"), {
			defaultChecked: !forBrowser.getItem(OFF),
			onchange: ({target}) => target.checked ? forBrowser.removeItem(OFF) : forBrowser.setItem(OFF, "1"),
		}));
	}

	addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog,[role=menu]")) return;
		if (event.target.closest?.(FIELDS) || forBrowser.getItem(OFF)) return;
		const act = keys.find(([key]) => key === event.key)?.[2];
		if (!act) return;
		event.preventDefault();
		act();
	});
	return help;
}
