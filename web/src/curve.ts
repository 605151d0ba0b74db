import { chart } from "./chart.ts";
import { micros } from "./format.ts";
import type { Curve } from "./model.ts";

/** beyond is where a percentile stands on the axis: each step is a nine more. */
const beyond = (percentile: number): number => -Math.log10(1 - Math.min(percentile, 99.9999) / 100);

/** curves draws the latency by percentile, up to 99.999 %. */
export function curves(all: Curve[], time: string): HTMLElement | null {
  const wanted = all.filter((c) => c.time === time && c.outcome === "ok");
  return wanted.length === 0 ? null : overlaidCurves(`Percentiles of ${time} time`, wanted.map((curve, i) => ({ name: curve.operation, color: i, curve })));
}

/** overlaidCurves draws curves over one another. */
export function overlaidCurves(title: string, wanted: { name: string; color: number; curve: Curve }[]): HTMLElement {
  const at = [...new Set(wanted.flatMap((c) => c.curve.points.filter((p) => p.percentile < 100).map((p) => p.percentile)))].sort((a, b) => a - b);
  return chart({
    title,
    description: "The latency below which so many percent of the successful operations of the measurement were. A percentile beyond which there is no whole operation is left out.",
    x: at.map(beyond),
    exactX: at,
    xLabel: "Percentile",
    writeX: (x) => `${Number((100 * (1 - 10 ** -x)).toFixed(4))} %`,
    xTicks: { at: [0, 1, 2, 3, 4, 5].filter((n) => n <= Math.ceil(beyond(at[at.length - 1] ?? 0))), label: (n) => (n === 0 ? "0" : `${Number((100 * (1 - 10 ** -n)).toFixed(3))} %`) },
    writeY: micros,
    unit: "µs",
    log: true,
    height: 260,
    lines: wanted.map((c) => {
      const points = new Map(c.curve.points.map((p) => [p.percentile, p.micros]));
      return { label: c.name, values: at.map((p) => points.get(p) ?? null), color: c.color, noAverage: true };
    }),
  });
}
