// Short messages: from the server (HX-Trigger `toast`), and for requests that failed.
const region = document.getElementById("toasts");
const SHOWN_MS = 8000;

export function toast(text, level = "info") {
  const box = document.createElement("div");
  box.className = `alert alert-${level} shadow-lg`;
  const words = document.createElement("span");
  words.textContent = text;
  words.dir = "auto";
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn btn-ghost btn-xs";
  close.dataset.dismiss = "";
  close.textContent = region.dataset.close;
  box.append(words, close);
  region.append(box);
  passes(box);
}

// An error stays until it is closed: nobody should miss why nothing happened.
function passes(box) {
  if (!box.matches(".alert-error")) setTimeout(() => box.remove(), SHOWN_MS);
}
region.querySelectorAll(".alert").forEach(passes);

region.addEventListener("click", (event) => {
  event.target.closest("[data-dismiss]")?.closest(".alert").remove();
});
document.body.addEventListener("toast", (event) => toast(event.detail.text, event.detail.level));
document.body.addEventListener("htmx:sendError", () => toast(region.dataset.unreachable, "error"));
document.body.addEventListener("htmx:responseError", (event) => {
  const { status } = event.detail.xhr;
  // The server has said why in a toast of its own.
  if (event.detail.xhr.getResponseHeader("HX-Trigger")?.includes('"toast"')) return;
  if (status === 401) location.reload();
  else toast(status === 404 ? region.dataset.gone : region.dataset.refused, "error");
});
