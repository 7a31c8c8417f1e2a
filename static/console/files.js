// Files of a reply: chosen, dropped or pasted; uploaded at once, sent with the words.
import { createDrops } from "../files/drops.js";
import { createTray } from "../files/tray.js";
import { upload } from "../files/upload.js";

const API = "/api/v1/attachments";
const composer = () => document.getElementById("composer");
const placeOf = (form) => `turnstone:files:${form.dataset.member}:${form.dataset.conversation}`;
const token = () => JSON.parse(document.body.getAttribute("hx-headers"));
const isReply = (form) => form?.dataset.mode === "reply";
const along = new WeakMap(); // form → what went with its request
let waiting = false; // to send, until the files are there

const said = () => document.getElementById("file-words").dataset;
const words = (name, values = {}) =>
  said()[name].replace(/\{(\w+)\}/g, (_, value) => `\u2068${values[value] ?? ""}\u2069`);

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${said().icons}#${name === "alert" ? "warn" : name}`);
  svg.append(use);
  return svg;
}

const kept = {
  get(place) {
    try {
      return JSON.parse(localStorage.getItem(place));
    } catch {
      return null;
    }
  },
  set(place, rows) {
    try {
      if (rows.length) localStorage.setItem(place, JSON.stringify(rows));
      else localStorage.removeItem(place);
    } catch {
      return; // storage full or refused: they still stand above the box
    }
  },
};

const tray = createTray({
  list: () => document.getElementById("tray"),
  says: () => document.getElementById("tray-says"),
  words,
  icon,
  locale: document.documentElement.lang,
  upload: (file, ears) => upload(API, file, { ...ears, headers: token() }),
  // What is left behind vanishes after a day by itself.
  letGo: (id) => fetch(`${API}/${id}`, { method: "DELETE", headers: token() }).catch(() => {}),
  kept,
  onChange: changed,
});

function changed(what) {
  const form = composer();
  if (!form) return;
  if (what === "empty") form.querySelector("#attach").focus();
  hints(form);
  if (!waiting || tray.busy()) return;
  wait(false);
  if (isReply(form) && !tray.troubled()) form.requestSubmit();
}

function hints(form) {
  const held = !isReply(form) && tray.count() > 0;
  form.querySelector("#files-kept").hidden = !held;
  form.querySelector("#tray").hidden = !isReply(form) || tray.count() === 0;
}

function wait(on) {
  waiting = on;
  composer().querySelector("#files-wait").textContent = on ? words("fileWaits") : "";
}

/** The composer in the page is new, or shows another mode. */
export function showFiles(form) {
  if (!form.querySelector("#attach")) return;
  form.querySelector(".attach").hidden = !isReply(form);
  wait(false);
  tray.show(placeOf(form));
}

/** Puts the files on a request that is about to go; false while it has to wait, or has nothing. */
export function takeFiles(form, data) {
  const hasWords = form.elements.text.value.trim() !== "";
  if (!isReply(form)) return hasWords;
  if (tray.failed()) tray.tell("fileBlocked");
  else if (tray.busy()) wait(true);
  if (tray.failed() || tray.busy()) return false;
  const files = tray.files();
  for (const { id } of files) data.append("attachments", id);
  along.set(form, files);
  return hasWords || files.length > 0;
}

/** The desk has stored the request of this form. */
export function filesSent(form) {
  tray.sent(along.get(form) ?? [], placeOf(form));
}

document.addEventListener("change", ({ target }) => {
  if (target.id !== "attach") return;
  tray.add([...target.files]);
  target.value = ""; // so that the same file may be chosen again
});

const mine = (target) => !target || target === document.body || target.closest("#composer, #log");
createDrops({
  cover: () => document.getElementById("drop"),
  ready: (target) => isReply(composer()) && mine(target),
  onFiles: tray.add,
});

// Links of files open for an hour at least: a page that stands open for longer asks for new ones.
const LASTS_MS = 45 * 60_000;
let fresh = Date.now();

function freshen() {
  if (document.hidden || Date.now() - fresh < LASTS_MS) return;
  fresh = Date.now();
  for (const line of document.querySelectorAll("#items [data-files]")) htmx.trigger(line, "refresh");
}
setInterval(freshen, 60_000);
document.addEventListener("visibilitychange", freshen);
