import { createApi } from "./api.js";
import { createApp } from "./app.js";
import { backoff, createPause } from "./backoff.js";
import { createBridge } from "./bridge.js";
import { applyColour } from "./colour.js";
import { byId } from "./dom.js";
import { createSession } from "./session.js";
import { openStorage } from "./storage.js";
import { fill, loadStrings } from "./strings.js";

/** Starts the chat: who is there (loader), who that is to the desk (session), in which language. */

const { key } = document.body.dataset;
const storage = openStorage(key);
const pause = createPause();
let app = null;
let hello = null;
let gone = false;

const session = createSession({
  key,
  storage,
  call: (body, bearer) => api.session(body, bearer),
  onRefused: (problem) => bridge.tell("refused", { detail: problem.detail || problem.code }),
  onPersonChanged: () => app?.forget(),
});
const api = createApi({
  base: new URL("../v1/", window.location.href),
  token: session.token,
  renew: session.renew,
});
const bridge = createBridge({
  hello: (data) => hello?.(data),
  open: ({ thread }) => app?.opened(thread),
  close: () => app?.closed(),
  kept: ({ name, value }) => storage.lent(name, value),
  async identify({ identity }) {
    session.identify(identity);
    // A failure here is retried with the next request that needs the token.
    if (app) await app.enter().catch(() => {});
  },
  shutdown() {
    gone = true;
    app?.forget();
    storage.clear();
    bridge.tell("gone");
  },
});

/** The host page says who is there and in which language; a frame that stands alone need not wait. */
function greeted() {
  if (!bridge.embedded) return Promise.resolve({ open: true });
  return new Promise((resolve) => {
    hello = resolve;
    bridge.tell("ready", { borrows: storage.denied });
  });
}

/** Tries until the desk answers; only a refusal ends it. */
async function enterPatiently() {
  for (let tries = 0; ; tries += 1) {
    try {
      return await session.start();
    } catch (problem) {
      if (!problem.transient) throw problem;
      byId("splash").dataset.status = navigator.onLine ? "reconnecting" : "offline";
      await pause.wait(Math.max(problem.retryAfter * 1000, backoff(tries)));
    }
  }
}

function refuse(words, problem) {
  document.body.dataset.view = "blocked";
  byId("blocked-words").textContent = problem.detail || words.t("tryLater");
  byId("blocked-again").onclick = () => window.location.reload();
}

const wishes = (greeting, tenant) => [greeting.locale, ...navigator.languages, tenant?.locale];

async function boot() {
  const greeting = await greeted();
  if (gone) return;
  if (greeting.kept) {
    storage.borrow(greeting.kept, (name, value) => bridge.tell("keep", { name, value }));
  }
  const before = session.kept()?.tenant;
  session.identify(greeting.identity);
  let words = await loadStrings(wishes(greeting, before));
  fill(words);
  if (before) bridge.tell("theme", applyColour(before.colour));
  byId("splash-close").onclick = () => bridge.tell("close");
  try {
    const { tenant } = await enterPatiently();
    if (gone) return;
    words = await loadStrings(wishes(greeting, tenant));
    fill(words);
    app = createApp({ words, api, storage, session, bridge });
    await app.start(greeting.open);
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    refuse(words, problem);
  }
}

document.addEventListener("keydown", ({ key: pressed }) => {
  if (pressed === "Escape" && !app) bridge.tell("close"); // afterwards the views see to it
});
for (const name of ["online", "focus", "visibilitychange"]) {
  window.addEventListener(name, pause.wake);
}
boot();
