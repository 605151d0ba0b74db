// Candlesticks of the points that are shown: the least, the quartiles, the median and the largest of each step.
import { chart, type Line } from "../chart.ts";
import { seconds } from "../format.ts";
import type { Shape } from "../shapes.ts";
import { quantile } from "../quantile.ts";
import { seriesColor } from "../theme.ts";
import type { PointChart } from "./chart.ts";

/** mostSteps are so many that candles don't touch. */
const mostSteps = 40;
const widths = [1, 2, 5].flatMap((n) => Array.from({ length: 12 }, (_, i) => n * 10 ** (i - 1))).sort((a, b) => a - b);

interface Candle {
  series: number;
  step: number;
  values: number[]; // least, lower quartile, median, upper quartile, largest
}

const names = ["min", "lower quartile", "median", "upper quartile", "max"];

/** candleChart sorts the points of each step, so its figures are exact. Between two steps it lets the page draw. */
export async function candleChart(points: PointChart, title: string): Promise<HTMLElement> {
  const { from, to, set } = points;
  const begin = Math.min(...set.series.map((s) => s.times[0]!));
  const width = widths.find((w) => (to - from) / w <= mostSteps) ?? to - from;
  const first = Math.floor((from - begin) / width);
  const steps = Math.floor((to - begin) / width) - first + 1;
  const found: Candle[] = [];
  for (let step = 0; step < steps; step++) {
    const at = begin + (first + step) * width;
    for (const { index, series } of points.shown()) {
      const low = series.first(Math.max(at, from));
      const high = Math.min(series.first(at + width), series.after(to));
      if (high <= low) continue;
      const ordered = series.values.slice(low, high).sort();
      found.push({ series: index, step, values: [0, 0.25, 0.5, 0.75, 1].map((part) => quantile(ordered, part)) });
    }
    await new Promise((done) => setTimeout(done));
  }
  const x = Array.from({ length: steps }, (_, i) => ((first + i) * width) / 1000);
  const shown = points.shown();
  const lines = shown.flatMap(({ index, series }): Line[] => names.map((name, i) => {
    const values = x.map((_, step) => found.find((c) => c.series === index && c.step === step)?.values[i] ?? null);
    return name === "median" ? { label: series.name, color: index, values, noAverage: true, shaped: true }
      : { label: `${series.name}: ${name}`, color: "transparent", values, aside: true, noAverage: true };
  }));
  return chart({
    title, x, lines, xLabel: "step's begin in s", writeX: seconds, writeY: (y) => (y === null || y === undefined ? "–" : points.write(y)), ...(set.unit ? { unit: set.unit } : {}),
    range: [x[0]!, x[0]! + (steps * width) / 1000], height: 280,
    description: `The least, the quartiles, the median and the largest of the points of each ${seconds(width / 1000)} of the times that were shown. Quartiles are interpolated between the nearest two.`,
    shapes: (place) => found.flatMap((c) => {
      const at = shown.findIndex(({ index }) => index === c.series);
      if (!place.shows(at * names.length + 2)) return [];
      const room = place.x(x[0]! + width / 1000) - place.x(x[0]!);
      const middle = place.x(x[c.step]!) + (room * (at + 0.5)) / shown.length;
      return candle(c, middle, Math.max(1.5, Math.min(12, (room * 0.36) / shown.length)), place.y);
    }),
  });
}

function candle(c: Candle, middle: number, half: number, y: (value: number) => number): Shape[] {
  const color = seriesColor(c.series);
  const [least, lower, median, upper, largest] = c.values.map((value) => y(value)) as [number, number, number, number, number];
  const flat = (at: number, part: number, width: number): Shape => ({ kind: "line", from: [middle - half * part, at], to: [middle + half * part, at], color, width });
  return [
    { kind: "line", from: [middle, least], to: [middle, lower], color }, { kind: "line", from: [middle, upper], to: [middle, largest], color },
    { kind: "bar", from: [middle - half, lower], to: [middle + half, upper], color, strength: 0.3 },
    flat(least, 0.6, 1.5), flat(largest, 0.6, 1.5), flat(lower, 1, 1.5), flat(upper, 1, 1.5), flat(median, 1, 2.5),
  ];
}
