import { byId, h, icon } from "./dom.js";

const isOpen = (row) => row.status !== "resolved";

/** The first view: who one writes to, when they are there, and one thing to do. */
export function createHome({ t, when, storage, onOpen }) {
  // By time: between two messages seq counts what the customer does not see, too.
  const seen = (row) => Date.parse(storage.get(`read:${row.id}`) ?? 0);
  const unread = (row) =>
    row.last_message_by !== "customer" && Date.parse(row.last_message_at) > seen(row);

  function item(row) {
    const time = row.last_message_at ?? row.created_at;
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "talk", onclick: () => onOpen(row.id) },
        h(
          "span",
          { class: "talk__words" },
          h("bdi", { class: "talk__title", text: row.last_message_preview || t("conversation") }),
        ),
        h(
          "span",
          { class: "talk__side" },
          time && h("time", { text: when(Date.parse(time)), datetime: time }),
          unread(row)
            ? h("span", { class: "dot", role: "img", "aria-label": t("unread") })
            : !isOpen(row) && h("span", { class: "talk__state", text: t("resolved") }),
        ),
        icon("next"),
      ),
    );
  }

  function hours(text) {
    byId("hours").hidden = !text;
    byId("hours-words").textContent = text;
  }

  return {
    tenant(tenant) {
      byId("hello").textContent = t("hello");
      byId("greeting").textContent = tenant.greeting || t("greeting");
      byId("agent-line").textContent = t("answeredBy", { name: tenant.agent_name || t("aiAgent") });
      hours(tenant.hours);
    },
    /** The newest open talk is what one comes back for. */
    list(rows) {
      const open = rows.find(isOpen);
      const primary = byId("primary");
      byId("primary-words").textContent = t(open ? "continue" : "start");
      primary.onclick = () => onOpen(open?.id ?? null);
      byId("another").hidden = !open;
      byId("talks-box").hidden = rows.length === 0;
      byId("talks").replaceChildren(...rows.map(item));
      return open;
    },
  };
}
