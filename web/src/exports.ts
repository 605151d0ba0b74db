import type uPlot from "uplot";
import { lineColor, type ChartOptions, type Line } from "./chart.ts";
import { svgShapes } from "./shapes.ts";
import { color } from "./theme.ts";

export const quoted = (text: string): string => (/[",\n\r]|^[=+@-]/.test(text) ? `"${text.replace(/^([=+@-])/, "'$1").replaceAll('"', '""')}"` : text);

/** heads are the names of a chart's columns, with the units of the values. */
export function heads(o: ChartOptions): string[] {
  return [o.xLabel, ...o.lines.map((l) => { const unit = l.axis === "right" ? (o.rightUnit ?? o.unit) : o.unit; return unit ? `${l.label} (${unit})` : l.label; })];
}

/** csv has every figure with all its digits. A figure that isn't known is empty. */
export function csv(o: ChartOptions): string {
  const rows = [heads(o).map(quoted).join(",")];
  (o.exactX ?? o.x).forEach((at, i) => rows.push([typeof at === "string" ? quoted(at) : at, ...o.lines.map((l) => l.values[i] ?? "")].join(",")));
  return rows.join("\r\n") + "\r\n";
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** svg draws what the chart shows now. A chart that paints, such as the heat map, is in it as a picture. */
export function svg(o: ChartOptions, u: uPlot): string {
  const ratio = devicePixelRatio;
  const [left, top, width, height] = [u.bbox.left / ratio, u.bbox.top / ratio, u.bbox.width / ratio, u.bbox.height / ratio];
  const at = (value: number, scale: string): number => u.valToPos(value, scale) + (scale === "x" ? left : top);
  const parts: string[] = [];
  const text = (x: number, y: number, anchor: string, s: string): void => {
    parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${color("muted")}">${escape(s)}</text>`);
  };
  for (const b of o.paint ? [] : (o.marks?.bands ?? [])) {
    const from = Math.max(at(b.from, "x"), left);
    const to = Math.min(at(b.to, "x"), left + width);
    if (to > from) parts.push(`<rect x="${from.toFixed(1)}" y="${top}" width="${(to - from).toFixed(1)}" height="${height}" fill="${color(`${b.color}-band`)}"><title>${escape(b.label)}</title></rect>`);
  }
  // The picture of a chart that paints has bands, axes and marks already.
  if (!o.paint) u.axes.forEach((axis, i) => {
    const splits = (axis as unknown as { _splits?: number[]; _values?: (string | null)[] });
    (splits._splits ?? []).forEach((value, j) => {
      const label = splits._values?.[j];
      if (i === 0) {
        if (at(value, "x") < left - 1 || at(value, "x") > left + width + 1) return;
        (label ?? "").split("\n").forEach((one, line) => text(at(value, "x"), top + height + 18 + 14 * line, "middle", one));
      } else if (axis.scale === "y") {
        parts.push(`<line x1="${left}" x2="${left + width}" y1="${at(value, "y").toFixed(1)}" y2="${at(value, "y").toFixed(1)}" stroke="${color("grid")}"/>`);
        if (label) text(left - 8, at(value, "y") + 4, "end", label);
      } else if (label) {
        text(left + width + 8, at(value, axis.scale ?? "right") + 4, "start", label);
      }
    });
  });
  if (o.paint) {
    parts.push(`<image x="0" y="0" width="${u.width}" height="${u.height}" href="${u.ctx.canvas.toDataURL()}"/>`);
  } else {
    o.lines.forEach((l, i) => parts.push(...path(o, u, l, i, at)));
    if (o.shapes) parts.push(...svgShapes(u, o.shapes));
  }
  for (const m of o.paint ? [] : (o.marks?.marks ?? [])) {
    const x = at(m.at, "x");
    if (x >= left && x <= left + width) parts.push(`<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${top}" y2="${top + height}" stroke="${color(m.color)}" stroke-dasharray="4 3"><title>${escape(m.label)}</title></line>`);
  }
  let [x, y] = [left, u.height + 15];
  o.lines.forEach((l, i) => {
    if (!u.series[i + 1]?.show || l.color === "transparent" || l.aside) return;
    const width = 30 + 7 * l.label.length;
    if (x + width > u.width && x > left) [x, y] = [left, y + 18];
    parts.push(`<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${lineColor(l, i)}"/>`);
    text(x + 16, y, "start", l.label);
    x += width;
  });
  const whole = y + 31;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${u.width}" height="${whole}" viewBox="0 -22 ${u.width} ${whole}" font-family="system-ui, sans-serif" font-size="12">` +
    `<rect x="0" y="-22" width="${u.width}" height="${whole}" fill="${color("surface")}"/><text x="8" y="-6" font-weight="600" fill="${color("text")}">${escape(o.title)}</text>${parts.join("")}</svg>\n`;
}

function path(o: ChartOptions, u: uPlot, l: Line, index: number, at: (value: number, scale: string) => number): string[] {
  if (!u.series[index + 1]?.show || l.shaped || l.aside) return [];
  const { min, max } = u.scales.x!;
  let d = "";
  let pen = false;
  o.x.forEach((x, i) => {
    const y = l.values[i];
    if (y === null || y === undefined || x < (min ?? -Infinity)! || x > (max ?? Infinity)!) {
      pen = pen && (o.spanGaps === true || (y !== null && y !== undefined));
      return;
    }
    const point = `${at(x, "x").toFixed(1)} ${at(y, l.axis ?? "y").toFixed(1)}`;
    d += !pen ? `M${point}` : l.step ? `H${point.split(" ")[0]}V${point.split(" ")[1]}` : `L${point}`;
    pen = true;
    // A step goes on to the next one, or to where the value is no longer known.
    const after = o.x[i + 1] ?? x + (o.x[1] ?? 1) - (o.x[0] ?? 0);
    if (l.step && (o.lines[index]!.values[i + 1] ?? null) === null) d += `H${Math.min(at(after, "x"), at(max ?? after, "x")).toFixed(1)}`;
  });
  return d === "" ? [] : [`<path d="${d}" fill="none" stroke="${lineColor(l, index)}" stroke-width="1.5"${l.dash ? ` stroke-dasharray="${l.dash.join(" ")}"` : ""}/>`];
}
