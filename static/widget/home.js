import { byId, h, icon } from "./dom.js";

const isOpen = (row) => row.status !== "resolved";

/** The first view: who one writes to, when they are there, and one thing to do. */
export function createHome({ t, when, storage, onOpen }) {
  const seen = (row) => storage.get(`seen:${row.id}`) ?? 0;
  const unread = (row) => row.unread > 0 || (row.last_seq ?? 0) > seen(row);
  const preview = (row) => row.preview ?? row.last_message?.text ?? row.last_message ?? "";

  function item(row) {
    const title = row.title || preview(row) || t("conversation");
    const time = row.last_message_at ?? row.updated_at ?? row.created_at;
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "talk", onclick: () => onOpen(row.id) },
        h(
          "span",
          { class: "talk__words" },
          h("bdi", { class: "talk__title", text: title }),
          h("bdi", { class: "talk__preview", text: row.title ? preview(row) : "" }),
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

  function hours({ hours: given }) {
    const text = typeof given === "string" ? given : given?.text;
    byId("hours").hidden = !text;
    byId("hours-words").textContent = text ?? "";
    byId("hours").dataset.open = String(given?.open ?? "");
  }

  return {
    tenant(tenant, customer) {
      const name = customer?.name ? t("hello", { name: customer.name }) : t("helloYou");
      byId("hello").textContent = name;
      byId("greeting").textContent = tenant.greeting || t("greeting");
      byId("agent-line").textContent = t("answeredBy", { name: tenant.agent_name || t("aiAgent") });
      hours(tenant);
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
