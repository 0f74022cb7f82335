// Sharing a conversation by link.
import {api} from "./api.js";
import {button, checkbox, choice, copyable, el, field, form, formDialog, openDialog, openLoaded, say, tell} from "./dom.js";
import {render} from "./markdown.js";

// `signUp(then)` is for guests, who may look at what would be seen.
export function openShare({id, title}, signUp) {
	const preview = el("div.preview", {tabIndex: 0, role: "region", ariaLabel: "Preview", hidden: true});
	const wanted = () => {
		const {name, expires, redact, go} = node.elements;
		return {conversationId: id, redact: redact.checked, allowContinuation: go.checked,
			expiresInDays: Number(expires.value) || undefined, customTitle: name.value.trim() || undefined};
	};
	const look = async () => {
		const shown = await api("POST", "share/preview", wanted());
		const kinds = [...new Set(shown.findings.map(({kind}) => kind))];
		preview.hidden = false;
		preview.replaceChildren(el("p.note", kinds.length ? `Personal data found: ${kinds.join(", ").replaceAll("_", " ")}.` : "No personal data was found."),
			el("h3", shown.title), ...shown.messages.map(({role, content}) =>
				role === "user" ? el("div.asked.plain", content) : el("div", ...render(content))));
		say(preview.firstChild.textContent);
	};
	const node = form([
		field("Title", {name: "name", placeholder: title, maxLength: 200}),
		choice("The link works", "expires", [["", "until I revoke it"], ["1", "for a day"], ["7", "for a week"], ["30", "for a month"]]),
		checkbox("Take personal data out", {name: "redact", checked: true, onchange: () => preview.hidden || look().catch(tell)}),
		checkbox("Others may go on in a copy of their own", {name: "go", checked: true}), preview,
		signUp && el("p.note", "An account is needed to share. You can look at what would be seen without one."),
	], signUp ? "Sign up to share" : "Create link", async () => {
		if (signUp) return node.closest("dialog").close(), signUp();
		const {shareUrl} = await api("POST", "share", wanted());
		node.replaceWith(el("p", "Everybody who has this link can read the conversation as it is now."), copyable("Link", shareUrl));
	}, button("Preview", () => look().catch(tell)));
	openDialog("Share this conversation", node);
}

export const openShares = () => openLoaded("Shared links", async () => {
	const {shares} = await api("GET", "share/list?limit=100");
	return shares.length ? el("ul.shares", ...shares.map(shareItem)) : "You have not shared anything.";
});

function shareItem(share) {
	const {customTitle, conversationTitle, status, viewCount, shareUrl, redacted} = share;
	const revoke = () => formDialog("Revoke this link?", [el("p", "It stops working at once.")], "!Revoke", async () => {
		await api("DELETE", `share/${share.shareId}`);
		item.replaceWith(shareItem({...share, status: "revoked"}));
	});
	const item = el("li", el("strong", customTitle || conversationTitle),
		el("small", ` ${status} · ${viewCount} view${viewCount === 1 ? "" : "s"}${redacted ? " · without personal data" : ""}`),
		status === "active" && [copyable("Link", shareUrl), button("Revoke", revoke, ".danger")]);
	return item;
}
