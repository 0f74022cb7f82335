// What is kept of somebody: files with where they are used, everything as an archive, and erasing it.
import {api, download, isSignedIn, signOut} from "../api.js";
import {openConversation} from "../chat.js";
import {clearQuestion} from "../composer.js";
import {button, el, formDialog, openDialog, openLoaded, say} from "../dom.js";
import {save} from "../export.js";
import {link} from "../markdown.js";
import {fileChip, words} from "../message.js";
import {language, t} from "../words.js";
import {showCaller} from "./account.js";
import {password} from "./sign_in.js";

const FILES = 50;
const day = new Intl.DateTimeFormat(language, {dateStyle: "medium"});

const SIZES = ["kilobyte", "megabyte", "gigabyte"];

function sized(bytes) {
	const step = Math.min(2, Math.max(0, Math.floor(Math.log2(bytes || 1) / 10) - 1));
	return new Intl.NumberFormat(language, {style: "unit", unit: SIZES[step], maximumFractionDigits: 1}).format(Math.max(.1, bytes / 1024 ** (step + 1)));
}

export const openFiles = () => openLoaded(t("your_files"), async (again) => {
	const [{files, total}, {usage: {storage}}, {conversations}] = await Promise.all([
		api("GET", `files?limit=${FILES}`), api("GET", "auth/me"), api("GET", "user/conversations?status=all&limit=100")]);
	const titles = new Map(conversations.map(({id, title}) => [id, title]));
	const used = storage.totalBytes ? t("storage_of", {used: sized(storage.usedBytes), total: sized(storage.totalBytes)}) : sized(storage.usedBytes);
	return el("div", el("p.note", used), files.length ? el("ul.shares", files.map((file) => fileItem(file, titles, again))) : el("p", t("no_files")),
		total > files.length && el("p.note", t("newest_of", {n: files.length, total})));
});

function fileItem(file, titles, again) {
	const {id, filename, size, createdAt, conversationId} = file;
	const open = ({target}) => (target.closest("dialog").close(), openConversation(conversationId));
	const remove = () => formDialog(t("delete_file"), [el("p", t("delete_file_told", {name: filename}))], `!${t("delete")}`, async () => {
		await api("DELETE", `files/${id}`);
		await again();
		return () => say(t("file_deleted"));
	});
	return el("li.row", el("div", fileChip(file),
		el("small", [sized(size), day.format(new Date(createdAt))].join(" · ")), el("br"),
		conversationId ? button(titles.get(conversationId) ?? t("conversation"), open, ".used", {title: t("used_in")}) : el("small", t("not_used"))),
	button(t("delete"), remove, ".danger", {ariaLabel: t("remove", {name: filename})}));
}

// Whom a guest's data belongs to is known by the device.
export function openData() {
	const dialog = formDialog(t("your_data"), [el("p", t("data_told"))], t("download"),
		async () => save("finassist-export.zip", await download("auth/me/export"), "application/zip"),
		button(t("delete_all"), () => (dialog.close(), openErasure()), ".danger"));
}

function openErasure() {
	formDialog(t("delete_all_question"), [
		el("p", t("delete_all_told")),
		isSignedIn() && password(t("password")),
	], `!${t("delete_all")}`, async (values) => {
		const receipt = await api("DELETE", "auth/me", isSignedIn() ? values : null);
		await signOut();
		clearQuestion();
		return () => (showReceipt(receipt), showCaller());
	});
}

function showReceipt({receiptId, counts}) {
	const address = new URL(`api/v1/erasure/${receiptId}`, document.baseURI).href;
	openDialog(t("receipt"), el("p", t("being_erased")),
		el("ul", ...Object.entries(counts).filter(([, count]) => count).map(([kind, count]) => el("li", `${words(kind)}: ${count}`))),
		el("p", `${t("receipt_told")} `, link(address, address)));
}
