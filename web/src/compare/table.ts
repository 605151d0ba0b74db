// The figures of both sides as a table, the worst first.
import { cells, type Cell } from "../cells.ts";
import { scrolling } from "../dom.ts";
import { plain } from "../format.ts";
import { figureName, interval, nameOf, percent, value, writes } from "../named.ts";
import type { Compared, Figure, Side } from "./model.ts";

const mostRows = 500;
const verdicts = ["Failed", "Unknown", "Passed", undefined];
const changes = ["Worse", "Unknown", "Same", "Better"];

/** namesOf are short names of all sides, the base first. Of paths of files it is what differs between them. */
export function namesOf(base: Side, others: Side[]): string[] {
  const all = [base, ...others];
  const paths = all.map((s) => (s.argument.endsWith(".json") ? s.argument.split("/") : null));
  const files = paths.filter((p) => p !== null);
  let same = 0;
  while (files.length > 1 && files.every((p) => p.length > same + 1 && p[same] === files[0]![same])) same++;
  const short = all.map((s, i) => {
    const path = paths[i]?.slice(same);
    const name = !path ? s.argument : path.length > 1 && path[path.length - 1] === "report.json" ? path.slice(0, -1).join("/") : path.join("/");
    return s.tool ? `${name} (imported from ${s.tool})` : name;
  });
  if (new Set(short).size === short.length) return short;
  // Two of one name have different UIDs.
  return all.map((s) => (all.filter((other) => other.argument === s.argument).length > 1 && s.uid ? `${s.argument} (${s.uid.slice(0, 8)})` : s.argument));
}

/** compareName says which figure it is. Of the outages of several faults the comparison has the longest. */
export const compareName = (f: Figure, workloads = 1): string =>
  figureName(f.statistic === "max" ? { ...f, metric: `longest ${f.metric}` } : f, workloads);

export function comparedTable(c: Compared, names: { base: string; other: string }, confidence: number): HTMLElement | null {
  const rows = c.pairs.flatMap((p) => p.figures.map((f) => ({ p, f })));
  if (rows.length === 0) return null;
  // As in the other formats: by the verdict, then by what the interval says, then by how bad the ratio is.
  const badness = (f: Figure): number => (f.ratio.value === null ? -Infinity : (f.higherIsBetter ? -1 : 1) * Math.log(f.ratio.value));
  rows.sort((a, b) => verdicts.indexOf(a.f.verdict) - verdicts.indexOf(b.f.verdict) || changes.indexOf(a.f.change) - changes.indexOf(b.f.change) || (badness(b.f) > badness(a.f) ? 1 : badness(b.f) < badness(a.f) ? -1 : 0));
  const labelled = rows.some((r) => r.p.combination.length > 0);
  const judged = rows.some((r) => r.f.verdict);
  const workloads = new Set(rows.map((r) => r.f.workload)).size;
  return scrolling(`Figures of ${names.other} against ${names.base}`, cells(
    `Medians of the valid trials, and how many times the base the figure is, each with its interval of ${percent(confidence)} where there are trials enough.${rows.length > mostRows ? ` These are the worst ${mostRows} of ${rows.length}; -o csv has all.` : ""}`,
    ["figure", ...(labelled ? ["combination"] : []), names.base, names.other, "ratio", "change", ...(judged ? ["verdict"] : []), "why"],
    rows.slice(0, mostRows).map(({ p, f }): (string | Cell)[] => {
      const write = writes(f.unit);
      // That there is one trial each, the summary says of all.
      return [compareName(f, workloads), ...(labelled ? [nameOf(p.combination)] : []),
        { text: value(f.base, write), sub: interval(f.base, write) }, { text: value(f.value, write), sub: interval(f.value, write) },
        { text: plain(f.ratio.value), sub: interval(f.ratio, plain) }, change(f), ...(judged ? [verdict(f)] : []), /^one trial each/.test(f.why ?? "") ? "" : (f.why ?? "")];
    })));
}

const words: Record<string, string> = { Better: "better", Worse: "worse", Same: "no difference shown" };

function change(f: Figure): Cell {
  if (f.ratio.value === null) return { text: "–" };
  const part = 100 * (f.ratio.value - 1);
  const arrow = part >= 0.05 ? "↑" : part <= -0.05 ? "↓" : "→";
  return { text: `${arrow} ${Math.abs(part).toFixed(1)} %`, sub: words[f.change] ?? "", style: f.change === "Better" ? "good" : f.change === "Worse" ? "bad" : "" };
}

function verdict(f: Figure): Cell {
  return { text: f.verdict ?? "", style: f.verdict === "Passed" ? "good" : f.verdict === "Failed" ? "bad" : "unsure" };
}
