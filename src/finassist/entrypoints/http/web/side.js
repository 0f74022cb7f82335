// The list of conversations, and what can be done with them.
import {api} from "./api.js";
import {chat, newChat, openConversation, setTitle} from "./chat.js";
import {$, button, el, field, formDialog, icon, iconButton, openMenu, say} from "./dom.js";

const PATH = "user/conversations";
const PAGE = 30;
const SEARCH_AFTER_MS = 250;

const TABS = ["active", "archived"];

let status = TABS[0];
let latest = 0; // the number of the newest request: what older ones answer comes too late

export async function loadList(offset = 0) {
	const mine = ++latest;
	const query = new URLSearchParams({status, limit: PAGE, offset});
	if ($("find").value.trim()) query.set("q", $("find").value.trim());
	try {
		const page = await api("GET", `${PATH}?${query}`);
		if (mine !== latest) return;
		const items = page.conversations.map(item);
		if (page.hasMore) items.push(el("li", button("More", ({target}) => (target.parentNode.remove(), loadList(offset + PAGE)))));
		if (offset) $("list").append(...items);
		else $("list").replaceChildren(...(items.length ? items : [el("li.note", query.has("q") ? "Nothing found." : "No conversations yet.")]));
		markOpen();
	} catch (error) {
		if (mine === latest) $("list").replaceChildren(el("li.note", error.message));
	}
}

function item(conversation) {
	const {id, title, pinned, lastMessageAt} = conversation;
	const day = new Date(lastMessageAt).toLocaleDateString([], {day: "numeric", month: "short"});
	const more = iconButton("more", `Options for ${title}`, () => openMenu(more, entries(conversation)), {"aria-expanded": "false"});
	return el("li", {id: `c-${id}`},
		el("button.open", {onclick: () => openConversation(id)}, pinned && [icon("pin"), el("span.unseen", "Pinned: ")],
			el("span.title", title), el("time", {dateTime: lastMessageAt}, day)), more);
}

const entries = (conversation) => [
	["Rename", () => formDialog("Rename", [field("Title", {name: "title", value: conversation.title, maxLength: 200})], "Save",
		(title) => send(conversation, "PATCH", "", title).then(() => loadList()))],
	[conversation.pinned ? "Unpin" : "Pin", () => change(conversation, "PATCH", "", {pinned: !conversation.pinned})],
	conversation.status === "active"
		? ["Archive", () => change(conversation, "POST", "/archive")] : ["Restore", () => change(conversation, "POST", "/restore")],
	["Delete", () => formDialog("Delete this conversation?", [el("p", `“${conversation.title}” will be gone for good, and so will its shared links.`)], "Delete", async () => {
		await change(conversation, "DELETE", "");
		if (chat.conversation?.id === conversation.id) newChat();
	})],
];

async function send({id}, method, path, body) {
	const changed = await api(method, `${PATH}/${id}${path}`, body);
	if (chat.conversation?.id === id && changed.title) setTitle(changed);
}

async function change(conversation, ...call) {
	await send(conversation, ...call).catch((error) => say(error.message));
	await loadList();
	($(`c-${conversation.id}`)?.querySelector(".open") ?? $("new")).focus();
}

export function markOpen() {
	$("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
	$(`c-${chat.conversation?.id}`)?.firstChild.setAttribute("aria-current", "page");
}

// On a phone the list is a drawer above the rest.
export function showSide(open) {
	document.body.classList.toggle("side-open", open);
	$("main").inert = open;
	$("open-side").setAttribute("aria-expanded", open);
	if (open) $("close-side").focus();
	else if ($("side").contains(document.activeElement)) $("open-side").focus();
}

export function startSide() {
	let timer;
	$("find").oninput = () => {
		clearTimeout(timer);
		timer = setTimeout(loadList, SEARCH_AFTER_MS);
	};
	for (const each of TABS) {
		$(each).onclick = () => {
			status = each;
			for (const name of TABS) $(name).setAttribute("aria-pressed", name === each);
			loadList();
		};
	}
	$("new").onclick = () => {
		showSide(false);
		newChat();
		markOpen();
	};
	$("open-side").onclick = (event) => {
		event.stopPropagation();
		showSide(true);
	};
	$("close-side").onclick = () => showSide(false);
	document.onclick = ({target}) => {
		if ($("main").inert && !$("side").contains(target)) showSide(false);
	};
	document.onkeydown = ({key}) => {
		if (key === "Escape") showSide(false);
	};
}
