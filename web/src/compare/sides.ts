// The figures of several runs side by side.
import { cells } from "../cells.ts";
import { el, scrolling } from "../dom.ts";
import { count, micros, rate, seconds, share } from "../format.ts";
import type { Charts, Latency, Report, Workload } from "../model.ts";

export interface Run {
  name: string;
  report: Report;
  charts: Charts | null;
  /** Its colour in all charts. */
  index: number;
}

/** workloadsOf are those of the runs with one name; where each run has only one, these. */
export function workloadsOf(runs: Run[]): { name: string; of: (run: Run) => Workload | undefined }[] {
  if (runs.every((r) => r.report.workloads.length === 1)) {
    return [{ name: [...new Set(runs.map((r) => r.report.workloads[0]!.name))].join(" / "), of: (run) => run.report.workloads[0] }];
  }
  const names = [...new Set(runs.flatMap((r) => r.report.workloads.map((w) => w.name)))];
  return names.map((name) => ({ name, of: (run) => run.report.workloads.find((w) => w.name === name) }));
}

export function sideBySide(runs: Run[]): HTMLElement[] {
  const header = ["figure", ...runs.map((r) => r.name)];
  return [
    el("h2", {}, "Side by side"),
    scrolling("What was run", cells("What was run, as each report has it", ["what", ...header.slice(1)], what(runs))),
    ...workloadsOf(runs).map((w) => scrolling(`Figures of workload ${w.name}`, cells(`Workload ${w.name}: the measurement, as each report has it`, header, figures(runs, w.of)))),
  ];
}

function what(runs: Run[]): string[][] {
  const row = (name: string, of: (r: Report) => string): string[] => [name, ...runs.map((r) => of(r.report))];
  return [
    row("store", (r) => `${r.store.name}${r.store.version ? ` ${r.store.version}` : ""}`), row("mode", (r) => r.store.mode || "–"),
    row("promise", (r) => r.store.promise || "–"), row("members", (r) => String(r.store.members.length)), row("numbers", (r) => (r.valid ? "valid" : "not valid")),
    row("kvbench", (r) => r.kvbench ?? "–"),
  ];
}

function figures(runs: Run[], of: (run: Run) => Workload | undefined): string[][] {
  const row = (name: string, write: (w: Workload, r: Run) => string): string[] => [name, ...runs.map((r) => { const w = of(r); return w ? write(w, r) : "–"; })];
  const bad = (w: Workload): number => w.failed + w.unknown + w.neverStarted;
  const rows = [
    row("load", (w) => (w.load.model === "open" ? `open loop of ${rate(w.load.rate)}` : `closed loop of ${w.load.threads * w.load.workers} threads`)),
    row("time", (w) => seconds(w.durationMicros / 1e6)), row("records", (w) => count(w.records)), row("served", (w) => rate(w.throughput)), row("operations", (w) => count(w.intended)),
    row("without success", (w) => (w.intended > 0 ? `${count(bad(w))} (${share(bad(w) / w.intended)})` : "–")),
  ];
  const kinds = [...new Set(runs.flatMap((r) => of(r)?.operations.filter((o) => o.outcome === "ok").map((o) => o.operation) ?? []))];
  for (const time of ["responseTime", "serviceTime"] as const) {
    for (const kind of kinds) {
      const latency = (w: Workload): Latency | null => w.operations.find((o) => o.operation === kind && o.outcome === "ok")?.[time] ?? null;
      if (!runs.some((r) => { const w = of(r); return w && latency(w); })) continue;
      for (const [name, key] of [["p50", "p50Micros"], ["p95", "p95Micros"], ["p99", "p99Micros"], ["p99.9", "p999Micros"], ["max", "maxMicros"]] as const) {
        rows.push(row(`${name} of ${kind}${time === "serviceTime" ? " (service time)" : ""}`, (w) => micros(latency(w)?.[key])));
      }
    }
  }
  for (const fault of [...new Set(runs.flatMap((r) => r.report.faults.filter((f) => f.workload === of(r)?.name).map((f) => f.name)))]) {
    rows.push(row(`outage by ${fault}`, (w, r) => {
      const f = r.report.faults.find((one) => one.name === fault && one.workload === w.name);
      return !f || f.outageMicros === null || f.partOf ? "–" : f.outageMicros === 0 ? "none" : `${f.outageCensored ? "≥ " : ""}${micros(f.outageMicros)}`;
    }));
  }
  return rows;
}
