// Outputs of other tools: points are read here and drawn, and summaries are read by kubectl kvbench import.
import { el } from "../dom.ts";
import { bytes, count } from "../format.ts";
import type { PointChart } from "../points/chart.ts";
import { drawn } from "../points/drawn.ts";
import { Lines, mostPoints, type Read, type Set } from "../points/lines.ts";
import { summary } from "./imported.ts";
import type { View } from "./main.ts";
import { back } from "./parts.ts";
import { feeds } from "./points.ts";

class Importer {
  readonly element = el("div", { class: "live" });
  private readonly files = el("div", {});
  private readonly input = el("input", { type: "file", multiple: "", id: "files" });
  private readonly charts: PointChart[] = [];
  private stopped = false;
  private queue = Promise.resolve();

  constructor() {
    const drop = el("div", { class: "drop" }, el("label", { for: "files" }, "Drop files here, or choose them:"), " ", this.input,
      el("p", { class: "muted" }, "Summaries of YCSB, go-ycsb, memtier, redis-benchmark and k6; YCSB's time series, raw points and HdrHistogram logs; go-ycsb's CSV. Files stay on this machine."));
    drop.addEventListener("dragenter", () => drop.classList.add("over"));
    drop.addEventListener("dragleave", (event) => !drop.contains(event.relatedTarget as Node | null) && drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      drop.classList.remove("over");
      this.take(event.dataTransfer?.files);
    });
    this.input.addEventListener("change", () => {
      this.take(this.input.files);
      this.input.value = ""; // so that the same file can be chosen again
    });
    addEventListener("dragover", keep);
    addEventListener("drop", keep);
    this.element.append(back(), el("header", {}, el("h1", {}, "Import")),
      el("p", { class: "muted" }, "Nobody judged whether the numbers of other tools are valid."), drop, feeds(), this.files);
  }

  stop(): void {
    this.stopped = true;
    removeEventListener("dragover", keep);
    removeEventListener("drop", keep);
    for (const chart of this.charts) chart.stop();
  }

  /** take reads one file after another, for each may take much memory. */
  private take(files: FileList | null | undefined): void {
    for (const file of files ?? []) {
      const at = el("section", {}, el("h2", {}, file.name), el("p", { class: "muted", role: "status" }, "Waiting."));
      this.files.prepend(at);
      this.queue = this.queue.then(() => this.read(file, at)).catch((error: unknown) => {
        at.append(el("p", { class: "warning" }, `It can't be read: ${error instanceof Error ? error.message : String(error)}`));
      });
    }
  }

  private async read(file: File, at: HTMLElement): Promise<void> {
    const status = at.querySelector("[role=status]")!;
    const lines = new Lines();
    const reader = file.stream().getReader();
    for (let done = 0, told = 0; !this.stopped;) {
      const piece = await reader.read();
      if (piece.done) break;
      lines.add(piece.value);
      done += piece.value.length;
      if (performance.now() - told < 200) continue;
      told = performance.now();
      status.textContent = `Read ${bytes(done)} of ${bytes(file.size)}.`;
      await new Promise((drawn) => setTimeout(drawn)); // the page shows it, and takes clicks
    }
    if (this.stopped) return void (await reader.cancel());
    const read = lines.end();
    status.textContent = read.points === 0 ? "It has no points over time." : `${count(read.points)} points in ${count(read.lines)} lines.`;
    at.append(...warnings(read));
    const sets = [...read.sets];
    if (read.points === 0 || read.summary) {
      const told = await summary(file, read.points === 0);
      at.append(...told.shown);
      if (told.set) sets.push(told.set);
      if (told.set) status.textContent = "A log of HdrHistogram.";
    }
    if (this.stopped) return;
    for (const set of sets) this.draw(set, file.name, at);
  }

  private draw(set: Set, file: string, at: HTMLElement): void {
    const { chart, elements } = drawn(set, file);
    this.charts.push(chart);
    at.append(about(set, chart), ...elements);
  }
}

const keep = (event: Event): void => event.preventDefault();

/** about says what the times and the values are. */
function about(set: Set, chart: PointChart): HTMLElement {
  const texts = [set.clock === "unix" ? `The times begin at ${new Date(chart.from).toISOString()}.` : ""];
  if (set.each === "operation" && set.unit) texts.push("The tool doesn't tell whether its latencies are response times or service times.");
  if (set.each === "average") {
    texts.push("YCSB counts the times of each series from the first operation of that series, so series may be shifted against each other.",
      "Each point is the average of a time. An average of them counts a busy second as much as a quiet one; the summary has that of all operations.");
  }
  if (set.each === "interval") texts.push("Each interval is drawn at its begin.");
  return el("p", { class: "muted" }, texts.filter(Boolean).join(" "));
}

function warnings(read: Read): HTMLElement[] {
  const { bad } = read;
  const texts = [
    read.points > 0 && bad.count > 0 ? `${count(bad.count)} of ${count(read.lines)} lines are left out, for they are no points. The first one is line ${count(bad.first)}: ${bad.text}` : "",
    read.dropped > 0 ? `${count(read.dropped)} points are left out: the page draws ${count(mostPoints)} points of a file, and 32 series.` : "",
    read.buckets.length > 0 ? `Left out are the buckets of histograms, which are no points over time: ${read.buckets.join(", ")}.` : "",
  ];
  return texts.filter(Boolean).map((text) => el("p", { class: "warning" }, text));
}

export function importView(): View {
  const view = new Importer();
  return { element: view.element, title: "Import", stop: () => view.stop() };
}
