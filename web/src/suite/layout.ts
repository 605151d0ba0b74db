// Which axis of a suite goes along a chart's axis, which has colours, and which make charts of their own.
import { nameOf } from "../named.ts";
import type { Axis, Combination, Label, Suite } from "./model.ts";

export interface Choice {
  /** Names of axes; "" for none. */
  over: string;
  colors: string;
  /** Values of the other axes; "" for all, which have a chart each. */
  only: Record<string, string>;
}

export interface Panel {
  /** On the axes that have charts of their own. */
  with: Label[];
  series: { label: string; combinations: (Combination | null)[] }[];
}

export interface Layout {
  over: Axis | null;
  /** Places along the axis, in the order of the combinations of each series. */
  x: number[];
  names: string[];
  /** The axis has numbers. */
  numeric: boolean;
  /** Its numbers go over a wide range, so that the axis is logarithmic. */
  wide: boolean;
  panels: Panel[];
  /** So many panels were left out. */
  left: number;
}

/** mostPanels and mostColors bound what is drawn at once: the tables have all. */
const mostPanels = 12;
export const mostColors = 8;

/** numbers says that lines may go along the axis: it has three numbers or more. */
const numbers = (axis: Axis): boolean => axis.values.length > 2 && axis.values.every((v) => v.trim() !== "" && Number.isFinite(Number(v)));

/** usual is what a page shows at first: along the axis with the most numbers, or else with the most values. */
export function usual(suite: Suite): Choice {
  const ranked = [...suite.axes].sort((a, b) => Number(numbers(b)) - Number(numbers(a)) || b.values.length - a.values.length);
  const over = ranked.find((a) => a.values.length > 1) ?? ranked[0];
  const colors = suite.axes.filter((a) => a !== over && a.values.length > 1).sort((a, b) => b.values.length - a.values.length).find((a) => a.values.length <= mostColors);
  const only: Record<string, string> = {};
  let panels = 1;
  for (const axis of suite.axes) {
    if (axis === over || axis === colors) continue;
    const all = panels * axis.values.length <= mostPanels;
    if (all) panels *= axis.values.length;
    only[axis.name] = all ? "" : axis.values[0]!;
  }
  return { over: over?.name ?? "", colors: colors?.name ?? "", only };
}

/** places are the numbers of an axis, or their logarithms where they go over a wide range, or else the places in their order. */
function places(axis: Axis | null): { x: number[]; names: string[]; numeric: boolean; wide: boolean } {
  if (!axis) return { x: [0], names: ["the template"], numeric: false, wide: false };
  if (!numbers(axis)) return { x: axis.values.map((_, i) => i), names: axis.values, numeric: false, wide: false };
  const names = [...axis.values].sort((a, b) => Number(a) - Number(b));
  const values = names.map(Number);
  const wide = values[0]! > 0 && values[values.length - 1]! / values[0]! >= 8;
  const numeric = new Set(values).size === values.length;
  return { x: wide ? values.map(Math.log10) : values, names, numeric, wide: wide && numeric };
}

/** layoutOf finds the combinations of each chart and each colour. */
export function layoutOf(suite: Suite, choice: Choice): Layout {
  const over = suite.axes.find((a) => a.name === choice.over) ?? null;
  const { x, names, numeric, wide } = places(over);
  const colors = suite.axes.find((a) => a.name === choice.colors && a !== over);
  const rest = suite.axes.filter((a) => a !== over && a !== colors);
  const byLabels = new Map(suite.combinations.map((c) => [nameOf(c.labels), c]));
  const find = (labels: Map<string, string>): Combination | null =>
    byLabels.get(nameOf(suite.axes.map((a) => ({ axis: a.name, value: labels.get(a.name)! })))) ?? null;
  let withs: Label[][] = [[]];
  for (const axis of rest) {
    const values = choice.only[axis.name] ? [choice.only[axis.name]!] : axis.values;
    withs = withs.flatMap((labels) => values.map((value) => [...labels, { axis: axis.name, value }]));
  }
  const panels = withs.map((labels) => ({
    with: labels,
    series: (colors?.values ?? [""]).map((value) => ({
      label: colors ? value : "median",
      combinations: (over ? names : [""]).map((name) => find(new Map([...labels.map((l): [string, string] => [l.axis, l.value]), [colors?.name ?? "", value], [over?.name ?? "", name]]))),
    })),
  })).filter((panel) => panel.series.some((s) => s.combinations.some((c) => c !== null && c.metrics.length > 0)));
  return { over, x: numeric ? x : x.map((_, i) => i), names, numeric, wide, panels: panels.slice(0, mostPanels), left: Math.max(0, panels.length - mostPanels) };
}
