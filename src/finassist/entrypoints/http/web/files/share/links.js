// The links that somebody has made: how often they were used, changing and revoking them.
import {api} from "../api.js";
import {charts} from "../messages/charts.js";
import {actions, button, checkbox, choice, copyableLink, el, formDialog, openLoaded, say} from "../dom.js";
import {language, t} from "../words.js";
import {shortLink, TIMES, titleFields} from "./share.js";

const day = new Intl.DateTimeFormat(language, {dateStyle: "medium"});
const KEPT = "-"; // the time that the link has already

export const openShares = () => openLoaded(t("shared_links"), async () => {
	const {shares} = await api("GET", "share/list?limit=100");
	return shares.length ? el("ul.shares", ...shares.map(shareItem)) : t("nothing_shared");
});

function shareItem(share) {
	const {shareId, customTitle, conversationTitle, customDescription, status, viewCount, shareUrl, redacted, expiresAt} = share;
	const shown = (changed) => item.replaceWith(shareItem({...share, ...changed}));
	const revoke = () => formDialog(t("revoke_question"), [el("p", t("revoke_told"))], `!${t("revoke")}`, async () => {
		await api("DELETE", `share/${shareId}`);
		shown({status: "revoked"});
	});
	const told = [t(status), t("views", {n: viewCount}), redacted && t("redacted"),
		status === "active" && expiresAt && t("until", {date: day.format(new Date(expiresAt))})].filter(Boolean);
	const item = el("li", el("strong", customTitle || conversationTitle), el("small", ` ${told.join(" · ")}`),
		customDescription && el("p.note", customDescription), status === "active" && copyableLink(t("link"), shortLink(shareUrl)),
		actions(button(t("figures"), () => openFigures(share)), status !== "revoked" && button(t("change"), () => openChange(share, shown)),
			status === "active" && button(t("revoke"), revoke, ".danger")));
	return item;
}

const openChange = (share, shown) => formDialog(t("change"), [
	...titleFields(share.conversationTitle, share),
	choice(t("link_works"), "expires", [[KEPT, t("as_before")], ...TIMES()]),
	checkbox(t("allow_copies"), {name: "go", defaultChecked: share.allowContinuation}),
], t("save"), async ({customTitle, customDescription, expires, go}) => {
	const body = {customTitle: customTitle.trim() || null, customDescription: customDescription.trim() || null, allowContinuation: Boolean(go)};
	if (expires !== KEPT) body.expiresInDays = Number(expires) || null;
	shown(await api("PATCH", `share/${share.shareId}`, body));
	return () => say(t("saved"));
});

const openFigures = ({shareId, customTitle, conversationTitle}) => openLoaded(customTitle || conversationTitle, async () => {
	const {totalViews, uniqueViewers, continuationCount, lastViewedAt, viewsByDay} = await api("GET", `share/${shareId}/analytics`);
	const points = viewsByDay.map(({date, views, uniqueViewers: viewers}, at) => ({at: at + 1, name: date, views, viewers}));
	const row = (name, value) => [el("dt", name), el("dd", String(value))];
	return el("div", el("dl", row(t("view_count"), totalViews), row(t("viewers"), uniqueViewers), row(t("copies"), continuationCount),
		lastViewedAt && row(t("last_viewed"), day.format(new Date(lastViewedAt)))),
	points.length ? charts({series: {label: "day", points}}, t("view_count")) : "");
});
