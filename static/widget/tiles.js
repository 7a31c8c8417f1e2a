import { aboutFile, isPicture, kindOf } from "../files/kinds.js";
import { h, icon } from "./dom.js";

/** Whether the words of a message are no more than the names of its files: the tiles say them. */
export const namesAlone = (text, files) => text === files.map(({ name }) => name).join(", ");

/** What was sent along: pictures to look at, documents to fetch. */
export function createTiles({ t, locale }) {
  const rel = "noopener noreferrer";

  /** A file without an address is still on its way. */
  function row(file) {
    const meta = aboutFile(file.media_type, file.size, t, locale);
    const words = h(
      "span",
      { class: "document__words" },
      h("bdi", { class: "document__name", text: file.name, title: file.name }),
      h("span", { class: "document__meta", text: meta }),
    );
    const inner = [h("span", { class: "document__mark" }, icon(kindOf(file.media_type).icon)), words];
    if (!file.url) return h("span", { class: "document" }, ...inner);
    inner.push(icon("download"), h("span", { class: "hidden", text: t("exportSave") }));
    return h("a", { class: "document", href: file.url, download: file.name, rel }, ...inner);
  }

  /** Its room is known before it is there, so that nothing jumps. */
  function picture(file) {
    const { width, height, preview_url: src } = file;
    const image = h("img", { src, alt: file.name, width, height, loading: "lazy", decoding: "async" });
    const props = { class: "picture", href: file.url, target: "_blank", rel, title: file.name };
    const link = h(file.url ? "a" : "span", file.url ? props : { class: "picture" }, image);
    image.onerror = () => link.replaceWith(row(file));
    return link;
  }

  function gone() {
    return h("span", { class: "document document--gone" }, icon("bin"), h("span", { text: t("fileRemoved") }));
  }

  function tile(file) {
    if (file.removed) return gone();
    return isPicture(file.media_type) && file.preview_url ? picture(file) : row(file);
  }

  return function tiles(files) {
    const pictures = files.filter((file) => isPicture(file.media_type) && file.preview_url);
    const shape = pictures.length > 1 ? "files files--many" : "files";
    return h("ul", { class: shape }, ...files.map((file) => h("li", {}, tile(file))));
  };
}
