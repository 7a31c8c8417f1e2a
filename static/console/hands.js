// What somebody is choosing or writing is never redrawn under their hands. Asked at the swap: the
// answer of a refresh may have been on its way before the first letter was written.
const LATER_MS = 3000;
const RELEASE_MS = 300;
const kept = new Map();
let pressed = null;

document.addEventListener("pointerdown", ({ target }) => (pressed = target), true);
// The click comes right after, to where the pointer went down and up again: to one and the same element.
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(() => (pressed = null)), true);

/** Whether a button in there is under a finger: drawn anew now, it would not hear the click. */
export const isPressed = (element) => element.contains(pressed);

/** Does it once the finger is off. */
export const released = (act) => setTimeout(act, RELEASE_MS);

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
  const { target, target: { id }, requestConfig: { elt, verb } } = detail;
  const busy = verb === "get" && kept.get(id)?.();
  const held = verb === "get" && elt === target && isPressed(target);
  if (!busy && !held) return;
  detail.shouldSwap = false;
  setTimeout(() => document.getElementById(id) && htmx.trigger(`#${id}`, "refresh"), busy ? LATER_MS : RELEASE_MS);
});
