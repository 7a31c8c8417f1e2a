import { byId } from "./dom.js";

const LIMIT = 10_000; // the desk counts characters, not UTF-16 units
const NEAR = 9_000;

/** The line one writes in: grows, keeps its draft over a reload, never sends half a syllable. */
export function createComposer({ t, storage, onSend }) {
  const form = byId("composer");
  const field = byId("words");
  const counter = byId("counter");
  const send = byId("send");
  let draft = null;

  const clean = () => {
    const text = field.value.replaceAll("\0", "").trim();
    return text.toWellFormed ? text.toWellFormed() : text;
  };

  function measure() {
    field.style.blockSize = "auto";
    // A hidden field has no height; it is measured again when it gets the focus.
    if (field.scrollHeight) field.style.blockSize = `${Math.min(field.scrollHeight, 160)}px`;
    const length = field.value.length > NEAR ? [...clean()].length : 0;
    const left = LIMIT - length;
    counter.hidden = length <= NEAR;
    counter.textContent = t(left < 0 ? "tooLong" : "left", { n: String(Math.abs(left)) });
    counter.classList.toggle("is-over", left < 0);
    field.setAttribute("aria-invalid", String(left < 0));
    send.setAttribute("aria-disabled", String(left < 0 || clean() === ""));
  }

  function keep() {
    if (!draft) return;
    if (field.value) storage.set(draft, field.value);
    else storage.remove(draft);
  }

  function write(text) {
    field.value = text;
    measure();
  }

  function submit() {
    const text = clean();
    if (!text || [...text].length > LIMIT) return field.focus();
    onSend(text); // stored for sending before the draft is let go
    write("");
    keep();
    field.focus();
  }

  field.addEventListener("input", () => {
    measure();
    keep(); // at once: a page that goes away has no time to hand its last words to the loader
  });
  field.addEventListener("keydown", (event) => {
    // 229: some browsers end a composition with the very key press that must not send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return {
    /** Shows the draft of this conversation; the one before is kept. */
    load(thread) {
      keep();
      draft = `draft:${thread}`;
      write(storage.get(draft) ?? "");
    },
    /** The conversation got its id: what is being written belongs to it. */
    rename(thread) {
      if (draft) storage.remove(draft);
      draft = `draft:${thread}`;
      keep();
    },
    /** Puts a text back for another attempt, without losing what stands there. */
    restore(text) {
      write([text, field.value].filter(Boolean).join("\n"));
      keep();
      field.focus();
    },
    allow(canWrite) {
      form.hidden = !canWrite;
      byId("closed").hidden = canWrite;
    },
    focus() {
      measure();
      field.focus();
    },
  };
}
