// The page of approvals: current as soon as something is asked or decided, by whomever.
import { connection } from "./connection.js";
import { Stream } from "./stream.js";

const list = document.getElementById("approvals");
const PAUSE_MS = 500; // a decision rings several times
let waiting = null;

function refresh() {
  waiting ??= setTimeout(() => {
    waiting = null;
    // Not under the hands of somebody who writes a comment.
    const written = [...list.querySelectorAll("input[name=comment]")].some((input) => input.value || input === document.activeElement);
    if (written) refresh();
    else htmx.trigger(list, "refresh");
  }, PAUSE_MS);
}

new Stream(list.dataset.stream, { status: connection, on: { state: refresh, turn: refresh } });
