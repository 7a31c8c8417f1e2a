// The page of approvals: current as soon as something is asked or decided, by whomever.
import { connection } from "./connection.js";
import { keepWhile } from "./hands.js";
import { Stream } from "./stream.js";

const list = document.getElementById("approvals");
const PAUSE_MS = 500; // a decision rings several times
let waiting = null;

function refresh() {
  waiting ??= setTimeout(() => {
    waiting = null;
    htmx.trigger(list, "refresh");
  }, PAUSE_MS);
}

const comments = () => [...list.querySelectorAll("input[name=comment]")];
keepWhile(list.id, () => comments().some((input) => input.value || input === document.activeElement));

new Stream(list.dataset.stream, { status: connection, on: { state: refresh, turn: refresh } });
