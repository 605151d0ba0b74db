// The ratios to the base with their intervals.
import { chart } from "../chart.ts";
import { el } from "../dom.ts";
import { estimated, extent, valuesOf } from "../estimates.ts";
import { plain } from "../format.ts";
import { capital, nameOf, percent } from "../named.ts";
import type { Place, Shape } from "../shapes.ts";
import type { Estimate } from "../suite/model.ts";
import { color } from "../theme.ts";
import type { ComparisonDocument, Figure } from "./model.ts";
import { compareName } from "./table.ts";

const mostCharts = 24;
const mostPlaces = 200;

/** ratioCharts have a place for each figure where there is one combination, and else a chart for each figure. */
export function ratioCharts(d: ComparisonDocument, names: string[]): HTMLElement[] {
  const all = d.compared.flatMap((c, side) => c.pairs.flatMap((p) => p.figures.filter((f) => f.ratio.value !== null).map((f) => ({ side, combination: nameOf(p.combination), f }))));
  if (all.length === 0) return [];
  const workloads = new Set(all.map((r) => r.f.workload)).size;
  const name = (f: Figure): string => compareName(f, workloads);
  const once = (names: string[]): string[] => [...new Set(names)];
  const combinations = once(all.map((r) => r.combination));
  const figures = once(all.map((r) => name(r.f)));
  const find = (side: number, combination: string, figure: string): Estimate | null => all.find((r) => r.side === side && r.combination === combination && name(r.f) === figure)?.f.ratio ?? null;
  // A figure that is judged must not be worse than this ratio.
  const bounds = new Map(all.filter((r) => r.f.verdict && d.margin).map((r) => [name(r.f), r.f.higherIsBetter ? 1 - d.margin! : 1 + d.margin!]));
  const charts = combinations.length === 1
    ? [ratio(d, names, "Ratios", figures, "figure", (side, figure) => find(side, combinations[0]!, figure), (figure) => bounds.get(figure))]
    : figures.slice(0, mostCharts).map((figure) => ratio(d, names, `Ratio of ${figure}`, combinations.slice(0, mostPlaces), "combination", (side, combination) => find(side, combination, figure), () => bounds.get(figure)));
  return [
    el("h2", {}, "Ratios"),
    el("p", { class: "muted" }, `How many times that of ${names[0]} each figure is, with its interval of ${percent(d.confidence)} where there are trials enough.${d.margin ? ` Dashes are where the gate's margin of ${percent(d.margin)} ends.` : ""}`),
    ...(figures.length > mostCharts && combinations.length > 1 ? [el("p", { class: "note" }, `There are charts of ${mostCharts} of ${figures.length} figures. The table has all.`)] : []),
    charts.length > 1 ? el("div", { class: "multiples" }, ...charts) : charts[0]!,
  ];
}

function ratio(d: ComparisonDocument, sides: string[], title: string, names: string[], xLabel: string, of: (side: number, name: string) => Estimate | null, bound: (name: string) => number | undefined): HTMLElement {
  const x = names.map((_, i) => i);
  const series = d.compared.map((_, side) => ({ label: sides[side + 1]!, color: side + 1, estimates: names.map((name) => of(side, name)) }));
  const drawn = estimated(series, x, "points", plain);
  const values = [1, ...names.map(bound), ...series.flatMap((s) => valuesOf(s.estimates))].filter((v): v is number => v !== null && v !== undefined && v > 0);
  const log = Math.max(...values) > 4 * Math.min(...values);
  const margin = Math.max(0.02, 0.1 * (Math.max(...values) - Math.min(...values)));
  const range = log ? extent(values, true) : [Math.min(...values) - margin, Math.max(...values) + margin] as [number, number];
  const gate = (place: Place): Shape[] => names.flatMap((name, i) => {
    const at = bound(name);
    return at === undefined ? [] : [{ kind: "line", from: [place.x(i - 0.4), place.y(at)], to: [place.x(i + 0.4), place.y(at)], color: color("bad"), dash: true }];
  });
  return chart({
    title: capital(title), x, exactX: names, xLabel, writeX: (at) => names[Math.round(at)] ?? "", xTicks: { at: x, label: (at) => names[Math.round(at)] ?? "" },
    writeY: plain, log, yRange: range, range: [-0.6, names.length - 0.4], height: 260, lines: drawn.lines,
    description: `How many times that of ${sides[0]} each figure is${log ? ", on a logarithmic axis" : ""}, with its interval of ${percent(d.confidence)} where there are trials enough. The line is at 1: no difference.${d.margin ? ` Dashes are where the gate's margin of ${percent(d.margin)} ends.` : ""}`,
    shapes: (place) => [{ kind: "line", from: [place.left, place.y(1)], to: [place.right, place.y(1)], color: color("muted"), width: 1.5 }, ...gate(place), ...drawn.shapes(place)],
  });
}
