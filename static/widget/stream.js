import { backoff, createPause } from "./backoff.js";
import { readEvents } from "./sse.js";

const SILENCE = 40_000; // the desk pings every 15 s: two missed and a little
const DOUBT = 20_000; // after a wake-up, a line silent for longer is not trusted
const FRESH = 3_000;
// While somebody may sit and watch the line come back, it is tried often; later it costs too much.
const PATIENT = 5 * 60_000;
const OFTEN = 4_000;
const HIDDEN = 60_000; // a page nobody looks at gives its stream back to the desk

/**
 * Keeps one stream open for as long as the page lives: resumes from the last seq, backs off with
 * jitter, notices a dead line, and asks by HTTP at once when the page wakes up.
 * `onStatus` hears "connecting", "connected", "reconnecting" or "offline".
 */
export function createStream({ connect, lastSeq, catchUp, onEvent, onStatus, onGone }) {
  const pause = createPause();
  let run = 0;
  let line = null;
  let heardAt = 0;
  let watchdog = 0;
  let hideTimer = 0;
  let lostAt = 0;

  function heard() {
    heardAt = Date.now();
    clearTimeout(watchdog);
    watchdog = setTimeout(() => line?.abort(), SILENCE);
  }

  async function once(mine) {
    line = new AbortController();
    heard();
    const body = await connect(lastSeq(), line.signal);
    if (mine !== run) return line.abort();
    onStatus("connected");
    return readEvents(body, (event) => mine === run && onEvent(event), () => {
      lostAt = 0;
      heard();
    });
  }

  async function loop(mine) {
    let tries = 0;
    onStatus(navigator.onLine ? "connecting" : "offline");
    while (mine === run) {
      const began = Date.now();
      try {
        await once(mine);
      } catch (problem) {
        if (mine !== run) return;
        if (problem.gone) return onGone(problem);
      }
      if (mine !== run) return;
      // A line that held for a while and then ended is the desk's normal time limit.
      tries = Date.now() - began > SILENCE ? 0 : tries + 1;
      lostAt ||= Date.now();
      onStatus(navigator.onLine ? "reconnecting" : "offline");
      await pause.wait(backoff(tries - 1, Date.now() - lostAt < PATIENT ? OFTEN : undefined));
      await catchUp().catch(() => {}); // where streams fail or swallow events, this still serves
    }
  }

  function start() {
    run += 1;
    line?.abort();
    loop(run);
  }

  function stop() {
    run += 1;
    clearTimeout(watchdog);
    line?.abort();
    line = null;
    pause.wake();
  }

  function wake(event) {
    if (!line) return start();
    // Each click into the frame is a focus: a line that spoke just now needs no question.
    if (event?.type === "focus" && Date.now() - heardAt < FRESH) return;
    catchUp().catch(() => {});
    if (Date.now() - heardAt > DOUBT) line.abort();
    pause.wake();
  }

  function seen() {
    clearTimeout(hideTimer);
    if (document.hidden) hideTimer = setTimeout(stop, HIDDEN);
    else wake();
  }

  function lost() {
    onStatus("offline");
    line?.abort();
  }

  const ears = [
    [window, "online", wake],
    [window, "focus", wake],
    [window, "pageshow", wake],
    [window, "offline", lost],
    [document, "visibilitychange", seen],
  ];
  for (const [target, name, listener] of ears) target.addEventListener(name, listener);
  start();
  return {
    close() {
      for (const [target, name, listener] of ears) target.removeEventListener(name, listener);
      clearTimeout(hideTimer);
      stop();
    },
  };
}
