// A suite: its matrix while it fills up, and the run under way.
import { el, scrolling } from "../dom.ts";
import type { Suite } from "../suite/model.ts";
import { suitePage } from "../suite/page.ts";
import { ask, list, paths, type Entry, type Frame, type Session, type SuiteFrame } from "./api.ts";
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
  set(head, el("header", {}, el("h1", {}, session.namespace ? `${session.namespace}/${name}` : name)));
  let over = false;
  /** report shows the suite's page if it has ended and has its report. */
  const report = async (): Promise<boolean> => {
    const ended = (e: Entry): boolean => !e.inCluster || e.phase === "Complete" || e.phase === "Failed";
    if (!(await list(session)).entries.some((e) => e.uid === uid && e.reported && ended(e))) return false;
    const suite = await ask<Suite>(`${paths.suite(uid)}/suite.json`);
    if (!over) element.replaceChildren(back(), ...suitePage(suite));
    return true;
  };
  const conclude = (): void => {
    report().catch(() => false).then((shown) => { if (!shown && !over) setTimeout(conclude, 2000); });
  };
  if (!session.cluster) {
    report().catch(() => false).then((shown) => { if (!shown) about.textContent = "This suite is under way. kubectl kvbench open shows its matrix."; });
    return { element, title: name, stop: () => { over = true; } };
  }
  const cancel = cancelling("suite", name, uid);
  element.append(cancel);
  const frames = new Source(paths.frames("suite", name, uid), () => {
    if (frames.cut) about.textContent = "The connection is cut. The page connects again.";
  });
  frames.on("message", (data) => {
    const f = JSON.parse(data) as Frame;
    cancel.hidden = f.ended;
    write(f);
    if (!f.ended) return;
    frames.close();
    conclude();
  });
  frames.on("failed", (data) => {
    frames.close();
    set(trouble, el("p", { class: "warning" }, (JSON.parse(data) as { error: string }).error));
  });
  // Its page is shown at once if it has ended, and a suite that is only kept has no other one.
  report().catch(() => false).then((shown) => { if (shown) frames.close(); });
  return { element, title: name, stop: () => { over = true; frames.close(); } };
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
