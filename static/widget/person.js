import { byId } from "./dom.js";

/** The strip under the header: who answers, and one tap to a person. */
export function createPerson({ t, api, agentName, onProblem }) {
  const strip = byId("strip");
  const words = byId("strip-words");
  const button = byId("person");
  let thread = null;
  let asked = false;
  let busy = false;

  function who(state) {
    if (state.handler !== "team") return t("withAgent", { name: agentName() });
    return state.assignee_name ? t("withMember", { name: state.assignee_name }) : t("withTeam");
  }

  async function request() {
    await api.post(`conversations/${thread}/person`);
    asked = true;
    button.hidden = true;
    words.textContent = t("personAsked");
    return t("personAsked");
  }

  async function ask() {
    if (busy) return;
    if (!thread) {
      // There is no conversation to hand over yet: the wish goes along with the first message.
      asked = true;
      button.hidden = true;
      words.textContent = t("personFirst");
      return;
    }
    busy = true;
    button.setAttribute("aria-disabled", "true");
    try {
      await request();
    } catch (problem) {
      asked = false;
      onProblem(problem, request);
    } finally {
      busy = false;
      button.removeAttribute("aria-disabled");
    }
  }

  button.addEventListener("click", ask);
  return {
    render(state, current) {
      const started = thread === null && current !== null;
      thread = current;
      if (state.handler === "team") asked = false;
      strip.hidden = state.can_write === false;
      if (!asked) words.textContent = who(state);
      button.hidden = asked || state.handler === "team";
      if (started && asked) ask();
    },
    forget() {
      thread = null;
      asked = false;
    },
  };
}
