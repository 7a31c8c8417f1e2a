// One live stream: opens, notices silence, comes back where it left off.
// The browser's EventSource resumes by Last-Event-ID; after a refused answer or a silent
// line it gives up, so a fresh one is opened with ?after_seq= and growing pauses.
const SILENCE_MS = 40000; // the server pings every 15 s
const LONGEST_PAUSE_MS = 3500; // teammates are few, and a desk that lags behind misleads them
const NAMES = ["message", "event", "note", "state", "delta", "typing", "turn", "erased", "ping"];

export class Stream {
  #source = null;
  #watch = null;
  #retry = null;
  #failures = 0;
  #lastSeq;
  #closed = false;

  /** `on` maps event names to functions of (data, seq); `status` is told lost, back or live. */
  constructor(url, { afterSeq = null, on = {}, status = () => {} }) {
    this.url = url;
    this.on = on;
    this.status = status;
    this.#lastSeq = afterSeq;
    this.online = () => this.#open();
    // A browser keeps six connections a host: tabs that nobody looks at give theirs back.
    this.seen = () => (document.hidden ? this.#rest() : this.#open());
    addEventListener("online", this.online);
    document.addEventListener("visibilitychange", this.seen);
    if (!document.hidden) this.#open();
  }

  close() {
    this.#closed = true;
    removeEventListener("online", this.online);
    document.removeEventListener("visibilitychange", this.seen);
    this.#rest();
  }

  #rest() {
    this.#drop();
    clearTimeout(this.#retry);
  }

  #open() {
    if (this.#closed || document.hidden) return;
    this.#rest();
    const url = new URL(this.url, location.href);
    if (this.#lastSeq !== null) url.searchParams.set("after_seq", this.#lastSeq);
    this.#source = new EventSource(url);
    this.#source.onopen = () => this.#alive(this.#failures > 0 ? "back" : "live");
    this.#source.onerror = () => this.#lost();
    for (const name of NAMES) this.#source.addEventListener(name, (event) => this.#heard(name, event));
    this.#expect();
  }

  #heard(name, event) {
    this.#alive("live");
    if (event.lastEventId) this.#lastSeq = event.lastEventId;
    if (name === "ping") return;
    this.on[name]?.(event.data ? JSON.parse(event.data) : {}, Number(event.lastEventId) || null);
  }

  #alive(state) {
    this.#failures = 0;
    this.status(state);
    this.#expect();
  }

  #expect() {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#lost(), SILENCE_MS);
  }

  #lost() {
    this.#drop();
    this.status("lost");
    const pause = Math.min(1000 * 2 ** this.#failures++, LONGEST_PAUSE_MS) * (0.7 + Math.random() * 0.6);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#open(), pause);
  }

  #drop() {
    clearTimeout(this.#watch);
    this.#source?.close();
    this.#source = null;
  }
}
