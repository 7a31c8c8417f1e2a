import { h, icon, initial } from "./dom.js";
import { showHtml } from "./html.js";
import { sourceList } from "./extras.js";
import { failure, progress } from "./delivery.js";
import { createTiles, namesAlone } from "./tiles.js";

/** Builds what stands in the thread: one node an entry (see entries.js). */
export function createBubbles({ t, time, locale, agentName, actions }) {
  const tiles = createTiles({ t, locale });

  function authorLine(kind, name, at) {
    const who = { customer: t("you"), agent: name || agentName(), member: name || t("team") }[kind];
    return h(
      "p",
      { class: "author" },
      h("bdi", { class: "author__name", text: who }),
      kind === "agent" && h("span", { class: "tag", text: t("aiAgent") }),
      h("time", { text: time(at), datetime: new Date(at).toISOString() }),
    );
  }

  function avatar(kind, name) {
    if (kind === "customer") return null;
    const mark = kind === "agent" ? icon("spark") : h("span", { text: initial(name) || "•" });
    return h("span", { class: `avatar avatar--${kind}`, "aria-hidden": "true" }, mark);
  }

  function frame(kind, name, entry, ...content) {
    const classes = `row row--${kind}${entry.first ? " row--first" : ""}`;
    return h(
      "div",
      { class: classes },
      entry.first && avatar(kind, name),
      h(
        "div",
        { class: "row__body" },
        entry.first && authorLine(kind, name, entry.time),
        ...content,
      ),
    );
  }

  function words({ text, html, removed }) {
    if (removed) return h("p", { class: "bubble bubble--removed", text: t("removed") });
    const bubble = h("div", { class: "bubble", dir: "auto" });
    if (html) {
      bubble.classList.add("bubble--html");
      showHtml(bubble, html);
    } else {
      bubble.textContent = text;
    }
    return bubble;
  }

  function message(entry) {
    const { row } = entry;
    const { kind, name } = row.author;
    const files = row.attachments ?? [];
    const removed = !row.text && !row.html && files.length === 0;
    const silent = files.length > 0 && namesAlone(row.text, files);
    return frame(
      kind,
      name,
      entry,
      !silent && words({ ...row, removed }),
      files.length > 0 && tiles(files),
      row.sources?.length > 0 && sourceList(row.sources, t),
      row.edited && !removed && h("p", { class: "meta", text: t("edited") }),
      entry.sent && h("p", { class: "meta" }, icon("check"), t("sent")),
    );
  }

  function pending(entry) {
    const { item } = entry;
    const files = item.files ?? [];
    const bubble = (item.text || files.length === 0) && words(item);
    if (item.failed && bubble) bubble.classList.add("bubble--failed");
    const below = item.failed ? failure(item, t, actions) : entry.says && progress(item, t);
    return frame("customer", "", entry, bubble, files.length > 0 && tiles(files), below);
  }

  const makers = {
    day: (entry) => h("p", { class: "day" }, h("span", { text: entry.text })),
    event: ({ row }) => h("p", { class: "event", dir: "auto", text: row.line }),
    message,
    pending,
  };
  return {
    make: (entry) => makers[entry.kind](entry),
    /** The answer as it grows: plain words until the stored row brings its markup. */
    provisional: (name) => frame("agent", name, { first: true, time: Date.now() }, words({ text: " " })),
    avatar,
  };
}
