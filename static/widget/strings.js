/**
 * Words in the reader's language. The site's choice comes first, then the browser's, then the
 * tenant's, as for what the desk itself says; only the language in use is fetched.
 */
const languages = {
  ar: () => import("./locales/ar.js"),
  de: () => import("./locales/de.js"),
  en: () => import("./locales/en.js"),
  es: () => import("./locales/es.js"),
  fr: () => import("./locales/fr.js"),
  pt: () => import("./locales/pt.js"),
};
const RIGHT_TO_LEFT = ["ar"];
const DAY = 86_400_000;

function choose(wishes) {
  for (const wish of wishes.filter(Boolean)) {
    const language = wish.toLowerCase().split(/[-_]/)[0];
    if (Object.hasOwn(languages, language)) return { language, tag: wish.replace("_", "-") };
  }
  return { language: "en", tag: "en" };
}

/** The tag comes from outside: one that the browser cannot read must not stop the chat. */
function safe(tag, language) {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return language;
  }
}

/** Loads a language and gives `t(name, values)` with the formats for times. */
export async function loadStrings(wishes) {
  const { language, tag } = choose(wishes);
  const { default: words } = await languages[language]();
  const locale = safe(tag, language);
  const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const near = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
  const far = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

  const t = (name, values = {}) =>
    words[name].replace(/\{(\w+)\}/g, (_, value) => `\u2068${values[value] ?? ""}\u2069`);
  /** What a refusal says: the server speaks to programs, so other readers get words of ours. */
  t.refused = (problem) => {
    const name = `refused_${problem.code}`;
    if (Object.hasOwn(words, name)) return t(name);
    return (language === "en" && problem.detail) || t("tryLater");
  };
  const capital = (name) => name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  const daysAgo = (at) =>
    Math.round((new Date().setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / DAY);

  function dayOf(at) {
    const days = daysAgo(at);
    const name = days === 0 || days === 1 ? relative.format(-days, "day") : "";
    return capital(name) || (days < 300 ? near : far).format(at);
  }

  return {
    language,
    locale,
    direction: RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr",
    t,
    dayOf,
    time: (at) => clock.format(at),
    when: (at) => (daysAgo(at) === 0 ? clock.format(at) : far.format(at)),
  };
}

/** Fills the page: `data-t` for the text of a node, `data-t-label` for its accessible name. */
export function fill({ t, language, direction }) {
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) {
    node.setAttribute("aria-label", t(node.dataset.tLabel));
    if (node.matches("button, [type=file]")) node.title = t(node.dataset.tLabel);
  }
  for (const node of document.querySelectorAll("[data-t-placeholder]")) {
    node.placeholder = t(node.dataset.tPlaceholder);
  }
}
