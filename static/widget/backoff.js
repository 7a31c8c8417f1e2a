/** Growing pause with jitter, so that a thousand widgets do not return in the same second. */
export function backoff(tries, most = 30_000) {
  const full = Math.min(most, 1000 * 2 ** Math.min(tries, 10));
  return full / 2 + Math.random() * (full / 2);
}

/** A pause that `wake()` can end early. */
export function createPause() {
  let finish = null;
  return {
    wait(ms) {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        finish = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    wake: () => finish?.(),
  };
}
