// A comparison of what was ticked in the list.
import type { ComparisonPage } from "../compare/model.ts";
import { comparePage } from "../compare/page.ts";
import { el } from "../dom.ts";
import { ask, paths } from "./api.ts";
import type { View } from "./main.ts";
import { back } from "./parts.ts";

/** compareView compares the first one with the others, each as kind/name/UID. */
export function compareView(references: string[]): View {
  const at = el("div", {}, el("header", {}, el("h1", {}, "Comparison")), el("p", { class: "muted", role: "status" }, "Fetching the reports …"));
  const element = el("div", {}, back(), at);
  ask<ComparisonPage>(paths.comparison(references)).then(
    (page) => at.replaceChildren(...comparePage(page)),
    (error: unknown) => at.replaceChildren(el("header", {}, el("h1", {}, "Comparison")),
      el("p", { class: "warning" }, error instanceof Error ? error.message : String(error))),
  );
  return { element, title: "Comparison", stop: () => undefined };
}
