// Elements without HTML strings: whatever comes from outside stays text.

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

export const button = (label, onclick, props, kind = "") => el(`button${kind}`, {type: "button", onclick, ...props}, label);

const PATHS = {
	menu: "M4 7h16M4 12h16M4 17h16",
	plus: "M12 5v14M5 12h14",
	send: "M12 19V5M6 11l6-6 6 6",
	stop: "M7 7h10v10H7z",
	clip: "M19 11l-7.5 7.5a4.6 4.6 0 01-6.5-6.5l8-8a3.1 3.1 0 014.4 4.4l-8 8a1.6 1.6 0 01-2.2-2.2l7-7",
	more: "M5 12h.01M12 12h.01M19 12h.01",
	pin: "M9 4h6l-1 7 3 3H7l3-3zM12 14v6",
	share: "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
	good: "M4 11h3v9H4zM7 11l4-8c2 0 3 1 2.5 3L13 9h7l-2 11H7",
	bad: "M20 13h-3V4h3zM17 13l-4 8c-2 0-3-1-2.5-3L11 15H4L6 4h11",
	close: "M6 6l12 12M18 6L6 18",
	theme: "M12 3a9 9 0 000 18zM12 3a9 9 0 010 18M15 7v10M18 9v6",
	sum: "M6 3h12v18H6zM9 8h6M9 13h1M14 13h1M9 17h1M14 17h1",
	file: "M7 3h7l4 4v14H7zM14 3v4h4",
};

export function icon(name) {
	const [svg, path] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
	for (const [key, value] of [["viewBox", "0 0 24 24"], ["aria-hidden", true], ["class", `icon ${name}`]]) svg.setAttribute(key, value);
	path.setAttribute("d", PATHS[name]);
	svg.append(path);
	return svg;
}

export const iconButton = (name, label, onclick, props) =>
	button(icon(name), onclick, {"aria-label": label, title: label, ...props}, ".quiet");

// Tell a screen reader, once what it is saying is said.
export const say = (text) => ($("status").textContent = text);

// A modal dialog. The browser keeps the focus inside, and gives it back to where it was.
export function openDialog(title, ...children) {
	const dialog = el("dialog", {"aria-labelledby": "heading", onclose: () => dialog.remove(), onclick: ({target}) => target === dialog && dialog.close()},
		el("div.row", el("h2", {id: "heading"}, title), iconButton("close", "Close", () => dialog.close())), children);
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}

export function formDialog(title, fields, label, submit, ...more) {
	const dialog = openDialog(title, form(fields, label, async (values) => {
		await submit(values);
		dialog.close();
	}, ...more));
	return dialog;
}

export const actions = (...buttons) => el("div.actions", buttons);

// A form that shows what is wrong where it is wrong. `submit` gets the values by name, and the form.
export function form(fields, label, submit, ...more) {
	const send = el("button.main", label);
	const alert = el("p.wrong", {role: "alert"});
	const node = el("form", {noValidate: true, onsubmit: async (event) => {
		event.preventDefault();
		send.disabled = true;
		node.querySelectorAll(".wrong").forEach((wrong) => (wrong.textContent = ""));
		node.querySelectorAll("[aria-invalid]").forEach((input) => input.removeAttribute("aria-invalid"));
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
		$(`${input.id}-wrong`).textContent = message;
		input.setAttribute("aria-invalid", true);
		input.focus();
	}
	return known.length;
}

export function field(label, {tag = "input", ...props}, hint) {
	const id = `field-${props.name}`;
	return el("div.field", el("label", {htmlFor: id}, label), el(tag, {id, "aria-describedby": `${id}-hint ${id}-wrong`, ...props}),
		el("small", {id: `${id}-hint`}, hint), el("p.wrong", {id: `${id}-wrong`}));
}

export function choice(label, name, options) {
	const node = field(label, {name, tag: "select"});
	node.children[1].append(...options.map(([value, text]) => el("option", {value}, text)));
	return node;
}

export const checkbox = (label, props) => el("label.check", el("input", {type: "checkbox", ...props}), label);

export function countDown(node, seconds) {
	const label = node.textContent;
	node.disabled = seconds > 0;
	if (!node.disabled) return;
	node.textContent = `${label} (${seconds} s)`;
	setTimeout(() => {
		node.textContent = label;
		countDown(node, seconds - 1);
	}, 1000);
}

export function openMenu(anchor, entries) {
	const menu = el("div.menu", {popover: "auto"}, entries.map(([label, act]) => button(label, () => (menu.hidePopover(), act()))));
	menu.addEventListener("toggle", ({newState}) => {
		anchor.setAttribute("aria-expanded", newState === "open");
		if (newState === "closed") menu.remove();
	});
	anchor.after(menu);
	menu.showPopover();
	const at = anchor.getBoundingClientRect();
	menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
	menu.style.top = `${at.bottom + menu.offsetHeight > innerHeight ? at.top - menu.offsetHeight : at.bottom}px`;
	menu.firstChild.focus();
}
