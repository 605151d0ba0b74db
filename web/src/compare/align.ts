// Runs over one time axis, aligned at their starts or at a fault.
import type { Fault, WorkloadCharts } from "../model.ts";
import type { Run } from "./sides.ts";

const second = 1_000_000;

/** Aligned is a run whose step at `at` is 0 of the common axis. */
export interface Aligned {
  run: Run;
  charts: WorkloadCharts;
  at: number;
}

/** At is what runs are aligned at: the start, the first fault of each, or the fault of a name. */
export type At = { kind: "start" } | { kind: "first" } | { kind: "fault"; name: string };

export const injectedOf = (run: Run, workload: string): Fault[] =>
  run.report.faults.filter((f) => f.workload === workload && f.injectedAt).sort((a, b) => a.injectedAt!.after.sinceStartMicros - b.injectedAt!.after.sinceStartMicros);

/** faultAt is the fault of a run that it is aligned at. */
export function faultAt(run: Run, workload: string, at: At): Fault | undefined {
  if (at.kind === "start") return undefined;
  const all = injectedOf(run, workload);
  return at.kind === "first" ? all[0] : all.find((f) => f.name === at.name);
}

/** align leaves out runs without the fault. The step in which it was injected begins at 0, so that steps of all runs are below one another. */
export function align(runs: { run: Run; charts: WorkloadCharts }[], at: At): Aligned[] {
  return runs.flatMap(({ run, charts }) => {
    if (at.kind === "start") return [{ run, charts, at: 0 }];
    const fault = faultAt(run, charts.name, at);
    if (!fault) return [];
    const into = fault.injectedAt!.after.sinceStartMicros / second - charts.firstSecond;
    return [{ run, charts, at: charts.firstSecond + Math.floor(into / charts.stepSeconds) * charts.stepSeconds }];
  });
}

/** axis has each step of each run. */
export function axis(runs: Aligned[]): number[] {
  const from = Math.min(...runs.map((r) => r.charts.firstSecond - r.at));
  const to = Math.max(...runs.map((r) => r.charts.firstSecond - r.at + r.charts.steps * r.charts.stepSeconds));
  const step = Math.min(...runs.map((r) => r.charts.stepSeconds));
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);
}

/** along puts the values of a run's steps on the axis. A step that is longer than the axis' has its value in each of them. */
export function along(x: number[], r: Aligned, values: (number | null)[]): (number | null)[] {
  const { firstSecond, stepSeconds, steps } = r.charts;
  return x.map((at) => {
    const step = Math.floor((at + r.at - firstSecond) / stepSeconds + 1e-9);
    return step >= 0 && step < steps ? (values[step] ?? null) : null;
  });
}
