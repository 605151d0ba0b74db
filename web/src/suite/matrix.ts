// The figures of all combinations, and the ratios between them, as tables.
import { cells, type Cell } from "../cells.ts";
import { scrolling } from "../dom.ts";
import { figureName, interval, keyOf, nameOf, percent, value, writes } from "../named.ts";
import type { Comparison, Estimate, Name, Suite } from "./model.ts";

const mostRows = 500;
const cut = (n: number, where: string): string => (n > mostRows ? ` These are the first ${mostRows} of ${n} rows; ${where} has all.` : "");

const figure = (e: Estimate, unit: string): Cell => ({ text: value(e, writes(unit)), sub: interval(e, writes(unit)) });

/** figuresOf are the figures that are there, each once. */
export function figuresOf<T extends Name>(all: T[], workload: string): T[] {
  const seen = new Map<string, T>();
  for (const one of all) if (one.workload === workload && !seen.has(keyOf(one))) seen.set(keyOf(one), one);
  return [...seen.values()];
}

/** medians has a row for each combination, and a column for each figure of the workload. */
export function medians(suite: Suite, workload: string): HTMLElement | null {
  const wanted = figuresOf(suite.combinations.flatMap((c) => c.metrics), workload);
  const rows = suite.combinations.filter((c) => !c.absent);
  if (wanted.length === 0) return null;
  return scrolling(`Medians of workload ${workload}`, cells(
    `Medians of the valid trials, with the interval that has the true median with a probability of at least ${percent(suite.confidence)}. Without an interval the trials are too few.${cut(rows.length, "suite.csv")}`,
    ["combination", "valid trials", ...wanted.map((n) => figureName(n))],
    rows.slice(0, mostRows).map((c) => {
      const own = new Map(c.metrics.map((m) => [keyOf(m), m]));
      return [nameOf(c.labels), String(c.valid), ...wanted.map((n) => { const m = own.get(keyOf(n)); return m ? figure(m.median, m.unit) : "–"; })];
    })));
}

/** told is what an interval of a ratio says. */
export function told(e: Estimate, higherIsBetter: boolean): "better" | "worse" | "no difference shown" | "" {
  if (e.low === null || e.high === null) return "";
  if (e.low <= 1 && e.high >= 1) return "no difference shown";
  return e.low > 1 === higherIsBetter ? "better" : "worse";
}

const styles = { better: "good", worse: "bad", "no difference shown": "", "": "" };

/** ratios has a row for each pair of values that are compared, and a column for each figure of the workload. */
export function ratios(suite: Suite, workload: string): HTMLElement | null {
  const all = suite.comparisons.filter((c) => c.workload === workload);
  if (all.length === 0) return null;
  const wanted = figuresOf(all, workload);
  const rows = new Map<string, Map<string, Comparison>>();
  for (const c of all) {
    const name = `${c.axis}=${c.value} / ${c.against}${c.with.length > 0 ? `, ${nameOf(c.with)}` : ""}`;
    if (!rows.has(name)) rows.set(name, new Map());
    rows.get(name)!.set(keyOf(c), c);
  }
  return scrolling(`Ratios of workload ${workload}`, cells(
    `By which factor a figure differs: the Hodges-Lehmann estimate over the blocks in which both are valid, with its interval of ${percent(suite.confidence)}. Where 1 is in it, the trials show no difference. Of many intervals some miss by chance.${cut(rows.size, "suite.json")}`,
    ["compared", ...wanted.map((n) => figureName(n))],
    [...rows].slice(0, mostRows).map(([name, own]) => [name, ...wanted.map((n): Cell => {
      const c = own.get(keyOf(n));
      if (!c || c.ratio.value === null) return { text: "–", sub: c?.why ?? "" };
      const says = told(c.ratio, c.metric === "throughput");
      return { text: writes("")(c.ratio.value), sub: [interval(c.ratio, writes("")), says].filter(Boolean).join(" · "), style: styles[says] };
    })])));
}
