// Taking things along: a table as CSV, a conversation as Markdown.
import {api} from "./api.js";
import {el} from "./dom.js";
import {textOf} from "./markdown.js";
import {t} from "./words.js";

const KEPT_MS = 60_000;

export function save(name, content, type) {
	const href = URL.createObjectURL(new Blob([content].flat(), {type: type ?? content.type}));
	el("a", {href, download: name}).click();
	setTimeout(URL.revokeObjectURL, KEPT_MS, href);
}

// A text that a program for tables would take for a formula gets an apostrophe before it.
const cell = (text) => {
	const safe = /^[=+@\t\r]|^-(?![\d.,]+%?$)/.test(text) ? `'${text}` : text;
	return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvOf = (table) => [...table.rows].map((row) => [...row.cells].map((each) => cell(textOf(each))).join(",")).join("\r\n");

const one = (text) => String(text ?? "").replace(/\s+/g, " ").trim();
const column = (text) => one(text).replaceAll("|", "\\|");

function seriesOf({name, result}) {
	const {start, points: course = []} = result?.series ?? {};
	const points = start ? [start, ...course] : course;
	const keys = Object.keys(points[0] ?? {});
	if (!keys.length) return [];
	const row = (cells) => `| ${cells.map(column).join(" | ")} |`;
	const head = keys.map((key) => key === "at" ? result.series.label : key);
	return [`*${one(name)}*\n\n${[row(head), row(keys.map(() => "---")), ...points.map((point) => row(keys.map((key) => point[key])))].join("\n")}`];
}

function written({role, content, createdAt, attachments, toolCalls, sources}) {
	const when = createdAt.slice(0, 16).replace("T", " ");
	return [`**${role === "user" ? t("you") : "finassist"}**, ${when} UTC`, content || t("no_text"),
		...attachments.map(({filename}) => t("file", {name: one(filename)})), ...toolCalls.flatMap(seriesOf),
		...sources.filter(({cited}) => cited).map(({index, title, url}) => `[${index}] ${one(title)}${url ? `, ${url}` : ""}`), "---"].join("\n\n");
}

export async function allMessages(id) {
	const messages = [];
	for (let page = {hasMore: true}; page.hasMore;) {
		page = await api("GET", `user/conversations/${id}/messages?limit=100&offset=${messages.length}`);
		messages.push(...page.messages);
	}
	return messages;
}

export async function saveConversation({id, title}) {
	const text = [`# ${one(title)}`, ...(await allMessages(id)).map(written), ""].join("\n\n");
	const name = one(title).replace(/[^\p{L}\p{N} _-]/gu, "").slice(0, 60).trim() || t("conversation");
	save(`${name}.md`, text, "text/markdown");
}
