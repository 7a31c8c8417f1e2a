import { byId, icon, initial } from "./dom.js";

/** Which view stands in the frame, the bar above it, and where focus goes. */
export function createViews({ t, storage, conversation, composer, thread, menu, refresh, leave }) {
  let tenantName = "";

  const current = () => document.body.dataset.view;

  function show(name, kept) {
    document.body.dataset.view = name;
    byId("home").hidden = name !== "home";
    byId("thread").hidden = name !== "thread";
    byId("back").hidden = name !== "thread";
    byId("splash").hidden = true;
    storage.set("view", kept);
  }

  const views = {
    current,
    tenant({ name }) {
      tenantName = name;
      document.title = t("title", { name });
    },
    home() {
      show("home", null);
      byId("bar-name").textContent = tenantName;
      byId("bar-role").hidden = true;
      byId("bar-avatar").textContent = initial(tenantName);
    },
    thread(id) {
      show("thread", id ?? "new");
      conversation.open(id);
      conversation.draw();
      thread.toEnd();
      composer.focus();
    },
    /** Who one is writing to; on the home view the bar belongs to the tenant. */
    title({ handler, assignee_name: member }, agent) {
      if (current() !== "thread") return;
      const byTeam = handler === "team";
      const name = byTeam ? member || tenantName : agent;
      const role = member ? t("teamOf", { name: tenantName }) : t("team");
      byId("bar-name").textContent = name;
      byId("bar-role").textContent = byTeam ? role : t("aiAgent");
      byId("bar-role").hidden = false;
      byId("bar-avatar").replaceChildren(byTeam ? initial(name) : icon("spark"));
    },
    /** After a reload one finds oneself where one was. `rows` is null when the list is not known. */
    restore(rows) {
      const view = storage.get("view");
      const known = rows === null || rows.some((row) => row.id === view);
      if (view === "new" || (view && known)) views.thread(view === "new" ? null : view);
      else views.home();
    },
    focus() {
      if (current() === "thread") composer.focus();
      else byId("primary").focus();
    },
  };

  byId("back").addEventListener("click", () => {
    views.home();
    refresh().catch(() => {});
    byId("primary").focus();
  });
  byId("another").addEventListener("click", () => views.thread(null));
  byId("reopen-new").addEventListener("click", () => views.thread(null));
  byId("closed-new").addEventListener("click", () => views.thread(null));
  byId("close").addEventListener("click", leave);
  document.addEventListener("keydown", (event) => {
    // A dialog closes itself; a half-written syllable is the input method's business.
    if (event.key !== "Escape" || event.isComposing || byId("dialog").open) return;
    if (!menu.close()) leave();
  });
  return views;
}
