import { backoff } from "./backoff.js";
import { alone } from "./storage.js";

const NEW = "new:";

export const isNew = (thread) => thread?.startsWith(NEW);
export const newThread = () => NEW + crypto.randomUUID();

/**
 * Messages on their way. Each is stored with its `client_key` and conversation before it leaves
 * and keeps that key for every attempt, so the desk stores it once. One entry of storage a
 * message: two tabs never overwrite each other's. Within a conversation they leave in order.
 */
export function createOutbox({ storage, api, onSent, onChange }) {
  const timers = new Map();
  const busy = new Set();
  const name = (key) => `out:${key}`;

  const all = () =>
    storage
      .names("out:")
      .map((entry) => storage.get(entry))
      .filter(Boolean)
      .sort((a, b) => a.at - b.at);
  const of = (thread) => all().filter((item) => resolved(item.thread) === thread);
  /** A conversation that was only meant when its first lines were written, by its id now. */
  const resolved = (thread) => storage.get(`map:${thread}`) ?? thread;

  function save(item) {
    storage.set(name(item.key), item);
    onChange();
  }

  /** `files` are at the desk already and wait there to be named. */
  function add({ thread, text, files = [], after = 0 }) {
    const item = { key: crypto.randomUUID(), thread, text, files, after, at: Date.now(), tries: 0 };
    save(item);
    pump(thread);
    return item;
  }

  function discard(key) {
    const item = storage.get(name(key));
    storage.remove(name(key));
    onChange();
    if (item) pump(item.thread);
    return item;
  }

  /** Same key again, since nobody knows whether the last attempt arrived. */
  function retry(key) {
    const item = storage.get(name(key));
    if (!item) return;
    save({ ...item, failed: null, waiting: null });
    pump(item.thread);
  }

  function post(item) {
    const thread = resolved(item.thread);
    const body = { client_key: item.key, text: item.text };
    if (item.files?.length) body.attachments = item.files.map(({ id }) => id);
    if (isNew(thread)) return api.post("conversations", body);
    return api
      .post(`conversations/${thread}/messages`, body)
      .then((message) => ({ conversation: { id: thread }, message: message.message ?? message }));
  }

  function arrived(item, answer) {
    if (isNew(item.thread)) storage.set(`map:${item.thread}`, answer.conversation.id);
    storage.remove(name(item.key));
    onSent(item, answer);
    onChange();
  }

  function refused(item, problem) {
    const { status, code, detail } = problem;
    const lost = lostFiles(item, problem);
    // A conversation that is gone, or a stranger's after a change of person, looks the same.
    const gone = !isNew(resolved(item.thread)) && [403, 404, 410].includes(status);
    if (!problem.transient) return save({ ...item, failed: { status, code, detail, gone, lost } });
    const tries = item.tries + 1;
    const ms = Math.max(problem.retryAfter * 1000, backoff(tries - 1));
    save({ ...item, tries, waiting: { status, code, until: Date.now() + ms } });
    clearTimeout(timers.get(item.thread));
    timers.set(item.thread, setTimeout(() => pump(item.thread), ms));
  }

  /** The desk no longer has a file: after a day it lets go of what was not sent. */
  function lostFiles(item, { errors = {} }) {
    if (!errors.attachments) return [];
    const said = errors.attachments.flat().join(" ");
    const ids = (item.files ?? []).map(({ id }) => id);
    const named = ids.filter((id) => said.includes(id));
    return named.length ? named : ids;
  }

  async function sendOne(item) {
    try {
      arrived(item, await post(item));
      return true;
    } catch (problem) {
      // Discarded or sent by another tab meanwhile: then there is nothing to mark.
      if (storage.get(name(item.key))) refused(item, problem);
      return !problem.transient;
    }
  }

  async function drain(thread) {
    for (;;) {
      const head = all().find((item) => item.thread === thread && !item.failed);
      if (!head || !navigator.onLine || !(await sendOne(head))) return;
    }
  }

  async function pump(thread) {
    if (busy.has(thread)) return;
    busy.add(thread);
    try {
      await alone(`turnstone:out:${thread}`, (lock) => lock && drain(thread), { ifAvailable: true });
    } finally {
      busy.delete(thread);
    }
  }

  /** Local names of conversations are needed only while something is on its way to them. */
  function tidy() {
    const used = new Set(all().map((item) => `map:${item.thread}`));
    for (const entry of storage.names("map:")) if (!used.has(entry)) storage.remove(entry);
  }

  const pumpAll = () => new Set(all().map((item) => item.thread)).forEach(pump);
  window.addEventListener("online", pumpAll);
  storage.watch((changed) => {
    if (!changed.startsWith("out:") && !changed.startsWith("map:")) return;
    onChange();
    setTimeout(pumpAll, 5_000); // in case the tab that sends is closed before it has sent
  });
  return { add, discard, retry, of, all, resolved, pumpAll, tidy };
}
