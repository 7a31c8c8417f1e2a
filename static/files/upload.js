const SILENCE = 30_000; // a line that moves nothing for so long is dead

/**
 * Sends one file and gives what the desk says of it. By XMLHttpRequest: fetch cannot tell how far
 * it is. A failure is a refusal of the desk (`status`, `code`, `detail`,
 * `retryAfter` seconds), or `status` 0.
 */
export function upload(url, file, { headers = {}, onProgress = () => {}, signal } = {}) {
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("file", file, file.name);
  let watch = 0;

  function moves() {
    clearTimeout(watch);
    watch = setTimeout(() => request.abort(), SILENCE);
  }

  return new Promise((resolve, reject) => {
    const broken = () => reject({ status: 0, code: "network" });
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = ({ loaded, total }) => {
      moves();
      onProgress(total ? loaded / total : 0);
    };
    request.onload = () => {
      const answer = read(request);
      if (request.status === 201) resolve(answer);
      else reject(refusal(request, answer));
    };
    request.onerror = broken;
    request.onabort = broken;
    request.onloadend = () => clearTimeout(watch);
    signal?.addEventListener("abort", () => request.abort());
    moves();
    request.send(body);
  });
}

function read({ responseText }) {
  try {
    return JSON.parse(responseText);
  } catch {
    return {}; // a proxy's page; the status has to do
  }
}

function refusal(request, { code, detail }) {
  const retryAfter = Number(request.getResponseHeader("Retry-After")) || 0;
  return { status: request.status, code: code ?? "", detail: detail ?? "", retryAfter };
}
