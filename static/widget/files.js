import { createDrops } from "../files/drops.js";
import { createTray } from "../files/tray.js";
import { byId, icon } from "./dom.js";

/** Files that go along with a message: chosen, dropped or pasted, above the line one writes in. */
export function createFiles({ words, api, storage, isOpen }) {
  const { t, locale } = words;
  const input = byId("attach");
  let heard = () => {};

  const letGo = (id) => api.delete(`attachments/${id}`).catch(() => {}); // gone after a day anyway
  const tray = createTray({
    list: () => byId("tray"),
    says: () => byId("tray-says"),
    words: t,
    icon,
    locale,
    upload: api.bring,
    letGo,
    kept: {
      get: (place) => storage.get(`files:${place}`),
      set: (place, rows) =>
        rows.length ? storage.set(`files:${place}`, rows) : storage.remove(`files:${place}`),
    },
    onChange(what) {
      if (what === "empty") input.focus();
      heard();
    },
  });

  input.addEventListener("change", () => {
    tray.add([...input.files]);
    input.value = ""; // so that the same file may be chosen again
  });
  createDrops({
    cover: () => byId("drop"),
    ready: () => isOpen() && !byId("composer").hidden && !byId("dialog").open,
    onFiles: tray.add,
  });

  return {
    ...tray,
    onChange(listener) {
      heard = listener;
    },
    letGo: (files = []) => files.forEach(({ id }) => letGo(id)),
  };
}
