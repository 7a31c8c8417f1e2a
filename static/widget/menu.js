import { byId } from "./dom.js";

/** The menu in the bar: what one may ask about one's own data. */
export function createMenu({ t, api, dialog }) {
  const opener = byId("menu-button");
  const list = byId("menu");
  const isOpen = () => !list.hidden;

  function toggle(open) {
    list.hidden = !open;
    opener.setAttribute("aria-expanded", String(open));
    if (open) list.querySelector("button").focus();
  }

  function close() {
    if (!isOpen()) return false;
    toggle(false);
    opener.focus();
    return true;
  }

  const request = (kind, done) => async () => {
    const answer = await api.post("privacy-requests", { kind });
    return answer?.detail ?? t(done);
  };
  const questions = {
    "menu-export": () => ({
      title: t("dataExport"),
      text: t("exportIntro"),
      yes: t("exportYes"),
      act: request("export", "exportDone"),
    }),
    "menu-erase": () => ({
      title: t("dataErase"),
      text: t("eraseIntro"),
      yes: t("eraseYes"),
      dangerous: true,
      act: request("erasure", "eraseDone"),
    }),
  };

  function move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...list.querySelectorAll("button")];
    all.at((all.indexOf(document.activeElement) + step) % all.length).focus();
  }

  opener.addEventListener("click", () => toggle(!isOpen()));
  list.addEventListener("keydown", move);
  list.addEventListener("focusout", (event) => {
    const inside = list.contains(event.relatedTarget) || event.relatedTarget === opener;
    if (event.relatedTarget && !inside) toggle(false);
  });
  document.addEventListener("pointerdown", (event) => {
    if (isOpen() && !list.contains(event.target) && !opener.contains(event.target)) toggle(false);
  });
  for (const [id, question] of Object.entries(questions)) {
    byId(id).addEventListener("click", () => {
      close();
      dialog.ask(question());
    });
  }
  return { close };
}
