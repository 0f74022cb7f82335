// Charts of what was calculated: SVG by hand, because a library weighs as much as the page and draws on a canvas, which
// neither a screen reader nor the print style reaches. Behind each is a table, which the CSV file is made of.
import {actions, button, el, late} from "../dom.js";
import {csvOf, save} from "../export.js";
import {language, t} from "../words.js";

const HEIGHT = 264, LEFT = 58, RIGHT = 12, TOP = 28, BOTTOM = 38, BARS_TOP = 14;
const TOGETHER = 8; // parts that differ by more than this are drawn apart: interest would lie flat under a balance
const COLUMNS_MAX = 24, ROW = 26;
export const SVG = "http://www.w3.org/2000/svg";
const NOT_DRAWN = new Set(["at", "name", "currency", "count", "counted", "date"]);
const whole = new Intl.NumberFormat(language, {maximumFractionDigits: 0});
const exact = new Intl.NumberFormat(language, {minimumFractionDigits: 2, maximumFractionDigits: 2});
const compact = new Intl.NumberFormat(language, {notation: "compact", maximumFractionDigits: 1});

const monthOf = new Intl.DateTimeFormat(language, {month: "short", year: "numeric", timeZone: "UTC"});
const dayOf = new Intl.DateTimeFormat(language, {day: "numeric", month: "short", year: "numeric", timeZone: "UTC"});

// `2026-01` and `2026-01-03` as people write them, other names as they are; a number without a name.
function named({name, at}) {
	const [date, day] = /^\d{4}-\d\d(-\d\d)?$/.exec(name) ?? [];
	return date ? (day ? dayOf : monthOf).format(new Date(day ? date : `${date}-01`)) : String(name ?? at);
}

const picture = late(() => import("./picture.js"))("picture");
const upper = (text) => text.replace(/^./, (first) => first.toUpperCase());
const worded = (key, text) => text === key ? null : text;

// What a part is called, and what its points count; one that the page has no word for as the service calls it.
function label(key) {
	const name = key.replace(/_+$/, "");
	return worded(`part_${name}`, t(`part_${name}`)) ?? upper(name.replaceAll("_", " "));
}
const unitOf = (key) => worded(`unit_${key}`, t(`unit_${key}`)) ?? key;
const size = (value) => value == null || value === "" ? NaN : Number(value);

export function svg(tag, attributes, ...children) {
	const node = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
	node.append(...children);
	return node;
}

// The charts of a tool's result: one for each currency, and for parts of about the same size.
export function charts({series}, title) {
	const all = Array.isArray(series?.points) ? [series.start, ...series.points].filter((point) => point?.constructor === Object) : [];
	const currencies = [...new Set(all.map(({currency}) => currency))].slice(0, 4);
	return currencies.map((currency) => {
		const points = all.filter((point) => point.currency === currency);
		const known = [...new Set(points.flatMap(Object.keys))].filter((key) => !NOT_DRAWN.has(key));
		const keys = known.filter((key) => points.some((point) => Number.isFinite(size(point[key]))));
		return keys.length && figure(currency ? `${title}, ${currency}` : title, series.label, points, keys);
	});
}

function figure(title, unit, points, keys) {
	const table = tableOf(title, unit, points, keys);
	const drawings = grouped(points, keys).map((some) => {
		const course = fromStart(points, some);
		const node = svg("svg", {class: "chart", role: "img", "aria-label": t("chart", {title, parts: some.map(label).join(", "), unit: unitOf(unit)})});
		const draw = (width) => width && paint(node, width, unit, course, some);
		draw(640);
		new ResizeObserver(([{contentRect}]) => draw(Math.round(contentRect.width))).observe(node);
		return [keys.length > 1 ? legend(some) : "", Object.assign(node, {parts: some.map(label)}), isBars(unit, points) ? "" : readout(node, unit, course, some)];
	});
	const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
	return el("figure.plot", el("figcaption", title, el("small", t("by", {unit: unitOf(unit)}))), drawings.flat(),
		el("details", {}, el("summary", t("figures")), el("div.scroll", {tabIndex: 0, role: "group", ariaLabel: t("table")}, table)),
		actions(button(t("save_csv"), () => save(`${name}.csv`, csvOf(table), "text/csv"), ".quiet"),
			button(t("save_png"), async () => {
				const drawn = await picture(title, drawings.map(([, node]) => node), LEFT);
				if (drawn) save(`${name}.png`, drawn);
			}, ".quiet")));
}

// What is owed at the beginning: the balance after the first year or month, and what was paid off in it.
function fromStart(points, some) {
	const [{at, name, balance, principal}] = points;
	const owed = size(balance) + size(principal);
	return some.includes("balance") && at === 1 && !name && owed ? [{at: 0, balance: owed}, ...points] : points;
}

const legend = (some) => el("p.legend", some.map((key, at) => el("span", el(`i.s${at % 4}`), label(key))));

function tableOf(title, unit, points, keys) {
	const named = points.some(({name}) => name);
	const row = (tag, cells) => el("tr", cells.map((cell, index) => el(index ? `${tag}.right` : tag, {scope: tag === "th" ? "col" : false}, String(cell ?? ""))));
	return el("table", {}, el("caption.unseen", title), el("thead", row("th", [upper(unitOf(unit)), ...keys.map(label)])),
		el("tbody", points.map((point) => row("td", [named ? point.name : point.at, ...keys.map((key) => point[key])]))));
}

const largest = (points, key) => Math.max(...points.map((point) => Math.abs(size(point[key]) || 0)));

function grouped(points, keys) {
	const groups = [];
	for (const key of keys.toSorted((one, other) => largest(points, other) - largest(points, one))) {
		const fits = groups.find(([first]) => largest(points, first) <= TOGETHER * largest(points, key));
		if (fits) fits.push(key);
		else groups.push([key]);
	}
	return groups.map((group) => keys.filter((key) => group.includes(key)));
}

const isBars = (unit, points) => points[0].name && !["month", "day", "year"].includes(unit);

// The figures where the pointer or a finger is. Who has neither has the table.
function readout(node, unit, points, some) {
	const told = el("p.readout", {ariaHidden: true});
	const format = points.every((point) => some.every((key) => Number.isInteger(size(point[key]) || 0))) ? whole : exact; // all with cents, or none
	const clear = () => {
		node.querySelector(".guide")?.remove();
		told.textContent = "";
	};
	node.onpointermove = node.onpointerdown = ({clientX}) => {
		clear();
		const slot = (node.viewBox.baseVal.width - LEFT - RIGHT) / points.length;
		const under = Math.floor((clientX - node.getBoundingClientRect().left - LEFT) / slot);
		const at = Math.max(0, Math.min(points.length - 1, under));
		const point = points[at];
		const x = LEFT + slot * (at + .5);
		node.append(svg("line", {class: "guide", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
		const figures = some.map((key) => [key, size(point[key])]).filter(([, value]) => Number.isFinite(value));
		told.textContent = [point.name ? named(point) : `${upper(unitOf(unit))} ${point.at}`, ...figures.map(([key, value]) => `${label(key)} ${format.format(value)}`)].join(" · ");
	};
	node.onpointerleave = ({pointerType}) => pointerType === "mouse" && clear(); // what a finger showed stays to be read
	return told;
}

function paint(node, width, unit, points, some) {
	const areBars = isBars(unit, points);
	const height = areBars ? BARS_TOP + points.length * some.length * ROW : HEIGHT;
	node.setAttribute("viewBox", `0 0 ${width} ${height}`);
	node.setAttribute("height", height);
	node.replaceChildren(...(areBars ? bars : curves)(width, height, unit, points, some));
}

const text = (x, y, anchor, words) => svg("text", {x, y, "text-anchor": anchor}, words);
const short = (words, room) => words.length > room ? `${words.slice(0, room - 1)}…` : words;

// One bar for each category or counterparty, its name before it and its value behind.
function bars(width, height, unit, points, some) {
	const left = Math.min(150, width * .36);
	const scale = (width - left - 70) / (Math.max(...some.map((key) => largest(points, key))) || 1);
	const plain = points.every((point) => some.every((key) => Number.isInteger(size(point[key]) || 0))) ? whole : exact; // all with cents, or none
	return points.flatMap((point, row) => some.flatMap((key, index) => {
		const y = BARS_TOP / 2 + (row * some.length + index) * ROW;
		const long = Math.max(1, Math.abs(size(point[key]) || 0) * scale);
		return [index ? "" : text(left - 8, y + 16, "end", short(String(point.name), Math.floor(left / 7.5))),
			svg("rect", {class: `s${index % 4}`, x: left, y: y + 3, width: long, height: ROW - 8, rx: 3}),
			text(left + long + 6, y + 16, "start", (size(point[key]) < 1e7 ? plain : compact).format(size(point[key]) || 0))];
	}));
}

// Round steps between the lowest and the highest value.
function steps(low, high) {
	const rough = (high - low) / 4 || 1;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * [1, 2, 2.5, 5, 10].find((each) => each * power >= rough);
	const first = Math.floor(low / step);
	return Array.from({length: Math.ceil(high / step) - first + 1}, (_, index) => (first + index) * step);
}

const ROUND = {year: [1, 2, 5, 10, 20, 25, 50, 100], month: [1, 2, 3, 6, 12, 24, 36, 60, 120]};

// Which points have their label: numbers at round steps, names as often as there is room; the last one always, and the one
// before it where it has room.
function labels(points, unit, width) {
	const last = points.length - 1;
	const {name} = points[0];
	const rough = points.length * (!name ? 48 : name.length > 7 ? 90 : 70) / width;
	const every = name ? Math.ceil(rough) : (ROUND[unit] ?? ROUND.year).find((each) => each >= rough) ?? last;
	return (index) => index === last || (name ? !(index % every) && last - index >= every : !(points[index].at % every) && last - index > every / 2);
}

// Months, days and years run from left to right: columns for the few of a statement, lines for the course of a calculation.
function curves(width, height, unit, points, some) {
	const values = points.flatMap((point) => some.map((key) => size(point[key]))).filter(Number.isFinite);
	const ticks = steps(Math.min(0, ...values), Math.max(...values, 0));
	const [low, high] = [ticks[0], ticks.at(-1)];
	const slot = (width - LEFT - RIGHT) / points.length;
	const x = (index) => LEFT + slot * (index + .5);
	const y = (value) => TOP + (height - TOP - BOTTOM) * (high - value) / (high - low || 1);
	const isColumns = points[0].name && unit === "month" && points.length <= COLUMNS_MAX;
	const grid = ticks.flatMap((tick) => [svg("line", {class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick)}),
		text(LEFT - 6, y(tick) + 4, "end", compact.format(tick))]);
	const last = points.length - 1;
	const isLabelled = labels(points, unit, width - LEFT);
	const axis = points.flatMap((point, index) => !isLabelled(index) ? []
		: text(x(index), height - 22, index === last && slot < 50 && point.name ? "end" : "middle", named(point)));
	const worth = some.includes("rate") ? "%" : points.at(-1).currency ?? "";
	axis.push(text(LEFT - 6, 12, "end", worth));
	if (!points[0].name) axis.push(text(width - RIGHT, height - 5, "end", upper(unitOf(unit))));
	const drawn = some.flatMap((key, at) => {
		const known = points.map((point, index) => [index, size(point[key])]).filter(([, value]) => Number.isFinite(value));
		const wide = Math.min(36, slot * .8 / some.length);
		if (isColumns) {
			return known.map(([index, value]) => svg("rect", {class: `s${at % 4}`, rx: 2, width: Math.max(1, wide - 1),
				x: x(index) + wide * (at - some.length / 2), y: Math.min(y(value), y(0)), height: Math.max(.5, Math.abs(y(value) - y(0)))}));
		}
		if (known.length === 1) return svg("circle", {class: `s${at % 4}`, cx: x(known[0][0]), cy: y(known[0][1]), r: 4});
		return svg("polyline", {class: `s${at % 4}`, points: known.map(([index, value]) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ")});
	});
	return [...grid, ...axis, ...drawn];
}
