// The pill that says whether live updates arrive.
const pill = document.getElementById("connection");
const SHORT_MS = 1500; // a blip that heals at once is not worth a word
let timer = null;

export function connection(state) {
  clearTimeout(timer);
  if (state === "lost" && pill.dataset.state !== "lost") timer = setTimeout(() => show("lost"), SHORT_MS);
  else if (state === "back" && pill.dataset.state === "lost") show("back");
  else if (state === "live") timer = setTimeout(() => show("live"), SHORT_MS);
}

function show(state) {
  pill.dataset.state = state;
  pill.querySelector("span").textContent = pill.dataset[state] || "";
  if (state === "back") timer = setTimeout(() => show("live"), SHORT_MS);
}
