import { byId, h, icon } from "./dom.js";

const SCORES = [1, 2, 3, 4, 5];

/** Asks once, after a talk is resolved, how it was. */
export function createRating({ t, api, storage }) {
  const box = byId("after");
  let shownFor = null;

  function thanks() {
    shownFor = null;
    box.replaceChildren(h("p", { class: "event", role: "status", text: t("rateThanks") }));
  }

  async function submit(event, thread, resolvedAt) {
    event.preventDefault();
    const card = event.target;
    const score = Number(new FormData(card).get("score"));
    const comment = card.elements.comment.value.trim();
    const button = card.querySelector("button");
    button.disabled = true;
    try {
      await api.post(`conversations/${thread}/rating`, comment ? { score, comment } : { score });
      storage.set(`rated:${thread}`, resolvedAt);
      thanks();
    } catch (problem) {
      button.disabled = false;
      const words = `${t("didNotWork")} ${t.refused(problem)}`;
      card.querySelector(".rating__problem").textContent = words;
    }
  }

  function face(score) {
    const label = t(`rate${score}`);
    return h(
      "label",
      { class: "face", title: label },
      h("input", { type: "radio", name: "score", value: String(score), required: true, "aria-label": label }),
      icon(`face-${score}`),
    );
  }

  function form(thread, resolvedAt) {
    const more = h(
      "div",
      { class: "rating__more", hidden: true },
      h("label", { for: "rating-comment", text: t("rateComment") }),
      h("textarea", { id: "rating-comment", name: "comment", rows: "2", maxlength: "2000", dir: "auto" }),
      h("p", { class: "rating__problem", role: "alert" }),
      h("button", { class: "button", text: t("rateSend") }),
    );
    const card = h(
      "form",
      { class: "rating", onsubmit: (event) => submit(event, thread, resolvedAt) },
      h("fieldset", {}, h("legend", { text: t("rateTitle") }), h("div", { class: "faces" }, ...SCORES.map(face))),
      more,
    );
    card.addEventListener("change", () => {
      if (!more.hidden) return; // scrolling again would pull the button from under a finger
      more.hidden = false;
      card.scrollIntoView({ block: "end" });
    });
    return card;
  }

  return {
    /** A talk that was reopened and resolved again may be rated again. True when the card is new. */
    render(thread, { state }, rows) {
      const resolved = Boolean(thread) && state.status === "resolved";
      const resolvedAt = rows.findLast((row) => row.event === "resolved")?.seq ?? 0;
      const due = resolved && (storage.get(`rated:${thread}`) ?? -1) < resolvedAt;
      const card = due ? `${thread}:${resolvedAt}` : null;
      if (!resolved) box.replaceChildren();
      if (card === shownFor) return false;
      shownFor = card;
      if (due) box.replaceChildren(form(thread, resolvedAt));
      return due;
    },
    clear() {
      shownFor = null;
      box.replaceChildren();
    },
  };
}
