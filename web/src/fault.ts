// An injection, zoomed in, with its outage taken apart.
import { chart } from "./chart.ts";
import { el, scrolling, table } from "./dom.ts";
import { micros, rate, seconds } from "./format.ts";
import type { Band, Mark } from "./marks.ts";
import type { Fault, FaultCharts } from "./model.ts";

const second = 1_000_000;

export function injection(f: Fault, charts: FaultCharts | undefined): HTMLElement {
  const hit = (f.targets ?? [f.target]).filter(Boolean).join(", ");
  return el("section", { class: "injection" },
    el("h4", {}, `${f.name}: ${f.action}${hit ? ` of ${hit}` : ""}`),
    el("p", {}, sentence(f)),
    f.error ? el("p", { class: "warning" }, f.error) : null,
    charts && charts.intended.length > 0 ? zoom(f, charts) : null,
    f.series.length > 0 ? scrolling(`Outages by operation and shard of ${f.name}`, parts(f)) : null,
  );
}

function sentence(f: Fault): string {
  if (!f.injectedAt) return "It was not injected.";
  if (f.partOf) return `Its outage is a part of that of ${f.partOf}, which was injected first.`;
  const outage = f.outageMicros === null ? "unknown" : f.outageMicros === 0 ? "none" : `${f.outageCensored ? "at least " : ""}${micros(f.outageMicros)}`;
  const error = f.outageErrorMicros ? ` (± ${micros(f.outageErrorMicros)})` : "";
  const leader = f.leaderBefore && f.leaderAfter && f.leaderBefore !== f.leaderAfter ? ` ${f.leaderAfter} leads after ${f.leaderBefore} (term ${f.termBefore} → ${f.termAfter}).` : "";
  return `Longest outage of any kind and shard: ${outage}${error}. Longest time without any success: ${micros(f.longestGapMicros)}.${leader}${f.effective ? "" : " Nothing showed that the fault had an effect."}`;
}

/** joined adds up neighbouring bins until a bin has ten operations on average: fewer would be drawn as noise. */
function joined(charts: FaultCharts): FaultCharts {
  const mean = charts.intended.reduce((sum, n) => sum + n, 0) / charts.intended.length;
  const n = Math.max(1, Math.ceil(10 / Math.max(mean, 0.1)));
  const add = (bins: number[]): number[] =>
    Array.from({ length: Math.floor(bins.length / n) }, (_, i) => bins.slice(i * n, (i + 1) * n).reduce((sum, one) => sum + one, 0));
  return { ...charts, binMicros: charts.binMicros * n, intended: add(charts.intended), served: add(charts.served) };
}

function zoom(f: Fault, bins: FaultCharts): HTMLElement {
  const charts = joined(bins);
  const perSecond = second / charts.binMicros;
  const bands: Band[] = [];
  const end = (charts.fromMicros + charts.intended.length * charts.binMicros) / second;
  if (f.downAt) bands.push({ from: f.downAt.sinceStartMicros / second, to: f.backAt ? f.backAt.sinceStartMicros / second : end, color: "outage", label: "outage" });
  const marks: Mark[] = [];
  const mark = (at: { sinceStartMicros: number } | null | undefined, label: string, color: string): void => {
    if (at) marks.push({ at: at.sinceStartMicros / second, label, color });
  };
  mark(f.injectedAt?.after, "injected", "fault");
  mark(f.endedAt?.before, "ended", "fault");
  mark(f.healedAt, "members steady again", "leader");
  return chart({
    title: `Around ${f.name}`,
    description: `Operations per second in bins of ${micros(charts.binMicros)}: those that were intended, and those of them that were served within ${micros(f.overdueMicros)}. The shaded time is the outage; lines mark the injection and when all members were steady again.`,
    x: charts.intended.map((_, i) => (charts.fromMicros + i * charts.binMicros) / second),
    xLabel: "Seconds from the measurement's start",
    writeX: seconds,
    writeY: rate,
    lines: [
      { label: "intended", values: charts.intended.map((n) => n * perSecond), step: true, color: "muted" },
      { label: "served in time", values: charts.served.map((n) => n * perSecond), step: true, color: 0 },
    ],
    marks: { bands, marks },
    height: 200,
  });
}

function parts(f: Fault): HTMLElement {
  return table("Outages by kind and shard, as the report judged them", ["operation", "shard", "outage", "down", "back"],
    f.series.map((s) => [s.operation || "all", s.shard || "–", s.outageMicros === 0 ? "none" : `${s.censored ? "at least " : ""}${micros(s.outageMicros)}`,
      s.downAt ? seconds(s.downAt.sinceStartMicros / second) : "–", s.backAt ? seconds(s.backAt.sinceStartMicros / second) : "–"]));
}
