// What of a series stands in each column of pixels.
import type { Series, Sums } from "./series.ts";

/** Columns are as many as the chart is wide. A column without points has count 0. */
export interface Columns {
  count: Uint32Array;
  min: Float64Array;
  max: Float64Array;
  mean: Float64Array;
}

export function makeColumns(width: number): Columns {
  return { count: new Uint32Array(width), min: new Float64Array(width), max: new Float64Array(width), mean: new Float64Array(width) };
}

/** fill sums up the points of each column. The last one has the window's end. */
export function fill(columns: Columns, series: Series, from: number, to: number): void {
  const width = columns.count.length;
  let low = series.first(from);
  for (let i = 0; i < width; i++) {
    const high = i === width - 1 ? series.after(to, low) : series.first(from + ((to - from) * (i + 1)) / width, low);
    const sums = series.sums(low, high);
    columns.count[i] = sums.count;
    columns.min[i] = sums.min;
    columns.max[i] = sums.max;
    columns.mean[i] = sums.sum / sums.count;
    low = high;
  }
}

/** within are the sums of the points from one time to another, with both. */
export function within(series: Series, from: number, to: number): Sums {
  return series.sums(series.first(from), series.after(to));
}

/** mostLooked is how many points of a column are looked at for the one below the pointer. */
const mostLooked = 1 << 16;

/**
 * under is the index of the point below the pointer: of those in the column, the one whose value is nearest to the pointer's; in an empty column, the one nearest
 * in time. Of more points than are looked at, it is one of the first.
 */
export function under(series: Series, from: number, to: number, value: number): number | null {
  if (series.length === 0) return null;
  const low = series.first(from);
  const high = Math.min(series.first(to, low), low + mostLooked);
  if (low === high) {
    const middle = (from + to) / 2;
    const after = Math.min(low, series.length - 1);
    const before = Math.max(after - 1, 0);
    return Math.abs(series.times[before]! - middle) < Math.abs(series.times[after]! - middle) ? before : after;
  }
  let best = low;
  for (let i = low; i < high; i++) if (Math.abs(series.values[i]! - value) < Math.abs(series.values[best]! - value)) best = i;
  return best;
}
