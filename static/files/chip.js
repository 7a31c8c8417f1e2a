import { aboutFile, isPicture, kindOf, LARGEST, MOST, sizeOf } from "./kinds.js";
import { mayRetry, wordsFor } from "./refusals.js";

/** How a chosen file stands above the line that one writes in. */
export function createChips({ words, icon, locale, onRemove, onRetry }) {
  function make(tag, name, ...children) {
    const node = document.createElement(tag);
    node.className = name;
    node.append(...children.filter(Boolean));
    return node;
  }

  function mark(entry) {
    const kind = icon(kindOf(entry.type).icon);
    const box = make("span", "file-chip__mark", kind);
    box.setAttribute("aria-hidden", "true");
    const address = entry.picture ?? entry.file?.preview_url;
    if (!isPicture(entry.type) || !address) return box;
    const picture = document.createElement("img");
    picture.alt = "";
    picture.onerror = () => box.replaceChildren(kind);
    picture.src = address;
    box.replaceChildren(picture);
    return box;
  }

  function name(entry) {
    const node = make("bdi", "file-chip__name", entry.name);
    node.title = entry.name;
    return node;
  }

  function meta(entry) {
    return make("span", "file-chip__meta", aboutFile(entry.type, entry.size, words, locale));
  }

  function progress(entry) {
    const bar = make("progress", "file-chip__bar");
    bar.setAttribute("aria-label", words("fileSending", { name: entry.name }));
    bar.value = entry.part;
    return bar;
  }

  function problem(entry) {
    const values = { limit: sizeOf(LARGEST, locale), n: String(MOST) };
    const said = make("span", "file-chip__problem", icon("alert"), words(wordsFor(entry.problem, entry.size), values));
    said.dir = "auto";
    return said;
  }

  function button(kind, label, text, work) {
    const node = make("button", `file-chip__${kind}`, text);
    node.type = "button";
    node.setAttribute("aria-label", label);
    if (kind === "remove") node.title = label;
    node.addEventListener("click", () => work(entryOf.get(node)));
    return node;
  }

  const entryOf = new WeakMap();

  function buttons(entry) {
    const { name: of } = entry;
    const made = [button("remove", words("fileRemove", { name: of }), icon("close"), onRemove)];
    if (entry.problem && mayRetry(entry.problem)) {
      made.unshift(button("again", words("fileAgain", { name: of }), words("retry"), onRetry));
    }
    for (const node of made) entryOf.set(node, entry);
    return made;
  }

  return {
    make(entry) {
      const said = entry.problem ? problem(entry) : meta(entry);
      const going = entry.state === "sending" || entry.state === "waiting";
      const text = make("span", "file-chip__words", name(entry), said, going && progress(entry));
      const chip = make("li", `file-chip is-${entry.state}`, mark(entry), text, ...buttons(entry));
      return chip;
    },
    progress(chip, part) {
      const bar = chip.querySelector("progress");
      if (bar) bar.value = part;
    },
  };
}
