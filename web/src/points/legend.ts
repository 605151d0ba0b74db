import { el } from "../dom.ts";
import { count } from "../format.ts";
import { within } from "./columns.ts";
import type { Set } from "./lines.ts";

/** PointLegend is a table: what each series has in all, in the window, and below the pointer. A click on its name hides a series. */
export class PointLegend {
  readonly element: HTMLElement;
  private readonly rows: { name: HTMLElement; points: HTMLElement; average: HTMLElement; least: HTMLElement; largest: HTMLElement; pointer: HTMLElement }[];

  constructor(private readonly set: Set, private readonly write: (value: number) => string, changed: () => void) {
    const cell = (): HTMLElement => el("td", { class: "number" }, "–");
    const body = el("tbody", {});
    const averaged = set.each !== "interval"; // the average of percentiles is no percentile
    this.rows = set.series.map((s, i) => {
      const swatch = el("span", { class: "swatch", "aria-hidden": "true", style: `background: var(--series-${1 + (i % 8)})` });
      const name = el("button", { type: "button", "aria-pressed": "true", title: "Show or hide" }, swatch, s.name);
      name.addEventListener("click", () => {
        name.setAttribute("aria-pressed", String(!this.shows(i)));
        changed();
      });
      const whole = s.sums(0, s.length);
      const row = { name, points: cell(), average: cell(), least: cell(), largest: cell(), pointer: cell() };
      body.append(el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, count(whole.count)), averaged && el("td", { class: "number" }, write(whole.sum / whole.count)),
        row.points, averaged && row.average, row.least, row.largest, row.pointer));
      return row;
    });
    const header = ["series", "points", ...(averaged ? ["average"] : []), "points shown", ...(averaged ? ["average shown"] : []), "least shown", "largest shown", "at the pointer"];
    this.element = el("div", { class: "scroll legend-table", tabindex: "0", role: "region", "aria-label": "Figures of the points" },
      el("table", {}, el("thead", {}, el("tr", {}, ...header.map((h, i) => el("th", { scope: "col", class: i > 0 ? "number" : "" }, h)))), body));
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
