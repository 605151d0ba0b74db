// The page of a suite.
import { cells } from "../cells.ts";
import { el, safely, scrolling } from "../dom.ts";
import { count } from "../format.ts";
import { figureName, nameOf, percent, plural, unitOf, withInterval, writes } from "../named.ts";
import { badge } from "../verdict.ts";
import { details, suiteCharts } from "./charts.ts";
import { growth } from "./growth.ts";
import { medians, ratios } from "./matrix.ts";
import type { Judged, Objective, Suite } from "./model.ts";
import { search } from "./search.ts";

const knownFormat = 1;

export function suitePage(found: Suite): HTMLElement[] {
  const suite = { ...found, axes: found.axes ?? [] }; // null where there are none
  const workloads = [...new Set(suite.combinations.flatMap((c) => c.metrics.map((m) => m.workload)))];
  return [
    ...head(suite),
    ...safely("The objectives", () => objectives(suite)),
    ...safely("The search", () => search(suite.search)),
    ...workloads.map((w) => workload(suite, w)),
    ...safely("The growth", () => growth(suite)),
    el("h2", {}, "Runs"), details("Each run, in the order in which they were made", () => [runs(suite)]),
    el("h2", {}, "Where and how"), scrolling("What was measured with what", provenance(suite)),
  ];
}

function head(suite: Suite): HTMLElement[] {
  const measured = suite.combinations.filter((c) => !c.absent);
  const sum = (of: (c: Suite["combinations"][number]) => number): number => measured.reduce((all, c) => all + of(c), 0);
  const [valid, unusable, left] = [sum((c) => c.valid), sum((c) => c.unusable), sum((c) => c.left)];
  const tile = (name: string, value: string): HTMLElement => el("div", { class: "tile" }, el("dt", {}, name), el("dd", {}, value));
  const verdicts = { Passed: "good", Failed: "bad" } as Record<string, string>;
  return [
    el("header", {},
      el("h1", {}, `${suite.suite.namespace}/${suite.suite.name}`),
      el("p", { class: "lead" }, `${plural(measured.length, "combination")} in ${plural(suite.blocks, "block")}${suite.axes.length > 0 ? `: ${suite.axes.map((a) => `${a.values.length} × ${a.name}`).join(", ")}` : ""}`),
      el("ul", { class: "badges" }, badge(suite.complete ? "complete" : "under way", suite.complete ? "good" : "unsure"),
        suite.verdict ? badge(suite.verdict.toLowerCase(), verdicts[suite.verdict] ?? "unsure") : null)),
    ...(suite.format === knownFormat ? [] : [el("p", { class: "warning" }, `This report has format ${suite.format}, and the page knows ${knownFormat}. What the page knows of it is shown.`)]),
    ...(suite.complete ? [] : [el("p", { class: "warning" }, "The suite is under way: these are the trials that have ended. Nothing is proven before the end.")]),
    ...(suite.warnings.length > 0 ? [el("div", { class: "warning" }, el("h2", {}, "What to know beside the figures"), el("ul", {}, ...suite.warnings.map((w) => el("li", {}, w))))] : []),
    ...(suite.reuse ? [el("p", { class: "note" }, "Combinations of a block that differ in workloads and load alone were measured one after the other on one store, which was emptied before each.")] : []),
    el("dl", { class: "tiles" }, tile("valid trials", `${count(valid)} of ${count(valid + unusable + left)}`), tile("without valid numbers", count(unusable)), tile("not ended", count(left)),
      tile("confidence", percent(suite.confidence)), ...(suite.objectives ? [tile("objectives kept", `${suite.objectives.filter((o) => o.verdict === "Passed").length} of ${suite.objectives.length}`)] : [])),
    ...(suite.width ? [el("p", {}, width(suite.width))] : []),
  ];
}

function width(w: NonNullable<Suite["width"]>): string {
  const figure = `${figureName({ metric: w.metric, workload: "", ...(w.operation ? { operation: w.operation } : {}) })}`;
  const found = w.widest === null ? "one of them has no end yet, or there is none" : `the widest is within ${percent(Number(w.widest.toPrecision(3)))}${w.of ? `: ${w.of}` : ""}`;
  return `The suite was to end as soon as each interval of ${figure} was within ${percent(w.halfWidth)} of its middle. After ${plural(w.blocks, "block")} ${found}.`;
}

function objectives(suite: Suite): HTMLElement[] {
  if (!suite.objectives || suite.objectives.length === 0) return [];
  const styles = { Passed: "good", Failed: "bad" } as Record<string, string>;
  return [
    el("h2", {}, "Objectives"),
    scrolling("Objectives", cells(`Each figure that an objective bounds, with its interval of ${percent(suite.confidence)}. Ratios to a baseline are in percent.`,
      ["objective", "verdict", "combination", "figure", "trials", "why"],
      suite.objectives.flatMap((o) => o.judged.map((j) => [o.text, { text: j.verdict, style: styles[j.verdict] ?? "unsure" }, nameOf(j.combination), judged(o, j), String(j.figure.trials), j.why ?? ""])))),
  ];
}

function judged(o: Objective, j: Judged): { text: string; sub: string } {
  // A suite without axes has combinations without labels.
  const labels = j.baseline ?? [];
  const ratio = labels.length > 0 || !!j.against;
  const write = writes(ratio ? "1" : unitOf(o.metric));
  const of = [j.operation ? `of ${j.operation}` : "", j.workload ? `in ${j.workload}` : "",
    ratio ? `against ${[j.against ?? "", labels.length > 0 ? nameOf(labels) : ""].filter(Boolean).join(", ")}` : ""];
  return { text: withInterval(j.figure, write), sub: of.filter(Boolean).join(" ") };
}

function workload(suite: Suite, name: string): HTMLElement {
  return el("section", { class: "workload" }, el("h2", {}, `Workload ${name}`),
    ...safely("The medians", () => [medians(suite, name)].filter((table) => table !== null)),
    ...safely("The ratios", () => { const table = ratios(suite, name); return table ? [el("h3", {}, "Ratios"), table] : []; }),
    el("h3", {}, "Figures"), ...safely("The charts", () => [suiteCharts(suite, name)]));
}

function runs(suite: Suite): HTMLElement {
  const rows = suite.trials.flatMap((t) => t.attempts.map((a) => [a.run, nameOf(suite.combinations[t.combination]?.labels ?? []), String(t.block + 1),
    { text: a.outcome, style: a.outcome === "Valid" ? "" : "bad" }, [...(a.reasons ?? []), ...(a.adopted ? ["adopted"] : [])].join(", "), a.uid]));
  return scrolling("Runs", cells(`${plural(rows.length, "run")} have ended. Blocks count from 1.`, ["run", "combination", "block", "outcome", "why", "UID"], rows));
}

function provenance(suite: Suite): HTMLElement {
  const rows = [
    ["suite", suite.suite.uid], ["order", `random, from seed ${suite.seed}`],
    ...suite.axes.map((a) => [`axis ${a.name}`, `${a.values.join(", ")}${a.fields && a.fields.length > 0 ? ` (${a.fields.join(", ")})` : ""}`]),
    ...(suite.baselines ?? []).map((b) => [`baseline ${b.name}`, `${b.suite.namespace}/${b.suite.name}, ${b.suite.uid}`]),
    ...(suite.adoption ? [["taken over", `${plural(suite.adoption.trials, "trial")} of the suite ${suite.adoption.suite}`]] : []),
  ];
  return cells("What was measured with what", ["what", "value"], rows);
}
