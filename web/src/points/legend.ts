import { el } from "../dom.ts";
import { count } from "../format.ts";
import { within } from "./columns.ts";
import type { Set } from "./lines.ts";

interface Row {
  name: HTMLElement;
  count: HTMLElement;
  mean: HTMLElement;
  points: HTMLElement;
  average: HTMLElement;
  least: HTMLElement;
  largest: HTMLElement;
  pointer: HTMLElement;
}

/** PointLegend is a table: what each series has in all, in the window, and below the pointer. A click on its name hides a series. */
export class PointLegend {
  readonly element: HTMLElement;
  private readonly body = el("tbody", {});
  private readonly rows: Row[] = [];
  private readonly averaged: boolean;

  constructor(private set: Set, private readonly write: (value: number) => string, private readonly changed: () => void) {
    this.averaged = set.each !== "interval"; // the average of percentiles is no percentile
    const header = ["series", "points", ...(this.averaged ? ["average"] : []), "points shown", ...(this.averaged ? ["average shown"] : []), "least shown", "largest shown", "at the pointer"];
    this.element = el("div", { class: "scroll legend-table", tabindex: "0", role: "region", "aria-label": "Figures of the points" },
      el("table", {}, el("thead", {}, el("tr", {}, ...header.map((h, i) => el("th", { scope: "col", class: i > 0 ? "number" : "" }, h)))), this.body));
    this.update(set);
  }

  /** update takes points that have come. Series that were there keep their places. */
  update(set: Set): void {
    this.set = set;
    set.series.forEach((s, i) => {
      const row = (this.rows[i] ??= this.row(s.name, i));
      const whole = s.sums(0, s.length);
      put(row.count, count(whole.count));
      put(row.mean, this.write(whole.sum / whole.count));
    });
  }

  private row(series: string, i: number): Row {
    const cell = (): HTMLElement => el("td", { class: "number" }, "–");
    const swatch = el("span", { class: "swatch", "aria-hidden": "true", style: `background: var(--series-${1 + (i % 8)})` });
    const name = el("button", { type: "button", "aria-pressed": "true", title: "Show or hide" }, swatch, series);
    name.addEventListener("click", () => {
      name.setAttribute("aria-pressed", String(!this.shows(i)));
      this.changed();
    });
    const row = { name, count: cell(), mean: cell(), points: cell(), average: cell(), least: cell(), largest: cell(), pointer: cell() };
    this.body.append(el("tr", {}, el("th", { scope: "row" }, name), row.count, this.averaged && row.mean, row.points, this.averaged && row.average, row.least, row.largest, row.pointer));
    return row;
  }

  shows(series: number): boolean {
    return this.rows[series]!.name.getAttribute("aria-pressed") === "true";
  }

  /** window writes the figures of what is shown. */
  window(from: number, to: number): void {
    this.set.series.forEach((s, i) => {
      const row = this.rows[i]!;
      const sums = within(s, from, to);
      const known = (value: number): string => (sums.count === 0 ? "–" : this.write(value));
      put(row.points, count(sums.count));
      put(row.average, known(sums.sum / sums.count));
      put(row.least, known(sums.min));
      put(row.largest, known(sums.max));
    });
  }

  /** under writes the points below the pointer; null without one. */
  under(texts: string[] | null): void {
    this.rows.forEach((row, i) => put(row.pointer, texts?.[i] ?? "–"));
  }
}

function put(cell: HTMLElement, text: string): void {
  if (cell.textContent !== text) cell.textContent = text;
}
