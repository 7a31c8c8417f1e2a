const LEASE = 5_000; // typing counts this long unless it is renewed
const PATIENCE = 30_000; // a provisional answer that falls silent is taken away

/**
 * What is known of one conversation: rows by seq, its state, and what passes (typing, provisional
 * answer). Applying the same event twice changes nothing; order of arrival does not matter.
 */
export function createStore() {
  const listeners = new Set();
  const rows = new Map();
  const timers = {};
  const store = {
    state: { status: "open", handler: "agent", assignee_name: "", can_write: true },
    typing: null,
    provisional: null,
    hasOlder: false,
    erased: false,
    rows: () => [...rows.values()].sort((a, b) => a.seq - b.seq),
    lastSeq: () => Math.max(0, ...rows.keys()),
    firstSeq: () => Math.min(...rows.keys()),
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** A page of the list, or the catch-up after an absence. */
    page({ results = [], state }) {
      results.forEach(put);
      if (state) takeState(state);
      changed();
    },
    put(row) {
      put(row);
      changed();
    },
    event({ type, data }) {
      handlers[type]?.(data);
    },
  };

  /** `passing` means that only typing or the provisional answer changed. */
  const changed = (passing = false) => listeners.forEach((listener) => listener(passing));

  function later(name, ms, work) {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(() => {
      work();
      changed(true);
    }, ms);
  }

  function put(row) {
    if (!Number.isInteger(row?.seq)) return;
    if (row.superseded) rows.delete(row.seq); // another answer takes its place
    else rows.set(row.seq, row);
    // Whatever a colleague or the agent said, or the desk told, ends what was only provisional.
    if (row.kind === "event" || row.author?.kind !== "customer") {
      store.typing = null;
      store.provisional = null;
    }
  }

  function takeState(state) {
    store.state = { ...store.state, ...state };
    if (state.handler === "team") store.provisional = null;
    if (state.agent_typing) typing({ author: { kind: "agent", name: "" } });
    else if (state.agent_typing === false && store.typing?.kind === "agent") store.typing = null;
  }

  /** `on` false ends it; what the agent began before a takeover is over, however late it arrives. */
  function typing({ author, on = true }) {
    const over = author.kind === "agent" && store.state.handler === "team";
    store.typing = on && !over ? author : null;
    later("typing", LEASE, () => {
      store.typing = null;
    });
  }

  function delta({ turn, attempt = 1, n = 0, text = "" }) {
    const now = store.provisional;
    if (now?.turn === turn && attempt < now.attempt) return;
    const fresh = now?.turn !== turn || attempt > now.attempt;
    const parts = fresh ? new Map() : now.parts;
    parts.set(n, text);
    const order = [...parts.keys()].sort((a, b) => a - b);
    // A client that joined in mid-answer lacks the beginning and says so.
    const whole = (order[0] > 1 ? "… " : "") + order.map((at) => parts.get(at)).join("");
    store.typing = null;
    store.provisional = { turn, attempt, parts, text: whole };
    later("provisional", PATIENCE, () => {
      store.provisional = null;
    });
  }

  const then = (work, passing) => (data) => {
    work(data);
    changed(passing);
  };
  const handlers = {
    message: then((data) => put({ kind: "message", ...data })),
    event: then((data) => put({ ...data, kind: "event" })),
    state: then(takeState),
    typing: then(typing, true),
    delta: then(delta, true),
    /** Not of the desk: the line was lost, and with it the rest of what was provisional. */
    delta_lost: then(() => {
      Object.assign(store, { typing: null, provisional: null });
    }),
    erased: then(() => {
      rows.clear();
      Object.assign(store, { erased: true, typing: null, provisional: null });
    }),
  };
  return store;
}
