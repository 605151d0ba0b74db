import type uPlot from "uplot";
import { lineColor, type ChartOptions, type Line } from "./chart.ts";
import { el } from "./dom.ts";

/** Legend names the lines, with their values under the pointer, or else their averages over what is shown. A click hides a line. */
export class Legend {
  readonly element = el("div", { class: "legend" });
  private readonly at = el("span", { class: "at" });
  private entries: { button: HTMLButtonElement; value: HTMLElement; swatch: HTMLElement }[] = [];
  private plot: uPlot | undefined;

  constructor(private readonly o: ChartOptions) {
    this.build();
  }

  /** build makes the entries anew when there are other lines. Those that are hidden stay so. */
  build(): void {
    const hidden = new Map(this.entries.map((entry, i) => [entry.button.dataset["line"] ?? "", !this.shows(i)]));
    this.entries = [];
    this.element.replaceChildren(this.at);
    this.o.lines.forEach((line, i) => {
      const value = el("span", { class: "value" });
      // An invisible line tells values, and there is nothing of it to hide.
      const fixed = line.color === "transparent";
      const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
      const button = el("button", { type: "button", "aria-pressed": String(!(hidden.get(line.label) ?? line.hidden)), "data-line": line.label, title: "Show or hide", ...(fixed ? { disabled: "" } : {}) }, swatch, `${line.label} `, value);
      button.addEventListener("click", () => this.toggle(i));
      this.entries.push({ button, value, swatch });
      if (!line.aside) this.element.append(button);
    });
  }

  shows(line: number): boolean {
    return this.entries[line]?.button.getAttribute("aria-pressed") !== "false";
  }

  /** follow writes the values of this plot from now on. */
  follow(plot: uPlot): void {
    this.plot = plot;
    this.entries.forEach((entry, i) => {
      const of = lineColor(this.o.lines[i]!, i);
      entry.swatch.style.background = this.o.lines[i]!.dash ? `linear-gradient(90deg, ${of} 40%, transparent 40% 60%, ${of} 60%)` : of;
    });
    this.write(plot);
  }

  write(plot: uPlot): void {
    const index = this.under(plot);
    const x = index === undefined || index === null ? undefined : this.o.x[index];
    this.at.textContent = x !== undefined ? this.o.writeX(x) : this.o.lines.every((line) => line.noAverage) ? "" : "average shown";
    this.entries.forEach((entry, i) => {
      const line = this.o.lines[i]!;
      entry.value.textContent = x === undefined ? this.average(plot, line) : line.writeAt ? line.writeAt(index!) : this.text(line, line.values[index!]);
    });
  }

  /** under is the index below the pointer: of a chart over time the step that has the instant, else the nearest. */
  private under(plot: uPlot): number | undefined {
    const { left, idx } = plot.cursor;
    if (left === undefined || left < 0 || idx === undefined || idx === null) return undefined;
    const step = (this.o.x[1] ?? 1) - (this.o.x[0] ?? 0);
    const before = this.o.range !== undefined && !this.o.shapes && idx > 0 && this.o.x[idx]! > plot.posToVal(left, "x") + step / 1000;
    return before ? idx - 1 : idx;
  }

  private toggle(line: number): void {
    const shown = !this.shows(line);
    this.entries[line]!.button.setAttribute("aria-pressed", String(shown));
    this.plot?.setSeries(line + 1, { show: shown });
  }

  private text(line: Line, value: number | null | undefined): string {
    return (line.axis === "right" ? (this.o.writeRight ?? this.o.writeY) : this.o.writeY)(value);
  }

  /** average is the mean of a line's values that are shown. Of percentiles and maximums it would be no percentile, so there is none. */
  private average(plot: uPlot, line: Line): string {
    if (line.noAverage) return "";
    const { min, max } = plot.scales.x!;
    let sum = 0;
    let n = 0;
    for (let i = 0; i < this.o.x.length; i++) {
      const value = line.values[i];
      const x = this.o.x[i]!;
      if (value === null || value === undefined || x < (min ?? -Infinity) || x > (max ?? Infinity)) continue;
      sum += value;
      n++;
    }
    return n === 0 ? "–" : this.text(line, sum / n);
  }
}
