// The page of a comparison.
import { cells } from "../cells.ts";
import { el, safely, scrolling } from "../dom.ts";
import { nameOf } from "../named.ts";
import { badge } from "../verdict.ts";
import type { Compared, ComparisonDocument, ComparisonPage, Difference } from "./model.ts";
import { overlays } from "./overlay.ts";
import { ratioCharts } from "./ratios.ts";
import { sideBySide } from "./sides.ts";
import { comparedTable, namesOf } from "./table.ts";

const knownFormat = 1;
const mostDifferences = 20;

export function comparePage(page: ComparisonPage): HTMLElement[] {
  const d = page.comparison;
  const names = namesOf(d.base, d.compared);
  const runs = names.flatMap((name, i) => {
    const { report, charts } = page.sides[i] ?? { report: null, charts: null };
    return report ? [{ name, report, charts, index: i }] : [];
  });
  const styles = { Passed: "good", Failed: "bad" } as Record<string, string>;
  const comparable = d.compared.every((c) => c.comparable);
  const imported = !comparable && d.compared.some((c) => c.pairs.some((p) => p.outcome === "Imported"));
  return [
    el("header", {},
      el("h1", {}, `${names.slice(1).join(", ")} against ${names[0]}`),
      el("p", { class: "lead" }, page.summary),
      el("ul", { class: "badges" }, badge(comparable ? "comparable" : imported ? "imported" : "not comparable", comparable ? "good" : imported ? "unsure" : "bad"),
        d.verdict ? badge(d.verdict.toLowerCase(), styles[d.verdict] ?? "unsure") : null)),
    ...(d.format === knownFormat ? [] : [el("p", { class: "warning" }, `This comparison has format ${d.format}, and the page knows ${knownFormat}. What the page knows of it is shown.`)]),
    ...(d.warnings.length > 0 ? [el("div", { class: "warning" }, el("h2", {}, "What to know beside the figures"), el("ul", {}, ...d.warnings.map((w) => el("li", {}, w))))] : []),
    ...(page.caution ? [el("p", { class: "note" }, page.caution)] : []),
    ...d.compared.flatMap((c, i) => compared(c, { base: names[0]!, other: names[i + 1]! }, d)),
    ...safely("The ratios", () => ratioCharts(d, names)),
    ...(runs.length > 1 ? [...safely("The runs side by side", () => sideBySide(runs)), ...safely("The runs over time", () => overlays(runs))] : []),
    el("h2", {}, "Where from"),
    scrolling("What was compared", cells("What was compared", ["side", "argument", "kind", "of", "UID"],
      [d.base, ...d.compared].map((s, i) => [names[i]!, s.argument, s.kind, [s.namespace, s.name].filter(Boolean).join("/"), s.uid ?? ""]))),
  ];
}

function compared(c: Compared, names: { base: string; other: string }, d: ComparisonDocument): HTMLElement[] {
  const of = (labels: Compared["pairs"][number]["combination"]): string => (labels.length > 0 ? `${nameOf(labels)}: ` : "");
  const refused = c.pairs.filter((p) => p.outcome === "NotComparable").flatMap((p) => [...(p.why ? [p.why] : []), ...differences(p.differences)].map((line) => of(p.combination) + line));
  const accepted = c.pairs.flatMap((p) => differences(p.accepted).map((line) => of(p.combination) + line));
  const alone = [...(c.onlyHere ?? []).map((l) => `Only in ${names.other}: ${nameOf(l)}`), ...(c.onlyInBase ?? []).map((l) => `Only in ${names.base}: ${nameOf(l)}`)];
  const table = comparedTable(c, names, d.confidence);
  return [
    el("h2", {}, d.compared.length > 1 ? `${names.other} against ${names.base}` : "Figures"),
    ...list("Why they are not comparable", [...(c.why ? [c.why] : []), ...refused], "warning"),
    ...list("Differences that were accepted", accepted, "note"),
    ...list("Without a counterpart", alone, "note"),
    ...(table ? [table] : []),
  ];
}

function list(title: string, lines: string[], style: string): HTMLElement[] {
  return lines.length === 0 ? [] : [el("div", { class: style }, el("h3", {}, title), el("ul", {}, ...lines.slice(0, mostDifferences).map((line) => el("li", {}, line)),
    lines.length > mostDifferences ? el("li", {}, `and ${lines.length - mostDifferences} more`) : null))];
}

const set = (value: string): string => (value === "" ? "not set" : value);

const differences = (all: Difference[] | undefined): string[] => (all ?? []).map((d) => `${d.field} is ${set(d.value)}, and ${set(d.against)} in the base`);
