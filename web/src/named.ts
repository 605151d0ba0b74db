// How figures and combinations are called, and how figures are written.
import { count, micros, plain, rate, share } from "./format.ts";
import type { Estimate, Label, Name } from "./suite/model.ts";

export type Write = (value: number | null | undefined) => string;

/** writes is how a figure of a unit is written: 1/s, s, 1 (a part of 1), records, or none for a ratio. */
export function writes(unit: string): Write {
  switch (unit) {
    case "1/s": return rate;
    case "s": return (x) => micros(x === null || x === undefined ? x : x * 1e6);
    case "1": return share;
    case "records": return count;
    default: return plain;
  }
}

/** unitName is what the unit is called beside figures. */
export const unitName = (unit: string): string => (unit === "1" ? "a part of 1" : unit);

const units: Record<string, string> = { throughput: "1/s", errors: "1", recordsLost: "records" };

/** unitOf a metric. All others are times. */
export const unitOf = (metric: string): string => units[metric] ?? "s";

/** nameOf a combination, such as "mode=serializable, rate=500". */
export function nameOf(labels: Label[]): string {
  return labels.length === 0 ? "the template" : labels.map((l) => `${l.axis}=${l.value}`).join(", ");
}

/** keyOf is the same for the same figure. */
export const keyOf = (n: Name): string => JSON.stringify([n.workload, n.operation ?? "", n.fault ?? "", n.metric, n.time ?? ""]);

/** figureName is what people call a figure. Where the page has several workloads, it names that, too. */
export function figureName(n: Name, workloads = 1): string {
  const metric = n.metric === "p999" ? "p99.9" : n.metric === "recordsLost" ? "records lost" : n.metric;
  const time = n.time === "service" ? " (service time)" : n.time === "response" || !n.time ? "" : " (time not known)";
  const of = n.operation ? ` of ${n.operation}${time}` : n.fault ? ` by ${n.fault}` : "";
  return `${metric}${of}${workloads > 1 && n.workload ? ` in ${n.workload}` : ""}`;
}

/** capital begins a title. p99 stays as it is. */
export const capital = (text: string): string => (/^p\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

/** value is the figure, or the least that it can be. */
export function value(e: Estimate, write: Write): string {
  return e.value === null && e.atLeast !== undefined ? `≥ ${write(e.atLeast)}` : write(e.value);
}

/** interval is empty where the trials are too few for one. A unit that both ends have is written once. */
export function interval(e: Estimate, write: Write): string {
  if (e.low === null) return "";
  const [low, high] = [write(e.low), e.high === null ? "∞" : write(e.high)];
  const unit = / ?[^\d\s.]+$/.exec(high)?.[0] ?? "";
  return `${unit && low.endsWith(unit) ? low.slice(0, -unit.length) : low} … ${high}`;
}

export function withInterval(e: Estimate | null | undefined, write: Write): string {
  if (!e) return "–";
  const between = interval(e, write);
  return `${value(e, write)}${between ? ` (${between})` : ""}`;
}

export const percent = (part: number): string => `${Number((100 * part).toPrecision(5))} %`;

/** plural is so many of a thing. */
export const plural = (n: number, thing: string): string => (n === 1 ? `1 ${thing}` : `${count(n)} ${thing}s`);
