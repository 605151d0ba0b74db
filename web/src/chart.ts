import uPlot from "uplot";
import { el, save, table, scrolling } from "./dom.ts";
import { csv, heads, svg } from "./exports.ts";
import { count } from "./format.ts";
import { Legend } from "./legend.ts";
import type { Marks } from "./marks.ts";
import { paintShapes, type Shapes } from "./shapes.ts";
import { steps } from "./steps.ts";
import { color, onThemeChange, seriesColor } from "./theme.ts";
import { fitting } from "./ticks.ts";

type Values = (number | null)[];

export interface Line {
  label: string;
  values: Values;
  /** Of the palette, or the name of a colour of the style sheet. */
  color?: number | string;
  step?: boolean;
  dash?: number[];
  hidden?: boolean;
  axis?: "y" | "right";
  /** Its average would say nothing: that of percentiles is no percentile. */
  noAverage?: boolean;
  /** Shapes draw it, and no line. */
  shaped?: boolean;
  /** It is an end of another line's interval: in tables and the CSV, and not in the legend. */
  aside?: boolean;
  /** What the legend says at the index, where that is more than the value. */
  writeAt?: (index: number) => string;
}

export interface ChartOptions {
  title: string;
  /** What the chart shows, for people who don't see it, and how it is derived. */
  description: string;
  x: number[];
  /** What stands for x in tables and the CSV, where x is a place on an axis. */
  exactX?: (number | string)[];
  lines: Line[];
  marks?: Marks;
  xLabel: string;
  writeX: (x: number) => string;
  writeY: (y: number | null | undefined) => string;
  writeRight?: (y: number | null | undefined) => string;
  /** What the CSV and the table say of the values; of the right axis too, if that has another. */
  unit?: string;
  rightUnit?: string;
  log?: boolean;
  /** Ticks at powers of two, for bytes. */
  binary?: boolean;
  height?: number;
  /** Charts of one key share their cursor and their zoom. */
  sync?: string;
  xTicks?: { at: number[]; label: (x: number) => string };
  range?: [number, number];
  yRange?: [number, number];
  /** Joins what is known over steps without a value. */
  spanGaps?: boolean;
  /** Draws below the lines, in the canvas' pixels. */
  paint?: (plot: uPlot) => void;
  /** Bars, intervals and what else is no line. */
  shapes?: Shapes;
  yTicks?: { at: number[]; label: (y: number) => string };
}

const charts = new Map<string, Set<uPlot>>();
let zooming = false;

const updates = new WeakMap<HTMLElement, (next: ChartOptions) => void>();

/** update lets a chart show other figures. It keeps its zoom, unless it shows all, and which lines are hidden. */
export function update(figure: HTMLElement, next: ChartOptions): void {
  updates.get(figure)?.(next);
}

/** chart draws lines over an axis, with its legend, its exports and a table of all its figures. */
export function chart(shown: ChartOptions): HTMLElement {
  const o = { ...shown };
  const plotAt = el("div", { class: "plot", tabindex: "0", role: "group", "aria-label": `${o.title}. ${o.description} Arrow keys move the cursor, + and − zoom, 0 shows all.` });
  const said = el("p", { class: "said", "aria-live": "polite" });
  const legend = new Legend(o);
  const caption = el("figcaption", {}, o.title);
  const figure = el("figure", { class: "chart" }, caption, plotAt, legend.element, said);
  let plot: uPlot | undefined;

  const draw = (): void => {
    const zoom = plot ? ([plot.scales.x!.min, plot.scales.x!.max] as [number, number]) : undefined;
    if (plot) {
      charts.get(o.sync ?? "")?.delete(plot);
      plot.destroy();
    }
    plot = new uPlot(options(o, plotAt.clientWidth || 800, legend), data(o), plotAt);
    legend.follow(plot);
    zoomAll(plot, o, zoom && zoom[0] !== undefined ? zoom : null);
    if (o.sync) {
      if (!charts.has(o.sync)) charts.set(o.sync, new Set());
      charts.get(o.sync)!.add(plot);
    }
    Object.assign(plotAt, { plot });
  };
  updates.set(figure, (next) => {
    const zoom = plot && !showsAll(plot, o) ? ([plot.scales.x!.min!, plot.scales.x!.max!] as [number, number]) : null;
    const alike = next.lines.length === o.lines.length && next.lines.every((l, i) => l.label === o.lines[i]!.label)
      && next.height === o.height && next.yRange?.[1] === o.yRange?.[1] && next.x.length < fewPoints === o.x.length < fewPoints;
    Object.assign(o, next);
    if (caption.textContent !== o.title) caption.textContent = o.title;
    if (!alike) legend.build();
    if (!plot) return;
    if (!alike) draw();
    zooming = true;
    plot.setData(data(o), false);
    zoomAll(plot, o, zoom);
    zooming = false;
    // Whoever reads the table isn't disturbed: it is made anew when it is opened again.
    if (!figures.open && figures.childElementCount > 1) figures.lastElementChild!.remove();
  });
  // The width is known once the page is laid out.
  requestAnimationFrame(() => {
    draw();
    new ResizeObserver(() => plot && plotAt.clientWidth && plot.setSize({ width: plotAt.clientWidth, height: o.height ?? 220 })).observe(plotAt);
  });
  onThemeChange(() => plot && draw());
  plotAt.addEventListener("dblclick", () => plot && zoomAll(plot, o, null));
  plotAt.addEventListener("keydown", (event) => plot && onKey(plot, o, said, event));

  const png = (): void => plot!.ctx.canvas.toBlob((blob) => blob && save(`${o.title}.png`, "image/png", blob));
  const button = (label: string, act: () => void): HTMLElement => {
    const b = el("button", { type: "button", "aria-label": `${label} of ${o.title}` }, label);
    b.addEventListener("click", act);
    return b;
  };
  const whole = el("button", { type: "button" }, "Show all");
  whole.addEventListener("click", () => plot && zoomAll(plot, o, null));
  const figures = el("details", {}, el("summary", {}, "Figures"));
  figures.addEventListener("toggle", () => {
    if (figures.open && figures.childElementCount === 1) figures.append(figureTable(o));
  });
  figure.append(
    el("div", { class: "tools" }, whole,
      button("CSV", () => save(`${o.title}.csv`, "text/csv", csv(o))),
      button("PNG", png),
      button("SVG", () => save(`${o.title}.svg`, "image/svg+xml", svg(o, plot!))),
    ),
    figures,
  );
  return figure;
}

/** alone are the values without a neighbour: no line goes to them. */
function alone(values: Values): number[] {
  const known = (i: number): boolean => values[i] !== null && values[i] !== undefined;
  return values.flatMap((_, i) => (known(i) && !known(i - 1) && !known(i + 1) ? [i] : []));
}

/** fewPoints are so few that each is drawn. */
const fewPoints = 40;

const powersOfTwo = Array.from({ length: 50 }, (_, i) => 2 ** i);

function data(o: ChartOptions): uPlot.AlignedData {
  return [o.x, ...o.lines.map((l) => l.values)] as uPlot.AlignedData;
}

export function lineColor(l: Line, index: number): string {
  if (l.color === "transparent") return l.color;
  return typeof l.color === "string" ? color(l.color) : seriesColor(l.color ?? index);
}

function options(o: ChartOptions, width: number, legend: Legend): uPlot.Options {
  const grid = { stroke: color("grid"), width: 1 };
  const right = o.lines.some((l) => l.axis === "right");
  const axis: uPlot.Axis = { stroke: color("muted"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  return {
    width,
    height: o.height ?? 220,
    cursor: {
      ...(o.sync ? { sync: { key: o.sync, setSeries: false } } : {}),
      drag: { x: true, y: false, setScale: true },
      focus: { prox: o.shapes ? -1 : 24 },
      ...(o.shapes ? { points: { show: false } } : {}),
    },
    legend: { show: false },
    scales: {
      x: { time: false, ...(o.range ? { range: (_u, min, max) => [min ?? o.range![0], max ?? o.range![1]] as [number, number] } : {}) },
      y: { ...(o.log ? { distr: 3 } : {}), range: o.yRange ?? ((_u, min, max) => (o.log ? logRange(min, max) : linearRange(min, max))) },
      ...(right ? { right: { range: (_u: uPlot, min: number, max: number) => linearRange(min, max) } } : {}),
    },
    axes: [
      { ...axis, ...(o.xTicks ? { splits: (u) => o.xTicks!.at.filter((x) => x >= (u.scales.x!.min ?? x) && x <= (u.scales.x!.max ?? x)), values: (u, at) => fitting(u, at, o.xTicks!.label) } : { values: (_u, at) => at.map((x) => (x === null ? "" : o.writeX(x))) }), space: 70, size: o.shapes && o.xTicks ? 46 : 34 },
      { ...axis, size: 72, ...(o.binary ? { incrs: powersOfTwo } : {}), ...(o.yTicks ? { splits: () => o.yTicks!.at, values: (_u, at) => at.map(o.yTicks!.label) } : { values: (_u, at) => at.map((y) => (y === null ? "" : o.writeY(y))) }) },
      ...(right ? [{ ...axis, side: 1, size: 64, scale: "right", grid: { show: false }, values: (_u: uPlot, at: number[]) => at.map((y) => (o.writeRight ?? o.writeY)(y)) } as uPlot.Axis] : []),
    ],
    series: [
      { label: o.xLabel },
      ...o.lines.map((l, i): uPlot.Series => ({
        label: l.label,
        stroke: lineColor(l, i),
        width: 1.5,
        ...(l.dash ? { dash: l.dash } : {}),
        ...(l.step ? { paths: steps } : {}),
        show: legend.shows(i),
        spanGaps: o.spanGaps ?? false,
        scale: l.axis ?? "y",
        ...(l.shaped || l.aside ? { paths: () => null } : {}),
        points: o.paint || l.shaped || l.aside ? { show: false } : o.x.length < fewPoints ? { show: true } : { show: true, size: 4, filter: () => alone(o.lines[i]!.values) },
      })),
    ],
    hooks: {
      drawClear: [(u) => shade(u, o)],
      drawAxes: [(u) => o.paint?.(u)],
      draw: [(u) => line(u, o), (u) => o.shapes && paintShapes(u, o.shapes)],
      setScale: [(u, key) => key === "x" && (follow(u, o), legend.write(u))],
      setCursor: [(u) => legend.write(u)],
    },
  };
}

function linearRange(min: number | null, max: number | null): [number, number] {
  if (max === null || min === null) return [0, 1];
  const low = Math.min(0, min);
  return max === low ? [low, low + 1] : [low, max + (max - low) * 0.05];
}

function logRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || max <= 0) return [1, 10];
  const low = 10 ** Math.floor(Math.log10(Math.max(min, 1)));
  return [low, Math.max(10 * low, 10 ** Math.ceil(Math.log10(max)))];
}

/** follow lets the charts that share a key show the same seconds. */
function follow(u: uPlot, o: ChartOptions): void {
  if (zooming || !o.sync) return;
  zooming = true;
  const { min, max } = u.scales.x!;
  for (const other of charts.get(o.sync) ?? []) {
    if (other !== u && min !== undefined && max !== undefined) other.setScale("x", { min: min!, max: max! });
  }
  zooming = false;
}

function zoomAll(u: uPlot, o: ChartOptions, to: [number, number] | null): void {
  const [min, max] = to ?? o.range ?? [o.x[0] ?? 0, o.x[o.x.length - 1] ?? 1];
  u.setScale("x", { min, max });
}

function showsAll(u: uPlot, o: ChartOptions): boolean {
  const [min, max] = o.range ?? [o.x[0] ?? 0, o.x[o.x.length - 1] ?? 1];
  return u.scales.x!.min === min && u.scales.x!.max === max;
}

function shade(u: uPlot, o: ChartOptions): void {
  for (const band of o.marks?.bands ?? []) {
    const from = Math.max(u.valToPos(band.from, "x", true), u.bbox.left);
    const to = Math.min(u.valToPos(band.to, "x", true), u.bbox.left + u.bbox.width);
    if (to <= from) continue;
    u.ctx.fillStyle = color(`${band.color}-band`);
    u.ctx.fillRect(from, u.bbox.top, Math.max(to - from, 1), u.bbox.height);
  }
}

function line(u: uPlot, o: ChartOptions): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const mark of o.marks?.marks ?? []) {
    const x = u.valToPos(mark.at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = color(mark.color);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function onKey(u: uPlot, o: ChartOptions, said: HTMLElement, event: KeyboardEvent): void {
  const { min, max } = u.scales.x!;
  if (min === undefined || max === undefined) return;
  const width = max! - min!;
  const zoom = (factor: number): void => zoomAll(u, o, [min! + (width * (1 - factor)) / 2, max! - (width * (1 - factor)) / 2]);
  const visible = [o.x.findIndex((x) => x >= min!), o.x.findLastIndex((x) => x <= max!)] as const;
  const next = (step: number): number => (lastSaid.has(u) ? Math.max(visible[0], Math.min(visible[1], lastSaid.get(u)! + step)) : visible[0]);
  switch (event.key) {
    case "ArrowLeft": case "ArrowRight":
      if (event.shiftKey) zoomAll(u, o, event.key === "ArrowLeft" ? [min! - width / 4, max! - width / 4] : [min! + width / 4, max! + width / 4]);
      else say(u, o, said, next(event.key === "ArrowLeft" ? -1 : 1));
      break;
    case "+": case "=": zoom(0.5); break;
    case "-": zoom(2); break;
    case "0": case "Home": zoomAll(u, o, null); break;
    default: return;
  }
  event.preventDefault();
}

const lastSaid = new WeakMap<uPlot, number>();

function say(u: uPlot, o: ChartOptions, said: HTMLElement, index: number): void {
  const x = o.x[index];
  if (x === undefined) return;
  lastSaid.set(u, index);
  u.setCursor({ left: u.valToPos(x, "x"), top: u.over.clientHeight / 2 });
  const lines = o.lines.filter((l, i) => u.series[i + 1]?.show && !l.aside);
  said.textContent = `${o.writeX(x)}: ${lines.map((l) => `${l.label} ${l.writeAt ? l.writeAt(index) : (l.axis === "right" ? (o.writeRight ?? o.writeY) : o.writeY)(l.values[index] ?? null)}`).join(", ")}`;
}

const mostRows = 2000;

function figureTable(o: ChartOptions): HTMLElement {
  const rows = (o.exactX ?? o.x).slice(0, mostRows).map((x, i) => [String(x), ...o.lines.map((l) => (l.values[i] === null || l.values[i] === undefined ? "–" : String(l.values[i])))]);
  const caption = o.x.length > mostRows ? `The first ${count(mostRows)} of ${count(o.x.length)} rows; the CSV has all.` : `All ${count(o.x.length)} rows.`;
  return scrolling(`Figures of ${o.title}`, table(caption, heads(o), rows));
}
