/**
 * Reads server-sent events from a byte stream (the browser's EventSource cannot send a token in a
 * header). Calls `onEvent({ id, type, data })`; `onBytes` tells the watchdog that the line lives.
 */
export async function readEvents(body, onEvent, onBytes) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const feed = createParser(onEvent);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    feed(value);
  }
}

export function createParser(onEvent) {
  let rest = "";
  let event = { type: "message", data: [] };

  function field(line) {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") event.data.push(value);
    else if (name === "event") event.type = value;
    else if (name === "id") event.id = value;
  }

  function dispatch() {
    const { id, type, data } = event;
    event = { type: "message", data: [] };
    if (data.length || type !== "message") onEvent({ id, type, data: parsed(data.join("\n")) });
  }

  return (text) => {
    // A chunk may end between the two characters of a line end: keep a last "\r" for the next.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      if (line) field(line);
      else dispatch();
    }
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
