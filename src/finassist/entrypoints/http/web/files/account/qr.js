// A text as a QR code (ISO/IEC 18004), for a camera: bytes, level L, versions 1 to 10, up to 271 bytes.
import {svg} from "../messages/charts.js";

const CODEWORDS = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346]; // of versions 1 to 10
const CORRECTION = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18]; // of each block
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4];
const QUIET = 4; // modules of nothing around it

const times = (a, b) => { // in the field of 256 elements
	let product = 0;
	for (let bit = 7; bit >= 0; bit--) product = product << 1 ^ (product >> 7) * 0x11d ^ (b >> bit & 1) * a;
	return product;
};

function divisorOf(degree) {
	const divisor = [...Array(degree - 1).fill(0), 1];
	for (let step = 0, root = 1; step < degree; step++, root = times(root, 2))
		for (let at = 0; at < degree; at++) divisor[at] = times(divisor[at], root) ^ (divisor[at + 1] ?? 0);
	return divisor;
}

function correctionOf(data, divisor) {
	const rest = divisor.map(() => 0);
	for (const byte of data) {
		const factor = byte ^ rest.shift();
		rest.push(0);
		divisor.forEach((each, at) => (rest[at] ^= times(each, factor)));
	}
	return rest;
}

// The bytes of a text as they are drawn: its blocks, each with what corrects it, woven into each other.
function codewords(bytes, version) {
	const blocks = BLOCKS[version - 1], correction = CORRECTION[version - 1];
	const room = CODEWORDS[version - 1] - blocks * correction;
	const count = version < 10 ? [bytes.length] : [bytes.length >> 8, bytes.length & 255];
	const halves = [4, ...[...count, ...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0]; // the kind, the length, the text, the end
	const data = Array.from({length: Math.min(room, halves.length >> 1)}, (_, at) => halves[2 * at] << 4 | halves[2 * at + 1]);
	for (let filler = 0xec; data.length < room; filler ^= 0xfd) data.push(filler);
	const divisor = divisorOf(correction);
	const short = Math.floor(room / blocks), longer = room % blocks;
	let from = 0;
	const parts = Array.from({length: blocks}, (_, at) => data.slice(from, from += short + (at >= blocks - longer)));
	const corrections = parts.map((part) => correctionOf(part, divisor));
	const woven = (lists) => Array.from({length: Math.max(...lists.map(({length}) => length))}, (_, at) => lists.map((list) => list[at])).flat();
	return [...woven(parts), ...woven(corrections)].filter((byte) => byte !== undefined);
}

const remainder = (value, bits, generator) => {
	let rest = value;
	for (let step = 0; step < bits; step++) rest = rest << 1 ^ (rest >> bits - 1) * generator;
	return value << bits | rest;
};

// The rows of the code, true where it is dark; null for a text that is too long.
export function matrixOf(text) {
	const bytes = new TextEncoder().encode(text);
	const version = CODEWORDS.findIndex((all, at) => all - BLOCKS[at] * CORRECTION[at] >= bytes.length + (at < 9 ? 2 : 3)) + 1;
	if (!version) return null;
	const size = 17 + 4 * version;
	const rows = Array.from({length: size}, () => Array(size).fill(null));
	const square = (x, y, radius, isDark) => {
		for (let dy = -radius; dy <= radius; dy++) for (let dx = -radius; dx <= radius; dx++)
			if (rows[y + dy]?.[x + dx] !== undefined) rows[y + dy][x + dx] = isDark(Math.max(Math.abs(dx), Math.abs(dy)));
	};
	for (let at = 0; at < size; at++) rows[6][at] = rows[at][6] = at % 2 === 0;
	for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
	const between = version < 2 ? [] : version < 7 ? [6, size - 7] : [6, (size - 1) / 2, size - 7];
	for (const x of between) for (const y of between) {
		const isCorner = x === 6 && y === 6 || x === 6 && y === size - 7 || x === size - 7 && y === 6;
		if (!isCorner) square(x, y, 2, (ring) => ring !== 1);
	}
	const format = remainder(8, 10, 0x537) ^ 0x5412; // level L, the first mask
	for (let at = 0; at < 15; at++) {
		const isDark = Boolean(format >> at & 1);
		rows[at < 6 ? at : at < 8 ? at + 1 : size - 15 + at][8] = isDark;
		rows[8][at < 8 ? size - 1 - at : at < 9 ? 7 : 14 - at] = isDark;
	}
	rows[size - 8][8] = true;
	if (version > 6) {
		const told = remainder(version, 12, 0x1f25);
		for (let at = 0; at < 18; at++) {
			const a = size - 11 + at % 3, b = Math.floor(at / 3);
			rows[b][a] = rows[a][b] = Boolean(told >> at & 1);
		}
	}
	fill(rows, codewords(bytes, version));
	return rows;
}

// The bits go up and down in pairs of columns, from the right, and turn every second module around.
function fill(rows, data) {
	const size = rows.length;
	let bit = 0;
	for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
		const isUp = (right + 1 & 2) === 0;
		for (let step = 0; step < size; step++) for (const x of [right, right - 1]) {
			const y = isUp ? size - 1 - step : step;
			if (rows[y][x] !== null) continue;
			const isDark = data[bit >> 3] >> 7 - (bit & 7) & 1;
			rows[y][x] = Boolean(isDark) !== ((x + y) % 2 === 0);
			bit++;
		}
	}
}

// The code as a drawing, dark on light whatever the colours of the page; null for a text that is too long.
export function code(text, label) {
	const rows = matrixOf(text);
	if (!rows) return null;
	const size = rows.length + 2 * QUIET;
	const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : []));
	return svg("svg", {class: "qr", role: "img", "aria-label": label, viewBox: `0 0 ${size} ${size}`, "shape-rendering": "crispEdges"}, svg("path", {d: dark.join("")}));
}
