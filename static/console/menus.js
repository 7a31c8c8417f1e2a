// Rail on narrow screens, drop-downs, dialogs, confirmations: what needs no server.
document.addEventListener("click", (event) => {
  const toggle = event.target.closest("[data-toggles]");
  if (toggle) {
    const open = document.getElementById(toggle.dataset.toggles).classList.toggle("is-open");
    toggle.setAttribute("aria-expanded", String(open));
  }
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  for (const menu of document.querySelectorAll("details.dropdown[open]")) {
    const chosen = menu.contains(event.target) && event.target.closest("li");
    if (chosen || !menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.dropdown[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  const rail = document.querySelector(".rail.is-open");
  if (rail) document.querySelector("[data-toggles=rail]").click();
});

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});
