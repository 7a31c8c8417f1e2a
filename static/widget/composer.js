import { byId } from "./dom.js";

const LIMIT = 10_000; // the desk counts characters, not UTF-16 units
const NEAR = 9_000;

/**
 * The line one writes in, with the files that go along: grows, keeps its draft over a reload, never
 * sends half a syllable, and waits for what is still being uploaded.
 */
export function createComposer({ t, storage, files, onSend }) {
  const form = byId("composer");
  const field = byId("words");
  const counter = byId("counter");
  const send = byId("send");
  const waits = byId("waits");
  let draft = null;
  let waiting = false; // to send, until the files are there

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
    const empty = clean() === "" && files.files().length === 0 && !files.busy();
    send.setAttribute("aria-disabled", String(left < 0 || empty));
  }

  function wait(on) {
    waiting = on;
    form.classList.toggle("is-waiting", on);
    waits.textContent = on ? t("fileWaits") : "";
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
    if ([...text].length > LIMIT) return field.focus();
    if (files.failed()) return files.tell("fileBlocked");
    if (files.busy()) return wait(true);
    const along = files.files();
    if (!text && along.length === 0) return field.focus();
    onSend(text, along); // stored for sending before the draft is let go
    files.sent(along);
    write("");
    keep();
    field.focus();
  }

  files.onChange(() => {
    measure();
    if (!waiting || files.busy()) return;
    wait(false);
    if (!files.troubled()) submit();
  });
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
      wait(false);
      draft = `draft:${thread}`;
      files.show(thread);
      write(storage.get(draft) ?? "");
    },
    /** The conversation got its id: what is being written belongs to it. */
    rename(thread) {
      if (draft) storage.remove(draft);
      draft = `draft:${thread}`;
      keep();
      files.rename(thread);
    },
    /** Puts a message back for another attempt, without losing what stands there. */
    restore({ text, files: along = [], failed }) {
      files.restore(along, failed?.lost);
      write([text, field.value].filter(Boolean).join("\n"));
      keep();
      field.focus();
    },
    allow(canWrite) {
      form.hidden = !canWrite;
      byId("closed").hidden = canWrite;
    },
    /** Another person sits here: what was being written is not theirs. */
    forget() {
      draft = null;
      wait(false);
      files.forget();
      write("");
    },
    focus() {
      measure();
      field.focus();
    },
  };
}
