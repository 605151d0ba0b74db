import { save } from "../dom.ts";
import { quoted } from "../exports.ts";
import type { PointChart } from "./chart.ts";

const rowsOfAPart = 1 << 16;

/** savePoints saves the points that are shown. A set with the times of clocks can be imported again. */
export function savePoints(chart: PointChart, file: string): void {
  const { set } = chart;
  const [header, scale] = set.clock === "relative" ? ["operation,milliseconds,latency_us", 1] : set.unit === "µs" ? ["operation,timestamp_us,latency_us", 1000] : ["series,unixMillis,value", 1];
  const parts: Blob[] = [new Blob([`${header}\n`])];
  for (const { series } of chart.shown()) {
    const name = quoted(series.name);
    const end = series.after(chart.to);
    for (let from = series.first(chart.from); from < end; from += rowsOfAPart) {
      let text = "";
      for (let i = from; i < Math.min(from + rowsOfAPart, end); i++) {
        const time = series.times[i]! * scale;
        text += `${name},${scale === 1 ? time : Math.round(time)},${series.values[i]!}\n`;
      }
      parts.push(new Blob([text]));
    }
  }
  save(file, "text/csv", new Blob(parts));
}
