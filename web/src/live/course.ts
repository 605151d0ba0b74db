// A workload that goes on: the seconds that have come, as the columns that charts are drawn from.
import type { Marks } from "../marks.ts";
import type { MemberCharts, Percentiles, WorkloadCharts } from "../model.ts";
import type { Latency, RunFrame, Second } from "./api.ts";

/** bandBounds are those of charts.json: twelve in each decade, from 10 µs to 10 minutes. */
function bandBounds(): number[] {
  const bounds: number[] = [];
  for (let i = 0; bounds.length === 0 || bounds[bounds.length - 1]! < 600_000_000; i++) bounds.push(Math.round(10 * 10 ** (i / 12)));
  return bounds;
}

const second = 1_000_000;

export class Course {
  readonly charts: WorkloadCharts;
  open = false;
  /** How many seconds lack a worker. */
  gaps = 0;
  /** There is something new to draw. */
  dirty = false;
  /** The last second, or none. */
  last: Second | null = null;
  private readonly workers = new Set<number>();
  /** Zero of the axis, in Unix seconds. */
  private zero: number;

  constructor(first: Second) {
    this.zero = first.unixSeconds - first.second;
    this.charts = {
      name: first.workload, live: true, stepSeconds: 1, firstStepMicros: second, lastStepMicros: second, firstSecond: first.second, steps: 0,
      missingWorkers: [], counts: { intended: [], ok: [], failed: [], unknown: [], completed: [] }, operations: [],
      heat: { time: "service", boundsMicros: bandBounds(), columns: [] }, curves: [], errors: [],
      generator: { lagMaxMicros: [], inFlightMax: [], gcPauseMicros: [], coreShare: [] }, members: [], leaders: [], faults: [], loading: null,
    };
  }

  /** add takes the next second. One that has come already is passed over; those between are gaps. */
  add(s: Second): void {
    const w = this.charts;
    if (s.second < w.firstSecond + w.steps) return;
    while (w.firstSecond + w.steps < s.second) this.step(null);
    this.step(s);
    this.last = s;
    this.dirty = true;
  }

  private step(s: Second | null): void {
    const w = this.charts;
    const step = w.steps++;
    for (const worker of s?.missingWorkers ?? []) this.workers.add(worker);
    w.missingWorkers = [...this.workers].sort((a, b) => a - b);
    if (s?.store) this.members(s.second, s.store);
    // What some workers have done alone is no figure of the run.
    if (!s || s.missingWorkers) {
      this.gaps++;
      s = null;
    }
    const sum = (outcome: string): number => (s?.operations ?? []).filter((o) => o.outcome === outcome && !o.part).reduce((n, o) => n + o.count, 0);
    w.counts.intended.push(s ? s.intended : null);
    w.counts.ok.push(s ? sum("ok") : null);
    w.counts.completed.push(s ? sum("ok") : null);
    w.counts.failed.push(s ? sum("failed") : null);
    w.counts.unknown.push(s ? sum("unknown") : null);
    for (const o of s?.operations ?? []) if (o.outcome === "ok") this.operation(o.operation);
    for (const operation of w.operations) {
      const of = s?.operations.find((o) => o.operation === operation.operation && o.outcome === "ok");
      operation.count[step] = of?.count ?? 0;
      if (of?.responseTime && !operation.response) operation.response = empty(step);
      if (of?.serviceTime && !operation.service) operation.service = empty(step);
      if (operation.response) push(operation.response, of?.responseTime);
      if (operation.service) push(operation.service, of?.serviceTime);
      if (of?.responseTime) this.open = true;
    }
    if (this.open) w.heat.time = "response";
    w.heat.columns!.push(s?.heat ?? []);
    for (const e of s?.errors ?? []) {
      let row = w.errors.find((one) => one.operation === e.operation && one.outcome === e.outcome && one.code === e.code);
      if (!row) w.errors.push((row = { ...e, step: [], count: [] } as unknown as WorkloadCharts["errors"][number]));
      row.step.push(step);
      row.count.push(e.count);
    }
    w.generator.lagMaxMicros.push(s?.generator.lagMaxMicros ?? null);
    w.generator.inFlightMax.push(s?.generator.inFlightMax ?? null);
    w.generator.gcPauseMicros.push(s?.generator.gcPauseMicros ?? null);
    w.generator.coreShare.push(s?.generator.coreShare ?? null);
  }

  private operation(name: string): void {
    const w = this.charts;
    if (w.operations.some((o) => o.operation === name)) return;
    w.operations.push({ operation: name, count: Array<number>(w.steps - 1).fill(0), response: null, service: null });
    w.operations.sort((a, b) => (a.operation < b.operation ? -1 : 1));
  }

  private members(at: number, store: NonNullable<Second["store"]>): void {
    const w = this.charts;
    const atMicros = at * second;
    for (const m of store.members) {
      if (!w.members.some((one) => one.name === m.name)) w.members.push({ name: m.name, states: [], usage: [] } satisfies MemberCharts);
    }
    w.members.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const m of w.members) {
      const seen = store.members.find((one) => one.name === m.name);
      m.states.push({ atMicros, role: seen?.role ?? "", healthy: seen?.up ?? false, known: store.members.length > 0 });
    }
    if (store.members.length > 0) w.leaders.push({ atMicros, member: store.leader ?? "", term: store.term ?? 0, steady: true });
  }

  /** marks are the warm-up, the faults as far as they have happened, and the leaders. */
  marks(frame: RunFrame | undefined): Marks {
    const w = this.charts;
    const marks: Marks = { bands: [], marks: [] };
    const end = w.firstSecond + w.steps;
    if (w.firstSecond < 0) marks.bands.push({ from: w.firstSecond, to: Math.min(0, end), color: "aside", label: "warm-up" });
    for (const f of (frame?.faults ?? []).filter((one) => one.workload === w.name && one.injectedAt)) {
      const label = `${f.name}: ${f.action} of ${(f.targets ?? []).join(", ")}`;
      const from = this.since(f.injectedAt!);
      marks.marks.push({ at: from, color: "fault", label });
      if (f.lasts) marks.bands.push({ from, to: f.endedAt ? this.since(f.endedAt) : end, color: "fault", label });
    }
    let leader = "";
    for (const l of w.leaders) {
      if (leader && l.member && l.member !== leader) marks.marks.push({ at: l.atMicros / second, color: "leader", label: `${l.member} leads, term ${l.term}` });
      leader = l.member || leader;
    }
    return marks;
  }

  private since(time: string): number {
    return Date.parse(time) / 1000 - this.zero;
  }
}

function empty(steps: number): Percentiles {
  const column = (): (number | null)[] => Array<number | null>(steps).fill(null);
  return { p50Micros: column(), p95Micros: column(), p99Micros: column(), p999Micros: column(), maxMicros: column() };
}

function push(to: Percentiles, from: Latency | undefined): void {
  to.p50Micros.push(from?.p50Micros ?? null);
  to.p95Micros.push(from?.p95Micros ?? null);
  to.p99Micros.push(from?.p99Micros ?? null);
  to.p999Micros.push(from?.p999Micros ?? null);
  to.maxMicros.push(from?.maxMicros ?? null);
}
