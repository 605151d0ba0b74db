// What the charts of a suite have in common.
import type { ChartOptions } from "../chart.ts";
import { keyOf, nameOf } from "../named.ts";
import type { Layout, Panel } from "./layout.ts";
import type { Combination, Metric, Name, Suite } from "./model.ts";

/** View is what charts of one choice have in common. */
export interface View {
  suite: Suite;
  layout: Layout;
  log: boolean;
  workload: string;
  figures: Metric[];
}

const metrics = new WeakMap<Combination, Map<string, Metric>>();

/** metricOf is a combination's figure of that name. */
export function metricOf(c: Combination | null, n: Name): Metric | null {
  if (!c) return null;
  if (!metrics.has(c)) metrics.set(c, new Map(c.metrics.map((m) => [keyOf(m), m])));
  return metrics.get(c)!.get(keyOf(n)) ?? null;
}

/** axisOf is what all charts along the axis have in common. Charts of one key share their cursor and their zoom. */
export function axisOf(v: View, key: string): Pick<ChartOptions, "x" | "exactX" | "xLabel" | "writeX" | "xTicks" | "range" | "sync" | "height"> {
  const { layout } = v;
  const margin = layout.x.length > 1 ? Math.min(0.6, (layout.x[layout.x.length - 1]! - layout.x[0]!) * (layout.numeric ? 0.05 : 1)) : 0.6;
  const nearest = (x: number): string => layout.names[layout.x.findIndex((at) => Math.abs(at - x) < 1e-9)] ?? "";
  return {
    x: layout.x, exactX: layout.names, xLabel: layout.over?.name ?? "combination",
    writeX: (x) => (layout.over ? `${layout.over.name}=${nearest(x)}` : ""), xTicks: { at: layout.x, label: nearest },
    range: [layout.x[0]! - margin, layout.x[layout.x.length - 1]! + margin], sync: `${key} of ${v.workload} along ${layout.over?.name ?? ""}`, height: 240,
  };
}

export const titleOf = (v: View, what: string, panel: Panel): string =>
  `${what}${v.layout.over ? ` by ${v.layout.over.name}` : ""}${panel.with.length > 0 ? `, ${nameOf(panel.with)}` : ""}`;

/** scaleOf says how the axis is divided, where that isn't evenly. */
export const scaleOf = (v: View): string => (v.layout.wide ? ` The axis of ${v.layout.over!.name} is logarithmic.` : "");
