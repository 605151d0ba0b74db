// Charts of several runs over one another.
import { chart, type ChartOptions, type Line } from "../chart.ts";
import { choose } from "../controls.ts";
import { overlaidCurves } from "../curve.ts";
import { el, safely } from "../dom.ts";
import { estimated, extent, valuesOf } from "../estimates.ts";
import { micros, rate, seconds } from "../format.ts";
import type { Mark } from "../marks.ts";
import type { Workload, WorkloadCharts } from "../model.ts";
import type { Estimate } from "../suite/model.ts";
import { lengthOf } from "../time.ts";
import { align, along, axis, faultAt, injectedOf, type Aligned, type At } from "./align.ts";
import { workloadsOf, type Run } from "./sides.ts";

const second = 1_000_000;

type Pair = { run: Run; charts: WorkloadCharts };

export function overlays(runs: Run[]): HTMLElement[] {
  return workloadsOf(runs).flatMap(({ name, of }, i) => {
    const found = runs.flatMap((run): Pair[] => {
      const w = of(run);
      const charts = w && run.charts?.workloads?.find((one) => one.name === w.name);
      return charts ? [{ run, charts }] : [];
    });
    const without = runs.filter((r) => of(r) && !found.some((f) => f.run === r));
    const parts: HTMLElement[] = [el("h2", {}, `Workload ${name} over time`)];
    if (without.length > 0) parts.push(el("p", { class: "warning" }, `Nothing is kept that charts could be drawn from: ${without.map((r) => r.name).join(", ")}. The tables have the figures.`));
    if (found.length > 0) parts.push(...safely("The charts over time", () => [overTime(found, `compared ${i}`)]), ...safely("The percentiles", () => curves(found)));
    parts.push(...safely("The outages", () => outages(runs, of)));
    return parts;
  });
}

/** overTime has a list to choose what the runs are aligned at. What was chosen once stays, so that each choice is drawn once. */
function overTime(runs: Pair[], key: string): HTMLElement {
  const faults = [...new Set(runs.flatMap((r) => injectedOf(r.run, r.charts.name).map((f) => f.name)))];
  const choices: [string, string, At][] = [["start", "the start of the measurement", { kind: "start" }]];
  if (faults.length > 0) choices.push(["first", "the first fault", { kind: "first" }]);
  if (faults.length > 1) choices.push(...faults.map((name, i): [string, string, At] => [`fault ${i}`, `the fault ${name}`, { kind: "fault", name }]));
  const drawn = new Map<string, HTMLElement>();
  const at = el("div", {});
  const show = (value: string): void => {
    if (!drawn.has(value)) drawn.set(value, el("div", {}, ...alignedCharts(runs, choices.find((c) => c[0] === value)![2], `${key} ${value}`)));
    at.replaceChildren(drawn.get(value)!);
  };
  show("start");
  return el("div", {}, choices.length > 1 ? el("div", { class: "choices" }, choose("Aligned at", choices.map(([value, text]) => [value, text]), "start", show)) : null, at);
}

function alignedCharts(all: Pair[], at: At, sync: string): HTMLElement[] {
  const runs = align(all, at);
  const out = all.filter((r) => !runs.some((a) => a.run === r.run)).map((r) => r.run.name);
  const x = axis(runs);
  const step = Math.max(...runs.map((r) => r.charts.stepSeconds));
  const common = {
    x, xLabel: at.kind === "start" ? "Seconds from the measurement's start" : "Seconds from the step with the fault", writeX: seconds, sync, range: [x[0]!, x[x.length - 1]! + step] as [number, number],
    marks: { bands: [], marks: runs.flatMap(marksOf) },
  } satisfies Partial<ChartOptions>;
  const each = step === 1 ? "each second" : `each step of ${step} s at most`;
  const lines = (of: (w: WorkloadCharts) => (number | null)[] | undefined, more: Partial<Line> = {}): Line[] => runs.flatMap((r) => {
    const values = of(r.charts);
    return values ? [{ label: r.run.name, color: r.run.index, values: along(x, r, values), ...more }] : [];
  });
  const per = (w: WorkloadCharts, values: (number | null)[]): (number | null)[] => values.map((n, i) => (n !== null && lengthOf(w, i) > 0 ? n / lengthOf(w, i) : null));
  const operations = [...new Set(runs.flatMap((r) => r.charts.operations.map((o) => o.operation)))];
  const p99 = (operation: string, time: "response" | "service") => lines((w) => w.operations.find((o) => o.operation === operation)?.[time]?.p99Micros, { noAverage: true });
  return [
    ...(out.length > 0 ? [el("p", { class: "note" }, `Without such a fault, and so not in these charts: ${out.join(", ")}.`)] : []),
    el("p", { class: "muted" }, at.kind === "start" ? "0 is the start of each run's measurement." : "0 is the start of the step in which the fault was injected into each run. So each run's steps stay whole."),
    ...marksList(runs, at),
    chart({ ...common, title: "Throughput", writeY: rate, unit: "1/s", lines: lines((w) => per(w, w.counts.completed), { step: true }), description: `Operations that ended with success per second, of ${each}. Lines mark the faults of each run, in its colour.` }),
    chart({ ...common, title: "Failed or unknown", writeY: rate, unit: "1/s", height: 160, lines: lines((w) => per(w, w.counts.failed.map((n, i) => (n === null ? null : n + (w.counts.unknown[i] ?? 0)))), { step: true }), description: `Operations that failed or whose outcome is unknown per second, of ${each}, by the second for which they were intended.` }),
    ...operations.flatMap((operation) => (["response", "service"] as const).flatMap((time) => {
      const of = p99(operation, time);
      // Of an open loop the response time counts, of a closed one there is none.
      if (of.length === 0 || (time === "service" && p99(operation, "response").length === runs.length)) return [];
      return [chart({ ...common, title: `p99 of ${operation} (${time} time)`, log: true, writeY: micros, unit: "µs", lines: of, description: `The percentile 99 of the successful operations of ${each}, on a logarithmic axis.` })];
    })),
  ];
}

function marksOf(r: Aligned): Mark[] {
  return injectedOf(r.run, r.charts.name).map((f) => ({ at: f.injectedAt!.after.sinceStartMicros / second - r.at, color: `series-${(r.run.index % 8) + 1}`, label: `${r.run.name}: ${f.name}` }));
}

/** marksList says what the marks are, and where each run's own zero is. */
function marksList(runs: Aligned[], at: At): HTMLElement[] {
  const lines = runs.flatMap((r) => injectedOf(r.run, r.charts.name).map((f) => {
    const own = f.injectedAt!.after.sinceStartMicros / second;
    const zero = faultAt(r.run, r.charts.name, at) === f ? ", at which it is aligned" : "";
    const outage = f.outageMicros === null || f.partOf ? "" : f.outageMicros === 0 ? ", no outage" : `, an outage of ${f.outageCensored ? "at least " : ""}${micros(f.outageMicros)}`;
    return el("li", { class: `of-${(r.run.index % 8) + 1}` }, `${r.run.name}: ${f.name} (${f.action}) at ${seconds(own)} of its measurement${zero}${outage}`);
  }));
  return lines.length > 0 ? [el("ul", { class: "marks" }, ...lines)] : [];
}

function curves(runs: Pair[]): HTMLElement[] {
  const all = runs.flatMap((r) => (r.charts.curves ?? []).filter((c) => c.outcome === "ok").map((curve) => ({ name: r.run.name, color: r.run.index, curve })));
  const kinds = [...new Set(all.map((c) => JSON.stringify([c.curve.operation, c.curve.time])))];
  const charts = kinds.map((kind) => {
    const [operation, time] = JSON.parse(kind) as [string, string];
    return overlaidCurves(`Percentiles of ${operation} (${time} time)`, all.filter((c) => c.curve.operation === operation && c.curve.time === time));
  });
  return charts.length > 0 ? [el("h3", {}, "Percentiles"), el("div", { class: "multiples" }, ...charts)] : [];
}

/** outages has a group for each fault, and a bar for each run. */
function outages(runs: Run[], of: (run: Run) => Workload | undefined): HTMLElement[] {
  const known = (run: Run, name: string): Estimate | null => {
    const f = run.report.faults.find((one) => one.name === name && one.workload === of(run)?.name && !one.partOf);
    if (!f || f.outageMicros === null) return null;
    return { value: f.outageCensored ? null : f.outageMicros, ...(f.outageCensored ? { atLeast: f.outageMicros } : {}), low: null, high: null, trials: 1 };
  };
  const names = [...new Set(runs.flatMap((r) => r.report.faults.filter((f) => f.workload === of(r)?.name).map((f) => f.name)))].filter((name) => runs.some((r) => known(r, name)));
  if (names.length === 0) return [];
  const x = names.map((_, i) => i);
  const series = runs.map((r) => ({ label: r.name, color: r.index, estimates: names.map((name) => known(r, name)) }));
  const label = (at: number): string => names[Math.round(at)] ?? "";
  return [el("h3", {}, "Outages"), chart({
    title: "Outage by fault", x, exactX: names, xLabel: "fault", writeX: label, xTicks: { at: x, label }, range: [-0.6, names.length - 0.4], writeY: micros, unit: "µs", height: 240,
    yRange: extent(series.flatMap((s) => valuesOf(s.estimates)), false), ...estimated(series, x, "bars", micros),
    description: "The longest outage of any kind of operation and any shard, as each report judged it. A pale bar is at least so much.",
  })];
}
