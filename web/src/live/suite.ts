// A suite: its matrix while it fills up, and the run under way.
import { el, scrolling } from "../dom.ts";
import { paths, type Frame, type Session, type SuiteFrame } from "./api.ts";
import type { View } from "./main.ts";
import { back, cancelling, set, silences, verdict } from "./parts.ts";
import { Source } from "./source.ts";

const signs: Record<string, string> = { Waiting: "·", Running: "▶", Measured: "◐", Valid: "✓", NotValid: "✗" };

export function suiteView(session: Session, name: string, uid: string): View {
  const head = el("div", {});
  const trouble = el("div", {});
  const about = el("p", { class: "muted", role: "status" }, "Asking …");
  const matrix = el("div", {});
  const element = el("div", { class: "live" }, back(), head, trouble, about, matrix);
  const write = (f: Frame): void => {
    set(head, el("header", {}, el("h1", {}, `${session.namespace}/${name}`), el("ul", { class: "badges" },
      el("li", { class: "badge unsure" }, f.ended ? "ended" : "live"), el("li", { class: "badge" }, f.phase))));
    set(trouble, ...silences(f), ...(f.ended ? [verdict(f)] : []));
    if (!f.suite) return;
    about.textContent = standing(f.suite);
    set(matrix, matrixOf(f.suite));
  };
  if (!session.cluster) {
    about.textContent = "The matrix of a suite is shown by kubectl kvbench open.";
    return { element, title: name, stop: () => undefined };
  }
  set(head, el("header", {}, el("h1", {}, `${session.namespace}/${name}`)));
  const cancel = cancelling("suite", name, uid);
  element.append(cancel);
  const frames = new Source(paths.frames("suite", name, uid), () => {
    if (frames.cut) about.textContent = "The connection is cut. The page connects again.";
  });
  frames.on("message", (data) => {
    const f = JSON.parse(data) as Frame;
    cancel.hidden = f.ended;
    write(f);
    if (f.ended) frames.close();
  });
  frames.on("failed", (data) => {
    frames.close();
    set(trouble, el("p", { class: "warning" }, (JSON.parse(data) as { error: string }).error));
  });
  return { element, title: name, stop: () => frames.close() };
}

function standing(s: SuiteFrame): string {
  const run = s.run ? ` Under way: ${s.run.name}, ${s.run.phase}.` : "";
  return `${s.done} of ${s.total} trials are done, ${s.unusable} of them without valid numbers; ${s.left} are left${s.timeLeft ? `, for about ${s.timeLeft}` : ""}.${s.waiting ? ` ${s.waiting}` : ""}${run}`;
}

function matrixOf(s: SuiteFrame): HTMLElement {
  const trials = Math.max(0, ...s.rows.map((row) => row.cells.length));
  const header = ["combination", ...Array.from({ length: trials }, (_, i) => `trial ${i + 1}`)];
  return scrolling("Trials of the suite", el("table", { class: "matrix" },
    el("caption", {}, "Each trial of each combination: · waits, ▶ is under way, ◐ is measured and has no report yet, ✓ has valid numbers, ✗ has none."),
    el("thead", {}, el("tr", {}, ...header.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, ...s.rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.combination),
      ...row.cells.map((cell) => el("td", { class: `cell ${cell.state.toLowerCase()}`, title: `${cell.state}${cell.run ? `: ${cell.run}` : ""}` },
        el("span", { "aria-label": cell.state, role: "img" }, signs[cell.state] ?? cell.state), cell.repeats ? el("sup", {}, `${cell.repeats} repeats`) : null)))))));
}
