// What charts draw beside lines: bars, intervals, points. The same shapes are painted on the canvas and written as SVG.
import uPlot from "uplot";

export interface Shape {
  /** Places are pixels of the page, from the left top of the chart. */
  from: [number, number];
  to: [number, number];
  color: string;
  /** How strong the colour is, from 0 to 1. */
  strength?: number;
  width?: number;
  dash?: boolean;
  /** A dot has its middle at from, and the diameter width. */
  kind: "line" | "bar" | "dot" | "ring";
}

/** Place says where values are. */
export interface Place {
  x: (value: number) => number;
  y: (value: number, scale?: string) => number;
  bottom: number;
  top: number;
  left: number;
  right: number;
  /** Whether the line with the index is shown. */
  shows: (line: number) => boolean;
}

export type Shapes = (place: Place) => Shape[];

function shapesOf(u: uPlot, shapes: Shapes): Shape[] {
  const ratio = uPlot.pxRatio;
  const [left, top, width, height] = [u.bbox.left / ratio, u.bbox.top / ratio, u.bbox.width / ratio, u.bbox.height / ratio];
  return shapes({
    x: (value) => u.valToPos(value, "x") + left,
    y: (value, scale = "y") => u.valToPos(value, scale) + top,
    left, top, right: left + width, bottom: top + height,
    shows: (line) => u.series[line + 1]?.show === true,
  }).filter((s) => [...s.from, ...s.to].every(Number.isFinite) && Math.max(s.from[0], s.to[0]) >= left && Math.min(s.from[0], s.to[0]) <= left + width);
}

export function paintShapes(u: uPlot, shapes: Shapes): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 6, bbox.top - 6, bbox.width + 12, bbox.height + 12);
  ctx.clip();
  ctx.scale(uPlot.pxRatio, uPlot.pxRatio);
  for (const s of shapesOf(u, shapes)) {
    ctx.fillStyle = s.color;
    ctx.strokeStyle = s.color;
    ctx.lineWidth = s.kind === "dot" ? 0 : (s.kind === "ring" ? 1.5 : s.width ?? 1.5);
    ctx.globalAlpha = s.strength ?? 1;
    ctx.setLineDash(s.dash ? [4, 3] : []);
    ctx.beginPath();
    if (s.kind === "bar") {
      ctx.rect(Math.min(s.from[0], s.to[0]), Math.min(s.from[1], s.to[1]), Math.abs(s.to[0] - s.from[0]), Math.abs(s.to[1] - s.from[1]));
      ctx.fill();
    } else if (s.kind === "line") {
      ctx.moveTo(...s.from);
      ctx.lineTo(...s.to);
      ctx.stroke();
    } else {
      ctx.arc(...s.from, (s.width ?? 6) / 2, 0, 2 * Math.PI);
      if (s.kind === "dot") ctx.fill();
      else ctx.stroke();
    }
  }
  ctx.restore();
}

export function svgShapes(u: uPlot, shapes: Shapes): string[] {
  const n = (x: number): string => x.toFixed(1);
  return shapesOf(u, shapes).map((s) => {
    const look = ` opacity="${s.strength ?? 1}"${s.dash ? ' stroke-dasharray="4 3"' : ""}`;
    switch (s.kind) {
      case "bar": return `<rect x="${n(Math.min(s.from[0], s.to[0]))}" y="${n(Math.min(s.from[1], s.to[1]))}" width="${n(Math.abs(s.to[0] - s.from[0]))}" height="${n(Math.abs(s.to[1] - s.from[1]))}" fill="${s.color}"${look}/>`;
      case "line": return `<line x1="${n(s.from[0])}" y1="${n(s.from[1])}" x2="${n(s.to[0])}" y2="${n(s.to[1])}" stroke="${s.color}" stroke-width="${s.width ?? 1.5}"${look}/>`;
      case "dot": return `<circle cx="${n(s.from[0])}" cy="${n(s.from[1])}" r="${n((s.width ?? 6) / 2)}" fill="${s.color}"${look}/>`;
      case "ring": return `<circle cx="${n(s.from[0])}" cy="${n(s.from[1])}" r="${n((s.width ?? 6) / 2)}" fill="none" stroke="${s.color}" stroke-width="1.5"${look}/>`;
    }
  });
}
