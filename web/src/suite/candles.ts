// Candlesticks: the least, the quartiles and the largest of the trials, with a dot for each trial.
import type { Line } from "../chart.ts";
import { middle, type Drawn, type Spot } from "../estimates.ts";
import type { Write } from "../named.ts";
import { quantile } from "../quantile.ts";
import type { Place, Shape } from "../shapes.ts";
import { color, seriesColor } from "../theme.ts";
import type { Trialed } from "./model.ts";

export interface Trials {
  label: string;
  color: number;
  /** The values of the trials at each place; null where there are none. */
  values: (Trialed[] | null)[];
}

interface Candle {
  least: number;
  lower: number;
  median: number;
  upper: number;
  largest: number;
}

/** candleOf needs all values to be known: a lower bound has no place among others. */
export function candleOf(values: Trialed[] | null): Candle | null {
  if (!values || values.length === 0 || values.some((v) => v.censored)) return null;
  const ordered = values.map((v) => v.value).sort((a, b) => a - b);
  return { least: ordered[0]!, lower: quantile(ordered, 0.25), median: quantile(ordered, 0.5), upper: quantile(ordered, 0.75), largest: ordered[ordered.length - 1]! };
}

export function candles(series: Trials[], x: number[], write: Write): Drawn {
  const lines: Line[] = [];
  const at: number[] = [];
  const all = series.map((s) => s.values.map(candleOf));
  series.forEach((s, i) => {
    at.push(lines.length);
    const of = (what: keyof Candle): (number | null)[] => all[i]!.map((c) => c?.[what] ?? null);
    lines.push({
      label: s.label, color: s.color, values: of("median"), noAverage: true, shaped: true,
      writeAt: (j) => { const c = all[i]![j]; return c ? `${write(c.median)} (${write(c.least)} … ${write(c.largest)})` : s.values[j]?.length ? "lower bounds" : "–"; },
    });
    for (const [name, what] of [["min", "least"], ["lower quartile", "lower"], ["upper quartile", "upper"], ["max", "largest"]] as const) {
      lines.push({ label: `${s.label}: ${name}`, values: of(what), color: "transparent", aside: true, noAverage: true });
    }
  });
  return {
    lines,
    shapes: (place) => series.flatMap((s, i) => (place.shows(at[i]!) ? s.values.flatMap((values, j) =>
      one(values ?? [], all[i]![j] ?? null, s.color, place, middle(place, x, j, i, series.length))) : [])),
  };
}

function one(values: Trialed[], c: Candle | null, index: number, place: Place, spot: Spot): Shape[] {
  const stroke = seriesColor(index);
  const half = Math.max(2, Math.min(14, spot.width * 0.36));
  const flat = (value: number, part: number, width: number, of: string): Shape =>
    ({ kind: "line", from: [spot.middle - half * part, place.y(value)], to: [spot.middle + half * part, place.y(value)], color: of, width });
  const dots = values.map((v): Shape => ({ kind: v.censored ? "ring" : "dot", from: [spot.middle, place.y(v.value)], to: [spot.middle, place.y(v.value)], color: c ? color("text") : stroke, width: c ? 3 : 5, strength: c ? 0.55 : 1 }));
  if (!c) return dots;
  return [
    { kind: "line", from: [spot.middle, place.y(c.least)], to: [spot.middle, place.y(c.lower)], color: stroke },
    { kind: "line", from: [spot.middle, place.y(c.upper)], to: [spot.middle, place.y(c.largest)], color: stroke },
    { kind: "bar", from: [spot.middle - half, place.y(c.lower)], to: [spot.middle + half, place.y(c.upper)], color: stroke, strength: 0.3 },
    flat(c.least, 0.6, 1.5, stroke), flat(c.largest, 0.6, 1.5, stroke), flat(c.lower, 1, 1.5, stroke), flat(c.upper, 1, 1.5, stroke),
    { kind: "line", from: [spot.middle - half, place.y(c.lower)], to: [spot.middle - half, place.y(c.upper)], color: stroke },
    { kind: "line", from: [spot.middle + half, place.y(c.lower)], to: [spot.middle + half, place.y(c.upper)], color: stroke },
    flat(c.median, 1, 2.5, stroke), ...dots,
  ];
}
