/** The few helpers with which every module builds its nodes. */

export const byId = (id) => document.getElementById(id);

/** Makes an element; `class`, `text`, listeners (`onclick`) and attributes go in by name. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name === "class") node.className = value;
    else if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

/** An icon of the sprite in the page; always decoration beside words or a label. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** First letter of a name as people read it, so that emoji and accents stay whole. */
export function initial(name) {
  const [first] = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(name || "");
  return first ? first.segment.toLocaleUpperCase() : "";
}
