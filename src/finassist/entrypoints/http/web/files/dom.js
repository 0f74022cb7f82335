// Elements without HTML strings: whatever comes from outside stays text.
import {t} from "./words.js";

export const $ = (id) => document.getElementById(id);

// An element: `el("p.note", {hidden: true, onclick}, "text", child)`; properties and listeners may be missing.
export function el(tag, props, ...children) {
	if (props?.constructor !== Object) return el(tag, {}, props, ...children);
	const [name, ...classes] = tag.split(".");
	const node = document.createElement(name);
	node.className = classes.join(" ");
	for (const [key, value] of Object.entries(props)) {
		if (value == null || value === false) continue;
		if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
		else if (key in node) node[key] = value;
		else node.setAttribute(key, value);
	}
	node.append(...children.flat().filter(Boolean));
	return node;
}

export const button = (label, onclick, kind = "", props = {}) => el(`button${kind}`, {type: "button", onclick, ...props}, label);

const PATHS = {
	menu: "M4 7h16M4 12h16M4 17h16",
	plus: "M12 5v14M5 12h14",
	down: "M12 5v14M6 13l6 6 6-6",
	send: "M12 19V5M6 11l6-6 6 6",
	stop: "M7 7h10v10H7z",
	more: "M5 12h.01M12 12h.01M19 12h.01",
	pin: "M9 4h6l-1 7 3 3H7l3-3zM12 14v6",
	share: "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
	good: "M4 11h3v9H4zM7 11l4-8c2 0 3 1 2.5 3L13 9h7l-2 11H7",
	close: "M6 6l12 12M18 6L6 18",
	copy: "M9 9h11v11H9zM5 15H4V4h11v1",
	edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
	again: "M20 5v5h-5M19.5 10a8 8 0 10.5 4",
	back: "M14 6l-6 6 6 6",
	on: "M10 6l6 6-6 6",
	sheet: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
	aloud: "M4 10v4h3l5 4V6l-5 4zM15.5 9a4 4 0 010 6M18 6.5a8 8 0 010 11",
	theme: "M12 3a9 9 0 000 18zM12 3a9 9 0 010 18M15 7v10M18 9v6",
};

export function icon(name) {
	const [svg, path] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
	svg.setAttribute("viewBox", "0 0 24 24");
	svg.ariaHidden = true;
	svg.classList.add("icon", name);
	path.setAttribute("d", PATHS[name.replace("bad", "good")]);
	svg.append(path);
	return svg;
}

export const iconButton = (name, label, onclick, props) =>
	button(icon(name), onclick, ".quiet", {ariaLabel: label, title: label, ...props});

// Tell a screen reader, once what it is saying is said: also one that is inside a dialog, where it hears no other part.
export const say = (text) => document.querySelectorAll("[role=status]").forEach((node) => (node.textContent = text));

export const tell = ({message}) => openDialog(t("did_not_work"), el("p", message));

// A function of a module that is loaded when it is called; it returns nothing when that fails.
export const late = (load) => (name) => (...given) =>
	load().then((module) => module[name](...given), () => void tell({message: t("unreachable")}));

// A modal dialog. The browser keeps the focus inside, and gives it back to where it was, if that is still there.
export function openDialog(title, ...children) {
	const closed = () => (dialog.remove(), document.activeElement === document.body && $("log").focus());
	const dialog = el("dialog", {ariaLabel: title, closedBy: "any", onclose: closed},
		el("div.row", el("h2", title), iconButton("close", t("close"), () => dialog.close())), children, el("div.unseen", {role: "status"}));
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}

// A dialog whose content `load(again)` gets from the service; `again()` gets it anew.
export function openLoaded(title, load, kind) {
	const body = el("div", t("loading"));
	const again = async () => body.replaceChildren(await load(again).catch(({message}) => el("p.wrong", {role: "alert"}, message)));
	openDialog(title, body).classList.toggle("broad", kind === "broad");
	return again();
}

// A form in a dialog. What `submit` gives back is called when the focus is back on the page. A label that begins with
// an exclamation mark is of something that cannot be undone.
export function formDialog(title, fields, label, submit, ...more) {
	if (label.startsWith("!")) more.push(button(t("cancel"), () => dialog.close()));
	const dialog = openDialog(title, form(fields, label, async (values) => {
		const after = await submit(values);
		dialog.close();
		after?.();
	}, ...more));
	dialog.querySelector(".field input")?.focus();
	return dialog;
}

export const actions = (...buttons) => el("div.actions", buttons);

// A form that shows what is wrong where it is wrong. `submit` gets the values by name, and the form.
export function form(fields, label, submit, ...more) {
	const isFinal = label.startsWith("!");
	const send = el(`button.main${isFinal ? ".final" : ""}`, label.replace("!", ""));
	const alert = el("p.wrong", {role: "alert"});
	const node = el("form", {noValidate: true, onsubmit: async (event) => {
		event.preventDefault();
		send.disabled = true;
		node.querySelectorAll(".wrong").forEach((wrong) => (wrong.textContent = ""));
		node.querySelectorAll("[aria-invalid]").forEach((input) => (input.ariaInvalid = null));
		try {
			await submit(Object.fromEntries(new FormData(node)), node);
		} catch (error) {
			if (!showFields(node, error.details)) alert.textContent = error.message;
			return countDown(send, error.retryAfter);
		}
		send.disabled = false;
	}}, fields, alert, actions(send, ...more));
	return node;
}

function showFields(node, details) {
	const known = Array.isArray(details) ? details.filter(({field}) => node.elements[field]) : [];
	for (const {field, message} of known.reverse()) {
		const input = node.elements[field];
		$(`${input.id}-wrong`).prepend(`${input.value ? message : t("fill_in")} `);
		input.ariaInvalid = true;
		input.focus();
	}
	return known.length;
}

export function field(label, {tag = "input", hint, ...props}) {
	const id = `field-${props.name}`;
	return el("div.field", el("label", {htmlFor: id}, label), el(tag, {id, "aria-describedby": `${hint ? `${id}-hint ` : ""}${id}-wrong`, ...props}),
		hint && el("small", {id: `${id}-hint`}, hint), el("p.wrong", {id: `${id}-wrong`}));
}

export function choice(label, name, options) {
	const node = field(label, {name, tag: "select"});
	node.children[1].append(...options.map(([value, text]) => el("option", {value}, text)));
	return node;
}

// A text to take along, and the button that does. A link can be opened, and given to the apps of a device that has such a list.
export function copyableLink(label, url) {
	const open = el("a.used", {href: url, target: "_blank", rel: "noopener"}, t("open"));
	const give = navigator.share && button(t("share"), () => navigator.share({url}).catch(() => {}), ".quiet"); // nobody has to choose one
	return el("div", copyable(label, url), el("p.row", open, give));
}

// A text to take along, and the button that does.
export function copyable(label, value, tag = "input", props = {}) {
	const node = el(`${tag}.link`, {value, readOnly: true, ariaLabel: label, ...props});
	return el("div.row", node, button(t("copy"), async ({target}) => {
		node.select();
		await copy(value);
		target.textContent = t("copied");
	}, ".main"));
}

export async function copy(text) {
	if (navigator.clipboard) await navigator.clipboard.writeText(text);
	else { // over plain HTTP there is no clipboard
		const box = el("textarea.unseen", {value: text});
		(document.querySelector("dialog") ?? document.body).append(box);
		box.select();
		document.execCommand("copy");
		box.remove();
	}
	say(t("told_copied"));
}

export const checkbox = (label, props) => el("label.check", el("input", {type: "checkbox", ...props}), label);

export function countDown(node, seconds, label = node.textContent) {
	node.disabled = seconds > 0;
	node.textContent = node.disabled ? `${label} (${seconds} s)` : label;
	if (node.disabled) setTimeout(countDown, 1000, node, seconds - 1, label);
}

// The arrow keys lead through what stands together, from its end to its beginning, Home and End to either.
export function walkThrough(event, stops, act = (stop) => stop.focus()) {
	const at = stops.indexOf(document.activeElement);
	const next = {ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1}[event.key];
	if (next === undefined) return;
	event.preventDefault();
	act(stops.at(next % stops.length));
}

export const isOpen = (opener) => opener.ariaExpanded === "true";

// What can be done with something, as `[label, act, kind]`, at the button that opens it: below it where there is room, else above.
export function openMenu(title, entries, opener) {
	if (isOpen(opener)) return;
	const close = () => {
		if (menu.contains(document.activeElement) && opener.isConnected) opener.focus();
		menu.hidePopover();
	};
	// Where its button is, also after the window has changed.
	const place = () => {
		const {left, top, bottom} = opener.getBoundingClientRect();
		const isBelow = bottom + menu.offsetHeight + 8 < innerHeight;
		menu.style.top = `${isBelow ? bottom + 4 : Math.max(8, top - menu.offsetHeight - 4)}px`;
		menu.style.left = `${Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`;
	};
	const menu = el("div.menu", {role: "menu", ariaLabel: title, popover: "auto", ontoggle: ({newState}) => {
		const isShown = newState === "open";
		opener.ariaExpanded = String(isShown);
		opener.popoverTargetElement = isShown ? menu : null; // pressed again, the button closes it
		if (isShown) return;
		menu.remove();
		removeEventListener("resize", place);
	}, onkeydown: (event) => event.key === "Tab" ? close() : walkThrough(event, [...menu.children])},
	entries.map(([label, act, kind]) => button(label, () => (close(), act()), kind, {role: "menuitem", tabIndex: -1})));
	opener.after(menu); // it is of the same part of the page
	menu.showPopover();
	place();
	addEventListener("resize", place);
	menu.firstChild.focus();
}
