// The summary that another tool printed, as kubectl kvbench import reads it.
import { el, scrolling, table } from "../dom.ts";
import { bytes, count, micros, rate } from "../format.ts";
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

/** mostBytes is the largest output that is read: parse.MaxBytes. */
const mostBytes = 64 * 2 ** 20;

/** summary asks the page's server to read the file. A file with points may have none. */
export async function summary(file: File, alone: boolean): Promise<HTMLElement[]> {
  if (file.size > mostBytes) return [el("p", { class: "warning" }, `Its summary isn't read, for it is larger than ${bytes(mostBytes)}.`)];
  const answer = await fetch(paths.import(file.name), { method: "POST", body: file });
  const told = (await answer.json()) as { document?: Imported; notKnown?: string[]; error?: string };
  if (!told.document) return [el("p", { class: alone ? "warning" : "muted" }, `No summary: ${told.error ?? answer.statusText}`)];
  const d = told.document;
  const rows = d.operations.flatMap((o) => (o.latencies.length > 0 ? o.latencies : [null]).map((l) => [
    o.operation, count(o.count), count(o.errors), rate(o.throughput), l?.time ?? "–",
    ...[l?.meanMicros, l?.p50Micros, l?.p90Micros, l?.p95Micros, l?.p99Micros, l?.p999Micros, l?.maxMicros].map(micros),
  ]));
  const header = ["operation", "count", "failed", "throughput", "time", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"];
  return [
    el("ul", { class: "badges" }, el("li", { class: `badge ${d.valid === false ? "bad" : "unsure"}` }, d.valid === false ? "not valid" : "validity not known")),
    scrolling(`Summary of ${file.name}`, table(`${d.tool}${d.toolVersion ? ` ${d.toolVersion}` : ""}${d.throughput === null ? "" : `, ${rate(d.throughput)} of all operations together`}`, header, rows)),
    el("ul", { class: "marks" }, ...[...(told.notKnown ?? []), ...d.remarks].map((text) => el("li", {}, text))),
  ];
}
