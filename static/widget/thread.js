import { byId } from "./dom.js";
import { createMatcher } from "./entries.js";
import { createScroller } from "./scroll.js";

/**
 * Draws one conversation from its store and outbox. Every change draws the whole list, but only
 * nodes whose entry changed are built again, so that focus, selection and screen readers are left
 * alone. What is not final (typing, growing answer) stands outside the log: it is never read out
 * piece by piece.
 */
export function createThread({ t, bubbles, dayOf, agentName }) {
  const log = byId("log");
  const live = byId("live");
  const matcher = createMatcher();
  const scroller = createScroller(byId("scroller"), byId("pill"));
  const nodes = new Map();
  let growing = null;
  let answering = false;
  let calm = false; // no movement for a page of history, nor where a growing answer becomes final

  function place(entries) {
    const keep = new Set(entries.map((entry) => entry.id));
    for (const [id, { node }] of nodes) {
      if (keep.has(id)) continue;
      node.remove();
      nodes.delete(id);
    }
    let before = null;
    for (const entry of [...entries].reverse()) before = placeOne(entry, before);
  }

  function placeOne(entry, before) {
    const print = fingerprint(entry);
    const known = nodes.get(entry.id);
    let node = known?.node;
    if (known?.print !== print) {
      node = bubbles.make(entry);
      if (!known && !calm) node.classList.add("is-new");
      known?.node.replaceWith(node);
      nodes.set(entry.id, { node, print });
    }
    // Moving a node that stands right would make a screen reader read it again.
    if (node.nextSibling !== before || !node.parentNode) log.insertBefore(node, before);
    return node;
  }

  function grow(provisional) {
    if (!provisional) {
      growing?.remove();
      growing = null;
      return;
    }
    if (!growing) {
      growing = bubbles.provisional(agentName());
      growing.classList.add("row--growing");
      live.prepend(growing);
    }
    growing.querySelector(".bubble").textContent = plain(provisional.text);
  }

  function passing(store) {
    grow(store.provisional);
    dots(store.provisional ? null : store.typing);
  }

  function dots(typing) {
    const row = byId("typing");
    const who = typing && (typing.name || (typing.kind === "agent" ? agentName() : t("team")));
    const words = typing ? t("isTyping", { name: who }) : "";
    row.hidden = !typing;
    if (byId("typing-words").textContent !== words) byId("typing-words").textContent = words;
    if (typing) byId("typing-avatar").replaceChildren(bubbles.avatar(typing.kind, who));
  }

  return {
    claim: matcher.claim,
    render(store, pending) {
      answering = isAnswering(store);
      const entries = matcher.entries(store.rows(), pending, { dayOf, answering });
      const known = new Set(nodes.keys());
      const added = entries.filter((entry) => !known.has(entry.id) && entry.kind !== "day");
      const quiet = calm;
      calm = quiet || known.size === 0 || Boolean(growing);
      scroller.keep(() => {
        place(entries);
        passing(store);
        byId("earlier").hidden = !store.hasOlder;
      }, known.size ? added : null);
      calm = quiet;
    },
    /** Draws only what passes, many times a second; false when that touches the rows too. */
    pass(store) {
      if (isAnswering(store) !== answering) return false;
      scroller.keep(() => passing(store), []);
      return true;
    },
    toEnd: scroller.toEnd,
    /** Older rows came in above: what one reads stays where it is, and nothing is read out. */
    quietly(work) {
      log.setAttribute("aria-live", "off");
      calm = true;
      scroller.holdTop(work);
      calm = false;
      setTimeout(() => log.setAttribute("aria-live", "polite"), 500);
    },
    clear() {
      nodes.clear();
      log.replaceChildren();
      grow(null);
      dots(null);
    },
  };
}

/** Half an answer has half its markup: show the words without the marks until the row is there. */
function plain(text) {
  return text
    .replace(/\*\*|__|`/g, "")
    .replace(/^#{1,6} /gm, "")
    .replace(/^[-*] /gm, "• ")
    .replace(/\[([^\]]*)\]\([^)]*\)?/g, "$1");
}

const isAnswering = ({ provisional, typing }) => Boolean(provisional ?? typing);

/** Rows are replaced, never changed: what was printed once holds for the object's life. */
const prints = new WeakMap();

function printOf(row) {
  if (!prints.has(row)) prints.set(row, JSON.stringify(row));
  return prints.get(row);
}

function fingerprint({ kind, first, sent, says, text, row, item }) {
  const way = item && [item.failed, item.waiting, item.text, navigator.onLine, secondsLeft(item)];
  return JSON.stringify([kind, first, sent, says, text, row && printOf(row), way]);
}

/** A waiting message counts its seconds down. */
const secondsLeft = (item) => item.waiting && Math.ceil((item.waiting.until - Date.now()) / 1000);
