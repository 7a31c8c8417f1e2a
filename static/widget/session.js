import { alone } from "./storage.js";

/**
 * Who this browser is to the desk. The token lies in storage only, read afresh for every request,
 * so that all tabs use the newest one. Starting is done by one tab at a time: two tabs opened at
 * once would otherwise become two customers.
 */
export function createSession({ key, storage, call, onRefused, onPersonChanged }) {
  let identity = null;
  const kept = () => storage.get("session");

  /** What to try, best first: (token, identity) pairs; only a refusal moves on to the next. */
  function attempts(old) {
    const anonymous = old && !old.customer?.verified ? [[old.token, null]] : [];
    const known = old ? [[old.token, null]] : [];
    if (!identity) return [...known, [null, null]];
    return [...(old ? [[old.token, identity]] : []), [null, identity], ...anonymous, [null, null]];
  }

  function keep(answer, old, resumed) {
    const other = old && old.customer?.id !== answer.customer.id;
    // A shared computer: nothing of a proven person stays readable to the next one. An anonymous
    // visitor who proves an identity keeps what is theirs.
    if (other && (old.customer?.verified || !resumed)) {
      storage.clear();
      onPersonChanged();
    }
    storage.set("session", answer);
    return answer;
  }

  async function begin() {
    const old = kept();
    let refusal = null;
    for (const [bearer, proof] of attempts(old)) {
      try {
        const body = proof ? { key, identity: proof } : { key };
        const answer = await call(body, bearer);
        if (identity && !proof) onRefused(refusal);
        return keep(answer, old, Boolean(bearer) || Boolean(proof));
      } catch (problem) {
        if (![400, 401, 403].includes(problem.status)) throw problem;
        refusal ??= problem;
      }
    }
    throw refusal;
  }

  const start = () => alone(`turnstone:${key}:session`, begin);
  return {
    start,
    /** The token was refused: by the time the lock is ours another tab may have a new one. */
    renew: () => {
      const refused = kept()?.token;
      return alone(`turnstone:${key}:session`, () =>
        kept()?.token === refused ? begin() : kept(),
      );
    },
    identify(proof) {
      identity = proof || null;
    },
    token: () => kept()?.token ?? null,
    kept,
  };
}
