// Runs before the first paint, so that the page does not flash in the wrong colours.
document.documentElement.dataset.theme = localStorage.getItem("finassist.theme") ?? "system";
