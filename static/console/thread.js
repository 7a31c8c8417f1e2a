// The open conversation, live: what is said is fetched as the server renders it; the agent's
// provisional text is shown as plain text until its message arrives.
import { connection } from "./connection.js";
import { isPressed, keepWhile, released } from "./hands.js";
import { added, opened } from "./scroll.js";
import { Stream } from "./stream.js";

const RETRY_MS = 2000;

let stream = null;
let root = null;
let fetching = false;
let again = false;
let shown = { turn: null, attempt: 0, n: -1 };

const lastSeq = () => Number(root.dataset.lastSeq);

/** Watch the conversation that stands in #conversation now, if any. */
export function open() {
  close();
  root = document.querySelector("[data-conversation][data-stream]");
  if (!root) return;
  opened();
  stream = new Stream(root.dataset.stream, {
    afterSeq: lastSeq(),
    status: connection,
    on: { message, event: arrived, note: arrived, delta, typing, state, turn, erased: leave },
  });
}

export function close() {
  stream?.close();
  stream = null;
  root = null;
}

/** New at the end, or, without a seq of the stream, one of the lines with new words. */
function message(data, seq) {
  if (seq === null && data.seq <= lastSeq()) replace(data.seq);
  else arrived();
}

const later = () => setTimeout(() => root && arrived(), RETRY_MS);

async function replace(seq) {
  const mine = root;
  const url = `${mine.dataset.items}?after_seq=${seq - 1}&limit=1`;
  const answer = await fetch(url, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!answer?.ok || mine !== root) return;
  const fresh = fragment(await answer.text()).querySelector(`[data-seq="${seq}"]`);
  const old = document.querySelector(`#items [data-seq="${seq}"]`);
  // Not under the hands of somebody who changes it: the server refuses what was typed over old words.
  if (!fresh || !old || old.classList.contains("is-editing")) return;
  // This page's own change comes back by the stream: what is being looked up below it stays.
  if (shows(fresh) === shows(old)) return;
  if (isPressed(old)) return released(() => mine === root && replace(seq));
  old.replaceWith(fresh);
  htmx.process(fresh);
  if (fresh.matches("[data-files]")) refresh("details");
}

// By words, not by markup: a link on its way wears a class for a moment.
function shows(item) {
  const parts = item.querySelectorAll(".under:not(.edits), .file-tile");
  const under = [...parts].map((part) => part.textContent.trim());
  return [item.querySelector(".bubble")?.innerHTML, ...under].join();
}

function fragment(html) {
  const place = document.createElement("template");
  place.innerHTML = html; // rendered and sanitised by our server; scripts in it never run
  return place.content;
}

/** Fetch what stands after the last seq we show; one request at a time, never twice the same. */
async function arrived() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  const mine = root;
  try {
    const answer = await fetch(`${mine.dataset.items}?after_seq=${lastSeq()}`, { headers: { "HX-Request": "true" } });
    if (answer.ok && mine === root) append(await answer.text());
    else if (answer.status >= 500) later();
  } catch {
    later(); // offline; the stream has told of these lines and will not tell again
  } finally {
    fetching = false;
    if (again && root) {
      again = false;
      arrived();
    }
  }
}

function append(html) {
  const content = fragment(html);
  const seqs = [...content.querySelectorAll("[data-seq]")].map((item) => Number(item.dataset.seq));
  if (!seqs.length) return;
  const agent = content.querySelector(".by-agent");
  const said = content.querySelector(".by-customer, .by-member"); // a draft may be stale by it
  const files = content.querySelector("[data-files]");
  const items = document.getElementById("items");
  const first = items.children.length;
  items.append(content);
  for (const item of [...items.children].slice(first)) htmx.process(item);
  items.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: items } }));
  root.dataset.lastSeq = Math.max(lastSeq(), ...seqs);
  seen();
  if (agent) provisional(null);
  if (said) draft();
  if (files) refresh("details");
  added();
}

/** What stands on screen counts as seen; what comes while a reply travels does not. */
function seen() {
  const field = document.querySelector("#composer [name=seen_seq]");
  if (field && root) field.value = Math.max(Number(field.value) || 0, lastSeq());
}

function delta({ turn, attempt, n, text }) {
  const newer = turn !== shown.turn || attempt > shown.attempt;
  if (!newer && (attempt < shown.attempt || n <= shown.n)) return;
  provisional((newer ? "" : words().textContent) + text);
  shown = { turn, attempt, n };
}

const words = () => document.querySelector("#provisional [data-text]");

function provisional(text) {
  const bubble = document.getElementById("provisional");
  if (!bubble) return;
  bubble.hidden = text === null;
  words().textContent = text ?? "";
  if (text === null) shown = { turn: null, attempt: 0, n: -1 };
  else added({ quiet: true });
}

function typing({ author, on }) {
  if (author.kind === "agent") {
    if (!on) provisional(null);
    else if (!words().textContent) provisional("");
    return;
  }
  const line = document.getElementById("presence");
  line.textContent = on ? line.dataset.typing.replace("%s", author.name) : "";
}

function state(now) {
  const bar = document.getElementById("handler-bar");
  if (now.handler === "team" || now.agent_typing === false) provisional(null);
  else if (now.agent_typing && !words().textContent) provisional("");
  if (bar.dataset.handler !== now.handler) refresh("composer-place");
  refresh("thread-head");
  refresh("details");
}

function turn() {
  refresh("turns");
  refresh("pending-approvals");
  draft();
}

/** The server refuses what is stale when it is sent. */
const draft = () => refresh("agent-draft");

const draftBox = () => document.querySelector("#agent-draft textarea");
const comments = () => [...document.querySelectorAll("#pending-approvals input[name=comment]")];
keepWhile("thread-head", () => document.getElementById("snooze-menu")?.open);
keepWhile("details", () => document.activeElement.closest("#details form"));
keepWhile("pending-approvals", () => comments().some((input) => input.value || input === document.activeElement));
// A refused draft comes back with the member's words in it: they are not the agent's.
const kept = (box) => "kept" in box.dataset || box.value !== box.defaultValue;
keepWhile("agent-draft", () => draftBox() && (draftBox() === document.activeElement || kept(draftBox())));

document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "composer-place") seen();
  if (event.target.closest?.("#pending-approvals")) added({ quiet: true });
});

// A part may be gone for a moment, while the whole pane is drawn anew.
const refresh = (id) => document.getElementById(id) && htmx.trigger(`#${id}`, "refresh");
const leave = () => location.assign(document.querySelector("[data-back]").href);

// A removed file is gone from the list beside the talk too; whoever works by keyboard goes on there.
document.body.addEventListener("htmx:afterSettle", ({ detail: { elt, requestConfig } }) => {
  if (!root || !requestConfig?.elt.matches(".file-remove")) return;
  refresh("details");
  if (document.activeElement === document.body) elt.querySelector("a, button")?.focus({ preventScroll: true });
});

// What this page did itself does not wait for the stream.
document.body.addEventListener("said", () => {
  if (!root) return;
  arrived();
  refresh("thread-head");
});
document.body.addEventListener("talk-changed", ({ detail }) => {
  if (!root) return;
  if (document.getElementById("handler-bar").dataset.handler !== detail.handler) refresh("composer-place");
  refresh("thread-head");
});
