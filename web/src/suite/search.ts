// What a search for the highest rate has tried and found.
import { cells } from "../cells.ts";
import { chart } from "../chart.ts";
import { el, scrolling } from "../dom.ts";
import { extent } from "../estimates.ts";
import { plain, rate } from "../format.ts";
import { nameOf } from "../named.ts";
import { color } from "../theme.ts";
import type { FoundRate, Search } from "./model.ts";

const mostCharts = 12;

export function search(s: Search | undefined): HTMLElement[] {
  if (!s) return [];
  const then = s.underWay ? "One run tries each rate. The search is under way: these are the rates that were tried so far." : "One run tried each rate; then those that were found were measured in all trials.";
  const point = (f: FoundRate | null): { text: string; sub?: string } => (f ? { text: rate(f.rate), sub: `kept in ${f.kept} of ${f.kept + f.missed + f.unknown} trials` } : { text: "–" });
  const charts = s.found.filter((f) => f.tried.length > 1).slice(0, mostCharts).map(tried);
  return [
    el("h2", {}, "Search for the highest rate"),
    el("p", {}, `The highest rate with ${s.objectives.join(" and ")}, and the lowest above it without. ${then}`),
    scrolling("Rates that were found", cells("The rates that were found", ["combination", "holds", "misses", "rates tried", "why it ended early"],
      s.found.map((f) => [nameOf(f.with), point(f.holds), point(f.misses), String(f.tried.length), f.why ?? ""]))),
    ...(s.ratios.length > 0 ? [scrolling("Ratios of the highest rates", cells(
      "By which factor the highest rate differs, if each is between the two that were found. That is no interval of a probability.", ["compared", "at least", "at most"],
      s.ratios.map((r) => [`${r.axis}=${r.value} / ${r.against}${r.with.length > 0 ? `, ${nameOf(r.with)}` : ""}`, plain(r.low), plain(r.high)])))] : []),
    ...(charts.length > 0 ? [el("div", { class: "multiples" }, ...charts)] : []),
  ];
}

function tried(f: Search["found"][number]): HTMLElement {
  const x = f.tried.map((_, i) => i + 1);
  const of = (kept: boolean): (number | null)[] => f.tried.map((t) => (t.kept === kept ? t.rate : null));
  return chart({
    title: `Rates tried, ${nameOf(f.with)}`, description: "The rates in the order in which they were tried, and whether the objectives were kept.",
    x, xLabel: "Run", xTicks: { at: x, label: String }, writeX: (n) => `run ${n}`, writeY: rate, unit: "1/s", range: [0.5, x.length + 0.5], log: true, yRange: extent(f.tried.map((t) => t.rate), true), height: 200,
    lines: [{ label: "kept", values: of(true), color: "good", shaped: true, noAverage: true }, { label: "missed", values: of(false), color: "bad", shaped: true, noAverage: true }],
    // Kept are full, and missed are rings: not by colour alone.
    shapes: (place) => f.tried.flatMap((t, i) => (place.shows(t.kept ? 0 : 1)
      ? [{ kind: t.kept ? "dot" as const : "ring" as const, from: [place.x(i + 1), place.y(t.rate)], to: [place.x(i + 1), place.y(t.rate)], color: color(t.kept ? "good" : "bad"), width: 9 }] : [])),
  });
}
