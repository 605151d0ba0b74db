// Reads points from lines while their bytes come. Millions of lines come, so the usual ones are read without making texts of them.
import { Column } from "./column.ts";
import { Series } from "./series.ts";

/** Limits of a file, which may come from anywhere. */
export const mostPoints = 20_000_000;
const mostSeries = 32;
const longestName = 200;
const longestLine = 1 << 16;

/** Set are the points of a file that have one clock. */
export interface Set {
  series: Series[];
  /** Times are milliseconds: since 1970, or since the first operation of the series. */
  clock: "unix" | "relative";
  /** Values are latencies, unless the file says that they are plain numbers. */
  unit: "µs" | "";
  /** What a value is: one of an operation, or one that sums up a time. */
  each: "operation" | "average" | "interval";
}

export interface Read {
  sets: Set[];
  points: number;
  lines: number;
  /** Lines that are neither points nor what YCSB prints beside them. */
  bad: { count: number; first: number; text: string };
  /** Points for which there is no room. */
  dropped: number;
  /** Names of what are buckets of a histogram, and no points over time. */
  buckets: string[];
  /** The file has a summary. */
  summary: boolean;
}

interface Growing {
  name: string;
  bytes: Uint8Array;
  relative: boolean;
  times: Column;
  values: Column;
  sum: number;
  count: number;
}

const [newline, cr, comma, bracket, endBracket, space, zero, nine, greater] = [10, 13, 44, 91, 93, 32, 48, 57, 62];
const number = /^-?\d{1,20}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/;
/** largest is more microseconds than have passed since 1970. */
const largest = 1e16;
/** latest is the last millisecond that a date can have. */
const latest = 8.64e15;

export class Lines {
  private rest = new Uint8Array(0);
  private readonly growing: Growing[] = [];
  private readonly operations = new Map<string, number>();
  private readonly overflow = new Map<string, number>();
  private perMilli = 1;
  private plain = false;
  /** How many points were read. */
  points = 0;
  private lines = 0;
  private dropped = 0;
  private summary = false;
  private readonly bad = { count: 0, first: 0, text: "" };
  private readonly decoder = new TextDecoder();

  /** add takes the next bytes of the file. */
  add(piece: Uint8Array): void {
    let from = 0;
    if (this.rest.length > 0) {
      const end = piece.indexOf(newline);
      const taken = end < 0 ? piece : piece.subarray(0, end + 1);
      const joined = new Uint8Array(this.rest.length + taken.length);
      joined.set(this.rest);
      joined.set(taken, this.rest.length);
      this.rest = new Uint8Array(0);
      if (end < 0) return this.keep(joined);
      this.line(joined, 0, joined.length - 1);
      from = end + 1;
    }
    for (let end = piece.indexOf(newline, from); end >= 0; end = piece.indexOf(newline, from)) {
      this.line(piece, from, end);
      from = end + 1;
    }
    this.keep(piece.slice(from));
  }

  /** keep holds the begin of a line, unless it is too long for one. */
  private keep(begin: Uint8Array<ArrayBuffer>): void {
    this.rest = begin.length > longestLine ? begin.slice(0, longestLine + 1) : begin;
  }

  /** end says what was read. A last line without an end may lack digits, so it is no point. */
  end(): Read {
    if (this.rest.length > 0) {
      this.lines++;
      this.refuse(this.rest, 0, this.rest.length, "it has no end of line, so it may be cut off: ");
    }
    return this.read();
  }

  /** read says what was read so far. */
  read(): Read {
    const buckets = this.growing.filter((g) => g.relative && g.count > 0 && g.sum + (this.overflow.get(g.name) ?? 0) === this.operations.get(g.name));
    const drawn = this.growing.filter((g) => !buckets.includes(g) && g.count > 0);
    const set = (clock: Set["clock"]): Set => ({
      clock, unit: this.plain && clock === "unix" ? "" : "µs", each: clock === "relative" ? "average" : "operation",
      series: drawn.filter((g) => g.relative === (clock === "relative")).map((g) => new Series(g.name, g.times.joined(), g.values.joined())),
    });
    const sets = [set("unix"), set("relative")].filter((s) => s.series.length > 0);
    return {
      sets, points: drawn.reduce((n, g) => n + g.count, 0), lines: this.lines, bad: this.bad, dropped: this.dropped, buckets: buckets.map((g) => g.name), summary: this.summary,
    };
  }

  private line(b: Uint8Array, from: number, end: number): void {
    this.lines++;
    const to = end > from && b[end - 1] === cr ? end - 1 : end;
    if (to === from) return;
    if (to - from > longestLine) return this.refuse(b, from, to, "it is too long: ");
    if (b[from] === bracket) return this.measurement(b, from, to);
    const first = until(b, from, to, comma);
    const second = until(b, first + 1, to, comma);
    if (second >= to || first === from || first - from > longestName) return this.other(b, from, to);
    const time = parsed(b, first + 1, second) / this.perMilli;
    const value = parsed(b, second + 1, to);
    if (!(time >= 0 && time <= latest) || Number.isNaN(value)) return this.other(b, from, to);
    this.take(b, from, first, false, time, value);
  }

  /** measurement is a line of YCSB's text: [READ], 1000, 512.3 is a point of a time series. */
  private measurement(b: Uint8Array, from: number, to: number): void {
    const close = until(b, from + 1, to, endBracket);
    const begin = close + 3; // behind "], "
    if (close === to || b[close + 1] !== comma || b[close + 2] !== space) return this.refuse(b, from, to);
    const end = until(b, begin, to, comma);
    const value = end + 2; // behind ", "
    if (value >= to) return this.refuse(b, from, to);
    if (b[begin]! < zero || b[begin]! > nine) return this.said(b, from + 1, close, begin, end, value, to);
    const time = parsed(b, begin, end);
    if (Number.isNaN(time)) return this.said(b, from + 1, close, begin, end, value, to); // a percentile
    const of = parsed(b, value, to);
    if (!Number.isNaN(of)) return this.take(b, from + 1, close, true, time, of);
    // The average of no operation.
    if (this.text(b, value, to) !== "NaN") this.refuse(b, from, to);
  }

  /** said keeps what tells buckets of histograms from points over time. */
  private said(b: Uint8Array, name: number, close: number, begin: number, end: number, value: number, to: number): void {
    const measurement = this.text(b, begin, end);
    const of = this.text(b, name, close);
    if (of === "OVERALL") this.summary = true;
    if (this.operations.size > mostSeries) return;
    if (measurement === "Operations") this.operations.set(of, Number(this.text(b, value, to)));
    if (b[begin] === greater) this.overflow.set(of, Number(this.text(b, value, to)));
  }

  private take(b: Uint8Array, from: number, to: number, relative: boolean, time: number, value: number): void {
    const g = this.find(b, from, to, relative);
    if (!g || this.points === mostPoints) {
      this.dropped++;
      return;
    }
    this.points++;
    g.count++;
    g.sum += value;
    g.times.push(time);
    g.values.push(value);
  }

  private find(b: Uint8Array, from: number, to: number, relative: boolean): Growing | null {
    search: for (const g of this.growing) {
      if (g.bytes.length !== to - from || g.relative !== relative) continue;
      for (let i = 0; i < g.bytes.length; i++) if (g.bytes[i] !== b[from + i]) continue search;
      return g;
    }
    if (this.growing.length === mostSeries || to - from > longestName) return null;
    const g = { name: this.text(b, from, to), bytes: b.slice(from, to), relative, times: new Column(), values: new Column(), sum: 0, count: 0 };
    this.growing.push(g);
    return g;
  }

  /** other is no point. Headers say what the lines behind them are. */
  private other(b: Uint8Array, from: number, to: number): void {
    const text = this.text(b, from, Math.min(to, from + 300));
    if (text === "operation,timestamp_us,latency_us") this.perMilli = 1000;
    else if (text === "series,unixMillis,value") this.plain = true;
    else if (!text.endsWith(" latency raw data: op, timestamp(ms), latency(us)")) this.refuse(b, from, to);
  }

  private refuse(b: Uint8Array, from: number, to: number, why = ""): void {
    if (this.bad.count++ > 0) return;
    this.bad.first = this.lines;
    this.bad.text = why + this.text(b, from, Math.min(to, from + 60));
  }

  private text(b: Uint8Array, from: number, to: number): string {
    return this.decoder.decode(b.subarray(from, to));
  }
}

/** until is where the byte stands, or the end. */
function until(b: Uint8Array, from: number, to: number, byte: number): number {
  let at = from;
  while (at < to && b[at] !== byte) at++;
  return at;
}

/** parsed is the number that stands there, or NaN. Up to 15 digits are exact without a text. */
function parsed(b: Uint8Array, from: number, to: number): number {
  let n = 0;
  if (to - from > 0 && to - from <= 15) {
    let i = from;
    for (; i < to; i++) {
      const digit = b[i]! - zero;
      if (digit < 0 || digit > 9) break;
      n = 10 * n + digit;
    }
    if (i === to) return n;
  }
  if (to - from > 60) return NaN;
  const text = String.fromCharCode(...b.subarray(from, to));
  const value = number.test(text) ? Number(text) : NaN;
  return Math.abs(value) <= largest ? value : NaN;
}
