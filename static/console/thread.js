// The open conversation, live: what is said is fetched as the server renders it; the agent's
// provisional text is shown as plain text until its message arrives.
import { connection } from "./connection.js";
import { added, opened } from "./scroll.js";
import { Stream } from "./stream.js";

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
    on: { message: arrived, event: arrived, note: arrived, delta, typing, state, turn, erased: reload },
  });
}

export function close() {
  stream?.close();
  stream = null;
  root = null;
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
  } finally {
    fetching = false;
    if (again && root) {
      again = false;
      arrived();
    }
  }
}

function append(html) {
  const place = document.createElement("template");
  place.innerHTML = html; // rendered and sanitised by our server; scripts in it never run
  const seqs = [...place.content.querySelectorAll("[data-seq]")].map((item) => Number(item.dataset.seq));
  if (!seqs.length) return;
  const agent = place.content.querySelector(".by-agent");
  const items = document.getElementById("items");
  const first = items.children.length;
  items.append(place.content);
  for (const item of [...items.children].slice(first)) htmx.process(item);
  items.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: items } }));
  root.dataset.lastSeq = Math.max(lastSeq(), ...seqs);
  // What stands on screen counts as seen; what comes while a reply travels does not.
  const seen = document.querySelector("#composer [name=seen_seq]");
  if (seen) seen.value = lastSeq();
  if (agent) provisional(null);
  added();
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

function typing({ who, name, on = true }) {
  if (who === "agent") {
    if (!on) provisional(null);
    else if (!words().textContent) provisional("");
    return;
  }
  const line = document.getElementById("presence");
  line.textContent = on ? line.dataset.typing.replace("%s", name) : "";
}

function state(now) {
  const bar = document.getElementById("handler-bar");
  if (now.handler === "team") provisional(null);
  refresh("thread-head");
  if (bar.dataset.handler !== now.handler) refresh("composer-place");
}

function turn({ state: now }) {
  if (["failed", "cancelled", "awaiting_approval"].includes(now)) provisional(null);
  refresh("turns");
  refresh("pending-approvals");
}

document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.closest?.("#pending-approvals")) added({ quiet: true });
});

const refresh = (id) => htmx.trigger(`#${id}`, "refresh");
const reload = () => location.reload();
