// Parts of the views of a run and of a suite.
import { el } from "../dom.ts";
import { paths, send, type Frame, type RunFrame } from "./api.ts";

export const back = (): HTMLElement => el("p", { class: "back" }, el("a", { href: "#/" }, "All runs and suites"));

/** silences say which server doesn't answer, and what the frame lacks. */
export function silences(f: Frame): HTMLElement[] {
  const lines = [
    f.cluster ? `The API server hasn't answered for ${f.cluster.seconds} s: ${f.cluster.trouble}` : "",
    f.results ? `The results server hasn't answered for ${f.results.seconds} s: ${f.results.trouble}` : "",
    ...(f.missing ?? []).map((text) => `Without: ${text}`),
  ].filter(Boolean);
  return lines.map((text) => el("p", { class: "warning" }, text));
}

export function steps(run: RunFrame): HTMLElement {
  return el("ol", { class: "steps", "aria-label": "Steps" }, ...run.steps.map((s) =>
    el("li", { class: s.state.toLowerCase(), ...(s.state === "Current" ? { "aria-current": "step" } : {}) }, s.name)));
}

export function verdict(f: Frame): HTMLElement {
  return el("div", { class: f.exitCode === 0 ? "note" : "warning" }, ...(f.verdict ?? []).map((text) => el("p", {}, text)));
}

export function events(run: RunFrame): HTMLElement {
  return el("ol", { class: "events" }, ...run.events.map((e) =>
    el("li", { class: e.warning ? "warn" : "" }, el("time", { datetime: e.time }, new Date(e.time).toLocaleTimeString()), ` ${e.reason}: ${e.message}`)));
}

/** set replaces what a part shows, if it is other text: whoever reads it is not disturbed. */
export function set(part: HTMLElement, ...children: HTMLElement[]): void {
  const text = (nodes: Iterable<Element>): string => [...nodes].map((n) => n.outerHTML).join("");
  if (text(part.children) !== text(children)) part.replaceChildren(...children);
}

/** cancelling asks once more before it deletes the resource of what is under way. */
export function cancelling(kind: string, name: string, uid: string): HTMLElement {
  const at = el("div", { class: "buttons" });
  const button = (label: string, act: () => void, style = ""): HTMLElement => {
    const b = el("button", { type: "button", class: style }, label);
    b.addEventListener("click", act);
    return b;
  };
  const ask = (): void => {
    at.replaceChildren(el("span", {}, `Cancel ${name}? Its resource is deleted, and all that it has made.`), button("Yes, cancel it", () => void act(), "danger"), button("No", begin));
    at.querySelector("button")?.focus();
  };
  const act = async (): Promise<void> => {
    at.replaceChildren(el("span", { role: "status" }, `${name} is being cancelled …`));
    try {
      await send("DELETE", paths.object(kind, name, uid));
      at.replaceChildren(el("span", { role: "status" }, `${name} is cancelled. What it has made is being removed.`));
    } catch (error) {
      at.replaceChildren(el("span", { class: "bad", role: "status" }, error instanceof Error ? error.message : String(error)), button("Try again", ask));
    }
  };
  const begin = (): void => at.replaceChildren(button(`Cancel this ${kind}`, ask));
  begin();
  return at;
}
