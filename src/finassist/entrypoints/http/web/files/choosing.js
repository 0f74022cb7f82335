// Several conversations at once: chosen in the list, then archived, restored or deleted together.
import {api} from "./api.js";
import {$, button, el, formDialog, say, tell} from "./dom.js";
import {t} from "./words.js";

const PATH = "user/conversations";
let chosen; // conversations by their ids, while there is a choice
let hooks;

// What was deleted elsewhere meanwhile is done.
const unlessGone = (error) => error.status === 404 ? null : Promise.reject(error);

// `changed(gone)` is called when something was done with conversations, `redraw()` when the list is to be drawn again.
export const startChoosing = (conversation, given) => {
	hooks = given;
	chosen = new Map([[conversation.id, conversation]]);
	hooks.redraw();
	draw();
	$("chosen").querySelector("button").focus();
};

export function stopChoosing() {
	if (!chosen) return false;
	chosen = null;
	$("chosen").hidden = true;
	hooks.redraw();
	return true;
}

// What chooses a conversation; nothing while there is no choice.
export const boxOf = (conversation) => chosen && el("input", {type: "checkbox", checked: chosen.has(conversation.id), ariaLabel: conversation.title,
	onchange: ({target}) => {
		if (target.checked) chosen.set(conversation.id, conversation);
		else chosen.delete(conversation.id);
		draw();
	}});

function draw() {
	const told = t("chosen_count", {n: chosen.size});
	const are = (status) => [...chosen.values()].some((each) => each.status === status);
	const toAll = () => $("list").querySelectorAll("[type=checkbox]:not(:checked)").forEach((box) => box.click());
	const remove = () => formDialog(t("delete_chosen", {n: chosen.size}), [el("p", t("delete_chosen_told"))], `!${t("delete")}`,
		() => act("DELETE", "", Boolean, true));
	const acts = [
		are("active") && button(t("archive"), () => act("POST", "/archive", ({status}) => status === "active").catch(tell)),
		are("archived") && button(t("restore"), () => act("POST", "/restore", ({status}) => status === "archived").catch(tell)),
		chosen.size && button(t("delete"), remove, ".danger"),
	].filter(Boolean);
	$("chosen").replaceChildren(el("strong", told), button(t("choose_all"), toAll, ".quiet"), ...acts, button(t("cancel"), stopChoosing, ".quiet"));
	$("chosen").hidden = false;
	say(told);
}

// One after the other, until the choice is left; what was not done, because something went wrong, stays chosen.
async function act(method, path, concerns, isRemoval) {
	const mine = chosen, done = [];
	$("chosen").inert = true; // pressed twice, it would be done twice
	try {
		for (const conversation of [...mine.values()].filter(concerns)) {
			if (chosen !== mine) break;
			await api(method, `${PATH}/${conversation.id}${path}`).catch(unlessGone);
			mine.delete(conversation.id);
			done.push(conversation.id);
		}
		if (chosen === mine) stopChoosing();
	} finally {
		$("chosen").inert = false;
		if (chosen) draw();
		hooks.changed(isRemoval ? done : []);
	}
}
