/**
 * Turns rows and messages on their way into the list of what stands in the thread. Pure: the same
 * input gives the same entries, and an entry keeps its id from the first stroke to the stored row.
 */
const PAUSE = 5 * 60_000; // after this long the author line is shown again

export function createMatcher() {
  const keyOf = new Map(); // seq → client_key of a message that this page has sent

  function claim(seq, key) {
    for (const [other, claimed] of keyOf) if (claimed === key) keyOf.delete(other);
    keyOf.set(seq, key);
  }

  /** The stream may bring a message before the answer to its POST: it must not stand there twice. */
  function arrivedAs(item, rows) {
    const same = (row) =>
      row.client_key
        ? row.client_key === item.key
        : row.author?.kind === "customer" &&
          row.seq > item.after &&
          row.text?.trim() === item.text.trim() &&
          (keyOf.get(row.seq) ?? item.key) === item.key;
    return rows.find(same);
  }

  return {
    claim,
    entries(rows, pending, view) {
      const open = pending.filter((item) => {
        const row = arrivedAs(item, rows);
        if (row) claim(row.seq, item.key);
        return !row;
      });
      return build(rows, open, keyOf, view);
    },
  };
}

function build(rows, pending, keyOf, { dayOf, answering }) {
  const list = [];
  let day = null;
  let author = null;
  let spoke = 0;

  function separator(time) {
    const name = dayOf(time);
    if (name === day) return;
    list.push({ id: `day-${new Date(time).toDateString()}`, kind: "day", text: name });
    day = name;
    author = null;
  }

  function group(kind, name, time) {
    const same = author === `${kind}:${name}` && time - spoke < PAUSE;
    author = `${kind}:${name}`;
    spoke = time;
    return !same;
  }

  for (const row of rows) {
    const time = Date.parse(row.created_at);
    separator(time);
    if (row.kind === "event") {
      author = null;
      list.push({ id: `seq-${row.seq}`, kind: "event", row });
      continue;
    }
    const isOwn = row.author.kind === "customer"; // has no name while it is on its way
    const first = group(row.author.kind, isOwn ? "" : row.author.name, time);
    const key = keyOf.get(row.seq);
    list.push({ id: key ? `key-${key}` : `seq-${row.seq}`, kind: "message", row, first, time });
  }
  if (!answering) markSent(list);
  const unsent = pending.filter((item) => !item.failed);
  // They leave in order: what holds up the first holds up all.
  const waiting = unsent.find((item) => item.waiting)?.waiting;
  for (const item of pending) {
    separator(item.at);
    const first = group("customer", "", item.at);
    // One line about the line says it for all that wait.
    const says = item === unsent.at(-1);
    const shown = says ? { ...item, waiting } : item;
    list.push({ id: `key-${item.key}`, kind: "pending", item: shown, first, time: item.at, says });
  }
  return list;
}

/** "Sent" stands under the newest own message while nothing follows it. */
function markSent(list) {
  const last = list.at(-1);
  if (last?.kind === "message" && last.row.author.kind === "customer") last.sent = true;
}
