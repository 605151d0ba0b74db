// Paints the columns of a series: a band from the least to the largest, and a line of the means.
import type uPlot from "uplot";
import type { Columns } from "./columns.ts";

/** sparse is how many points are so few that each is a dot. */
const sparse = 400;

export function paintColumns(u: uPlot, columns: Columns, color: string, floor: number): void {
  const { ctx, bbox } = u;
  const width = columns.count.length;
  const step = bbox.width / width;
  const y = (value: number): number => u.valToPos(Math.max(value, floor), "y", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = color;
  ctx.strokeStyle = color;
  ctx.globalAlpha = 0.35;
  let points = 0;
  for (let i = 0; i < width; i++) {
    if (columns.count[i] === 0) continue;
    points += columns.count[i]!;
    const top = y(columns.max[i]!);
    ctx.fillRect(bbox.left + i * step, top, Math.max(step, 1), Math.max(y(columns.min[i]!) - top, 1));
  }
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.beginPath();
  for (let i = 0, pen = false; i < width; i++) {
    if (columns.count[i] === 0) continue;
    const x = bbox.left + (i + 0.5) * step;
    if (pen) ctx.lineTo(x, y(columns.mean[i]!));
    else ctx.moveTo(x, y(columns.mean[i]!));
    pen = true;
  }
  ctx.stroke();
  if (points <= sparse) {
    for (let i = 0; i < width; i++) {
      for (const value of columns.count[i] === 0 ? [] : [columns.min[i]!, columns.max[i]!]) {
        ctx.beginPath();
        ctx.arc(bbox.left + (i + 0.5) * step, y(value), 2.5 * devicePixelRatio, 0, 2 * Math.PI);
        ctx.fill();
      }
    }
  }
  ctx.restore();
}
