// The inbox: which pane shows, which card is chosen, the keyboard, and a list that stays current.
import { choose } from "./composer.js";
import { connection } from "./connection.js";
import { isPressed } from "./hands.js";
import { Stream } from "./stream.js";
import { close, open } from "./thread.js";

const inbox = document.getElementById("inbox");
const pane = document.getElementById("conversation");
const LIST_PAUSE_MS = 1000; // a flood of events is one refresh of the list
let refreshing = null;
let sent = null; // the newest request for a list
let before = []; // what stood in the pane, should the next conversation not come

const onItsWay = () => sent?.readyState > XMLHttpRequest.UNSENT && sent.readyState < XMLHttpRequest.DONE;
const current = () => document.querySelector("[data-card][aria-current=true]");
const cards = () => [...document.querySelectorAll("[data-card]")];

function mark() {
  const id = document.querySelector("[data-conversation]")?.dataset.conversation;
  for (const card of cards()) card.setAttribute("aria-current", String(card.id === `card-${id}`));
  inbox.dataset.pane = id ? "thread" : "list";
}

function step(by) {
  const all = cards();
  const at = all.indexOf(current());
  const card = at < 0 ? all[0] : all[at + by];
  card?.click();
  card?.scrollIntoView({ block: "nearest" });
}

function refreshList() {
  refreshing ??= setTimeout(() => {
    refreshing = null;
    const list = document.getElementById("list");
    // Not under the hands of somebody who types a search, or who has just asked for another list.
    const typing = list.contains(document.activeElement) && document.activeElement.matches("input");
    if (typing || onItsWay()) return refreshList();
    const url = new URL(list.dataset.url, location.href);
    url.searchParams.set("limit", Math.max(50, cards().length));
    const top = document.getElementById("cards").scrollTop;
    const refreshed = () => {
      document.getElementById("cards").scrollTop = top;
      mark();
    };
    // Whoever asks for another list meanwhile ends this one: `hx-sync` in the template.
    htmx.ajax("GET", url.pathname + url.search, { source: "#list", target: "#list", swap: "outerHTML" }).then(refreshed, () => {});
  }, LIST_PAUSE_MS);
}

const press = (selector) => document.querySelector(selector)?.click();

function snooze() {
  press("#snooze-menu > summary");
  document.querySelector("#snooze-menu[open] button")?.focus();
}

const ALT = {
  KeyJ: () => step(1),
  KeyK: () => step(-1),
  KeyE: () => press("#resolve, #reopen"),
  KeyM: snooze,
  KeyP: () => choose("note"),
  KeyL: () => choose("reply"),
  KeyA: () => press(".attach:not([hidden]) input"),
};

document.addEventListener("keydown", (event) => {
  const alone = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  // By the key's place, not its letter: Alt gives other letters on many layouts.
  if (alone && ALT[event.code]) {
    event.preventDefault();
    ALT[event.code]();
    return;
  }
  const writing = event.target.closest("input, textarea, select, [contenteditable], dialog[open]");
  if (writing || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("list-search").focus();
  } else if (event.key === "?") document.getElementById("shortcuts").showModal();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-details-toggle]")) toggleDetails();
  if (event.target.closest("[data-back]") && history.state?.htmx) {
    event.preventDefault();
    history.back();
  }
});

function toggleDetails() {
  const box = document.querySelector("[data-details]");
  const visible = getComputedStyle(document.getElementById("details")).display !== "none";
  box.dataset.details = visible ? "closed" : "open";
}

document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target?.id === "list") sent = event.detail.xhr;
  if (!event.detail.elt.matches?.("[data-card]")) return;
  close();
  before = [...pane.childNodes];
  pane.replaceChildren(document.getElementById("skeleton").content.cloneNode(true));
  inbox.dataset.pane = "thread";
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful || !event.detail.elt.matches?.("[data-card]")) return;
  pane.replaceChildren(...before);
  open();
  mark();
});
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig: { elt: from } } = event.detail;
  // What comes late for a button of another conversation has no place in this one.
  if (target === pane && !from.isConnected && !from.matches("[data-card]")) event.detail.shouldSwap = false;
  // A card under a finger stays where it is: `hands.js` keeps the list, and this asks for it again.
  if (target.id === "list" && from === target && isPressed(target)) refreshList();
});
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === pane) {
    open();
    mark();
  }
});

open();
new Stream(inbox.dataset.stream, { status: connection, on: { message: refreshList, event: refreshList, state: refreshList, note: refreshList, turn: refreshList } });
