"use strict";
for (const select of document.querySelectorAll("[data-submit]")) {
  select.addEventListener("change", () => select.form.submit());
}
// Two runs can be chosen: the button waits for them, and a third choice replaces the oldest.
for (const form of document.querySelectorAll("[data-choose]")) {
  const button = form.querySelector("button");
  const chosen = [...form.querySelectorAll("input:checked")];
  const update = () => { button.disabled = chosen.length !== 2; };
  form.addEventListener("change", (event) => {
    if (event.target.checked) chosen.push(event.target);
    else chosen.splice(chosen.indexOf(event.target), 1);
    if (chosen.length > 2) chosen.shift().checked = false;
    update();
  });
  update();
}
