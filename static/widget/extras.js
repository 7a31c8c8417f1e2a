import { h, icon } from "./dom.js";

/** What hangs under a bubble: where an answer comes from. */

const isLink = (address) => /^https?:\/\//i.test(address ?? "");

function linkTo(address, label, mark) {
  const inner = [icon(mark), h("bdi", { text: label })];
  if (!isLink(address)) return h("span", { class: "chip" }, ...inner);
  const rel = "noopener noreferrer nofollow";
  return h("a", { class: "chip chip--link", href: address, target: "_blank", rel }, ...inner);
}

function sourceItem(source) {
  const parts = [source.title ?? source.url, source.heading].filter(Boolean);
  return linkTo(source.url, [...new Set(parts)].join(" · "), "page");
}

export function sourceList(sources, t) {
  const seen = new Set();
  const items = sources.map(sourceItem).filter((item) => {
    const known = seen.has(item.textContent);
    seen.add(item.textContent);
    return !known && item.textContent;
  });
  return h(
    "div",
    { class: "sources" },
    h("span", { class: "sources__title", text: t("sources") }),
    h("ul", {}, ...items.map((item) => h("li", {}, item))),
  );
}
