// The charts of a suite's figures, and what a reader chooses of them.
import { chart } from "../chart.ts";
import { choose, tick } from "../controls.ts";
import { el } from "../dom.ts";
import { around, estimated, extent, valuesOf } from "../estimates.ts";
import { capital, figureName, percent, unitName, writes } from "../named.ts";
import { latencyAgainstThroughput, twins } from "./against.ts";
import { candles } from "./candles.ts";
import { layoutOf, mostColors, usual, type Choice, type Panel } from "./layout.ts";
import { figuresOf } from "./matrix.ts";
import type { Metric, Suite } from "./model.ts";
import { axisOf, metricOf, scaleOf, titleOf, type View } from "./view.ts";

const multiples = (charts: HTMLElement[]): HTMLElement => el("div", { class: "multiples" }, ...charts);

/** grouped are the charts of all figures. Where a figure has several, it has rows of its own. */
function grouped(of: HTMLElement[][]): HTMLElement[] {
  return of.some((charts) => charts.length > 1) ? of.filter((charts) => charts.length > 0).map(multiples) : [multiples(of.flat())];
}

/** rule says how figures are derived. */
const rule = (text: string): HTMLElement => el("p", { class: "muted" }, text);

/** first are the figures that are looked at first. */
const first = (m: Metric): boolean => ["throughput", "p99", "outage", "recordsLost"].includes(m.metric);

export function suiteCharts(suite: Suite, workload: string): HTMLElement {
  const all = suite.combinations.flatMap((c) => c.metrics);
  const figures = figuresOf(all, workload).filter((f) => f.metric !== "errors" || all.some((m) => m.metric === "errors" && m.workload === workload && m.values.some((x) => x.value > 0)));
  const choice = usual(suite);
  let log = false;
  const drawn = el("div", {});
  const bar = el("div", { class: "choices", role: "group", "aria-label": `What the charts of ${workload} show` });
  const draw = (): void => {
    bar.replaceChildren(...controls(suite, choice, draw), tick("logarithmic", log, (ticked) => { log = ticked; draw(); }));
    drawn.replaceChildren(...parts({ suite, layout: layoutOf(suite, choice), log, workload, figures }));
  };
  draw();
  return el("div", {}, bar, drawn);
}

function controls(suite: Suite, choice: Choice, changed: () => void): HTMLElement[] {
  if (suite.axes.length < 2) return [];
  const names = suite.axes.map((a): [string, string] => [a.name, a.name]);
  const set = (how: () => void): void => { how(); changed(); };
  return [
    choose("Along the axis", names, choice.over, (name) => set(() => { if (choice.colors === name) choice.colors = choice.over; choice.over = name; })),
    choose("A colour for each", [["", "none"], ...names.filter(([name]) => name !== choice.over && suite.axes.find((a) => a.name === name)!.values.length <= mostColors)], choice.colors,
      (name) => set(() => { choice.colors = name; })),
    ...suite.axes.filter((a) => a.name !== choice.over && a.name !== choice.colors).map((a) =>
      choose(a.name, [["", "all"], ...a.values.map((v): [string, string] => [v, v])], choice.only[a.name] ?? "", (value) => set(() => { choice.only[a.name] = value; }))),
  ];
}

function parts(v: View): HTMLElement[] {
  const out: HTMLElement[] = [];
  if (v.layout.left > 0) out.push(el("p", { class: "note" }, `The charts are of ${v.layout.panels.length} of ${v.layout.panels.length + v.layout.left} combinations of the other axes. Choose others above; the tables have all.`));
  const [main, others] = [v.figures.filter(first), v.figures.filter((f) => !first(f))];
  out.push(rule(`Medians of the valid trials, with intervals of ${percent(v.suite.confidence)}. What is pale, or a ring, is at least so much.${scaleOf(v)}`));
  out.push(...grouped(main.map((f) => medianCharts(v, f))));
  if (others.length > 0) {
    out.push(details("More figures", () => grouped(others.map((f) => medianCharts(v, f)))));
  }
  const against = [...latencyAgainstThroughput(v), ...twins(v)];
  if (against.length > 0) out.push(el("h3", {}, "Latency against throughput"), rule(`Each point is a combination: the medians of its throughput and of its latency. Points are joined in the order of ${v.layout.over!.name}.`), multiples(against));
  out.push(el("h3", {}, "Trials"), rule("The least, the quartiles, the median and the largest of the valid trials, and a dot for each. Quartiles are interpolated between the nearest two trials. A vertical axis need not begin at 0."), ...grouped(main.map((f) => trialCharts(v, f))));
  out.push(details("The course of the suite, block by block", () => grouped(main.map((f) => courseCharts(v, f)))));
  return out;
}

/** details makes what it holds when it is opened first. */
export function details(summary: string, make: () => HTMLElement[]): HTMLElement {
  const node = el("details", { class: "more" }, el("summary", {}, summary));
  node.addEventListener("toggle", () => {
    if (node.open && node.childElementCount === 1) node.append(...make());
  });
  return node;
}

/** medianCharts are of one figure, a chart for each panel, all with the same range. */
function medianCharts(v: View, f: Metric): HTMLElement[] {
  const write = writes(f.unit);
  const look = v.layout.numeric ? "lines" : v.log ? "points" : "bars";
  const of = (p: Panel): (Metric | null)[][] => p.series.map((s) => s.combinations.map((c) => metricOf(c, f)));
  const range = extent(v.layout.panels.flatMap((p) => of(p).flat().flatMap((m) => valuesOf([m?.median ?? null]))), v.log);
  return v.layout.panels.filter((p) => of(p).flat().some((m) => m !== null)).map((p) => chart({
    ...axisOf(v, "medians"), title: titleOf(v, capital(figureName(f)), p), log: v.log, yRange: range, writeY: write, unit: unitName(f.unit),
    description: `Medians of the valid trials, with intervals of ${percent(v.suite.confidence)}. What is pale, or a ring, is at least so much.${scaleOf(v)}`,
    ...estimated(of(p).map((metrics, i) => ({ label: p.series[i]!.label, color: i, estimates: metrics.map((m) => m?.median ?? null) })), v.layout.x, look, write),
  }));
}

/** trialCharts are candlesticks of one figure. */
function trialCharts(v: View, f: Metric): HTMLElement[] {
  const write = writes(f.unit);
  const of = (p: Panel): (Metric | null)[][] => p.series.map((s) => s.combinations.map((c) => metricOf(c, f)));
  const every = v.layout.panels.flatMap((p) => of(p).flat().flatMap((m) => m?.values.map((one) => one.value) ?? []));
  // Candles have places of their own, whatever the numbers of the axis.
  const layout = { ...v.layout, x: v.layout.x.map((_, i) => i), numeric: false };
  const view = { ...v, layout };
  return layout.panels.filter((p) => of(p).flat().some((m) => m !== null)).map((p) => chart({
    ...axisOf(view, "trials"), title: titleOf(view, `Trials of ${figureName(f)}`, p), log: v.log, yRange: around(every, v.log), writeY: write, unit: unitName(f.unit),
    description: "The least, the quartiles, the median and the largest of the valid trials, and a dot for each. Quartiles are interpolated between the nearest two trials. Trials with a lower bound have rings, and no candle. The axis need not begin at 0.",
    ...candles(of(p).map((metrics, i) => ({ label: p.series[i]!.label, color: i, values: metrics.map((m) => m?.values ?? null) })), layout.x, write),
  }));
}

/** courseCharts show a figure of each combination by block. */
function courseCharts(v: View, f: Metric): HTMLElement[] {
  const blocks = Array.from({ length: v.suite.blocks }, (_, i) => i + 1);
  const write = writes(f.unit);
  if (blocks.length < 2) return [];
  return v.layout.panels.map((p) => chart({
    title: titleOf({ ...v, layout: { ...v.layout, over: null } }, `${capital(figureName(f))} by block`, p), x: blocks, xLabel: "Block", xTicks: { at: blocks, label: String },
    writeX: (x) => `block ${x}`, writeY: write, unit: unitName(f.unit), log: v.log, height: 240, sync: `blocks of ${v.workload}`,
    yRange: around(p.series.flatMap((s) => s.combinations.flatMap((c) => metricOf(c, f)?.values.map((one) => one.value) ?? [])), v.log),
    description: "The figure of each combination in each block, in the order in which blocks were run. What all have in common may be the machine's. What is a lower bound alone is left out. The axis need not begin at 0.",
    lines: p.series.flatMap((s, i) => s.combinations.flatMap((c, j) => {
      const m = metricOf(c, f);
      return m ? [{ label: [p.series.length > 1 ? s.label : "", v.layout.names[j] ?? ""].filter(Boolean).join(", "), color: i * s.combinations.length + j, noAverage: true,
        values: blocks.map((b) => { const one = m.values.find((v) => v.block === b - 1); return one && !one.censored ? one.value : null; }) }] : [];
    })),
  }));
}
