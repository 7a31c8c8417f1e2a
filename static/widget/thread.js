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
      if (!known) node.classList.add("is-new");
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
      const answering = Boolean(store.provisional ?? store.typing);
      const entries = matcher.entries(store.rows(), pending, { dayOf, answering });
      const known = new Set(nodes.keys());
      const added = entries.filter((entry) => !known.has(entry.id) && entry.kind !== "day");
      scroller.keep(() => {
        place(entries);
        grow(store.provisional);
        dots(store.provisional ? null : store.typing);
        byId("earlier").hidden = !store.hasOlder;
      }, known.size ? added : null);
    },
    toEnd: scroller.toEnd,
    /** Older rows came in above: what one reads stays where it is, and nothing is read out. */
    quietly(work) {
      log.setAttribute("aria-live", "off");
      scroller.holdTop(work);
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

function fingerprint(entry) {
  const { row, item } = entry;
  return JSON.stringify([
    entry.kind, entry.first, entry.sent, entry.text, row, item?.failed, item?.waiting, item?.text,
    item && navigator.onLine, item && tick(item),
  ]);
}

/** A waiting message counts its seconds down. */
const tick = (item) => (item.waiting ? Math.ceil((item.waiting.until - Date.now()) / 1000) : 0);
