// What pages do beyond showing: the slider of rounds, the choice of a rate, tokens by arrow keys.
// Without it everything is there, one below the other.
"use strict";

for (const slider of document.querySelectorAll(".slider")) {
  const rounds = [...document.querySelectorAll(".round")];
  const range = slider.querySelector("input");
  const told = slider.querySelector("output");
  const [back, on] = slider.querySelectorAll("button");
  const show = () => {
    rounds.forEach((round, at) => { round.hidden = at !== range.valueAsNumber; });
    told.textContent = rounds[range.valueAsNumber].dataset.name;
    back.disabled = range.value === range.min;
    on.disabled = range.value === range.max;
  };
  const step = (by) => { range.valueAsNumber += by; show(); };
  range.addEventListener("input", show);
  back.addEventListener("click", () => step(-1));
  on.addEventListener("click", () => step(1));
  slider.hidden = false;
  show();
}

for (const choice of document.querySelectorAll(".choice")) {
  const select = choice.querySelector("select");
  const show = () => {
    for (const set of document.querySelectorAll("[data-rate]")) {
      set.hidden = set.dataset.rate !== select.value;
    }
  };
  select.addEventListener("change", show);
  choice.hidden = false;
  show();
}

for (const view of document.querySelectorAll(".tokens")) {
  const tokens = [...view.querySelectorAll(".token")];
  const focus = (from, by) => {
    let at = tokens.indexOf(from) + by;
    while (tokens[at] && !tokens[at].offsetParent) at += by; // folded away
    if (!tokens[at]) return;
    from.tabIndex = -1;
    tokens[at].tabIndex = 0;
    tokens[at].focus();
  };
  if (tokens.length) tokens[0].tabIndex = 0;
  view.addEventListener("keydown", (event) => {
    const token = event.target.closest(".token");
    if (!token) return;
    const forward = getComputedStyle(token).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const backward = forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
    if (![forward, backward, "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") token.blur();
    else focus(token, event.key === forward ? 1 : -1);
  });
}
