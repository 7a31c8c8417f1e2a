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
    // Whom nobody vouches for confirms it by the link in a letter: nothing happens before.
    return t(answer?.state === "requested" ? "eraseMailed" : done);
  };
  async function download(id) {
    const address = URL.createObjectURL(await api.file(`exports/${id}/file`));
    const link = Object.assign(document.createElement("a"), { href: address, download: "data.zip" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    return t("exportSaved");
  }

  /** A copy that waits is offered before another one is made. */
  async function copies() {
    try {
      return (await api.get("exports")).results;
    } catch {
      return []; // asking for a new one tells what is wrong
    }
  }

  async function exportQuestion() {
    const ready = (await copies()).find((copy) => copy.can_be_fetched);
    return {
      title: t("dataExport"),
      text: t(ready ? "exportReady" : "exportIntro"),
      yes: t(ready ? "exportSave" : "exportYes"),
      act: ready ? () => download(ready.id) : request("export", "exportDone"),
    };
  }

  const questions = {
    "menu-export": exportQuestion,
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
    byId(id).addEventListener("click", async () => {
      close();
      dialog.ask(await question());
    });
  }
  return { close };
}
