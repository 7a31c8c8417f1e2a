// The composer: one draft for each conversation and mode, one client_key for each draft.
import { filesSent, showFiles, takeFiles } from "./files.js";

const prefix = (form) => `turnstone:draft:${form.dataset.member}:${form.dataset.conversation}`;
const slot = (form, mode = form.dataset.mode) => `${prefix(form)}:${mode}`;

let shown = null;

function load(form, mode) {
  try {
    return JSON.parse(localStorage.getItem(slot(form, mode))) || {};
  } catch {
    return {};
  }
}

function store(form, draft) {
  try {
    if (draft.text) localStorage.setItem(slot(form), JSON.stringify(draft));
    else localStorage.removeItem(slot(form));
  } catch {
    return; // storage full or refused: the words still stand in the box
  }
  const line = form.querySelector("#draft-state");
  line.textContent = draft.text ? line.dataset.kept : "";
}

/** Prepare the composer that stands in the page: its draft, its key, its mode. */
export function ready() {
  const form = document.getElementById("composer");
  if (!form || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const locked = form.querySelector("[value=reply]").disabled;
  const other = form.dataset.mode === "reply" ? "note" : "reply";
  // On opening a conversation, not after a send: the mode that holds a draft comes first.
  const opening = shown !== form.dataset.conversation;
  shown = form.dataset.conversation;
  const startWithOther = opening && !locked && !load(form).text && load(form, other).text;
  show(form, startWithOther ? other : form.dataset.mode, "refused" in form.dataset);
}

function show(form, mode, keepWords = false) {
  form.dataset.mode = mode;
  const box = form.elements.text;
  const draft = keepWords ? {} : load(form, mode);
  if (!keepWords) box.value = draft.text || "";
  if (!keepWords || !form.elements.client_key.value) form.elements.client_key.value = draft.key || crypto.randomUUID();
  form.elements.mode.value = mode;
  box.placeholder = box.dataset[mode];
  const send = form.querySelector("#send");
  send.querySelector("[data-label]").textContent = send.dataset[mode];
  showFiles(form);
}

/** Change to reply or note, from a shortcut; false when replies are locked. */
export function choose(mode) {
  const form = document.getElementById("composer");
  const radio = form?.querySelector(`[name=mode][value=${mode}]`);
  if (!radio || radio.disabled) return false;
  show(form, mode);
  form.elements.text.focus();
  return true;
}

document.addEventListener("input", ({ target }) => {
  if (target.id !== "composer-text") return;
  store(target.form, { text: target.value, key: target.form.elements.client_key.value });
});
document.addEventListener("change", ({ target }) => {
  if (target.name === "mode" && target.form?.id === "composer") show(target.form, target.value);
});
document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (box.id !== "composer-text" || event.key !== "Enter" || event.isComposing) return;
  const sends = event.ctrlKey || event.metaKey || ("enterSends" in box.form.dataset && !event.shiftKey);
  if (!sends) return;
  event.preventDefault();
  box.form.requestSubmit();
});

document.body.addEventListener("htmx:configRequest", (event) => {
  const form = event.detail.elt;
  if (form.id !== "composer") return;
  if (!takeFiles(form, event.detail.formData)) event.preventDefault();
});
// The server answers with a fresh composer; only a reply that was accepted clears its draft,
// and it clears the draft it was written as, whatever stands in the page by then.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const form = event.detail.requestConfig.elt;
  if (form.id !== "composer" || event.detail.xhr.status >= 300) return;
  store(form, {});
  filesSent(form);
});
document.body.addEventListener("htmx:load", ready);
ready();
