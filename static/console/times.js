// Ages ("5 min") in lists and local clock times in titles; kept current without the server.
const language = document.documentElement.lang || "en";
const full = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" });
const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

function age(then) {
  const seconds = Math.max(0, (Date.now() - then) / 1000);
  if (seconds > 7 * 86400) return date.format(then);
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) || ["minute", 60];
  const style = { style: "unit", unit, unitDisplay: "narrow" };
  return new Intl.NumberFormat(language, style).format(Math.floor(seconds / size));
}

export function refresh(root = document) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const then = new Date(time.dateTime);
    if (Number.isNaN(then.getTime())) continue;
    time.title ||= full.format(then);
    if ("age" in time.dataset) time.textContent = age(then);
  }
}

refresh();
setInterval(refresh, 30000);
document.body.addEventListener("htmx:load", (event) => refresh(event.detail.elt));
