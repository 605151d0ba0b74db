// The summary that another tool printed, as kubectl kvbench import reads it.
import { el, scrolling, table } from "../dom.ts";
import { bytes, count, micros, plain, rate } from "../format.ts";
import type { Set } from "../points/lines.ts";
import { Series } from "../points/series.ts";
import { paths } from "./api.ts";

/** Imported is internal/imported's document, as far as it is shown. */
interface Imported {
  tool: string;
  toolVersion?: string;
  valid: boolean | null;
  measuredAt: string | null;
  throughput: number | null;
  operations: { operation: string; count: number | null; errors: number | null; throughput: number | null; latencies: Latency[] }[];
  remarks: string[];
}

interface Latency {
  time: string;
  meanMicros: number | null;
  p50Micros: number | null;
  p90Micros: number | null;
  p95Micros: number | null;
  p99Micros: number | null;
  p999Micros: number | null;
  maxMicros: number | null;
}

/** Intervals are those of a log of HdrHistogram: internal/imported/hdrlog. */
interface Intervals {
  unit: Set["unit"];
  clock: Set["clock"];
  names: { name: string; intervals: ({ unixMillis: number } & Figures)[]; whole: Figures }[];
  empty: number;
}

interface Figures {
  count: number;
  mean: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export interface Summary {
  shown: HTMLElement[];
  set: Set | null;
}

/** mostBytes is the largest output that is read: parse.MaxBytes. */
const mostBytes = 64 * 2 ** 20;

/** summary asks the page's server to read the file. A file with points may have none. */
export async function summary(file: File, alone: boolean): Promise<Summary> {
  if (file.size > mostBytes) return { shown: [el("p", { class: "warning" }, `Its summary isn't read, for it is larger than ${bytes(mostBytes)}.`)], set: null };
  const answer = await fetch(paths.import(file.name), { method: "POST", body: file });
  const told = (await answer.json()) as { document?: Imported; notKnown?: string[]; intervals?: Intervals; error?: string };
  if (told.intervals) return { shown: figuresOf(told.intervals, file.name), set: setOf(told.intervals) };
  if (told.document) return { shown: documentOf(told.document, told.notKnown ?? [], file.name), set: null };
  return { shown: [el("p", { class: alone ? "warning" : "muted" }, `No summary: ${told.error ?? answer.statusText}`)], set: null };
}

const unknown = (): HTMLElement => el("ul", { class: "badges" }, el("li", { class: "badge unsure" }, "validity not known"));

function documentOf(d: Imported, notKnown: string[], file: string): HTMLElement[] {
  const rows = d.operations.flatMap((o) => (o.latencies.length > 0 ? o.latencies : [null]).map((l) => [
    o.operation, count(o.count), count(o.errors), rate(o.throughput), l?.time ?? "–",
    ...[l?.meanMicros, l?.p50Micros, l?.p90Micros, l?.p95Micros, l?.p99Micros, l?.p999Micros, l?.maxMicros].map(micros),
  ]));
  const header = ["operation", "count", "failed", "throughput", "time", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"];
  const caption = `${d.tool}${d.toolVersion ? ` ${d.toolVersion}` : ""}${d.throughput === null ? "" : `, ${rate(d.throughput)} of all operations together`}`;
  return [
    d.valid === false ? el("ul", { class: "badges" }, el("li", { class: "badge bad" }, "not valid")) : unknown(),
    scrolling(`Summary of ${file}`, table(caption, header, rows)),
    el("ul", { class: "marks" }, ...[...notKnown, ...d.remarks].map((text) => el("li", {}, text))),
  ];
}

function figuresOf(log: Intervals, file: string): HTMLElement[] {
  const write = log.unit === "" ? plain : micros;
  const rows = log.names.map(({ name, whole: w, intervals }) => [name, count(intervals.length), count(w.count), ...[w.mean, w.p50, w.p95, w.p99, w.max].map(write)]);
  return [
    unknown(),
    scrolling(`Summary of ${file}`, table("All intervals of the log together. Percentiles are of the added histograms.", ["operation", "intervals", "count", "mean", "p50", "p95", "p99", "max"], rows)),
    el("ul", { class: "marks" }, el("li", {}, "Nobody judged whether the numbers are valid."),
      log.unit === "" ? el("li", {}, "The log doesn't tell the unit of its values.") : null,
      log.empty > 0 ? el("li", {}, `${count(log.empty)} intervals have no values, and are left out.`) : null),
  ];
}

function setOf(log: Intervals): Set {
  const of = ["p50", "p95", "p99", "max"] as const;
  return { clock: log.clock, unit: log.unit, each: "interval", series: log.names.flatMap(({ name, intervals }) => of.map((which) =>
    new Series(`${name} ${which}`, Float64Array.from(intervals, (one) => one.unixMillis), Float64Array.from(intervals, (one) => one[which])))) };
}
