// A chart of points with its candlesticks and its CSV.
import { el } from "../dom.ts";
import { candleChart } from "./candles.ts";
import { PointChart } from "./chart.ts";
import { savePoints } from "./csv.ts";
import type { Set } from "./lines.ts";

/** drawn draws a set. The name is that of the file or of the feed. */
export function drawn(set: Set, name: string): { chart: PointChart; elements: HTMLElement[] } {
  const candles = el("div", {});
  const button = el("button", { type: "button" }, "Candlesticks");
  const old = el("p", { class: "muted", hidden: "" }, "The candlesticks are of what was shown before. Press Candlesticks for what is shown now.");
  const csv = el("button", { type: "button", "aria-label": `CSV of the points shown of ${name}` }, "CSV");
  const title = { operation: "Points over time", average: "Averages over time", interval: "Intervals over time" }[set.each];
  const chart = new PointChart(set, title, [button, csv], () => { old.hidden = candles.childElementCount === 0; });
  button.addEventListener("click", () => {
    button.disabled = true;
    void candleChart(chart, `Candlesticks of ${name}`).then((figure) => candles.replaceChildren(figure)).finally(() => {
      button.disabled = false;
      old.hidden = true;
    });
  });
  csv.addEventListener("click", () => savePoints(chart, `${name}.points.csv`));
  return { chart, elements: [chart.element, old, candles] };
}
