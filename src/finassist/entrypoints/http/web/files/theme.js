// Runs before the first paint, so that the page does not flash in the wrong colours, or with a menu that was closed.
document.documentElement.dataset.theme = localStorage.getItem("finassist.theme") ?? "system";
document.documentElement.dataset.side = localStorage.getItem("finassist.side") ?? "";
