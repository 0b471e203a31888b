"use strict";
// What a mark says is in its <title>; here it follows the pointer at once instead of after a second.
const tip = document.body.appendChild(document.createElement("div"));
tip.id = "tip";
tip.hidden = true;
function prepare(chart) {
  for (const title of [...chart.querySelectorAll("title")]) {
    if (title.parentNode !== chart) title.parentNode.dataset.tip = title.textContent;
    title.remove();
  }
  for (const entry of chart.querySelectorAll(".entry")) {
    entry.addEventListener("click", () => {
      const off = entry.classList.toggle("off");
      for (const mark of chart.querySelectorAll(entry.dataset.marks)) {
        if (!entry.contains(mark)) mark.style.display = off ? "none" : "";
      }
    });
  }
  const tools = document.createElement("div");
  tools.className = "tools";
  const save = tools.appendChild(document.createElement("button"));
  save.textContent = "Save as SVG";
  save.addEventListener("click", () => saveSvg(chart));
  chart.after(tools);
}
function saveSvg(chart) {
  const copy = chart.cloneNode(true);
  const style = document.createElementNS(chart.namespaceURI, "style");
  style.textContent = document.getElementById("chart-style").textContent;
  copy.prepend(style);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  link.download = chart.getAttribute("aria-label").toLowerCase().replace(/[^a-z0-9]+/g, "-") + ".svg";
  link.click();
  URL.revokeObjectURL(link.href);
}
document.querySelectorAll("svg.chart").forEach(prepare);
// Says in words what the shadow of a table shows, and where a chart is wider than the window. What is folded away is
// looked at when it opens.
function hint(box) {
  const isChart = box.tagName === "FIGURE";
  const neighbour = isChart ? box.firstElementChild : box.previousElementSibling;
  if (box.scrollWidth <= box.clientWidth + 1 || neighbour?.className === "hint") return;
  const words = document.createElement("p");
  words.className = "hint";
  words.textContent = isChart ? "Wider than the window: scroll sideways →" : "More columns: scroll sideways →";
  if (isChart) box.prepend(words);
  else box.before(words);
}
const hints = (part) => part.querySelectorAll(".scroll, figure").forEach(hint);
hints(document);
document.addEventListener("toggle", (event) => hints(event.target), true);
addEventListener("resize", () => hints(document));
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest("[data-tip]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const right = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  tip.style.left = Math.max(8, right) + "px";
  tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 10) + "px";
});
