// Sharing a conversation by link.
import {api} from "../api.js";
import {button, checkbox, choice, copyableLink, el, field, form, openDialog, say, tell} from "../dom.js";
import {allMessages} from "../export.js";
import {render} from "../markdown.js";
import {t} from "../words.js";

export const TIMES = () => [["", t("until_revoked")], ["1", t("for_day")], ["7", t("for_week")], ["30", t("for_month")]];

// The address of a share that people can read; it leads to the same.
export const shortLink = (url) => url.replace(/api\/v1\/public\/share\/(?=[^/]+$)/, "shared/");

// What others see of a link before they follow it.
export const titleFields = (title, {customTitle, customDescription} = {}) => [
	field(t("title"), {name: "customTitle", placeholder: title, maxLength: 200, value: customTitle ?? ""}),
	field(t("description"), {name: "customDescription", maxLength: 500, value: customDescription ?? ""}),
];

// `signUp` is for guests, who cannot share: they see their own messages as a preview.
export function openShare({id, title}, signUp) {
	const preview = el("div.preview", {tabIndex: 0, role: "region", ariaLabel: t("preview"), hidden: true});
	const wanted = () => {
		const {customTitle, customDescription, expires, redact, go} = node.elements;
		return {conversationId: id, redact: redact.checked, allowContinuation: go.checked, expiresInDays: Number(expires.value) || undefined,
			customTitle: customTitle.value.trim() || undefined, customDescription: customDescription.value.trim() || undefined};
	};
	const fold = () => {
		preview.hidden = true;
		shower.ariaExpanded = false;
	};
	const look = async () => {
		const shown = signUp ? {title, messages: await allMessages(id)}
			: await api("POST", "share/preview", wanted());
		const kinds = [...new Set(shown.findings?.map(({kind}) => kind))].join(", ").replaceAll("_", " ");
		preview.hidden = false;
		shower.ariaExpanded = true;
		preview.replaceChildren(el("p.note", signUp ? t("preview") : kinds ? t("found", {kinds}) : t("none_found")),
			el("h3", shown.title), ...shown.messages.map(({role, content}) =>
				role === "user" ? el("div.asked.plain", content) : el("div", ...render(content))));
		if (preview.querySelector(".tex")) import("../messages/math.js").then(({drawFormulas}) => drawFormulas(preview), () => {}); // else they are texts
		say(preview.firstChild.textContent);
	};
	const shower = button(t("preview"), () => preview.hidden ? look().catch(tell) : fold(), "", {ariaExpanded: "false"});
	const node = form([
		signUp && el("p", t("preview_told")),
		...titleFields(title), choice(t("link_works"), "expires", TIMES()),
		!signUp && checkbox(t("redact"), {name: "redact", checked: true, onchange: () => preview.hidden || look().catch(tell)}),
		checkbox(t("allow_copies"), {name: "go", checked: true}), preview,
	], signUp ? t("sign_up_to_share") : t("create_link"), async () => {
		if (signUp) return node.closest("dialog").close(), signUp();
		const {shareUrl} = await api("POST", "share", wanted());
		node.replaceWith(el("p", t("link_told")), copyableLink(t("link"), shortLink(shareUrl)));
	}, shower);
	openDialog(t("share_title"), node);
}
