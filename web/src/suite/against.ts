// Latency against throughput: over one another, and on two axes beside each other.
import { chart, type Line } from "../chart.ts";
import { estimated, extent, valuesOf, whisker } from "../estimates.ts";
import { capital, figureName, nameOf, percent, unitName, withInterval, writes } from "../named.ts";
import type { Shape } from "../shapes.ts";
import { seriesColor } from "../theme.ts";
import type { Metric } from "./model.ts";
import { axisOf, metricOf, scaleOf, titleOf, type View } from "./view.ts";

interface Point {
  throughput: Metric;
  latency: Metric;
  name: string;
}

/** latencyAgainstThroughput has a chart for each kind of operation: where each combination is, joined along the axis. */
export function latencyAgainstThroughput(v: View): HTMLElement[] {
  const throughput = v.figures.find((f) => f.metric === "throughput");
  if (!throughput || !v.layout.numeric) return [];
  return v.figures.filter((f) => f.metric === "p99").flatMap((latency) => {
    const series = v.layout.panels.flatMap((p) => p.series.map((s) => ({
      label: [p.with.length > 0 ? nameOf(p.with) : "", p.series.length > 1 || p.with.length === 0 ? s.label : ""].filter(Boolean).join(", "),
      points: s.combinations.flatMap((c, i): Point[] => {
        const [t, l] = [metricOf(c, throughput), metricOf(c, latency)];
        return t?.median.value != null && l?.median.value != null ? [{ throughput: t, latency: l, name: `${v.layout.over!.name}=${v.layout.names[i]}` }] : [];
      }),
    }))).filter((s) => s.points.length > 1);
    return series.length === 0 ? [] : [scatter(v, latency, series)];
  });
}

function scatter(v: View, latency: Metric, series: { label: string; points: Point[] }[]): HTMLElement {
  // A place for each point: two of one line may have the same throughput.
  const all = series.flatMap((s) => s.points).sort((a, b) => a.throughput.median.value! - b.throughput.median.value!);
  const x = all.map((p) => p.throughput.median.value!);
  const write = writes(latency.unit);
  const rate = writes("1/s");
  const lines: Line[] = [];
  const at: number[] = [];
  series.forEach((s, i) => {
    at.push(lines.length);
    const own = new Set(s.points);
    const column = (of: (p: Point) => number | null | undefined): (number | null)[] => all.map((p) => (own.has(p) ? (of(p) ?? null) : null));
    lines.push({ label: s.label, color: i, noAverage: true, shaped: true, values: column((p) => p.latency.median.value),
      writeAt: (j) => { const p = all[j]; return p && own.has(p) ? `${withInterval(p.latency.median, write)}, ${p.name}` : "–"; } });
    for (const [name, of] of [["low", (p: Point) => p.latency.median.low], ["high", (p: Point) => p.latency.median.high]] as const) {
      lines.push({ label: `${s.label}: ${name}`, color: "transparent", aside: true, noAverage: true, values: column(of) });
    }
  });
  const [from, to] = [0, Math.max(...series.flatMap((s) => s.points.flatMap((p) => [p.throughput.median.value!, p.throughput.median.high ?? 0]))) * 1.05];
  return chart({
    title: `${capital(figureName(latency))} against throughput`, x, xLabel: "Operations per second", writeX: rate, writeY: write, unit: unitName(latency.unit), log: v.log, height: 280, range: [from, to], lines,
    yRange: extent(series.flatMap((s) => valuesOf(s.points.map((p) => p.latency.median))), v.log),
    description: `Each point is a combination: the medians of its throughput and of its latency, with intervals of ${percent(v.suite.confidence)} of both. Points are joined in the order of ${v.layout.over!.name}.`,
    shapes: (place) => series.flatMap((s, i) => (place.shows(at[i]!) ? s.points.flatMap((p, j): Shape[] => {
      const stroke = seriesColor(i);
      const spot = (one: Point): [number, number] => [place.x(one.throughput.median.value!), place.y(one.latency.median.value!)];
      const { low, high } = p.throughput.median;
      return [
        ...(j > 0 ? [{ kind: "line", from: spot(s.points[j - 1]!), to: spot(p), color: stroke } satisfies Shape] : []),
        ...whisker(p.latency.median, (y) => place.y(y), spot(p)[0], 4, stroke, place.top),
        ...(low !== null && high !== null ? [{ kind: "line", from: [place.x(low), spot(p)[1]], to: [place.x(high), spot(p)[1]], color: stroke, width: 1.2 } satisfies Shape] : []),
        { kind: "dot", from: spot(p), to: spot(p), color: stroke, width: 7 },
      ];
    }) : [])),
  });
}

/** twins have the throughput on the left axis, and a latency on the right one. */
export function twins(v: View): HTMLElement[] {
  const throughput = v.figures.find((f) => f.metric === "throughput");
  if (!throughput || !v.layout.numeric) return [];
  return v.figures.filter((f) => f.metric === "p99").flatMap((latency) => v.layout.panels.flatMap((p) => {
    const of = (f: Metric): (Metric["median"] | null)[][] => p.series.map((s) => s.combinations.map((c) => metricOf(c, f)?.median ?? null));
    const [left, right] = [of(throughput), of(latency)];
    if (right.flat().every((e) => e === null)) return [];
    const name = (s: string, what: string): string => (p.series.length > 1 ? `${what}, ${s}` : what);
    const figure = chart({
      ...axisOf(v, "medians"), title: titleOf(v, `Throughput and ${figureName(latency)}`, p), writeY: writes("1/s"), writeRight: writes(latency.unit), unit: "1/s", rightUnit: unitName(latency.unit), height: 280,
      yRange: extent(valuesOf(left.flat()), false),
      description: `Medians of the valid trials, with intervals of ${percent(v.suite.confidence)}: the throughput on the left axis, the latency, dashed, on the right.${scaleOf(v)}`,
      ...estimated([
        ...left.map((estimates, i) => ({ label: name(p.series[i]!.label, "throughput"), color: i, estimates })),
        ...right.map((estimates, i) => ({ label: name(p.series[i]!.label, figureName(latency)), color: p.series.length > 1 ? i : 1, estimates, axis: "right" as const, dash: [6, 4] })),
      ], v.layout.x, "lines", writes("1/s"), writes(latency.unit)),
    });
    return [figure];
  }));
}
