const LASTS = 45 * 60_000; // the links of files open for an hour at least

/** Has the links of files read again where a page stands open for longer than they last. */
export function createFreshness(reread) {
  let at = Date.now();

  async function look() {
    if (document.hidden || Date.now() - at < LASTS) return;
    at = Date.now();
    await reread().catch(() => {
      at = 0; // no network: with the next look
    });
  }

  setInterval(look, 60_000);
  document.addEventListener("visibilitychange", look);
  return {
    renewed() {
      at = Date.now();
    },
  };
}
