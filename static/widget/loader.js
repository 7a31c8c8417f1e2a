/* Turnstone chat launcher. Draws one button; fetches and stores nothing until that is pressed. */
(function () {
  "use strict";
  const script = document.currentScript;
  if (!script || !script.dataset.key || document.querySelector("[data-turnstone]")) return;
  const settings = script.dataset;
  const frameUrl = new URL("frame/", script.src);
  frameUrl.searchParams.set("key", settings.key);

  const labels = {
    en: ["Open chat", "Close chat", "Chat"],
    es: ["Abrir el chat", "Cerrar el chat", "Chat"],
    de: ["Chat öffnen", "Chat schließen", "Chat"],
    fr: ["Ouvrir la discussion", "Fermer la discussion", "Discussion"],
    pt: ["Abrir o chat", "Fechar o chat", "Chat"],
    ar: ["فتح المحادثة", "إغلاق المحادثة", "محادثة"],
  };
  const wanted = (settings.locale || navigator.language || "en").toLowerCase().split("-")[0];
  const [openLabel, closeLabel, frameTitle] = labels[wanted] || labels.en;

  const css = `
    :host { all: initial; }
    * { box-sizing: border-box; }
    .box { position: fixed; inset-block-end: 20px; right: 20px; z-index: 2147483000;
      font: 15px/1.4 system-ui, -apple-system, "Segoe UI", sans-serif; --c: #1d4f4b; --on: #fff; }
    .box.left { right: auto; left: 20px; }
    .launch { position: relative; inline-size: 58px; block-size: 58px; border: 0; border-radius: 50%;
      background: var(--c); color: var(--on); cursor: pointer; display: grid; place-items: center;
      margin-inline-start: auto; box-shadow: 0 6px 24px rgb(15 23 32 / .24);
      transition: transform .16s ease, box-shadow .16s ease; }
    .left .launch { margin-inline: 0 auto; }
    .launch:hover { transform: translateY(-2px); box-shadow: 0 10px 28px rgb(15 23 32 / .28); }
    :focus-visible { outline: 3px solid var(--c); outline-offset: 3px; }
    svg { inline-size: 27px; block-size: 27px; fill: none; stroke: currentColor; stroke-width: 1.9;
      stroke-linecap: round; stroke-linejoin: round; }
    .open .i-chat, .launch .i-down { display: none; } .open .i-down { display: block; }
    .badge { position: absolute; inset-block-start: -3px; inset-inline-end: -3px; min-inline-size: 22px;
      block-size: 22px; padding-inline: 6px; border-radius: 11px; background: #c0281c; color: #fff;
      font: 600 12px/22px system-ui, sans-serif; text-align: center; box-shadow: 0 0 0 2px #fff; }
    .peek { position: absolute; inset-block-end: 74px; right: 0; inline-size: min(290px, calc(100vw - 40px));
      padding: 12px 16px; border: 0; border-radius: 16px; background: #fff; color: #16191d; font: inherit;
      text-align: start; cursor: pointer; box-shadow: 0 10px 36px rgb(15 23 32 / .22); }
    .left .peek { right: auto; left: 0; }
    .peek b { display: block; font-size: 13px; color: #59626e; font-weight: 600; }
    .peek span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
    iframe { position: absolute; inset-block-end: 74px; right: 0; inline-size: 400px;
      block-size: min(700px, calc(100vh - 114px)); border: 0; border-radius: 20px; background: #fff;
      color-scheme: normal; box-shadow: 0 16px 56px rgb(15 23 32 / .26); }
    .left iframe { right: auto; left: 0; }
    [hidden] { display: none !important; }
    @media (prefers-color-scheme: dark) {
      iframe { background: #14171a; } .peek { background: #22272c; color: #eef1f3; } .peek b { color: #a9b2bc; } }
    @media (max-width: 480px), (max-height: 480px) {
      iframe { position: fixed; inset: 0; inline-size: 100%; block-size: 100vh; block-size: 100dvh; border-radius: 0; }
      .open .launch { display: none; } }
    @media (prefers-reduced-motion: reduce) { .launch { transition: none; } .launch:hover { transform: none; } }
    @media (forced-colors: active) { .launch, .peek, iframe { border: 2px solid ButtonText; } }`;

  const host = document.createElement("div");
  host.dataset.turnstone = "";
  const root = host.attachShadow({ mode: "open" });
  const make = (tag, name, parent) =>
    parent.appendChild(Object.assign(document.createElement(tag), { className: name }));
  const svg = (name, path) => {
    const space = "http://www.w3.org/2000/svg";
    const node = document.createElementNS(space, "svg");
    const line = node.appendChild(document.createElementNS(space, "path"));
    node.setAttribute("viewBox", "0 0 24 24");
    node.setAttribute("class", name);
    node.setAttribute("aria-hidden", "true");
    line.setAttribute("d", path);
    return node;
  };
  try {
    // A sheet made by script passes a host page whose CSP forbids inline styles.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    make("style", "", root).textContent = css;
  }

  const box = make("div", settings.position === "left" ? "box left" : "box", root);
  const peek = make("button", "peek", box);
  const [peekName, peekText] = [make("b", "", peek), make("span", "", peek)];
  const launch = make("button", "launch", box);
  const badge = make("span", "badge", launch);
  launch.type = peek.type = "button";
  peek.hidden = badge.hidden = true;
  launch.append(
    svg("i-chat", "M12 4c5 0 8.5 3.2 8.5 7.3s-3.500 7.3-8.5 7.3c-1 0-2-.1-2.900-.4L4.500 20l1.200-3.600a6.900 6.900 0 0 1-2.200-5.100C3.500 7.200 7 4 12 4Z"),
    svg("i-down", "M6 9.500l6 6 6-6"),
  );
  if (/^#[0-9a-f]{6}$/i.test(settings.colour || "")) box.style.setProperty("--c", settings.colour);

  let frame = null;
  let ready = false;
  let isOpen = false;
  let leaving = false;
  let unread = 0;
  let identity = settings.identity || null;

  const tell = (type, more) => {
    if (ready) frame.contentWindow.postMessage({ turnstone: 1, type, ...more }, frameUrl.origin);
  };
  const draw = () => {
    box.classList.toggle("open", isOpen);
    badge.hidden = isOpen || !unread;
    badge.textContent = unread > 9 ? "9+" : String(unread);
    launch.setAttribute("aria-expanded", String(isOpen));
    launch.setAttribute("aria-label", isOpen ? closeLabel : openLabel + (unread ? ` (${unread})` : ""));
    if (frame) frame.hidden = !isOpen;
    if (isOpen) peek.hidden = true;
  };
  const load = () => {
    if (frame) return;
    frame = document.createElement("iframe");
    frame.title = frameTitle;
    frame.allow = "";
    // The frame learns from the referrer which origin it may listen to, whatever the page's own policy.
    frame.referrerPolicy = "origin";
    frame.src = frameUrl.href;
    box.prepend(frame);
  };
  const drop = () => {
    if (frame) frame.remove();
    frame = null;
    ready = isOpen = leaving = false;
    unread = 0;
    peek.hidden = true;
    draw();
  };
  // Browsers that deny storage to a foreign frame: what it would keep is kept here, for this page's origin.
  const prefix = `turnstone:${settings.key}:`;
  let borrows = false;
  const kept = () => {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
      return Object.fromEntries(names.map((n) => [n.slice(prefix.length), localStorage.getItem(n)]));
    } catch {
      return {};
    }
  };
  const keep = ({ name, value }) => {
    try {
      if (value === null) localStorage.removeItem(prefix + name);
      else localStorage.setItem(prefix + name, value);
    } catch {
      // Denied here too: the frame's memory has to do.
    }
  };
  const commands = {
    open(thread) {
      load();
      isOpen = true;
      draw();
      tell("open", { thread: thread === true });
      frame.focus();
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      draw();
      tell("close");
      launch.focus();
    },
    identify(token) {
      identity = token || null;
      tell("identify", { identity });
    },
    shutdown() {
      identity = null;
      leaving = true;
      isOpen = false;
      Object.keys(kept()).forEach((name) => keep({ name, value: null }));
      load(); // what is stored lies at the desk's origin: only the frame can clear it
      draw();
      tell("shutdown");
    },
  };
  const heard = {
    ready(data) {
      ready = true;
      borrows = data.borrows === true;
      const more = borrows ? { kept: kept() } : {};
      if (leaving) tell("shutdown");
      else tell("hello", { locale: settings.locale || "", identity, open: isOpen, ...more });
    },
    keep,
    close: commands.close,
    gone() {
      const again = isOpen; // someone else wants to chat already
      drop();
      if (again) commands.open();
    },
    theme(data) {
      box.style.setProperty("--c", String(data.colour));
      box.style.setProperty("--on", String(data.on));
    },
    unread(data) {
      unread = Number(data.count) || 0;
      peek.hidden = isOpen || !unread || !data.preview;
      peekName.textContent = String(data.name || "");
      peekText.textContent = String(data.preview || "");
      draw();
    },
    refused(data) {
      console.warn(`Turnstone: the identity was not accepted: ${data.detail}`);
    },
  };
  window.addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== frameUrl.origin) return;
    const data = event.data;
    if (data && data.turnstone === 1 && Object.hasOwn(heard, data.type)) heard[data.type](data);
  });
  window.addEventListener("storage", ({ key, newValue }) => {
    if (!borrows || !key || !key.startsWith(prefix)) return;
    tell("kept", { name: key.slice(prefix.length), value: newValue });
  });
  launch.addEventListener("click", () => (isOpen ? commands.close() : commands.open()));
  box.addEventListener("keydown", ({ key }) => key === "Escape" && commands.close());
  peek.addEventListener("click", () => commands.open(true));

  const queued = (window.Turnstone && window.Turnstone.q) || [];
  window.Turnstone = (name, value) => {
    if (Object.hasOwn(commands, name)) commands[name](value);
    else console.warn(`Turnstone: there is no command "${name}".`);
  };
  const start = () => {
    document.body.append(host);
    draw();
    Array.from(queued).forEach((call) => window.Turnstone(...call));
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();
