import type { Fault, Report, WorkloadCharts } from "./model.ts";

/** Band is a time that charts shade, in seconds from the measurement's start. */
export interface Band {
  from: number;
  to: number;
  color: string;
  label: string;
}

/** Mark is an instant that charts mark. */
export interface Mark {
  at: number;
  color: string;
  label: string;
}

export interface Marks {
  bands: Band[];
  marks: Mark[];
}

const second = 1_000_000;

const title = (f: Fault): string => `${f.name}: ${f.action} of ${(f.targets ?? [f.target]).filter(Boolean).join(", ") || f.role || "a member"}`;

/** marksOf are the faults, the outages, the leaders and the warm-up of a workload. */
export function marksOf(report: Report, charts: WorkloadCharts): Marks {
  const bands: Band[] = [];
  const marks: Mark[] = [];
  const end = charts.firstSecond + charts.steps * charts.stepSeconds;
  const workload = report.workloads.find((w) => w.name === charts.name);
  if (workload && workload.load.warmupMicros > 0) bands.push({ from: charts.firstSecond, to: 0, color: "aside", label: "warm-up" });
  if (workload && workload.load.cooldownMicros > 0 && workload.durationMicros / second < end) {
    bands.push({ from: workload.durationMicros / second, to: end, color: "aside", label: "cool-down" });
  }
  for (const f of report.faults.filter((one) => one.workload === charts.name && one.injectedAt)) {
    const from = f.injectedAt!.after.sinceStartMicros / second;
    const to = f.injectedAt!.before.sinceStartMicros / second;
    marks.push({ at: from, color: "fault", label: title(f) });
    if (f.durationMicros !== undefined) {
      const until = f.endedAt ? f.endedAt.before.sinceStartMicros / second : end;
      bands.push({ from: to, to: until, color: "fault", label: title(f) });
    }
    if (f.downAt) {
      const until = f.backAt ? f.backAt.sinceStartMicros / second : end;
      bands.push({ from: f.downAt.sinceStartMicros / second, to: until, color: "outage", label: `outage after ${f.name}${f.outageCensored ? ", at least" : ""}` });
    }
  }
  charts.leaders.forEach((leader, i) => {
    if (i > 0 && leader.member && leader.member !== lastLeader(charts, i)) {
      marks.push({ at: leader.atMicros / second, color: "leader", label: `${leader.member} leads, term ${leader.term}` });
    }
  });
  return { bands, marks };
}

function lastLeader(charts: WorkloadCharts, before: number): string {
  for (let i = before - 1; i >= 0; i--) {
    const member = charts.leaders[i]?.member;
    if (member) return member;
  }
  return "";
}
