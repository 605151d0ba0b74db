// A run while it goes on, and its report from then on.
import { el } from "../dom.ts";
import { count, micros, rate, seconds } from "../format.ts";
import type { Charts, Report } from "../model.ts";
import { runPage } from "../run.ts";
import { itemsOverTime, OverTime } from "../time.ts";
import { ask, list, paths, Refused, type Frame, type RunFrame, type Second, type Session } from "./api.ts";
import { Course } from "./course.ts";
import type { View } from "./main.ts";
import { back, cancelling, events, set, silences, steps, verdict } from "./parts.ts";
import { Source } from "./source.ts";

/** frozenAfter is how long no second may come until that is said, in milliseconds. */
const frozenAfter = 5000;
const oldAfterSeconds = 10;

class Run {
  readonly element = el("div", { class: "live" });
  private readonly head = el("div", {});
  private readonly state = el("p", { class: "muted", role: "status" });
  private readonly tiles = el("dl", { class: "tiles" });
  private readonly trouble = el("div", {});
  private readonly faults = el("ul", { class: "marks" });
  private readonly charts = el("div", {});
  private readonly log = el("div", {});
  private readonly cancel: HTMLElement;
  private readonly courses = new Map<string, { course: Course; figures: OverTime; missing: HTMLElement }>();
  private frame: Frame | null = null;
  private newest: Course | null = null;
  private sources: Source[] = [];
  private heard = Date.now();
  private due = false;
  private gone = false;
  private concluding = false;
  private readonly left = el("p", { class: "warning", hidden: "" }, "No report of this run is kept. ", el("a", { href: "#/" }, "The list has what is left."));
  private timer: ReturnType<typeof setInterval>;
  private over = false;

  constructor(private readonly session: Session, private readonly name: string, private readonly uid: string) {
    this.cancel = cancelling("run", name, uid);
    const log = el("details", { class: "more" }, el("summary", {}, "Events"), this.log);
    this.element.append(back(), this.head, this.trouble, this.left, this.state, this.tiles, this.faults, ...(session.cluster ? [this.cancel] : []), this.charts, log);
    this.timer = setInterval(() => this.write(), 1000);
    this.write();
    void this.begin();
  }

  stop(): void {
    this.over = true;
    clearInterval(this.timer);
    for (const source of this.sources) source.close();
  }

  /** begin shows the report if there is one. */
  private async begin(): Promise<void> {
    try {
      if (await this.reported()) return await this.report();
    } catch (error) {
      set(this.trouble, el("p", { class: "warning" }, String(error)));
    }
    if (!this.over) this.watch();
  }

  /** reported asks without being refused: a run that waits for its turn isn't known to the results server yet. */
  private async reported(): Promise<boolean> {
    if (!this.session.cluster) return (await ask<{ reported: boolean }>(paths.run(this.uid))).reported;
    return (await list(this.session)).entries.some((e) => e.uid === this.uid && e.reported);
  }

  private watch(): void {
    if (this.session.cluster) {
      const frames = this.follow(paths.frames("run", this.name, this.uid));
      frames.on("message", (data) => {
        this.frame = JSON.parse(data) as Frame;
        this.later();
        if (!this.frame.ended) return;
        frames.close();
        void this.conclude();
      });
      frames.on("failed", (data) => {
        frames.close();
        set(this.trouble, el("p", { class: "warning" }, (JSON.parse(data) as { error: string }).error));
        void this.conclude();
      });
    }
    const told = this.follow(`${paths.run(this.uid)}/seconds`);
    told.on("message", (data) => {
      const second = JSON.parse(data) as Second;
      let of = this.courses.get(second.workload);
      if (!of) {
        of = { course: new Course(second), figures: new OverTime(), missing: el("p", { class: "warning", hidden: "" }) };
        this.courses.set(second.workload, of);
        this.charts.prepend(el("section", {}, el("h2", {}, `Workload ${second.workload}`), of.missing, of.figures.element));
      }
      of.course.add(second);
      this.newest = of.course;
      this.heard = Date.now();
      this.later();
    });
    for (const end of ["reported", "gone"]) {
      told.on(end, () => {
        told.close();
        this.gone = this.gone || end === "gone";
        void this.conclude();
      });
    }
  }

  private follow(path: string): Source {
    const source = new Source(path, () => this.later());
    this.sources.push(source);
    return source;
  }

  /** conclude shows the report as soon as there is one, or says that there is none. */
  private async conclude(): Promise<void> {
    if (this.over || this.concluding) return;
    this.concluding = true;
    try {
      if (await this.reported()) return await this.report();
      // A run that has failed may have no report, and one that was deleted isn't kept unless it was measured.
      if (this.frame?.ended || this.gone) this.left.hidden = false;
    } catch { /* the server is away for a moment, and is asked again */ }
    setTimeout(() => {
      this.concluding = false;
      void this.conclude();
    }, 2000);
  }

  private async report(): Promise<void> {
    const report = await ask<Report>(`${paths.run(this.uid)}/report.json`);
    const charts = await ask<Charts>(`${paths.run(this.uid)}/charts.json`).catch((error: unknown) => {
      if (error instanceof Refused) return null;
      throw error;
    });
    if (this.over) return;
    this.stop();
    this.element.replaceChildren(back(), ...runPage({ kind: "run", report, charts }));
  }

  /** later draws once, however many events come in one frame of the screen. */
  private later(): void {
    if (this.due) return;
    this.due = true;
    // A page that isn't looked at gets no frames.
    const draw = (): void => {
      this.due = false;
      this.write();
    };
    if (document.hidden) setTimeout(draw, 1000);
    else requestAnimationFrame(draw);
  }

  private write(): void {
    if (this.over) return;
    const run = this.frame?.run;
    set(this.head, ...this.heading(run));
    const standing = this.standing();
    if (this.state.textContent !== standing) this.state.textContent = standing;
    this.cancel.hidden = this.frame?.ended ?? false;
    if (this.frame) set(this.trouble, ...silences(this.frame), ...(this.frame.ended ? [verdict(this.frame)] : []));
    set(this.tiles, ...tiles(this.newest, run));
    set(this.faults, ...(run?.faults ?? []).map((f) => el("li", { class: "fault" },
      `${f.name}: ${f.action}${f.targets?.length ? ` of ${f.targets.join(", ")}` : ""}, ${f.state.toLowerCase()}${f.state === "Planned" ? ` at ${f.at} of ${f.workload}` : ""}${f.message ? `: ${f.message}` : ""}`)));
    if (run) set(this.log, events(run));
    for (const { course, figures, missing } of this.courses.values()) {
      if (!course.dirty) continue;
      course.dirty = false;
      const lost = course.charts.missingWorkers;
      missing.hidden = course.gaps === 0;
      missing.textContent = `${course.gaps} ${course.gaps === 1 ? "second is a gap" : "seconds are gaps"} in the charts${lost.length > 0 ? `, for they lack worker ${lost.join(", ")}: it sent nothing of them, or told of several together` : ""}.`;
      figures.show(itemsOverTime(course.open, course.charts, course.marks(run)));
    }
  }

  private heading(run: RunFrame | undefined): HTMLElement[] {
    const about = run ? `${run.store}, ${run.mode ? `${run.mode}, ` : ""}${run.nodes} ${run.nodes === 1 ? "member" : "members"}` : "";
    return [el("header", {},
      el("h1", {}, this.session.namespace ? `${this.session.namespace}/${this.name}` : this.name), el("p", { class: "lead" }, about),
      el("ul", { class: "badges" }, el("li", { class: "badge unsure" }, this.frame?.ended ? "ended" : "live"), ...(run ? [el("li", { class: "badge" }, run.phase)] : []))),
      ...(run ? [steps(run)] : [])];
  }

  /** age is told of figures that are old: while the page catches up, and while a worker is waited for. */
  private age(): string {
    const seconds = this.newest?.last ? Math.floor(Date.now() / 1000 - this.newest.last.unixSeconds - 1) : 0;
    return seconds > oldAfterSeconds ? ` By this browser's clock it ended more than ${5 * Math.floor(seconds / 5)} s ago.` : "";
  }

  /** standing is what the figures are, and how old. */
  private standing(): string {
    if (this.sources.some((source) => source.cut)) return "A connection is cut. The page connects again, and misses no second.";
    if (this.frame?.ended) return "Waiting for the report.";
    if (!this.newest) return this.frame?.run?.waiting ?? "No second of a measurement has come yet.";
    const silent = Date.now() - this.heard;
    const late = silent > frozenAfter ? ` Nothing has come for ${5 * Math.floor(silent / 5000)} s.` : this.age();
    return `Live figures, of the newest second that all workers have sent. The report's will be exact.${late}`;
  }
}

function tiles(course: Course | null, run: RunFrame | undefined): HTMLElement[] {
  const s = course?.last;
  if (!course || !s) return [];
  const tile = (name: string, value: string): HTMLElement => el("div", { class: "tile" }, el("dt", {}, name), el("dd", {}, value));
  const main = s.operations.filter((o) => !o.part);
  const known = !s.missingWorkers;
  const sum = (which: (outcome: string) => boolean): number => main.filter((o) => which(o.outcome)).reduce((n, o) => n + o.count, 0);
  const left = run?.load?.leftSeconds;
  return [
    tile("second", `${seconds(s.second)}${left === undefined ? "" : `, ${seconds(left)} left`}`),
    tile(course.open ? "intended" : "sent", rate(known ? s.intended : null)),
    tile("served", rate(known ? sum((outcome) => outcome === "ok") : null)),
    ...main.filter((o) => o.outcome === "ok").slice(0, 2).map((o) => tile(`p99 of ${o.operation}`, micros(known ? (o.responseTime ?? o.serviceTime)?.p99Micros : null))),
    tile("errors", count(known ? sum((outcome) => outcome !== "ok") : null)),
  ];
}

export function runView(session: Session, name: string, uid: string): View {
  const run = new Run(session, name, uid);
  return { element: run.element, title: name, stop: () => run.stop() };
}
