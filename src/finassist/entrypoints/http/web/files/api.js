// The public API. The access token lives in memory, the refresh token in the tab's storage or, for who asked to
// stay signed in, in the browser's. Every refresh uses it up, so tabs refresh one after the other.
import {t} from "./words.js";

const DEVICE = "finassist.device";
const DEVICE_TOKEN = "finassist.device-token"; // given once; sent back, it keeps others away from the guest's chats
const REFRESH = "finassist.refresh";

// A browser's storage, or one for as long as the page is open when the browser forbids it.
function storage(name) {
	try {
		return window[name];
	} catch {
		const kept = new Map();
		return {getItem: (key) => kept.get(key) ?? null, setItem: kept.set.bind(kept), removeItem: kept.delete.bind(kept)};
	}
}
export const forBrowser = storage("localStorage");
export const forTab = storage("sessionStorage");

// 144 random bits; randomUUID is missing where a page came over plain HTTP.
export const randomId = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));

const deviceId = forBrowser.getItem(DEVICE) ?? randomId();
forBrowser.setItem(DEVICE, deviceId);

const failure = (status, error, headers) => Object.assign(new Error(error.message), error,
	{status, retryAfter: Number(headers?.get("Retry-After")), conversationId: headers?.get("X-Conversation-Id")});
export const unreachable = () => failure(0, {message: t("unreachable")}); // no status: no answer

let access;
const refreshToken = () => forTab.getItem(REFRESH) ?? forBrowser.getItem(REFRESH);
export const isSignedIn = () => refreshToken() !== null;

function keepTokens({accessToken, expiresIn, refreshToken: next}, keeper) {
	access = {token: accessToken, until: Date.now() + (expiresIn - 30) * 1000};
	if (next) keeper.setItem(REFRESH, next);
}

function forgetTokens() {
	access = null;
	forTab.removeItem(REFRESH);
	forBrowser.removeItem(REFRESH);
}

let refreshing;
const refresh = () => (refreshing ??= oneTabAtATime(rotate).finally(() => (refreshing = null)));
const oneTabAtATime = (task) => (navigator.locks ? navigator.locks.request(REFRESH, task) : task());

async function rotate() {
	const keeper = forTab.getItem(REFRESH) ? forTab : forBrowser;
	try {
		// Read when it is our turn: another tab may have changed it.
		keepTokens(await data(send("POST", "auth/refresh", {refreshToken: keeper.getItem(REFRESH) ?? ""})), keeper);
	} catch (error) {
		if (error.code !== "INVALID_REFRESH_TOKEN") throw error;
		forgetTokens();
		dispatchEvent(new Event("session"));
		throw failure(401, {code: "SESSION_ENDED", message: t("session_ended")});
	}
}

async function send(method, path, body, headers) {
	const token = forBrowser.getItem(DEVICE_TOKEN);
	const isForm = body instanceof FormData;
	let response;
	try {
		response = await fetch(path.startsWith("app/") ? path : `api/v1/${path}`, {
			method,
			headers: {
				"x-device-id": deviceId, "x-platform": "web", ...(token && {"X-Device-Token": token}),
				...(body && !isForm && {"Content-Type": "application/json"}), ...headers,
			},
			body: isForm ? body : body && JSON.stringify(body),
		});
	} catch {
		throw unreachable();
	}
	const given = response.headers.get("X-Device-Token");
	if (given) forBrowser.setItem(DEVICE_TOKEN, given);
	if (response.ok) return response;
	// The secret came, and was used, while this request was on its way without it.
	if (response.status === 401 && !token && forBrowser.getItem(DEVICE_TOKEN)) return send(method, path, body, headers);
	if (response.status === 401) access = null;
	const {error} = await response.json().catch(() => ({}));
	throw failure(response.status, error ?? {message: t("service_failed")}, response.headers);
}

const data = async (response) => (await (await response).json()).data;

async function request(method, path, body, headers) {
	if (!isSignedIn()) return send(method, path, body, headers);
	const signed = async () => {
		if (!access || access.until < Date.now()) await refresh();
		return send(method, path, body, {...headers, Authorization: `Bearer ${access.token}`});
	};
	// A token that is refused before its time is of a session that was ended elsewhere, which refreshing tells.
	return signed().catch((error) => error.code === "UNAUTHORIZED" ? signed() : Promise.reject(error));
}

// The `data` of an answer. `path` is below `api/v1/`, or begins with `app/`.
export const api = (method, path, body, headers) => data(request(method, path, body, headers));

export async function download(path) {
	const response = await request("GET", path);
	return response.blob().catch(() => Promise.reject(unreachable())); // it broke off
}

export async function signIn(kind, {remember, ...account}) {
	keepTokens(await data(send("POST", `auth/${kind}`, account)), remember ? forBrowser : forTab);
}

export async function signOut() {
	const token = refreshToken();
	forgetTokens();
	location.hash = "";
	await send("POST", "auth/signout", {refreshToken: token}).catch(() => {});
}

// When another tab signs in or out, this one must not go on as somebody else.
addEventListener("storage", ({key, oldValue, newValue}) => {
	if (key === REFRESH && !oldValue !== !newValue) location.reload();
});

async function* events(response) {
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	try {
		for (;;) {
			const {done, value} = await reader.read();
			if (done) return;
			const blocks = (text + value).split("\n\n");
			text = blocks.pop();
			for (const block of blocks) {
				const [, number, json] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
				if (json) yield {...JSON.parse(json), number};
			}
		}
	} catch {
		// The line broke.
	} finally {
		reader.cancel().catch(() => {});
	}
}

// The events of a turn up to `done` or `error`, over as many connections as it takes. `turn` has either
// `messageId`, or `body` and `key`: sent again under the same key, a question is asked once.
export async function* follow(turn) {
	turn.last ??= 0;
	for (let failures = 0; ;) {
		try {
			const response = await connect(turn);
			turn.messageId = response.headers.get("X-Message-Id");
			turn.conversationId = response.headers.get("X-Conversation-Id");
			yield {type: "open"};
			for await (const event of events(response)) {
				failures = 0;
				turn.last = event.number;
				yield event;
				if (event.type === "done" || event.type === "error") return;
			}
			throw unreachable();
		} catch (error) {
			if (++failures > 6 || turn.stopped || ![0, 502, 503, 504].includes(error.status)) throw error;
			yield {type: "lost"};
			await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** failures));
		}
	}
}

const connect = (turn) => turn.messageId
	? request("GET", `ai/chat/${turn.messageId}/stream`, null, {"Last-Event-ID": turn.last})
	: request("POST", "ai/chat", turn.body, {"Idempotency-Key": turn.key, "X-Stream-Response": "true"});

// What is new is never pinned.
export const newestConversation = async () => (await api("GET", "user/conversations?pinned=false&limit=1")).conversations[0]?.id;

export const newestMessages = (id, offset = 0) => api("GET", `user/conversations/${id}/messages?order=desc&limit=50&offset=${offset}`);

// Stop a turn, also before its first token; a question that never arrived is only given up.
export async function stopTurn(turn) {
	turn.stopped = true;
	if (turn.messageId) await api("POST", `ai/chat/${turn.messageId}/stop`);
	else await api("POST", "ai/chat/stop", null, {"Idempotency-Key": turn.key});
}
