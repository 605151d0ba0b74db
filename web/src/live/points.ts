// Points that programs post to the page's server, while they come.
import { el } from "../dom.ts";
import { count } from "../format.ts";
import type { PointChart } from "../points/chart.ts";
import { drawn } from "../points/drawn.ts";
import { Lines } from "../points/lines.ts";
import { ask, paths } from "./api.ts";
import type { View } from "./main.ts";
import { back } from "./parts.ts";

/** feeds lists what programs have posted. */
export function feeds(): HTMLElement {
  const at = el("p", { class: "muted" });
  ask<{ feeds: { name: string; points: number }[] }>(paths.feeds).then(({ feeds: all }) => {
    if (all.length > 0) at.append("Programs have posted ", ...all.flatMap((f, i) => [i > 0 ? ", " : "", el("a", { href: `#/points/${encodeURIComponent(f.name)}` }, f.name), ` (${count(f.points)} points)`]), ".");
    else at.append("A program can post points, too: docs/reference/points.md says how.");
  }, (error: unknown) => at.append(`What programs have posted isn't known: ${String(error)}`));
  return at;
}

/** rest is how long the page rests after it has drawn, in milliseconds, and as a multiple of what drawing took. */
const rest = { least: 500, times: 10 };

class Feed {
  readonly element = el("div", { class: "live" });
  private readonly state = el("p", { class: "muted", role: "status" }, "Asking …");
  private readonly at = el("div", {});
  private readonly lines = new Lines();
  private readonly stopping = new AbortController();
  private chart: PointChart | null = null;
  private due = false;
  private drawnPoints = 0;

  constructor(private readonly name: string) {
    this.element.append(back(), el("header", {}, el("h1", {}, name)), this.state, this.at);
    this.follow().then(() => this.end("The server has ended the stream."), (error: unknown) => this.end(error instanceof Error ? error.message : String(error)));
  }

  stop(): void {
    this.stopping.abort();
    this.chart?.stop();
  }

  private end(why: string): void {
    if (!this.stopping.signal.aborted) this.element.append(el("p", { class: "warning" }, `No more points come: ${why} Load the page again to ask once more.`));
  }

  private async follow(): Promise<void> {
    const answer = await fetch(paths.feed(this.name), { signal: this.stopping.signal });
    if (!answer.ok || !answer.body) throw new Error(((await answer.json()) as { error: string }).error);
    const reader = answer.body.getReader();
    for (;;) {
      const piece = await reader.read();
      if (piece.done) return;
      this.lines.add(piece.value);
      this.later();
    }
  }

  /** later draws what has come, and then rests, so that the page stays quick however many points there are. */
  private later(): void {
    if (this.due) return;
    this.due = true;
    setTimeout(() => {
      const begin = performance.now();
      if (!this.stopping.signal.aborted) this.draw();
      setTimeout(() => {
        this.due = false;
        if (this.lines.points > this.drawnPoints && !this.stopping.signal.aborted) this.later();
      }, Math.max(rest.least, rest.times * (performance.now() - begin)));
    });
  }

  private draw(): void {
    this.drawnPoints = this.lines.points;
    const read = this.lines.read();
    const set = read.sets[0];
    this.state.textContent = `${count(read.points)} points have come.${read.dropped > 0 ? ` ${count(read.dropped)} are left out: there is no room for more.` : ""}`;
    if (!set) return;
    if (this.chart) return this.chart.update(set);
    const made = drawn(set, this.name);
    this.chart = made.chart;
    this.at.replaceChildren(...made.elements);
  }
}

export function pointsView(name: string): View {
  const feed = new Feed(name);
  return { element: feed.element, title: name, stop: () => feed.stop() };
}
