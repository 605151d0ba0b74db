// A chart of points, however many. What it draws costs as much as it is wide.
import uPlot from "uplot";
import { el } from "../dom.ts";
import { micros, plain, seconds } from "../format.ts";
import { color, onThemeChange, seriesColor } from "../theme.ts";
import { fill, makeColumns, under, within, type Columns } from "./columns.ts";
import type { Set } from "./lines.ts";
import { PointLegend } from "./legend.ts";
import { paintColumns } from "./paint.ts";

const height = 320;

export class PointChart {
  readonly element: HTMLElement;
  /** The times that are shown. */
  from = 0;
  to = 0;
  private begin = 0;
  private end = 1;
  private readonly plotAt: HTMLElement;
  private readonly said = el("p", { class: "said", "aria-live": "polite" });
  private readonly legend: PointLegend;
  private readonly log = el("input", { type: "checkbox" });
  private plot: uPlot | undefined;
  private columns: Columns[] = [];
  private due = false;
  private at: number | null = null;
  private readonly watching: ResizeObserver;

  constructor(public set: Set, title: string, tools: HTMLElement[], private readonly changed: () => void) {
    this.extent();
    this.from = this.begin;
    this.to = this.end;
    const about = set.each !== "operation" ? "Each point sums up a time." : "Each column of pixels has a band from its least to its largest value, and a line through the means.";
    this.plotAt = el("div", { class: "plot", tabindex: "0", role: "group", "aria-label": `${title}. ${about} Arrow keys go from point to point, + and − zoom, Shift and arrows move, 0 shows all.` });
    this.legend = new PointLegend(set, (value) => this.write(value), () => this.later());
    const whole = el("button", { type: "button" }, "Show all");
    whole.addEventListener("click", () => this.show(this.begin, this.end));
    this.log.addEventListener("change", () => this.make());
    this.element = el("figure", { class: "chart points" }, el("figcaption", {}, title),
      el("div", { class: "tools" }, el("label", { class: "choice" }, this.log, " logarithmic"), whole, ...tools), this.plotAt, this.said, this.legend.element);
    this.plotAt.addEventListener("dblclick", () => this.show(this.begin, this.end));
    this.plotAt.addEventListener("keydown", (event) => this.onKey(event));
    Object.assign(this.plotAt, { points: this });
    this.watching = new ResizeObserver(() => this.plot?.width !== this.plotAt.clientWidth && this.make());
    this.watching.observe(this.plotAt);
    onThemeChange(() => this.make());
  }

  /** update shows points that have come. A window that shows all, or the end, goes on to do so. */
  update(set: Set): void {
    const [all, end, width] = [this.from === this.begin && this.to === this.end, this.to === this.end, this.to - this.from];
    this.set = set;
    this.extent();
    this.legend.update(set);
    this.columns = [];
    if (all) this.show(this.begin, this.end);
    else if (end) this.show(this.end - width, this.end);
    else this.show(this.from, this.to);
  }

  private extent(): void {
    this.begin = Math.min(...this.set.series.map((s) => s.times[0]!));
    const last = Math.max(...this.set.series.map((s) => s.times[s.length - 1]!));
    this.end = last > this.begin ? last : this.begin + 1;
  }

  stop(): void {
    this.watching.disconnect();
    this.plot?.destroy();
    this.plot = undefined;
  }

  /** show shows these times, within those that there are. */
  show(from: number, to: number): void {
    const width = Math.min(Math.max(to - from, 0.01), this.end - this.begin);
    this.from = Math.min(Math.max(from, this.begin), this.end - width);
    this.to = this.from + width;
    this.later();
    this.changed();
  }

  /** shown are the series that aren't hidden. */
  shown(): { index: number; series: Set["series"][number] }[] {
    return this.set.series.map((series, index) => ({ index, series })).filter(({ index }) => this.legend.shows(index));
  }

  /** instant writes a time of the set. */
  instant(time: number): string {
    return seconds((time - this.begin) / 1000);
  }

  write(value: number): string {
    return this.set.unit === "" ? plain(value) : micros(value);
  }

  /** later draws once in each frame of the screen at most. */
  private later(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  private make(): void {
    if (!this.plotAt.isConnected || this.plotAt.clientWidth === 0) return;
    const grid = { stroke: color("grid"), width: 1 };
    const axis: uPlot.Axis = { stroke: color("muted"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
    this.plot?.destroy();
    this.plot = new uPlot({
      width: this.plotAt.clientWidth, height, legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: { x: { time: false, auto: false }, y: { auto: false, distr: this.log.checked ? 3 : 1 } },
      axes: [
        { ...axis, space: 70, size: 34, values: (_u, at) => at.map((x) => seconds(x)) },
        { ...axis, size: 72, values: (_u, at) => at.map((y) => (y === null ? "" : this.write(y))) },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        draw: [(u) => this.paint(u)],
        setSelect: [(u) => this.select(u)],
        setCursor: [(u) => this.point(u)],
      },
    }, [[0, 1], [null, null]], this.plotAt);
    this.draw();
  }

  private draw(): void {
    const u = this.plot;
    if (!u) return;
    const width = Math.max(1, Math.round(u.bbox.width));
    if (this.columns[0]?.count.length !== width) this.columns = this.set.series.map(() => makeColumns(width));
    let [min, max] = [Infinity, 0];
    for (const { index, series } of this.shown()) {
      const sums = within(series, this.from, this.to);
      fill(this.columns[index]!, series, this.from, this.to);
      min = Math.min(min, sums.min);
      max = Math.max(max, sums.max);
    }
    u.batch(() => {
      u.setScale("x", { min: (this.from - this.begin) / 1000, max: (this.to - this.begin) / 1000 });
      u.setScale("y", this.log.checked ? logRange(min, max) : linearRange(min, max));
    });
    this.legend.window(this.from, this.to);
  }

  private paint(u: uPlot): void {
    const floor = this.log.checked ? (u.scales.y!.min ?? 1) : -Infinity;
    // A chart that has just got other points is painted before it has their columns.
    for (const { index } of this.shown()) if (this.columns[index]) paintColumns(u, this.columns[index], seriesColor(index), floor);
  }

  private select(u: uPlot): void {
    if (u.select.width < 2) return;
    const time = (left: number): number => this.begin + 1000 * u.posToVal(left, "x");
    this.show(time(u.select.left), time(u.select.left + u.select.width));
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /** point tells the exact point of each series below the pointer. */
  private point(u: uPlot): void {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0 || top === undefined) return this.legend.under(null);
    const time = (x: number): number => this.begin + 1000 * u.posToVal(x, "x");
    this.at = time(left);
    const value = u.posToVal(top, "y");
    const half = 0.5 / devicePixelRatio;
    this.legend.under(this.set.series.map((s) => {
      const i = under(s, time(left - half), time(left + half), value);
      return i === null ? "–" : `${this.write(s.values[i]!)} at ${this.instant(s.times[i]!)}`;
    }));
  }

  private onKey(event: KeyboardEvent): void {
    const width = this.to - this.from;
    const zoom = (factor: number): void => this.show(this.from + (width * (1 - factor)) / 2, this.to - (width * (1 - factor)) / 2);
    switch (event.key) {
      case "ArrowLeft": case "ArrowRight": {
        const right = event.key === "ArrowRight";
        if (event.shiftKey) this.show(this.from + (right ? width / 4 : -width / 4), this.to + (right ? width / 4 : -width / 4));
        else this.say(right);
        break;
      }
      case "+": case "=": zoom(0.5); break;
      case "-": zoom(2); break;
      case "0": case "Home": this.show(this.begin, this.end); break;
      default: return;
    }
    event.preventDefault();
  }

  /** say goes to the next time that has points, and tells them. */
  private say(right: boolean): void {
    const was = this.at !== null && this.at >= this.from && this.at <= this.to ? this.at : right ? this.from - 1e-6 : this.to + 1e-6;
    const next = this.shown().map(({ series }) => series.times[right ? series.after(was) : series.first(was) - 1]).filter((time) => time !== undefined && time >= this.from && time <= this.to) as number[];
    if (next.length === 0) return;
    const time = right ? Math.min(...next) : Math.max(...next);
    this.at = time;
    const texts = this.shown().flatMap(({ series }) => {
      const sums = within(series, time, time);
      if (sums.count === 0) return [];
      return [`${series.name} ${sums.count === 1 ? this.write(sums.sum) : `${sums.count} points from ${this.write(sums.min)} to ${this.write(sums.max)}`}`];
    });
    this.said.textContent = `${this.instant(time)}: ${texts.join(", ")}`;
  }
}

function linearRange(min: number, max: number): { min: number; max: number } {
  if (min > max) return { min: 0, max: 1 };
  const low = Math.min(0, min);
  return { min: low, max: max > low ? max + (max - low) * 0.05 : low + 1 };
}

function logRange(min: number, max: number): { min: number; max: number } {
  if (min > max || max <= 0) return { min: 1, max: 10 };
  const low = 10 ** Math.floor(Math.log10(Math.max(min, 1)));
  return { min: low, max: Math.max(10 * low, 10 ** Math.ceil(Math.log10(max))) };
}
