import { byId } from "./dom.js";
import { createFreshness } from "./freshness.js";
import { isNew, newThread } from "./outbox.js";
import { createStore } from "./store.js";
import { createStream } from "./stream.js";

const PAGE = 50;

/**
 * The one conversation on screen: binds its rows, its stream, its outbox and the parts that draw
 * it. A conversation that is not written yet has a local name until the desk gives it an id.
 */
export function createConversation(parts) {
  const { t, api, storage, thread, composer, person, rating, banner, isRead, onUpdate } = parts;
  let outbox = null;
  let current = null; // id, or the local name of a new one
  let store = createStore();
  let stream = null;

  const id = () => (current && !isNew(current) ? current : null);
  const path = (rest) => `conversations/${id()}/${rest}`;

  function draw() {
    if (!current) return;
    const rows = store.rows();
    thread.render(store, store.erased ? [] : outbox.of(current));
    const canWrite = store.state.can_write !== false && !store.erased;
    person.render({ ...store.state, can_write: canWrite }, id());
    composer.allow(canWrite);
    byId("closed-words").textContent = t(store.erased ? "erased" : "closed");
    byId("reopen").hidden = store.state.status !== "resolved" || !canWrite;
    if (rating.render(id(), store, rows)) thread.toEnd();
    const seen = `seen:${id()}`;
    // A page in memory may be older than what another tab has read.
    if (id() && isRead() && store.lastSeq() > (storage.get(seen) ?? 0)) {
      storage.set(seen, store.lastSeq());
      storage.set(`read:${id()}`, rows.findLast((row) => row.kind === "message")?.created_at);
    }
    onUpdate(store, unread());
  }

  function unread() {
    const seen = storage.get(`seen:${id()}`) ?? 0;
    return store.rows().filter((row) => row.seq > seen && row.author && row.author.kind !== "customer");
  }

  async function catchUp() {
    const mine = store;
    for (let more = true; more && mine === store && id(); ) {
      const after = mine.lastSeq();
      const page = await api.get(path(`messages?after_seq=${after}&limit=${PAGE}`));
      mine.page(page);
      more = page.results.length === PAGE && mine.lastSeq() > after;
    }
  }

  function listen() {
    const [mine, name] = [store, id()];
    /** There is no line to come back to, and none was lost. */
    const over = () => {
      mine.event({ type: "erased", data: {} });
      opened.close();
      banner(null);
    };
    const opened = createStream({
      connect: (lastSeq, signal) => api.stream(`conversations/${name}/stream`, lastSeq, signal),
      lastSeq: () => mine.lastSeq(),
      catchUp,
      onEvent: (event) => (event.type === "erased" ? over() : mine.event(event)),
      onStatus: (status) => {
        // What was provisional may be long over when the line comes back.
        if (status === "reconnecting") mine.event({ type: "delta_lost", data: {} });
        banner(status);
      },
      onGone: over,
    });
    stream = opened;
  }

  async function firstPage() {
    const mine = store;
    const page = await api.get(path(`messages?limit=${PAGE}`));
    if (mine !== store) return;
    mine.hasOlder = page.results.length === PAGE;
    thread.quietly(() => mine.page(page));
    thread.toEnd();
    freshness.renewed();
  }

  async function older() {
    const mine = store;
    const page = await api.get(path(`messages?before_seq=${mine.firstSeq()}&limit=${PAGE}`));
    if (mine !== store) return;
    mine.hasOlder = page.results.length === PAGE;
    thread.quietly(() => mine.page(page));
  }

  /** Only lines with files: others would end an answer that grows. */
  async function reread() {
    const mine = store;
    const hasFiles = (row) => row.attachments?.length > 0;
    for (let after = (mine.rows().find(hasFiles)?.seq ?? 0) - 1; after >= 0; ) {
      const { results, state } = await api.get(path(`messages?after_seq=${after}&limit=${PAGE}`));
      if (mine !== store) return;
      thread.quietly(() => mine.page({ results: results.filter(hasFiles), state }));
      after = results.length === PAGE ? results.at(-1).seq : -1;
    }
  }

  const freshness = createFreshness(reread);

  /** A new conversation that has lines on their way, or the empty one on screen. */
  function unsent() {
    const waiting = outbox.all().find((item) => isNew(outbox.resolved(item.thread)));
    return waiting?.thread ?? (isNew(current) ? current : null);
  }

  function leave() {
    stream?.close();
    stream = null;
    thread.clear();
    rating.clear();
    person.forget();
  }

  async function load() {
    try {
      await firstPage();
    } catch (problem) {
      if (problem.gone) return store.event({ type: "erased", data: {} });
      // No network: the stream's retries bring the rows.
    }
    listen();
  }

  byId("earlier").addEventListener("click", () => older().catch(() => {}));
  setInterval(() => current && outbox.of(current).some((item) => item.waiting) && draw(), 1000);
  for (const name of ["online", "offline"]) window.addEventListener(name, draw);

  return {
    use(box) {
      outbox = box;
    },
    id,
    draw,
    name: () => current,
    /** Opens a conversation, or a new one when no id is given; the same one stays as it is. */
    open(wanted) {
      const name = wanted ?? unsent() ?? newThread();
      if (name === current) return draw();
      leave();
      current = name;
      store = createStore();
      store.on((passing) => (passing && thread.pass(store)) || draw());
      composer.load(wanted ?? "new");
      draw();
      if (id()) load();
    },
    close() {
      leave();
      current = null;
      store = createStore();
    },
    send(text, files) {
      outbox.add({ thread: current, text, files, after: store.lastSeq() });
      thread.toEnd();
    },
    /** The desk has stored a message of ours. */
    sent(item, { conversation, message }) {
      if (item.thread !== current && conversation.id !== current) return;
      thread.claim(message.seq, item.key);
      const born = isNew(current);
      if (born) {
        current = conversation.id;
        composer.rename(current);
      }
      store.put({ kind: "message", ...message });
      if (born) listen();
    },
  };
}
