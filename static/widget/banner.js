import { byId } from "./dom.js";

const GRACE = 1500; // a short blink of the line is nobody's business
const GOOD_NEWS = 2500;

/** Says in one line how the connection stands, politely, and only when there is something to say. */
export function createBanner(t) {
  const box = byId("banner");
  let shown = null;
  let timer = 0;

  function show(status) {
    shown = status;
    box.dataset.status = status ?? "";
    byId("banner-words").textContent = status ? t(`line_${status}`) : "";
  }

  function later(ms, status) {
    clearTimeout(timer);
    timer = setTimeout(() => show(status), ms);
  }

  return function status(now) {
    if (now === "offline") {
      clearTimeout(timer);
      show("offline");
    } else if (now === "connected") {
      clearTimeout(timer);
      if (!shown || shown === "connected") return show(null);
      show("connected");
      later(GOOD_NEWS, null);
    } else if (shown && shown !== "connected") {
      show(now);
    } else {
      later(GRACE, now);
    }
  };
}
