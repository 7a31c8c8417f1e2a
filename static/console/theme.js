// Light, dark, or what the system says. A classic script in the head: runs before the first paint.
(function () {
  const KEY = "turnstone:theme";
  const NAMES = { light: "turnstone", dark: "turnstone-dark" };

  function choice() {
    try {
      return localStorage.getItem(KEY) || "auto";
    } catch {
      return "auto"; // storage refused: follow the system
    }
  }

  function apply() {
    const name = NAMES[choice()];
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    for (const button of document.querySelectorAll("[data-theme-choice]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === choice()));
    }
  }

  apply();
  document.addEventListener("DOMContentLoaded", apply);
  addEventListener("storage", (event) => event.key === KEY && apply());
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-choice]");
    if (!button) return;
    try {
      localStorage.setItem(KEY, button.dataset.themeChoice);
    } catch {
      return;
    }
    apply();
  });
})();
