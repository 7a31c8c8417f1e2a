import { h, icon } from "./dom.js";

/** The line under a message on its way: where it stands, or what went wrong and what to do. */

export function progress(item, t) {
  const [mark, words] = stage(item, t);
  return h("p", { class: "meta" }, icon(mark), words);
}

function stage(item, t) {
  if (!navigator.onLine) return ["clock", t("waitingNetwork")];
  if (!item.waiting) return ["clock", t("sending")];
  const seconds = Math.max(1, Math.ceil((item.waiting.until - Date.now()) / 1000));
  const n = String(seconds);
  return ["clock", t(item.waiting.status === 429 ? "tooMany" : "notYet", { n })];
}

function reason({ status, code, detail, gone, lost = [] }, t) {
  if (gone) return t("errorGone");
  if (lost.length) return t("errorFiles");
  if (status === 409) return t("errorReused");
  if (status === 413 || code === "text_too_long") return t("errorLong");
  return detail || t("errorRefused");
}

export function failure(item, t, actions) {
  const button = (label, work) => h("button", { type: "button", class: "link", text: label, onclick: work });
  const { status, gone, lost = [] } = item.failed;
  const first = gone
    ? button(t("sendInNew"), () => actions.sendInNew(item.key))
    : status === 409
      ? button(t("sendAgain"), () => actions.sendAsNew(item.key))
      : !lost.length && button(t("retry"), () => actions.retry(item.key));
  return h(
    "div",
    { class: "failure" },
    h("p", {}, icon("alert"), h("span", { dir: "auto", text: `${t("notSent")} ${reason(item.failed, t)}` })),
    h(
      "p",
      { class: "failure__do" },
      first,
      button(t("edit"), () => actions.edit(item.key)),
      button(t("discard"), () => actions.discard(item.key)),
    ),
  );
}
