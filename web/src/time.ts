// The charts of a workload over time. They share one cursor and one zoom.
import { chart, update, type ChartOptions, type Line } from "./chart.ts";
import { el } from "./dom.ts";
import { bytes, count, micros, plain, rate, seconds, share } from "./format.ts";
import { paintHeat } from "./heat.ts";
import { memberStates, paintLanes, shortNames, stateOf, type MemberState } from "./lanes.ts";
import type { Marks } from "./marks.ts";
import type { Percentiles, WorkloadCharts } from "./model.ts";

const second = 1_000_000;

/** Axis is what all charts over time have in common. */
type Axis = Pick<ChartOptions, "x" | "xLabel" | "writeX" | "sync" | "marks" | "range">;

function axisOf(w: WorkloadCharts, marks: Marks): Axis {
  return {
    x: Array.from({ length: w.steps }, (_, i) => w.firstSecond + i * w.stepSeconds),
    xLabel: "Seconds from the measurement's start",
    writeX: seconds,
    sync: `time of ${w.name}`,
    marks,
    range: [w.firstSecond, w.firstSecond + w.steps * w.stepSeconds],
  };
}

/** lengthOf a step in seconds: the first and the last may be shorter than the others. */
export function lengthOf(w: WorkloadCharts, step: number): number {
  return step === 0 ? w.firstStepMicros / second : step === w.steps - 1 ? w.lastStepMicros / second : w.stepSeconds;
}

const each = (w: WorkloadCharts, values: (number | null)[]): (number | null)[] => values.map((n, step) => (n === null ? null : n / lengthOf(w, step)));

/** Item is one chart over time. */
export interface Item {
  /** What it is known by while its title may change. */
  key?: string;
  options: ChartOptions;
  /** Charts with the same one are folded away below it. */
  fold?: string;
  /** The members' states that are drawn, for a key. */
  states?: MemberState[];
}

/** itemsOverTime are the charts of a workload, from figures that may still grow. */
export function itemsOverTime(open: boolean, w: WorkloadCharts, marks: Marks): Item[] {
  const axis = axisOf(w, marks);
  const step = w.stepSeconds === 1 ? "each second" : `each step of ${w.stepSeconds} s, merged exactly`;
  const items = [throughput(axis, open, w, step), ...w.operations.flatMap((op) => latencies(axis, op, step, w.operations.length)), heat(axis, w)];
  if (w.members.some((m) => m.states.some((s) => s.known))) items.push(lanes(axis, w));
  items.push(...usage(axis, w));
  if (w.errors.length > 0) items.push(errors(axis, w));
  return [...items, ...generator(axis, open, w)];
}

/** OverTime draws the charts of a workload. */
export class OverTime {
  readonly element = el("div", { class: "over-time" });
  private readonly figures = new Map<string, HTMLElement>();
  private readonly folds = new Map<string, HTMLElement>();

  show(items: Item[]): void {
    let before: Element | null = null;
    for (const item of items) {
      const known = item.key ?? item.options.title;
      let figure = this.figures.get(known);
      if (figure) {
        update(figure, item.options);
      } else {
        figure = chart(item.options);
        this.figures.set(known, figure);
        if (item.fold) this.foldOf(item.fold, before).append(figure);
        else place(this.element, figure, before);
      }
      if (item.states) key(figure, item.states);
      before = item.fold ? this.folds.get(item.fold)! : figure;
    }
  }

  private foldOf(title: string, before: Element | null): HTMLElement {
    let fold = this.folds.get(title);
    if (!fold) {
      fold = el("details", { class: "more" }, el("summary", {}, title));
      this.folds.set(title, fold);
      place(this.element, fold, before);
    }
    return fold;
  }
}

/** place puts a part behind the one before it, or first. */
function place(at: HTMLElement, part: HTMLElement, before: Element | null): void {
  if (before) before.after(part);
  else at.prepend(part);
}

function key(figure: HTMLElement, states: MemberState[]): void {
  const made = el("p", { class: "key" }, ...states.map((state) => el("span", { class: `state ${state}` }, memberStates[state])));
  const old = figure.querySelector(".key");
  if (!old) figure.querySelector(".tools")?.before(made);
  else if (old.textContent !== made.textContent) old.replaceWith(made);
}

function throughput(axis: Axis, open: boolean, w: WorkloadCharts, step: string): Item {
  // In a closed loop an operation is intended when it is sent.
  const begun = open ? "intended" : "sent";
  const failed = w.counts.failed.map((n, i) => (n === null ? null : n + (w.counts.unknown[i] ?? 0)));
  const bad = w.live ? "that failed in it" : `${begun} in it that failed`;
  return { options: {
    ...axis,
    title: "Throughput",
    description: `Operations per second of ${step}: those that were ${begun}, those that ended with success in it (served), and those ${bad} or whose outcome is unknown.`,
    lines: [
      { label: begun, values: each(w, w.counts.intended), step: true, color: "muted" },
      { label: "served", values: each(w, w.counts.completed), step: true, color: 0 },
      { label: "failed or unknown", values: each(w, failed), step: true, color: "bad" },
    ],
    writeY: rate,
  } };
}

const lines = (p: Percentiles): Line[] => [
  { label: "p50", values: p.p50Micros, noAverage: true, color: 2 },
  { label: "p95", values: p.p95Micros, noAverage: true, color: 0 },
  { label: "p99", values: p.p99Micros, noAverage: true, color: 1 },
  { label: "p99.9", values: p.p999Micros, noAverage: true, color: 3, hidden: true },
  { label: "max", values: p.maxMicros, noAverage: true, color: "muted", dash: [3, 3] },
];

function latencies(axis: Axis, op: WorkloadCharts["operations"][number], step: string, kinds: number): Item[] {
  const one = (title: string, what: string, p: Percentiles): ChartOptions => ({
    ...axis, title, lines: lines(p), log: true, writeY: micros, height: kinds > 2 ? 180 : 220,
    description: `${what} of the successful operations of ${step}, on a logarithmic axis.`,
  });
  const items: Item[] = [];
  if (op.response) items.push({ options: one(`Response time of ${op.operation}`, "Time from the intended start to the answer", op.response) });
  if (op.service) {
    const title = `Service time of ${op.operation}`;
    items.push({ options: one(title, "Time from the send to the answer", op.service), ...(op.response ? { fold: title } : {}) });
  }
  return items;
}

function heat(axis: Axis, w: WorkloadCharts): Item {
  const bounds = w.heat.boundsMicros;
  let low = bounds.length;
  let high = 0;
  const most = (w.heat.columns ?? []).map((column) => {
    if (!column || column.length === 0) return null;
    low = Math.min(low, column[0]!);
    high = Math.max(high, column[column.length - 2]!);
    return bounds[column[column.length - 2]!]!;
  });
  const least = (w.heat.columns ?? []).map((column) => (column && column.length > 0 ? (bounds[column[0]! - 1] ?? 1) : null));
  return { key: "heat map", options: {
    ...axis,
    title: `Heat map of ${w.heat.time} time`,
    description: "How many operations succeeded with which latency: the stronger a cell's colour, the more, on a logarithmic scale. Bands are right to the histograms' three digits.",
    lines: [{ label: "slowest band up to", values: most, color: "transparent", noAverage: true }, { label: "fastest band from", values: least, color: "transparent", noAverage: true }],
    log: true, writeY: micros, paint: paintHeat(w), height: 240,
  } };
}

function lanes(axis: Axis, w: WorkloadCharts): Item {
  const n = w.members.length;
  const names = shortNames(w.members.map((m) => m.name));
  const answering = axis.x.map((x) => w.members.filter((m) => {
    const state = m.states.findLast((s) => s.atMicros / second <= x + w.stepSeconds);
    return state && !["away", "unknown"].includes(stateOf(state));
  }).length);
  const options: ChartOptions = {
    ...axis,
    title: "Members",
    description: "A lane for each member: who led, who followed, who answered while it wasn't settled, who didn't answer, and when nobody looked.",
    lines: [{ label: "members that answer", values: answering, color: "transparent" }],
    writeY: plain, paint: paintLanes(w.members, axis.range![1]), height: 70 + 32 * n,
    yTicks: { at: w.members.map((_, i) => n - i - 0.5), label: (y) => names[n - 1 - Math.floor(y)] ?? "" },
    yRange: [0, n],
  };
  const seen = new Set(w.members.flatMap((m) => m.states.map(stateOf)));
  const key = (Object.keys(memberStates) as MemberState[]).filter((state) => seen.has(state));
  return { options, states: key };
}

/** usage has a chart for each figure that any member's source told. */
function usage(axis: Axis, w: WorkloadCharts): Item[] {
  const names = shortNames(w.members.map((m) => m.name));
  const one = (title: string, what: string, of: (u: WorkloadCharts["members"][number]["usage"][number]) => (number | null)[], write: ChartOptions["writeY"], sources: string[]): Item[] => {
    const told = w.members.flatMap((m, i) => {
      const u = sources.map((s) => m.usage.find((one) => one.source === s)).find((one) => one && of(one).some((v) => v !== null));
      return u ? [{ label: `${names[i]} (${u.source})`, values: spread(axis.x, w.stepSeconds, u.atMicros, of(u)), color: i }] : [];
    });
    return told.length === 0 ? [] : [{ options: { ...axis, title, description: what, lines: told, writeY: write, height: 180, spanGaps: true, binary: write === bytes } }];
  };
  return [
    ...one("Processor time of members", "Cores in use since the sample before, as the store tells, or the kubelet of its node.", (u) => u.cores, plain, ["store", "kubelet"]),
    ...one("Memory of members", "The process' resident memory, as the store tells, or the pod's working set, as the kubelet does.", (u) => (u.source === "store" ? u.residentBytes : u.workingSetBytes), bytes, ["store", "kubelet"]),
    ...one("Data on disk", "What the data takes, as the store tells, or all files of the volume.", (u) => u.dataBytes, bytes, ["store", "volume"]),
    ...one("Garbage collection of members", "The share of time for which the collector stopped the member.", (u) => u.collectorShare, share, ["store"]),
  ];
}

/** spread puts samples into the steps in which they were taken; of several in one step, the last. */
function spread(x: number[], stepSeconds: number, atMicros: number[], values: (number | null)[]): (number | null)[] {
  const out: (number | null)[] = x.map(() => null);
  atMicros.forEach((at, i) => {
    const step = Math.floor((at / second - x[0]!) / stepSeconds);
    if (step >= 0 && step < out.length) out[step] = values[i] ?? null;
  });
  return out;
}

function errors(axis: Axis, w: WorkloadCharts): Item {
  const rows = w.errors.map((e, i) => {
    const values: number[] = axis.x.map(() => 0);
    e.step.forEach((step, j) => (values[step] = (e.count[j] ?? 0) / lengthOf(w, step)));
    return { label: `${e.operation} ${e.outcome} ${e.code}`, values, step: true, color: i };
  });
  return { options: {
    ...axis, title: "Errors", lines: rows, writeY: rate, height: 180,
    description: "Operations per second that didn't succeed, by kind and code, by the second in which their worker told of them.",
  } };
}

function generator(axis: Axis, open: boolean, w: WorkloadCharts): Item[] {
  const g = w.generator;
  const fold = "The load generator itself";
  return [
    { fold, options: {
      ...axis, title: "Generator: lag and pauses", writeY: micros, height: 180,
      description: "The longest time from an operation's intended start to its send, and the garbage collector's pauses, of the worst worker.",
      lines: [...(open ? [{ label: "longest lag", values: g.lagMaxMicros, color: 1, noAverage: true }] : []), { label: "collector's pauses", values: g.gcPauseMicros, color: 4 }],
    } },
    { fold, options: {
      ...axis, title: "Generator: cores and operations under way", writeY: share, writeRight: count, height: 180,
      description: "The share of its cores that a worker used or waited for, and the most operations under way, of the worst worker.",
      lines: [{ label: "share of cores", values: g.coreShare, color: 0 }, { label: "operations under way", values: g.inFlightMax, color: 2, axis: "right" }],
    } },
  ];
}
