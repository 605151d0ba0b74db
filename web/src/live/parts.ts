// Parts of the views of a run and of a suite.
import { el } from "../dom.ts";
import type { Frame, RunFrame } from "./api.ts";

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
