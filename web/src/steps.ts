import type uPlot from "uplot";

/** steps draws each value from its place to the next one, and nothing where none is known: neither in gaps nor beyond the end. */
export function steps(u: uPlot, series: number, from: number, to: number): uPlot.Series.Paths {
  const stroke = new Path2D();
  const [x, values] = [u.data[0], u.data[series]!];
  const scale = u.series[series]!.scale ?? "y";
  const width = (x[1] ?? 1) - (x[0] ?? 0);
  for (let i = from; i <= to; i++) {
    const value = values[i];
    if (value === null || value === undefined) continue;
    const left = Math.round(u.valToPos(x[i]!, "x", true));
    const right = Math.round(u.valToPos(x[i + 1] ?? x[i]! + width, "x", true));
    const y = Math.round(u.valToPos(value, scale, true));
    if (i > from && values[i - 1] !== null && values[i - 1] !== undefined) stroke.lineTo(left, y);
    else stroke.moveTo(left, y);
    stroke.lineTo(right, y);
  }
  return { stroke };
}
