// The thread stays at its end while the reader is there, and stays put when not.
const NEAR_PX = 120;
const UNREAD_GAP_PX = 12;
let pinned = true;

const log = () => document.getElementById("log");
const pill = () => document.getElementById("new-messages");

export function toEnd() {
  const box = log();
  if (!box) return;
  box.scrollTop = box.scrollHeight;
  pinned = true;
  pill().hidden = true;
}

/** After something was added: follow it, or say that it is there. */
export function added({ quiet = false } = {}) {
  if (pinned) toEnd();
  else if (!quiet && pill()) pill().hidden = false;
}

/** A conversation was opened: at the first unread message, else at the end. */
export function opened() {
  const box = log();
  if (!box) return;
  toEnd();
  const unread = document.getElementById("first-unread");
  if (unread && unread.offsetTop < box.scrollTop) box.scrollTop = unread.offsetTop - UNREAD_GAP_PX;
  watch(box);
}

function watch(box) {
  box.addEventListener("scroll", () => {
    pinned = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (pinned) pill().hidden = true;
  });
  pill().addEventListener("click", toEnd);
  // The composer grows: whoever stood at the end still does.
  let height = box.clientHeight;
  new ResizeObserver(() => {
    if (pinned && box.clientHeight !== height) toEnd();
    height = box.clientHeight;
  }).observe(box);
}

// Earlier messages arrive above: keep what is being read where it is.
let before = null;
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.matches?.("[data-older]")) before = log().scrollHeight - log().scrollTop;
});
document.body.addEventListener("htmx:afterSettle", () => {
  if (before === null || !log()) return;
  const days = new Set();
  for (const line of log().querySelectorAll("[data-day]")) {
    if (days.has(line.dataset.day)) line.remove();
    days.add(line.dataset.day);
  }
  log().scrollTop = log().scrollHeight - before;
  before = null;
});
