// Medians with intervals as bars, as lines or as points.
import type { Line } from "./chart.ts";
import { withInterval, type Write } from "./named.ts";
import type { Place, Shape, Shapes } from "./shapes.ts";
import type { Estimate } from "./suite/model.ts";
import { color, seriesColor } from "./theme.ts";

export interface Series {
  label: string;
  color: number;
  estimates: (Estimate | null)[];
  axis?: "right";
  dash?: number[];
}

export type Look = "bars" | "lines" | "points";

export interface Drawn {
  lines: Line[];
  shapes: Shapes;
}

const or = (x: number | null | undefined): number | null => x ?? null;

/** estimated are the lines of the series at the places x, with the ends of their intervals, and their shapes. */
export function estimated(series: Series[], x: number[], look: Look, write: Write, writeRight = write): Drawn {
  const lines: Line[] = [];
  const at: number[] = [];
  for (const s of series) {
    const right = s.axis ? { axis: s.axis } : {};
    at.push(lines.length);
    lines.push({
      label: s.label, color: s.color, noAverage: true, ...right, ...(s.dash ? { dash: s.dash } : {}),
      values: s.estimates.map((e) => or(e?.value)), shaped: look !== "lines",
      writeAt: (i) => withInterval(s.estimates[i], s.axis ? writeRight : write),
    });
    const end = (name: string, values: (number | null)[]): void => {
      if (values.some((v) => v !== null)) lines.push({ label: `${s.label}: ${name}`, values, color: "transparent", aside: true, noAverage: true, ...right });
    };
    end("low", s.estimates.map((e) => or(e?.low)));
    end("high", s.estimates.map((e) => or(e?.high)));
    end("at least", s.estimates.map((e) => or(e?.atLeast)));
  }
  const shown = series.map((_, i) => i);
  const shapes: Shapes = (place) => shown.filter((i) => place.shows(at[i]!)).flatMap((i) =>
    series[i]!.estimates.flatMap((e, j) => (e ? one(e, series[i]!, place, middle(place, x, j, i, series.length, look), look) : [])));
  return { lines, shapes };
}

/** Spot is where a series has its figure: the middle and the width, in pixels. */
export interface Spot {
  middle: number;
  width: number;
}

/** middle is where the series with the index has its bar or its point among those of its group. */
export function middle(place: Place, x: number[], at: number, series: number, of: number, look: Look = "bars"): Spot {
  const step = x.length > 1 ? Math.min(...x.slice(1).map((v, i) => place.x(v) - place.x(x[i]!))) : (place.right - place.left) / 2;
  const width = Math.min((step * 0.8) / of, 44);
  return { middle: place.x(x[at]!) + (look === "lines" ? 0 : (series - (of - 1) / 2) * width), width: look === "lines" ? 16 : width };
}

function one(e: Estimate, s: Series, place: Place, spot: Spot, look: Look): Shape[] {
  const stroke = seriesColor(s.color);
  const shapes: Shape[] = [];
  const y = (v: number): number => place.y(v, s.axis ?? "y");
  const inner = Math.max(1, spot.width * 0.43);
  const known = e.value ?? e.atLeast ?? null;
  if (known === null) return [];
  if (look === "bars") {
    shapes.push({ kind: "bar", from: [spot.middle - inner, place.bottom], to: [spot.middle + inner, y(known)], color: stroke, strength: e.value === null ? 0.3 : 0.75 });
  } else {
    shapes.push({ kind: e.value === null ? "ring" : "dot", from: [spot.middle, y(known)], to: [spot.middle, y(known)], color: stroke, width: 7 });
  }
  // What is at least so much goes on upwards.
  if (e.value === null) shapes.push({ kind: "line", from: [spot.middle, y(known)], to: [spot.middle, place.top], color: stroke, dash: true });
  shapes.push(...whisker(e, y, spot.middle, Math.min(6, inner), look === "bars" ? color("text") : stroke, place.top));
  return shapes;
}

/** whisker is an interval with its ends. One that isn't bounded goes on upwards. */
export function whisker(e: Estimate, y: (v: number) => number, x: number, half: number, stroke: string, top: number): Shape[] {
  if (e.low === null) return [];
  const low = y(e.low);
  const foot: Shape = { kind: "line", from: [x - half, low], to: [x + half, low], color: stroke, width: 1.2 };
  if (e.high === null) return [foot, { kind: "line", from: [x, low], to: [x, top], color: stroke, width: 1.2, dash: true }];
  const high = y(e.high);
  return [
    foot,
    { kind: "line", from: [x, low], to: [x, high], color: stroke, width: 1.2 },
    { kind: "line", from: [x - half, high], to: [x + half, high], color: stroke, width: 1.2 },
  ];
}

/** ends are the least and the largest, of any number of values. */
const ends = (values: number[]): [number, number] => values.reduce(([min, max], v): [number, number] => [Math.min(min, v), Math.max(max, v)], [Infinity, -Infinity]);

/** extent is a range that has all values: from 0, or to the steps 1, 2, 5 of a logarithmic axis. */
export function extent(values: (number | null | undefined)[], log: boolean): [number, number] {
  const known = values.filter((v): v is number => v !== null && v !== undefined && Number.isFinite(v) && (!log || v > 0));
  if (known.length === 0) return log ? [1, 10] : [0, 1];
  const [min, max] = ends(known);
  if (!log) return [Math.min(0, min), max <= 0 ? 1 : max * 1.06];
  const steps = (v: number): number[] => { const ten = 10 ** Math.floor(Math.log10(v)); return [ten / 2, ten, 2 * ten, 5 * ten, 10 * ten, 20 * ten]; };
  return [steps(min).findLast((s) => s < min) ?? min / 2, steps(max).find((s) => s > max) ?? max * 2];
}

/** around is a range near the values, for what has no foot at 0; from 0 where they go down to a half of the largest. */
export function around(values: number[], log: boolean): [number, number] {
  const [min, max] = ends(values);
  if (log || values.length === 0 || min <= max / 2) return extent(values, log);
  const margin = Math.max((max - min) * 0.15, max * 0.01);
  return [min - margin, max + margin];
}

/** valuesOf are all that a chart of the estimates has to have room for. */
export const valuesOf = (all: (Estimate | null)[]): (number | null | undefined)[] => all.flatMap((e) => (e ? [e.value, e.atLeast, e.low, e.high] : []));
