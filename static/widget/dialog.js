import { byId, h } from "./dom.js";

/**
 * A question before an act that matters. `act` gives the words to show when it is done; what it
 * throws is shown in its place and the question stays. Focus returns to where it was.
 */
export function createDialog(t) {
  const box = byId("dialog");

  function button(label, work, kind = "") {
    return h("button", { type: "button", class: `button ${kind}`, text: label, onclick: work });
  }

  function ask({ title, text, yes, dangerous = false, act }) {
    const result = h("p", { class: "dialog__result", role: "status" });
    const no = button(t("cancel"), () => box.close(), "button--quiet");
    const go = button(yes, run, dangerous ? "button--danger" : "");

    async function run() {
      go.disabled = true;
      result.textContent = t("working");
      try {
        result.textContent = await act();
        result.dataset.kind = "good";
        go.remove();
        no.textContent = t("ok");
        no.focus();
      } catch (problem) {
        result.dataset.kind = "bad";
        result.textContent = `${t("didNotWork")} ${t.refused(problem)}`;
        go.disabled = false;
      }
    }

    box.replaceChildren(
      h("h2", { id: "dialog-title", text: title }),
      h("p", { text }),
      result,
      h("div", { class: "dialog__do" }, no, go),
    );
    box.showModal();
    no.focus();
  }

  box.addEventListener("click", (event) => {
    if (event.target === box) box.close(); // the backdrop
  });
  return { ask };
}
