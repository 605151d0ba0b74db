import { sortByTime } from "./sort.ts";

/** Sums are those of some points. Without points, min and max are infinite. */
export interface Sums {
  count: number;
  min: number;
  max: number;
  sum: number;
}

/** block is how many points the lowest level of the pyramid joins. */
const block = 32;

interface Level {
  min: Float64Array;
  max: Float64Array;
  sum: Float64Array;
}

/**
 * Series are points sorted by time. Above them stands a pyramid: each entry sums up two of the level below. So the sums of any part cost the logarithm of its
 * points, and are exact but for the rounding of sums.
 */
export class Series {
  readonly length: number;
  private readonly levels: Level[] = [];

  constructor(readonly name: string, readonly times: Float64Array, readonly values: Float64Array) {
    this.length = times.length;
    sortByTime(times, values);
    this.build();
  }

  private build(): void {
    const first = levelOf(Math.floor(this.length / block));
    for (let i = 0; i < first.sum.length; i++) {
      const sums = none();
      this.one(sums, i * block, (i + 1) * block);
      first.min[i] = sums.min;
      first.max[i] = sums.max;
      first.sum[i] = sums.sum;
    }
    for (let level = first; level.sum.length > 0;) {
      this.levels.push(level);
      const next = levelOf(Math.floor(level.sum.length / 2));
      for (let i = 0; i < next.sum.length; i++) {
        next.min[i] = Math.min(level.min[2 * i]!, level.min[2 * i + 1]!);
        next.max[i] = Math.max(level.max[2 * i]!, level.max[2 * i + 1]!);
        next.sum[i] = level.sum[2 * i]! + level.sum[2 * i + 1]!;
      }
      level = next;
    }
  }

  /** first is the index of the first point that isn't before the time, looked for from an index that isn't behind it. */
  first(time: number, from = 0): number {
    let low = from;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** after is the index of the first point behind the time. */
  after(time: number, from = 0): number {
    let low = from;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** sums are those of the points from one index to before another. */
  sums(from: number, to: number): Sums {
    const all = none();
    if (to <= from) return all;
    all.count = to - from;
    let low = Math.ceil(from / block);
    let high = Math.floor(to / block);
    if (low >= high) {
      this.one(all, from, to);
      return all;
    }
    this.one(all, from, low * block);
    this.one(all, high * block, to);
    for (let level = 0; low < high; level++) {
      const of = this.levels[level]!;
      if (low & 1) join(all, of, low++);
      if (high & 1) join(all, of, --high);
      low >>= 1;
      high >>= 1;
    }
    return all;
  }

  private one(into: Sums, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const value = this.values[i]!;
      if (value < into.min) into.min = value;
      if (value > into.max) into.max = value;
      into.sum += value;
    }
  }
}

const none = (): Sums => ({ count: 0, min: Infinity, max: -Infinity, sum: 0 });

function levelOf(length: number): Level {
  return { min: new Float64Array(length), max: new Float64Array(length), sum: new Float64Array(length) };
}

function join(into: Sums, level: Level, i: number): void {
  if (level.min[i]! < into.min) into.min = level.min[i]!;
  if (level.max[i]! > into.max) into.max = level.max[i]!;
  into.sum += level.sum[i]!;
}
