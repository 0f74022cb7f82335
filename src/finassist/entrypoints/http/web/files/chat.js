// The open conversation: its messages, the turn that is being written, and the way to ask.
import {api, follow, forTab, newestConversation, newestMessages, randomId, stopTurn} from "./api.js";
import {attachment, chosenModel, encoded, putBack} from "./composer.js";
import {$, button, el, say, tell} from "./dom.js";
import {textOf} from "./markdown.js";
import {edit, notice, question, Reply} from "./message.js";
import {closeSources} from "./messages/sources.js";
import {earlierVersions, leaveEarlier, offer} from "./messages/versions.js";
import {t} from "./words.js";

const FAR = 300; // pixels above the end
const PENDING = "finassist.pending";

export const chat = {conversation: null, turn: null};
let hooks;
let versions = new Map(); // of the questions of the open conversation that were edited
let shown = 0; // changes with every conversation that is opened: what is late belongs to another one

const log = $("log");
const messages = $("messages");

function append(...nodes) {
	messages.append(...nodes);
	log.scrollTop = log.scrollHeight;
}

// Stay at the end when the reader was there.
function keepingEnd(act) {
	const stay = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
	act();
	if (stay) log.scrollTop = log.scrollHeight;
}

function setTurn(turn) {
	chat.turn = turn;
	$("send").hidden = Boolean(turn);
	$("stop").hidden = !turn;
	messages.classList.toggle("busy", Boolean(turn));
}

export function setTitle(conversation) {
	chat.conversation = conversation;
	$("title").textContent = conversation?.title ?? t("new_chat");
	document.title = conversation ? `${conversation.title} · finassist` : "finassist";
	$("share").hidden = $("options").hidden = $("new-here").hidden = !conversation;
	hooks?.named(conversation);
}

// Leave what is shown. A turn that runs goes on at the service.
function leave() {
	shown++;
	CSS.highlights?.clear();
	leaveEarlier();
	versions = new Map();
	closeSources();
	setTurn(null);
	messages.replaceChildren();
}

export function newChat() {
	history.pushState(null, "", location.pathname);
	showAddress();
	$("question").focus();
}

// Open one of the caller's conversations, and go on with the reply that is being written in it. With a message, show that
// one, and the text in it that was looked for.
export async function openConversation(id, messageId, sought) {
	leave();
	const mine = shown;
	if (location.hash !== `#${id}`) history.pushState(null, "", `#${id}`);
	try {
		const [conversation, page] = await Promise.all([api("GET", `user/conversations/${id}`), newestMessages(id)]);
		if (mine !== shown) return;
		setTitle(conversation);
		hooks.opened();
		showPage(id, page, 0);
		log.scrollTop = log.scrollHeight;
		offerVersions();
		if (messageId) await showMessage(messageId, sought);
	} catch (error) {
		if (mine !== shown) return;
		setTitle(null);
		append(notice(error.message, [[t("try_again"), () => openConversation(id)], [t("new_chat"), newChat]]));
	}
}

function showPage(id, page, offset) {
	const mine = shown;
	messages.prepend(...page.messages.reverse().map((message) =>
		Object.assign(message.role === "user" ? question(message) : stored(message), {id: `m-${message.id}`})));
	drawVersions();
	if (!page.hasMore) return;
	const show = async () => {
		const earlier = await newestMessages(id, offset + page.limit);
		if (mine !== shown || !before.isConnected) return;
		const height = log.scrollHeight;
		before.remove();
		showPage(id, earlier, offset + page.limit);
		log.scrollTop += log.scrollHeight - height;
	};
	const before = button(t("earlier"), show);
	messages.prepend(before);
	showEarlier = show;
}

// A question that was edited leads to what it was before.
async function offerVersions() {
	const mine = shown;
	const {id} = chat.conversation;
	const found = await api("GET", `user/conversations/${id}`).then(earlierVersions).catch(() => versions); // it is no more than an offer
	if (mine !== shown) return;
	versions = found;
	drawVersions();
}

function drawVersions() {
	for (const [id, earlier] of versions) {
		const node = $(`m-${id}`);
		if (node) offer(node, earlier, (text) => askInstead(node, text));
	}
}

async function showMessage(id, sought) {
	const mine = shown;
	while (!$(`m-${id}`) && messages.firstElementChild?.matches("button") && mine === shown) await showEarlier();
	const node = $(`m-${id}`);
	if (!node || mine !== shown) return;
	const words = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
	const ranges = [];
	while (words.nextNode()) {
		const at = words.currentNode.data.toLowerCase().indexOf(sought.toLowerCase());
		if (at < 0 || words.currentNode.parentNode.closest("[hidden],.unseen")) continue;
		const range = new Range();
		range.setStart(words.currentNode, at);
		range.setEnd(words.currentNode, Math.min(at + sought.length, words.currentNode.length));
		ranges.push(range);
	}
	if (ranges.length) CSS.highlights?.set("found", new Highlight(...ranges));
	(ranges[0]?.startContainer.parentNode ?? node).scrollIntoView({block: "center"});
	node.tabIndex = -1;
	node.focus({preventScroll: true});
}

let showEarlier; // of what is shown, while there is more

// All of the conversation is printed.
export async function printAll() {
	while (messages.firstElementChild?.matches("button")) await showEarlier();
	print();
}

function stored(message) {
	if (message.status !== "streaming") return new Reply(message).node;
	const reply = new Reply();
	const again = () => ask(reply.node.previousElementSibling.querySelector(".plain").textContent);
	run({messageId: message.id, conversationId: message.conversationId}, reply, {again});
	return reply.node;
}

const clear = () => messages.querySelectorAll(".home, .notice").forEach((node) => node.remove());

// `options` are further fields of the request; `old` is what the question takes the place of (see `askInstead`).
export function ask(message, files = [], options = {}, old = null) {
	if (chat.turn) return;
	leaveEarlier();
	clear();
	const asked = question({content: message, attachments: old?.attachments ?? files.map(attachment)});
	const reply = new Reply();
	append(asked, reply.node);
	const instead = (act) => () => {
		asked.remove();
		reply.node.remove();
		if (old && !old.nodes[0].isConnected) messages.append(...old.nodes);
		act?.();
	};
	forTab.setItem(PENDING, message);
	const turn = {key: randomId(), body: {message, model: chosenModel(), ...options}};
	if (chat.conversation) turn.body.conversation_id = chat.conversation.id;
	run(turn, reply, {
		undo: old && instead(),
		again: instead(() => old ? askInstead(old.nodes[0], message) : ask(message, files, options)),
		edit: instead(() => old ? edit(old.nodes[0], message) : putBack(message, files)),
	}, files);
}

// Ask in the place of a question: it and all after it go, when the service has taken the new one. The same text is asked
// again with the hidden instruction that it had.
export async function askInstead(node, text = node.message.content) {
	if (chat.turn) return;
	try {
		const {id, attachments, prepromptKey} = await known(node);
		leaveEarlier();
		const nodes = [];
		for (let each = node; each; each = each.nextElementSibling) if (!each.matches(".notice")) nodes.push(each);
		nodes.forEach((each) => each.remove());
		const kept = attachments.filter(({url}) => url); // the others were deleted
		const options = {replaces: id, attachments: kept.map(({fileId}) => ({fileId}))};
		if (prepromptKey && text === node.message.content) Object.assign(options, {preprompt_key: prepromptKey, type: chat.conversation.type});
		ask(text, [], options, {nodes, attachments: kept});
	} catch (error) {
		tell(error);
	}
}

// What the service has of a question that was asked while the page was open.
async function known({message}) {
	if (message.conversationId) return message;
	const {messages: newest} = await newestMessages(chat.conversation.id);
	const found = newest.find(({id, role, content}) => message.id ? id === message.id : role === "user" && content === message.content);
	if (!found) throw new Error(t("question_gone"));
	return found;
}

async function run(turn, reply, ways, files = []) {
	const mine = shown;
	setTurn(turn);
	try {
		if (files.length) turn.body.attachments = await Promise.all(files.map(encoded));
		for await (const event of follow(turn)) {
			if (mine !== shown) return;
			if (event.type === "open") opened(turn);
			else if (event.type === "done") {
				finished(event, reply);
				if (turn.body?.replaces) offerVersions();
			}
			else if (event.type === "error") throw {status: 500, ...event}; // as an answer would have said it
			else keepingEnd(() => reply.take(event));
		}
	} catch (error) {
		if (mine === shown) failed(turn, error, reply, ways);
	} finally {
		forTab.removeItem(PENDING);
		if (mine === shown) setTurn(null);
		hooks.changed();
	}
}

function opened(turn) {
	if (location.hash !== `#${turn.conversationId}`) history.replaceState(null, "", `#${turn.conversationId}`);
	if (!chat.conversation) setTitle({id: turn.conversationId, title: turn.body?.message.slice(0, 80) ?? "…"});
}

function finished(event, reply) {
	const asked = reply.node.previousElementSibling;
	if (asked?.message) Object.assign(asked, {id: `m-${event.userMessageId}`}).message.id = event.userMessageId;
	keepingEnd(() => reply.finish(event.message));
	if (chat.conversation) setTitle({...chat.conversation, title: event.title});
	hooks.allowance(event.freeThreshold);
	say(event.finishReason === "stopped" ? t("reply_stopped") : t("reply", {text: textOf(reply.body)}));
}

function failed(turn, error, reply, ways) {
	reply.abandon();
	if (!reply.text) reply.node.remove();
	if (turn.stopped && !turn.messageId) ways.undo?.();
	if (turn.stopped) return append(el("p.note", t("you_stopped")));
	// It did arrive, or another tab was faster: the reply that is being written is shown.
	if (error.code === "CONFLICT") return recover(turn.body.conversation_id).then(showAddress);
	if (error.conversationId && !chat.conversation) opened({...turn, conversationId: error.conversationId});
	// Under the same key, or where it was: what arrived is not asked again.
	const goOn = () => {
		clear();
		append(reply.node);
		run(turn, reply, ways);
	};
	const buttons = [[t("try_again"), error.status && ways.again || goOn]];
	const {code, details, retryAfter, status} = error;
	// Whoever signs in for a question that was refused gets its reply.
	const offer = (label, kind) => buttons.unshift([label, () => hooks.signIn(kind, ways.again, turn.body?.message)]);
	if (status && !error.conversationId && code !== "SESSION_ENDED") ways.undo?.(); // nothing was replaced
	let text = error.message;
	if (code === "FREE_LIMIT_EXCEEDED") {
		text = t("used_up", {total: details.total});
		buttons.pop(); // it would be refused again
		if (details.requires_signup) {
			text += ` ${t("account_has_more")}`;
			offer(t("sign_in"), "signin");
			offer(t("sign_up"), "signup");
		}
	} else if (code === "SESSION_ENDED") offer(t("sign_in"), "signin");
	else if (code === "RATE_LIMIT_EXCEEDED") text = t("too_fast", {seconds: retryAfter});
	else if ([400, 413, 415, undefined].includes(status) && ways.edit) { // refused, or a file cannot be read
		text = details?.map(({message}) => message).join(" ") || text;
		buttons.pop();
		ways.edit();
	}
	append(notice(text, buttons, retryAfter, ["FREE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED"].includes(code) ? "" : ".failed"));
}

async function stop() {
	$("question").focus();
	await stopTurn(chat.turn).catch((error) => error.status !== 404 && tell(error));
}

// Find a question again that was on its way when the page was closed. It is never asked twice.
async function recover(id) {
	const message = forTab.getItem(PENDING);
	forTab.removeItem(PENDING);
	if (!message) return;
	id ??= await newestConversation();
	const newest = id && (await newestMessages(id)).messages.find(({role}) => role === "user");
	if (newest?.content !== message) return putBack(message);
	history.replaceState(null, "", `#${id}`);
}

const addressed = () => /^#([0-9a-f]{24})$/.exec(location.hash)?.[1];

export async function showAddress() {
	const id = addressed();
	if (id) return openConversation(id);
	leave();
	setTitle(null);
	messages.append(hooks.home());
}

export function startChat(given) {
	hooks = given;
	$("stop").onclick = stop;
	log.onscroll = () => ($("to-end").hidden = log.scrollHeight - log.scrollTop - log.clientHeight < FAR);
	$("to-end").onclick = () => {
		log.focus();
		log.scrollTop = log.scrollHeight;
	};
	onpopstate = showAddress;
}

// Show what was there before; not instead of what was asked while the page was being loaded.
export async function resume() {
	if (!chat.turn) await recover(addressed()).catch(() => {});
	if (!chat.turn) await showAddress();
}
