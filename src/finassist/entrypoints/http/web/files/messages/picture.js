// A chart as a PNG file.
import {el} from "../dom.js";
import {SVG, svg} from "./charts.js";

const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size"];

// A drawing as it is shown, with the styles in it: a picture of its own has no style sheet.
function standalone(node, top) {
	const copy = node.cloneNode(true);
	[...node.children].forEach((child, index) => {
		const style = getComputedStyle(child);
		for (const name of STYLED) copy.children[index].setAttribute(name, style.getPropertyValue(name));
	});
	copy.querySelector(".guide")?.remove();
	const {width, height} = node.viewBox.baseVal;
	for (const [key, value] of Object.entries({xmlns: SVG, y: top, width, height})) copy.setAttribute(key, value);
	return copy;
}

// The names of what a drawing has, in its colours.
function named(node, top, left) {
	const words = node.parts.map((part, at) => {
		const {stroke, fill} = getComputedStyle(node.querySelector(`.s${at % 4}`) ?? node);
		return svg("tspan", {fill: stroke === "none" ? fill : stroke}, `■ ${part}   `);
	});
	return svg("text", {x: left, y: top, "font-family": "sans-serif", "font-size": 12}, ...words);
}

// The drawings of a chart in the colours that are shown, at twice their size, with what they are called. They begin at `left`.
export async function picture(title, nodes, left) {
	const width = Math.max(...nodes.map((node) => node.viewBox.baseVal.width));
	const {color, backgroundColor} = getComputedStyle(document.body);
	const whole = svg("svg", {xmlns: SVG}, svg("text", {x: left, y: 22, fill: color, "font-family": "sans-serif", "font-size": 14, "font-weight": 600}, title));
	let top = 28;
	for (const node of nodes) {
		whole.append(named(node, top + 16, left), standalone(node, top + 20));
		top += node.viewBox.baseVal.height + 32;
	}
	whole.setAttribute("width", width);
	whole.setAttribute("height", top);
	const image = new Image();
	image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(whole)], {type: "image/svg+xml"}));
	await image.decode();
	URL.revokeObjectURL(image.src);
	const canvas = el("canvas", {width: width * 2, height: top * 2});
	const context = canvas.getContext("2d");
	context.fillStyle = backgroundColor;
	context.fillRect(0, 0, canvas.width, canvas.height);
	context.scale(2, 2);
	context.drawImage(image, 0, 0);
	return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
