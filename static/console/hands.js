// What somebody is choosing or writing is never redrawn under their hands. Asked at the swap: the
// answer of a refresh may have been on its way before the first letter was written.
const LATER_MS = 3000;
const kept = new Map();

/** While `busy()`, the element of this id keeps its state; it is refreshed when the hands are off. */
export function keepWhile(id, busy) {
  kept.set(id, busy);
}

// A decided request is gone, and its button with it: whoever works by keyboard goes on there.
document.body.addEventListener("htmx:afterSettle", ({ detail: { target, requestConfig } }) => {
  const lost = requestConfig?.verb === "post" && document.activeElement === document.body;
  if (lost && target.matches("[data-approvals]")) target.focus({ preventScroll: true });
});

document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const id = detail.target.id;
  if (detail.requestConfig.verb !== "get" || !kept.get(id)?.()) return;
  detail.shouldSwap = false;
  setTimeout(() => document.getElementById(id) && htmx.trigger(`#${id}`, "refresh"), LATER_MS);
});
