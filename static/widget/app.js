import { createBanner } from "./banner.js";
import { createBubbles } from "./bubble.js";
import { applyColour } from "./colour.js";
import { createComposer } from "./composer.js";
import { createConversation } from "./conversation.js";
import { createDialog } from "./dialog.js";
import { createFiles } from "./files.js";
import { createHome } from "./home.js";
import { createMenu } from "./menu.js";
import { createOutbox, isNew } from "./outbox.js";
import { createPerson } from "./person.js";
import { createRating } from "./rating.js";
import { createThread } from "./thread.js";
import { createViews } from "./views.js";

/** Wires the parts together; what each does stands in its own file. */
export function createApp({ words, api, storage, session, bridge }) {
  const { t } = words;
  let shown = false; // the frame's page cannot see that the loader hides it

  const agentName = () => session.kept()?.tenant.agent_name || t("aiAgent");
  const dialog = createDialog(t);
  const menu = createMenu({ t, api, dialog });
  const bubbles = createBubbles({
    t,
    time: words.time,
    locale: words.locale,
    agentName,
    actions: {
      retry: (key) => outbox.retry(key),
      discard: (key) => files.letGo(outbox.discard(key).files),
      edit: (key) => composer.restore(outbox.discard(key)),
      sendAsNew(key) {
        const { text, files: along } = outbox.discard(key);
        conversation.send(text, along);
      },
      sendInNew(key) {
        const { text, files: along } = outbox.discard(key);
        views.thread(null);
        conversation.send(text, along);
      },
    },
  });
  const thread = createThread({ t, bubbles, dayOf: words.dayOf, agentName });
  const files = createFiles({ words, api, storage, isOpen: () => views.current() === "thread" });
  const composer = createComposer({ t, storage, files, onSend: (...said) => conversation.send(...said) });
  const conversation = createConversation({
    t,
    api,
    storage,
    thread,
    composer,
    person: createPerson({ t, api, agentName, onProblem: personProblem }),
    rating: createRating({ t, api, storage }),
    banner: createBanner(t),
    isRead: () => shown && !document.hidden && views.current() === "thread",
    onUpdate,
  });
  const outbox = createOutbox({ storage, api, onSent, onChange: () => conversation.draw() });
  const home = createHome({ t, when: words.when, storage, onOpen: (id) => views.thread(id) });
  const views = createViews({ t, storage, conversation, composer, thread, menu, refresh, leave });
  conversation.use(outbox);

  function leave() {
    if (bridge.embedded) bridge.tell("close");
  }

  function onSent(item, answer) {
    conversation.sent(item, answer);
    if (isNew(item.thread) && views.current() === "thread") storage.set("view", conversation.id());
  }

  function onUpdate(store, unread) {
    views.title(store.state, agentName());
    const last = unread.at(-1);
    const news = shown || !last ? {} : { preview: last.text?.slice(0, 160), name: last.author.name };
    bridge.tell("unread", { count: unread.length, ...news });
  }

  function personProblem(problem, again) {
    const text = `${t("didNotWork")} ${t.refused(problem)}`;
    dialog.ask({ title: t("talkPerson"), text, yes: t("retry"), act: again });
  }

  async function refresh() {
    const { results } = await api.get("conversations");
    const open = home.list(results);
    if (open && !conversation.name()) conversation.open(open.id); // news of it count as unread
    return results;
  }

  /** Becomes whoever the session says: at the start, and when the host page identifies someone. */
  async function enter(begin = session.start) {
    const { tenant } = await begin();
    bridge.tell("theme", applyColour(tenant.colour));
    views.tenant(tenant);
    home.tenant(tenant);
    return refresh();
  }

  const app = {
    enter: () => enter(),
    async start(open) {
      shown = open;
      outbox.tidy();
      const rows = await enter(async () => session.kept()).catch(() => null);
      views.restore(rows);
      outbox.pumpAll();
      if (open) app.opened();
    },
    opened(wantsThread) {
      shown = true;
      if (wantsThread && conversation.name()) views.thread(conversation.id());
      conversation.draw();
      views.focus();
    },
    closed() {
      shown = false;
    },
    /** Another person, or nobody: nothing of the last one stays on the screen. */
    forget() {
      conversation.close();
      composer.forget();
      home.list([]);
      views.home();
    },
  };
  document.addEventListener("visibilitychange", conversation.draw);
  return app;
}
