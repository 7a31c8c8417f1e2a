/**
 * What the chat keeps under the name of one widget key, so that two shops in one browser stay
 * apart. Browsers that deny storage to a foreign frame leave two ways: the loader keeps the entries
 * at the host page's own origin (`borrow`), or the page's memory does.
 */
export function openStorage(key) {
  const prefix = `turnstone:${key}:`;
  const memory = new Map();
  const watchers = [];
  const area = reachable();
  let lender = null;

  const raw = (name) => memory.get(name) ?? area?.getItem(prefix + name) ?? null;

  function names() {
    const own = Object.keys(area ?? {}).filter((name) => name.startsWith(prefix));
    return [...new Set([...memory.keys(), ...own.map((name) => name.slice(prefix.length))])];
  }

  function write(name, text) {
    if (text === null) memory.delete(name);
    else memory.set(name, text);
    lender?.(name, text);
  }

  const storage = {
    denied: !area,
    get(name) {
      try {
        return JSON.parse(raw(name));
      } catch {
        return null;
      }
    },
    set(name, value) {
      const text = JSON.stringify(value);
      if (!area) return write(name, text);
      try {
        area.setItem(prefix + name, text);
        memory.delete(name);
      } catch {
        memory.set(name, text); // the quota is used up
      }
    },
    remove(name) {
      area?.removeItem(prefix + name);
      write(name, null);
    },
    /** Names that begin with `start`, for collections of one entry each (no lost updates). */
    names: (start) => names().filter((name) => name.startsWith(start)),
    clear: () => names().forEach((name) => storage.remove(name)),
    /** Uses what the loader kept, and gives it every change. */
    borrow(entries, lend) {
      for (const [name, text] of Object.entries(entries)) memory.set(name, text);
      lender = lend;
    },
    /** Another tab changed an entry that the loader keeps. */
    lent(name, text) {
      if (text === null) memory.delete(name);
      else memory.set(name, text);
      watchers.forEach((changed) => changed(name));
    },
    /** Calls back with the name of what another tab changed. */
    watch: (changed) => watchers.push(changed),
  };
  window.addEventListener("storage", ({ key: name }) => {
    if (!name?.startsWith(prefix)) return;
    watchers.forEach((changed) => changed(name.slice(prefix.length)));
  });
  return storage;
}

function reachable() {
  try {
    window.localStorage.getItem("turnstone");
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Runs `work` alone among all tabs of this browser, where the browser can promise it. */
export async function alone(name, work, options = {}) {
  let entered = false;
  const enter = (lock) => {
    entered = true;
    return work(lock);
  };
  try {
    return await navigator.locks.request(name, options, enter);
  } catch (error) {
    // Frames of another site may be denied locks: one tab is by far the usual case.
    if (entered) throw error;
    return work(true);
  }
}
