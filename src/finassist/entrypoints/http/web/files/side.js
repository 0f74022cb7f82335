// The list of conversations, and what can be done with them.
import {api, forBrowser} from "./api.js";
import {chat, newChat, openConversation, printAll, setTitle} from "./chat.js";
import {boxOf, startChoosing, stopChoosing} from "./choosing.js";
import {$, button, el, field, formDialog, icon, iconButton, isOpen, openMenu, say, tell} from "./dom.js";
import {saveConversation} from "./export.js";
import {closeSources} from "./messages/sources.js";
import {language, t} from "./words.js";

const PATH = "user/conversations";
const PAGE = 30;
const SEARCH_AFTER_MS = 250;
const WHILE_USED_MS = 100; // a menu or a name that is being written is not drawn over

const TABS = ["active", "archived"];

let status = TABS[0];
let tag = null; // of those that are shown
let sought = ""; // what the list was searched for
let latest = 0; // the number of the newest request: what older ones answer comes too late

export async function loadList(offset = 0) {
	const mine = ++latest;
	const searched = $("find").value.trim();
	// What is looked for is found wherever it is.
	const query = new URLSearchParams({status: searched || tag ? "all" : status, limit: PAGE, offset});
	if (searched) query.set("q", searched);
	if (tag) query.set("tag", tag);
	$("active").parentNode.hidden = Boolean(searched || tag);
	try {
		const page = await api("GET", `${PATH}?${query}`);
		while ($("list").querySelector("[role=menu],.rename")) await new Promise((resolve) => setTimeout(resolve, WHILE_USED_MS));
		if (mine !== latest) return;
		sought = searched;
		const items = grouped(page.conversations, offset);
		if (page.hasMore) items.push(el("li", button(t("more"), ({target}) => (target.parentNode.remove(), loadList(offset + PAGE)))));
		if (!offset) $("list").replaceChildren(...(items.length ? [] : [el("li.note", searched || tag ? t("nothing_found") : t(`none_${status}`))]));
		$("list").append(...items);
		if (offset) items[0]?.querySelector("button").focus();
		markOpen();
		if (searched && !offset) say(items.length ? t("found_count", {n: page.total}) : t("nothing_found"));
	} catch (error) {
		if (mine === latest) $("list").replaceChildren(el("li.note", error.message, button(t("try_again"), () => loadList())));
	}
}

const DAY = 86_400_000;
const relative = new Intl.RelativeTimeFormat(language, {numeric: "auto"});
const month = new Intl.DateTimeFormat(language, {month: "long", year: "numeric"});
let group; // of the last conversation that is shown

// When a conversation was last written in, as people say it.
function groupOf({updatedAt, pinned}) {
	if (pinned) return "";
	const days = Math.round((new Date(updatedAt).setHours(0, 0, 0, 0) - new Date().setHours(0, 0, 0, 0)) / DAY);
	return days > -2 ? relative.format(Math.min(days, 0), "day") : days > -8 ? t("last_week") : month.format(new Date(updatedAt));
}

// The conversations, newest first, with a heading wherever the time changes.
function grouped(conversations, offset) {
	if (!offset) group = "";
	return conversations.map((conversation) => {
		const before = group;
		group = groupOf(conversation);
		return item(conversation, group !== before && group);
	});
}

const MARKUP = /[*`#|]+|\[\d+\]/g; // what a reply has of Markdown is in the way of a line of text

// A text in which what is looked for is marked.
function marked(text) {
	const at = text.toLowerCase().indexOf(sought.toLowerCase());
	const end = at + sought.length;
	return at < 0 ? text : [text.slice(0, at), el("mark", text.slice(at, end)), text.slice(end)];
}

// Where it was found, when the title does not show it.
function foundLine({place, text}) {
	const label = {question: "in_question", reply: "in_reply", file: "in_file"}[place];
	return el("small.found", label && el("b", `${t(label)} `), marked(text.replace(MARKUP, "")));
}

function item(conversation, heading) {
	const {id, title, pinned, tags, status: state, found} = conversation;
	const box = boxOf(conversation);
	const open = el("button.open", {onclick: () => box ? box.click() : openConversation(id, found?.messageId, sought)},
		pinned && [icon("pin"), el("span.unseen", `${t("pinned")} `)], el("span.title", {title}, found ? marked(title) : title),
		state !== status && el("small", t(state)), tags.map((each) => el("small.tag", each)), found && found.place !== "title" && foundLine(found));
	return el("li", {id: `c-${id}`}, heading && el("span.when", heading), box, open,
		box ? "" : iconButton("more", t("options_for", {title}), ({currentTarget}) => openMenu(title, entries(conversation, open).toSpliced(-1, 0, choose(conversation)), currentTarget),
			{ariaHasPopup: "menu"}));
}

// Begin to choose several, with this one.
const choose = (conversation) => [t("choose_several"), () => startChoosing(conversation, {
	redraw: loadList,
	changed: (gone) => {
		if (gone.includes(chat.conversation?.id)) newChat();
		loadList().then(() => ($("list").querySelector(".open") ?? $("new")).focus());
	},
})];

// Give another name where the old one stands: Enter keeps it, Escape does not.
function rename(conversation, node, after) {
	const box = el("input.rename", {id: "field-title", value: conversation.title, maxLength: 200, ariaLabel: t("title")});
	let isOver = false;
	const end = async (isKept) => {
		if (isOver) return;
		isOver = true;
		const title = box.value.trim();
		box.replaceWith(node);
		if (isKept && title && title !== conversation.title) await send(conversation, "PATCH", "", {title}).catch(tell);
		after();
	};
	box.onkeydown = (event) => {
		if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
		event.preventDefault();
		event.stopPropagation();
		end(event.key === "Enter");
	};
	box.onblur = () => end(true);
	node.replaceWith(box);
	box.select();
	box.focus();
}

const openTags = (conversation) => formDialog(t("tags"), [field(t("tags_commas"), {name: "tags", value: conversation.tags.join(", ")})], t("save"),
	async ({tags}) => {
		await send(conversation, "PATCH", "", {tags: [...new Set(tags.split(",").map((each) => each.trim()).filter(Boolean))]});
		return () => redraw(conversation);
	});

function showTag(wanted) {
	tag = wanted;
	$("filter").replaceChildren(...(tag ? [el("li", button(`${tag} ×`, () => showTag(null), ".tag", {ariaLabel: t("show_all", {tag})}))] : []));
	say(tag ? t("shown_tag", {tag}) : t("all_shown"));
	return loadList();
}

// The tags of the open conversation; each shows the others that have it.
export function showTags(conversation) {
	$("tags").hidden = !conversation?.tags?.length;
	$("tags").replaceChildren(...(conversation?.tags ?? []).map((each) => el("li", button(each, () => (openSide(), showTag(each)), ".tag"))));
}

const entries = (conversation, node) => [
	[t("rename"), () => rename(conversation, node, () => redraw(conversation))],
	[t("tags"), () => openTags(conversation)],
	[conversation.pinned ? t("unpin") : t("pin"), () => change(conversation, "PATCH", "", {pinned: !conversation.pinned})],
	conversation.status === "active"
		? [t("archive"), () => change(conversation, "POST", "/archive")] : [t("restore"), () => change(conversation, "POST", "/restore")],
	[t("delete"), () => formDialog(t("delete_conversation"), [el("p", t("delete_told", {title: conversation.title}))], `!${t("delete")}`, async () => {
		await send(conversation, "DELETE", "");
		if (chat.conversation?.id === conversation.id) newChat();
		return () => redraw(conversation);
	}), ".danger"],
];

// The same of the open conversation, and what takes it along.
async function openOptions() {
	if (isOpen($("options"))) return;
	const conversation = await api("GET", `${PATH}/${chat.conversation.id}`);
	const [name, ...others] = entries(conversation, $("title"));
	const removal = others.pop();
	openMenu(conversation.title, [name, ...others, [t("save_markdown"), () => saveConversation(conversation).catch(tell)],
		[t("print"), () => printAll().catch(tell)], removal], $("options"));
}

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

const SIDE = "finassist.side";
const isPhone = () => innerWidth <= 800;

// Beside the rest, where there is room for it: it stays open or closed until that is changed.
function keepSide(open) {
	forBrowser.setItem(SIDE, document.documentElement.dataset.side = open ? "" : "closed");
	$("open-side").ariaExpanded = open;
	$(open ? "close-side" : "open-side").focus();
}

export const openSide = () => isPhone() ? showSide(true) : keepSide(true);

// On a phone the list is a drawer above the rest.
export function showSide(open) {
	document.body.classList.toggle("side-open", open);
	$("main").inert = open;
	$("open-side").ariaExpanded = open;
	if (open) $("close-side").focus();
	else if ($("side").contains(document.activeElement)) $("open-side").focus();
}

// The arrow keys lead from the search to what it found, and through the list.
function walk(event) {
	const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
	const stops = [$("find"), ...$("list").querySelectorAll(".open")];
	const next = stops[stops.indexOf(event.target) + step];
	if (!next || !stops.includes(event.target)) return;
	event.preventDefault();
	next.focus();
}

export function startSide() {
	let timer;
	$("side").onkeydown = walk;
	$("find").addEventListener("keydown", ({key, target}) => // what would come of the words before is not opened
		key === "Enter" && sought === target.value.trim() && $("list").querySelector(".open")?.click());
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
	$("new").onclick = $("new-here").onclick = () => {
		showSide(false);
		newChat();
		markOpen();
	};
	$("open-side").onclick = openSide;
	$("close-side").onclick = () => isPhone() ? showSide(false) : keepSide(false);
	addEventListener("click", ({target}) => target === document.body && showSide(false)); // what is inert is not hit
	$("options").onclick = () => openOptions().catch(tell);
	$("close-panel").onclick = closeSources;
	addEventListener("keydown", ({key}) => key === "Escape" && !document.querySelector("dialog,[role=menu]") && (closeSources() || stopChoosing() || showSide(false)));
}
