// How the throughput grows with an axis, and the law that fits it.
import { cells } from "../cells.ts";
import { chart } from "../chart.ts";
import { el, scrolling } from "../dom.ts";
import { estimated, extent, valuesOf } from "../estimates.ts";
import { plain, rate } from "../format.ts";
import { nameOf, percent } from "../named.ts";
import type { Estimate, Growth, Parameter, Suite } from "./model.ts";

type Law = NonNullable<Growth["law"]>;

/** lawAt is the throughput of N by the Universal Scalability Law. */
export const lawAt = (law: Law, n: number): number =>
  (law.lambda.value * n) / (1 + law.sigma.value * (n - 1) + law.kappa.value * n * (n - 1));

export function growth(suite: Suite): HTMLElement[] {
  const all = suite.growth ?? [];
  if (all.length === 0) return [];
  return [
    el("h2", {}, "Growth"),
    el("p", {}, "The throughput of N by the Universal Scalability Law, λN / (1 + σ(N−1) + κN(N−1)): λ is that of one, σ what they wait for each other, κ what each pair costs. The curve is drawn from these parameters."),
    scrolling("Parameters of growth", parameters(suite, all)),
    el("div", { class: "multiples" }, ...all.map((g) => grown(suite, g))),
  ];
}

const parameter = (p: Parameter, write: (x: number) => string): { text: string; sub: string } =>
  ({ text: write(p.value), sub: p.low === null || p.high === null ? "" : `${write(p.low)} … ${write(p.high)}` });

function parameters(suite: Suite, all: Growth[]): HTMLElement {
  return cells(`Each parameter has an interval of ${percent(suite.confidence)} where each N has trials enough. It is made by drawing trials anew, and is somewhat narrow. The residual is the one that is farthest from the law.`,
    ["N", "workload", "λ", "σ", "κ", "highest at N", "residual", "why there is no law"],
    all.map((g) => {
      const name = `${g.axis}${g.with.length > 0 ? ` with ${nameOf(g.with)}` : ""}`;
      if (!g.law) return [name, g.workload, "–", "–", "–", "–", "–", g.why ?? ""];
      const largest = Math.max(...g.sizes.map((s) => s.n));
      const peak = g.law.peak === null ? "grows on" : g.law.peak > largest ? `beyond ${plain(largest)}` : plain(g.law.peak);
      const worst = g.sizes.map((s) => s.residual ?? 0).reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
      return [name, g.workload, parameter(g.law.lambda, rate), parameter(g.law.sigma, plain), parameter(g.law.kappa, plain), peak, `${worst > 0 ? "+" : worst < 0 ? "−" : ""}${plain(100 * Math.abs(worst))} %`, ""];
    }));
}

function grown(suite: Suite, g: Growth): HTMLElement {
  const sizes = [...g.sizes].sort((a, b) => a.n - b.n);
  const [least, largest] = [sizes[0]?.n ?? 1, sizes[sizes.length - 1]?.n ?? 1];
  const { law } = g;
  const between = law ? Array.from({ length: 61 }, (_, i) => least + ((largest - least) * i) / 60) : [];
  const x = [...new Set([...sizes.map((s) => s.n), ...between])].sort((a, b) => a - b);
  const measured = x.map((n): Estimate | null => (sizes.some((s) => s.n === n) ? medianOf(suite, g, n) : null));
  const points = estimated([{ label: "measured", color: 0, estimates: measured }], x, "points", rate);
  const curve = law ? x.map((n) => lawAt(law, n)) : [];
  const margin = Math.max((largest - least) * 0.04, 0.1);
  return chart({
    title: `Throughput of ${g.workload} by ${g.axis}${g.with.length > 0 ? `, ${nameOf(g.with)}` : ""}`, x, xLabel: g.axis, writeX: (n) => `N = ${plain(n)}`, writeY: rate, unit: "1/s", height: 260,
    xTicks: { at: sizes.map((s) => s.n), label: plain }, range: [least - margin, largest + margin], yRange: extent([...valuesOf(measured), ...curve], false),
    description: `Medians of the valid trials with their intervals${law ? ", and the law, which is drawn from its parameters" : `. There is no law: ${g.why ?? ""}`}.`,
    lines: [...points.lines, ...(law ? [{ label: "law", color: 1, values: curve, noAverage: true }] : [])],
    shapes: points.shapes,
  });
}

/** medianOf is the suite's median for the size, with its interval. */
function medianOf(suite: Suite, g: Growth, n: number): Estimate | null {
  const c = suite.combinations.find((one) => one.labels.every((l) => (l.axis === g.axis ? Number(l.value) === n : g.with.some((w) => w.axis === l.axis && w.value === l.value))));
  return c?.metrics.find((m) => m.metric === "throughput" && m.workload === g.workload)?.median ?? null;
}
