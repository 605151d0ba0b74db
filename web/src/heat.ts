import type uPlot from "uplot";
import type { WorkloadCharts } from "./model.ts";
import { color } from "./theme.ts";

/** paintHeat draws a cell for each step and band of latency; the more successes, the stronger its colour. */
export function paintHeat(charts: WorkloadCharts): (u: uPlot) => void {
  const { columns, boundsMicros } = charts.heat;
  let most = 1;
  for (const column of columns ?? []) for (let i = 1; i < (column?.length ?? 0); i += 2) most = Math.max(most, column![i]!);
  return (u) => {
    const shades = color("heat").split(" ");
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    (columns ?? []).forEach((column, step) => {
      if (!column) return;
      const from = charts.firstSecond + step * charts.stepSeconds;
      const left = Math.floor(u.valToPos(from, "x", true));
      const right = Math.ceil(u.valToPos(from + charts.stepSeconds, "x", true));
      if (right < bbox.left || left > bbox.left + bbox.width) return;
      for (let i = 0; i < column.length; i += 2) {
        const band = column[i]!;
        const bottom = Math.ceil(u.valToPos(band === 0 ? 1 : boundsMicros[band - 1]!, "y", true));
        const top = Math.floor(u.valToPos(boundsMicros[band]!, "y", true));
        // Few slow operations matter as much as many fast ones, so the scale is logarithmic.
        const strength = Math.log1p(column[i + 1]!) / Math.log1p(most);
        ctx.fillStyle = shades[Math.min(shades.length - 1, Math.floor(strength * shades.length))]!;
        ctx.fillRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
      }
    });
    ctx.restore();
  };
}
