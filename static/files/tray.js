import { createChips } from "./chip.js";
import { LARGEST, MOST } from "./kinds.js";
import { mayRetry } from "./refusals.js";

const KEPT_MS = 23 * 3_600_000; // the desk keeps for a day what was brought and not sent

/**
 * The files that go along with what is being written, one tray for each conversation. An upload
 * begins when a file is chosen and goes on while another conversation is on screen. What a page
 * knew is kept (`kept`): after a reload an uploaded file is there again, and one that was still on
 * its way stands there as lost, since the browser gives no file twice.
 */
export function createTray({ list, says, words, icon, locale, upload, letGo, kept, onChange }) {
  const trays = new Map();
  const nodes = new Map();
  const chips = createChips({ words, icon, locale, onRemove: remove, onRetry: retry });
  let place = null;

  const here = () => trays.get(place) ?? [];
  const ready = () => here().filter((entry) => entry.state === "ready");
  const tell = (name, values) => {
    says().textContent = words(name, values);
  };

  function save(where) {
    const rows = (trays.get(where) ?? []).filter((entry) => entry.state !== "refused");
    kept.set(where, rows.map(({ name, size, type, file, at }) => ({ name, size, type, file, at })));
  }

  function draw() {
    const entries = here();
    for (const [local, { node }] of nodes) {
      if (entries.some((entry) => entry.local === local) && node.isConnected) continue;
      node.remove();
      nodes.delete(local);
    }
    for (const entry of entries) drawOne(entry);
    list().hidden = entries.length === 0;
    onChange();
  }

  function drawOne(entry) {
    const known = nodes.get(entry.local);
    if (known?.state === entry.state) return;
    const node = chips.make(entry);
    if (known) {
      const held = known.node.contains(document.activeElement);
      known.node.replaceWith(node);
      if (held) node.querySelector("button").focus();
    } else list().append(node);
    node.scrollIntoView({ block: "nearest" });
    nodes.set(entry.local, { node, state: entry.state });
  }

  function turn(entry, state, problem = null) {
    Object.assign(entry, { state, problem });
    save(entry.place);
    draw();
  }

  /** One after the other: they stand under the message in the order in which they arrive. */
  function pump() {
    const all = [...trays.values()].flat();
    const next = all.find((entry) => entry.state === "waiting");
    if (next && !all.some((entry) => entry.state === "sending")) send(next);
  }

  async function send(entry) {
    entry.stop = new AbortController();
    entry.part = 0;
    turn(entry, "sending");
    const onProgress = (part) => {
      entry.part = part;
      if (nodes.has(entry.local)) chips.progress(nodes.get(entry.local).node, part);
    };
    try {
      const file = await upload(entry.source, { onProgress, signal: entry.stop.signal });
      arrived(entry, file);
    } catch (problem) {
      if (!entry.dropped) refused(entry, problem);
    }
    pump();
  }

  function arrived(entry, file) {
    if (entry.dropped) return letGo(file.id);
    // Before it is sent it has no address: what was chosen is still at hand to be looked at.
    const shown = { ...file, preview_url: file.preview_url ?? entry.picture ?? null };
    const { name, size, media_type: type } = file;
    Object.assign(entry, { file: shown, name, size, type, at: Date.now() });
    turn(entry, "ready");
    tell("fileReady", { name: file.name });
  }

  function refused(entry, problem) {
    turn(entry, mayRetry(problem) ? "failed" : "refused", problem);
    if (entry.place === place) says().textContent = `${entry.name}: ${said(entry)}`;
  }

  const said = (entry) => nodes.get(entry.local)?.node.querySelector(".file-chip__problem").textContent;

  function retry(entry) {
    entry.state = "waiting";
    pump();
  }

  function entryFor(where, about) {
    const base = { local: crypto.randomUUID(), place: where, part: 0, problem: null, file: null };
    return { ...base, at: Date.now(), ...about };
  }

  function chosen(source, room) {
    const about = { name: source.name, size: source.size, type: source.type, source };
    const picture = source.type.startsWith("image/") ? URL.createObjectURL(source) : null;
    const no = room <= 0 ? { status: 400, code: "many" } : check(source);
    return entryFor(place, { ...about, picture, state: no ? "refused" : "waiting", problem: no });
  }

  function check({ size }) {
    if (size > LARGEST) return { status: 413, code: "" };
    return size === 0 ? { status: 400, code: "empty" } : null;
  }

  function add(files) {
    const entries = here();
    trays.set(place, entries);
    for (const source of files) {
      const room = MOST - entries.filter((entry) => entry.state !== "refused").length;
      entries.push(chosen(source, room));
    }
    save(place);
    draw();
    const no = entries.findLast((entry) => entry.state === "refused");
    if (no && files.includes(no.source)) says().textContent = `${no.name}: ${said(no)}`;
    pump();
  }

  function leave(entry) {
    entry.dropped = true;
    entry.stop?.abort();
    trays.set(entry.place, (trays.get(entry.place) ?? []).filter((other) => other !== entry));
    save(entry.place);
  }

  function remove(entry) {
    const at = here().indexOf(entry);
    leave(entry);
    if (entry.picture) URL.revokeObjectURL(entry.picture);
    if (entry.file) letGo(entry.file.id);
    draw();
    tell("fileGone", { name: entry.name });
    const next = here()[Math.min(at, here().length - 1)];
    if (next) nodes.get(next.local).node.querySelector(".file-chip__remove").focus();
    else onChange("empty");
    pump();
  }

  /** A row of an earlier page; without its file it never reached the desk. */
  function known(where, row) {
    const code = !row.file ? "lost" : Date.now() - row.at > KEPT_MS ? "expired" : null;
    const problem = code && { status: 0, code };
    return entryFor(where, { ...row, state: problem ? "refused" : "ready", problem });
  }

  window.addEventListener("online", () => {
    const stuck = [...trays.values()].flat().filter(({ state, problem }) => state === "failed" && problem.status === 0);
    stuck.forEach(retry);
  });

  return {
    add,
    show(where) {
      place = where;
      if (!trays.has(where)) trays.set(where, (kept.get(where) ?? []).map((row) => known(where, row)));
      draw();
    },
    /** The place has another name now. */
    rename(where) {
      const entries = here();
      kept.set(place, []);
      trays.delete(place);
      place = where;
      for (const entry of entries) entry.place = where;
      trays.set(where, entries);
      save(where);
    },
    /** Puts files back for another attempt; those of `gone` are no longer at the desk. */
    restore(files, gone = []) {
      const rows = files.map((file) => ({ name: file.name, size: file.size, type: file.media_type, file }));
      const back = rows.map((row) => known(place, { ...row, at: gone.includes(row.file.id) ? 0 : Date.now() }));
      trays.set(place, [...here(), ...back]);
      save(place);
      draw();
    },
    count: () => here().length,
    files: () => ready().map((entry) => entry.file),
    busy: () => here().some((entry) => entry.state === "waiting" || entry.state === "sending"),
    /** One that could still be uploaded holds the message up; whatever is amiss stops a waiting one. */
    failed: () => here().some((entry) => entry.state === "failed"),
    troubled: () => here().some((entry) => entry.problem),
    /** They were sent. What the desk refused has been said and goes too. */
    sent(files, where = place) {
      const ids = new Set(files.map((file) => file.id));
      const over = (entry) => entry.state === "refused" || ids.has(entry.file?.id);
      for (const entry of (trays.get(where) ?? []).filter(over)) leave(entry);
      draw();
    },
    tell,
    /** Another person sits here: nothing goes on, nothing stays. */
    forget() {
      for (const entry of [...trays.values()].flat()) leave(entry);
      trays.clear();
      draw();
    },
  };
}
