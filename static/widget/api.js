import { upload } from "../files/upload.js";

/** The desk's HTTP API. Every failure becomes one `Problem`, the network's own included. */

const TIMEOUT = 20_000;

export class Problem extends Error {
  constructor({ status = 0, code = "network", detail = "", retryAfter = 0, errors = {} }) {
    super(detail || code);
    Object.assign(this, { status, code, detail, retryAfter, errors });
  }

  /** It is there no more. A closed chat has lost nothing: its words stay, and one asks again. */
  get gone() {
    return [403, 404, 410].includes(this.status) && this.code !== "tenant_suspended";
  }

  /** Worth the same request again, later. */
  get transient() {
    return this.status === 0 || [408, 425, 429].includes(this.status) || this.status >= 500;
  }
}

async function problemOf(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // A proxy's error page has no problem details; the status has to do.
  }
  const wait = Number(response.headers.get("Retry-After")) || 0;
  return new Problem({
    status: response.status,
    code: body.code || `http_${response.status}`,
    detail: body.detail || body.title || "",
    retryAfter: Math.min(wait, 600),
    errors: body.errors ?? {},
  });
}

/**
 * `token()` gives the token of now, `renew()` gets another once it was refused.
 * The token travels in the header only.
 */
export function createApi({ base, token, renew }) {
  async function send(method, path, { body, headers = {}, signal, bearer }) {
    const all = { Accept: "application/json", ...headers };
    if (bearer) all.Authorization = `Bearer ${bearer}`;
    if (body !== undefined) all["Content-Type"] = "application/json";
    try {
      return await fetch(new URL(path, base), {
        method,
        headers: all,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer",
        signal,
      });
    } catch (error) {
      throw new Problem({ detail: error.message });
    }
  }

  async function authorised(method, path, options) {
    const used = token();
    const response = await send(method, path, { ...options, bearer: used });
    if (response.status !== 401) return response;
    if (token() === used) await renew();
    return send(method, path, { ...options, bearer: token() });
  }

  /** Sends a file, which is no JSON, with the same care for the token. */
  async function bring(file, ears) {
    const used = token();
    const attempt = () =>
      upload(new URL("attachments", base), file, { ...ears, headers: { Authorization: `Bearer ${token()}` } });
    try {
      return await attempt();
    } catch (problem) {
      if (problem.status !== 401) throw problem;
      if (token() === used) await renew();
      return attempt();
    }
  }

  async function json(response) {
    if (!response.ok) throw await problemOf(response);
    if (response.status === 204) return null;
    try {
      return await response.json();
    } catch (error) {
      throw new Problem({ detail: error.message });
    }
  }

  const limited = () => AbortSignal.timeout(TIMEOUT);
  return {
    get: async (path) => json(await authorised("GET", path, { signal: limited() })),
    post: async (path, body = {}) =>
      json(await authorised("POST", path, { body, signal: limited() })),
    delete: async (path) => json(await authorised("DELETE", path, { signal: limited() })),
    bring,
    /** A file, as a blob: it is fetched with the token, which stands in no address. */
    async file(path) {
      const response = await authorised("POST", path, { body: {} });
      if (!response.ok) throw await problemOf(response);
      return response.blob();
    },
    /** The only call that goes out with a chosen token, or none. */
    session: async (body, bearer) =>
      json(await send("POST", "sessions", { body, bearer, signal: limited() })),
    /** Opens a stream of events; the caller ends it with its signal. */
    async stream(path, lastSeq, signal) {
      const headers = { Accept: "text/event-stream" };
      if (lastSeq) headers["Last-Event-ID"] = String(lastSeq);
      const response = await authorised("GET", path, { headers, signal });
      if (!response.ok) throw await problemOf(response);
      return response.body;
    },
  };
}
