// The list of conversations, and what can be done with them.
import {api} from "./api.js";
import {chat, newChat, openConversation, setTitle} from "./chat.js";
import {$, button, el, field, formDialog, icon, iconButton, openMenu, tell} from "./dom.js";

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
		if (!offset) $("list").replaceChildren(...(items.length ? [] : [el("li.note", query.has("q") ? "Nothing found." : `No ${status} conversations.`)]));
		$("list").append(...items);
		if (offset) items[0]?.firstChild.focus();
		markOpen();
	} catch (error) {
		if (mine === latest) $("list").replaceChildren(el("li.note", error.message, button("Try again", () => loadList())));
	}
}

function item(conversation) {
	const {id, title, pinned} = conversation;
	return el("li", {id: `c-${id}`},
		el("button.open", {onclick: () => openConversation(id)}, pinned && [icon("pin"), el("span.unseen", "Pinned: ")],
			el("span.title", {title}, title)),
		iconButton("more", `Options for ${title}`, () => openMenu(title, entries(conversation))));
}

const entries = (conversation) => [
	["Rename", () => formDialog("Rename", [field("Title", {name: "title", value: conversation.title, maxLength: 200})], "Save",
		async (title) => (await send(conversation, "PATCH", "", title), () => redraw(conversation)))],
	[conversation.pinned ? "Unpin" : "Pin", () => change(conversation, "PATCH", "", {pinned: !conversation.pinned})],
	conversation.status === "active"
		? ["Archive", () => change(conversation, "POST", "/archive")] : ["Restore", () => change(conversation, "POST", "/restore")],
	["Delete", () => formDialog("Delete this conversation?", [el("p", `You will not see “${conversation.title}” again, and its shared links stop working.`)], "Delete", async () => {
		await send(conversation, "DELETE", "");
		if (chat.conversation?.id === conversation.id) newChat();
		return () => redraw(conversation);
	})],
];

async function send({id}, method, path, body) {
	const changed = await api(method, `${PATH}/${id}${path}`, body);
	if (chat.conversation?.id === id && changed.title) setTitle(changed);
}

async function change(conversation, ...call) {
	await send(conversation, ...call).catch(tell);
	await redraw(conversation);
}

async function redraw({id}) {
	await loadList();
	($(`c-${id}`)?.querySelector(".open") ?? $("new")).focus();
}

export function markOpen() {
	for (const node of $("list").querySelectorAll(".open")) node.ariaCurrent = node.parentNode.id === `c-${chat.conversation?.id}` ? "page" : null;
}

// On a phone the list is a drawer above the rest.
export function showSide(open) {
	document.body.classList.toggle("side-open", open);
	$("main").inert = open;
	$("open-side").ariaExpanded = open;
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
			for (const name of TABS) $(name).ariaPressed = name === each;
			loadList();
		};
	}
	$("new").onclick = () => {
		showSide(false);
		newChat();
		markOpen();
	};
	$("open-side").onclick = () => showSide(true);
	$("close-side").onclick = () => showSide(false);
	addEventListener("click", ({target}) => target === document.body && showSide(false)); // what is inert is not hit
	addEventListener("keydown", ({key}) => key === "Escape" && showSide(false));
}
