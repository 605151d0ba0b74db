import { chart } from "./chart.ts";
import { curves } from "./curve.ts";
import { el, save, scrolling, table } from "./dom.ts";
import { injection } from "./fault.ts";
import { count, micros, rate, seconds, share } from "./format.ts";
import { marksOf } from "./marks.ts";
import type { Latency, Loading, Page, Report, Workload, WorkloadCharts } from "./model.ts";
import { itemsOverTime, OverTime } from "./time.ts";
import { verdict } from "./verdict.ts";

const knownFormat = 1;

export function runPage(page: Page): HTMLElement[] {
  const { report, charts } = page;
  const parts = [...verdict(report)];
  if (report.format !== knownFormat) {
    parts.push(el("p", { class: "warning" }, `This report has format ${report.format}, and the page knows ${knownFormat}. What the page knows of it is shown.`));
  }
  if (charts && charts.format !== knownFormat) {
    parts.push(el("p", { class: "warning" }, `The data of the charts have format ${charts.format}, and the page knows ${knownFormat}. What the page knows of them is drawn.`));
  }
  if (!charts) {
    parts.push(el("p", { class: "warning" }, "Nothing is kept that charts could be drawn from. The figures are the report's."));
  }
  for (const workload of report.workloads ?? []) {
    parts.push(workloadSection(report, workload, charts?.workloads?.find((w) => w.name === workload.name)));
  }
  parts.push(environment(report));
  return parts;
}

function workloadSection(report: Report, w: Workload, charts: WorkloadCharts | undefined): HTMLElement {
  const faults = report.faults.filter((f) => f.workload === w.name);
  const section = el("section", { class: "workload", id: `workload-${w.name}` },
    el("h2", {}, `Workload ${w.name}`),
    el("p", { class: "muted" }, about(w)),
    tiles(w),
    operations(w),
  );
  if (charts) {
    try {
      section.append(...drawn(report, w, charts));
    } catch (error) {
      section.append(el("p", { class: "warning" }, `The charts can't be drawn: ${String(error)}. The tables have the report's figures.`));
    }
  }
  if (faults.length > 0) {
    section.append(el("h3", {}, "Faults"), ...faults.map((f) => injection(f, charts?.faults.find((c) => c.name === f.name))));
  }
  if (w.errors.length > 0) section.append(el("h3", {}, "Errors"), errors(w));
  if (w.loading) section.append(el("h3", {}, "Load phase"), ...loading(w.loading, charts));
  return section;
}

/** drawn are the charts of a workload. */
function drawn(report: Report, w: Workload, charts: WorkloadCharts): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (charts.missingWorkers.length > 0) {
    parts.push(el("p", { class: "warning" }, `No chart has the seconds of worker ${charts.missingWorkers.join(", ")}: its files are missing or broken.`));
  }
  const marks = marksOf(report, charts);
  parts.push(el("h3", {}, "Over time"));
  if (marks.marks.length > 0) parts.push(key(marks));
  const figures = new OverTime();
  figures.show(itemsOverTime(w.load.model === "open", charts, marks));
  parts.push(figures.element);
  const percentiles = [curves(charts.curves, "response"), curves(charts.curves, "service")].filter((c) => c !== null);
  if (percentiles.length > 0) parts.push(el("h3", {}, "Percentiles"), ...percentiles);
  return parts;
}

function about(w: Workload): string {
  const load = w.load.model === "open"
    ? `open loop of ${rate(w.load.rate)}`
    : `closed loop of ${w.load.threads} threads in each of ${w.load.workers} workers`;
  return `${w.preset ? `YCSB ${w.preset}, ` : ""}${count(w.records)} records, ${load}, ${w.load.workers} workers, ${seconds(w.durationMicros / 1e6)}${w.startedAt ? `, from ${w.startedAt.replace(/\.0+Z$/, "Z")}` : ", never started"}`;
}

function tiles(w: Workload): HTMLElement {
  const tile = (name: string, value: string): HTMLElement => el("div", { class: "tile" }, el("dt", {}, name), el("dd", {}, value));
  const bad = w.failed + w.unknown + w.neverStarted;
  const main = w.operations.filter((op) => op.outcome === "ok");
  return el("dl", { class: "tiles" },
    tile("served", rate(w.throughput)),
    ...(w.load.model === "open" ? [tile("intended", rate(w.durationMicros > 0 ? (w.intended / w.durationMicros) * 1e6 : null))] : []),
    ...main.slice(0, 3).map((op) => tile(`p99 of ${op.operation}`, micros((op.responseTime ?? op.serviceTime)?.p99Micros))),
    tile("without success", bad === 0 ? "none" : `${count(bad)} (${share(bad / w.intended)})`),
    ...(w.usage?.cores ? [tile("members' cores", w.usage.cores.toPrecision(3))] : []),
  );
}

function operations(w: Workload): HTMLElement {
  const row = (kind: string, time: string, n: number, l: Latency): string[] =>
    [kind, time, count(n), micros(l.p50Micros), micros(l.p95Micros), micros(l.p99Micros), micros(l.p999Micros), micros(l.maxMicros), micros(l.meanMicros)];
  const rows = w.operations.flatMap((op) => {
    const name = op.outcome === "ok" ? op.operation : `${op.operation} ${op.outcome}`;
    return [
      ...(op.responseTime ? [row(name, "response", op.count, op.responseTime)] : []),
      ...(op.serviceTime ? [row(name, "service", op.count, op.serviceTime)] : []),
    ];
  });
  const note = w.responseTimeCensored ? " Some operations never started: response times are lower bounds." : "";
  return scrolling(`Latencies of workload ${w.name}`, table(
    `Latencies of the measurement. Response time counts from the intended start, service time from the send.${note}`,
    ["operation", "time", "operations", "p50", "p95", "p99", "p99.9", "max", "mean"], rows));
}

function errors(w: Workload): HTMLElement {
  return scrolling(`Errors of workload ${w.name}`, table("Operations that didn't succeed, warm-up and cool-down included",
    ["operation", "outcome", "code", "operations", "example"], w.errors.map((e) => [e.operation, e.outcome, e.code, count(e.count), e.example])));
}

function loading(l: Loading, charts: WorkloadCharts | undefined): HTMLElement[] {
  const parts: HTMLElement[] = [el("p", {}, `${count(l.records)} records in ${micros(l.durationMicros)}: ${rate(l.throughput)}, ${l.batch} in each request. ` +
    `p50 ${micros(l.insert?.p50Micros)}, p99 ${micros(l.insert?.p99Micros)}, max ${micros(l.insert?.maxMicros)}.${l.valid ? "" : " These figures are not valid."}`)];
  const sent = charts?.loading?.sent ?? [];
  if (sent.length > 2) {
    parts.push(chart({
      title: "Requests of the load phase", description: "Requests per second of all loaders, by the second from their start.",
      x: sent.map((_, i) => i), xLabel: "Seconds from the load phase's start", writeX: seconds, writeY: rate,
      lines: [{ label: "requests", values: sent, step: true }], height: 160,
    }));
  }
  return parts;
}

function key(marks: ReturnType<typeof marksOf>): HTMLElement {
  const entries = [
    ...marks.marks.map((m) => ({ at: m.at, text: `${seconds(m.at)}: ${m.label}`, style: m.color })),
    ...marks.bands.filter((b) => b.color === "outage").map((b) => ({ at: b.from, text: `${seconds(b.from)} to ${seconds(b.to)}: ${b.label}`, style: "outage" })),
  ].sort((a, b) => a.at - b.at);
  return el("ul", { class: "marks" }, ...entries.map((e) => el("li", { class: e.style }, e.text)));
}

function environment(report: Report): HTMLElement {
  const rows: string[][] = [
    ["kvbench", report.kvbench ?? "–"], ["run", report.run.uid], ["seed", String(report.seed)], ["plan (SHA-256)", report.plan.sha256],
    ["fingerprint", report.plan.fingerprint], ["clocks agree within", micros(report.clock.boundMicros)],
    ["members", report.store.members.join(", ")], ["security", report.store.security], ["volumes", report.store.persistent === undefined ? "–" : report.store.persistent ? "yes" : "no"],
  ];
  const section = el("section", {}, el("h2", {}, "Where and how"), scrolling("Fingerprint", table("What was measured with what", ["what", "value"], rows)));
  if (report.environment) {
    const { manifest, ...rest } = report.environment;
    if (manifest) section.append(el("h3", {}, "How to repeat it"), repeat(report.run.name, manifest));
    section.append(el("details", { class: "more" }, el("summary", {}, "Environment"), el("pre", { tabindex: "0" }, JSON.stringify(rest, null, 2))));
  }
  return section;
}

/** repeat is the run's resource, ready to be applied. */
function repeat(name: string, manifest: string): HTMLElement {
  const button = (label: string, act: () => void): HTMLElement => {
    const b = el("button", { type: "button" }, label);
    b.addEventListener("click", act);
    return b;
  };
  const said = el("span", { class: "muted", role: "status" });
  const copy = (): void => {
    navigator.clipboard.writeText(manifest).then(() => (said.textContent = "Copied."), () => (said.textContent = "The browser refuses to copy: save it."));
  };
  return el("div", {},
    el("p", { class: "muted" }, "The run as it was applied, with its seed. Save it, and apply it with kubectl kvbench run --replace -f."),
    el("div", { class: "buttons" }, button("Copy", copy), button("Save", () => save(`${name}.yaml`, "application/yaml", manifest)), said),
    el("pre", { tabindex: "0", class: "manifest", "aria-label": "The run in YAML" }, manifest));
}
