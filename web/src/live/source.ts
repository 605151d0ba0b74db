/** retryMillis is after which pause a stream is opened again that the server has refused. */
const retryMillis = 2000;

/**
 * Source follows a stream of events for as long as the page is looked at. A browser opens a stream again by itself if it was cut, and
 * not if the answer was an error: when a server restarts, when a run isn't known yet, when a token has run out. This one does.
 */
export class Source {
  /** Nothing comes at the moment. */
  cut = false;
  private source: EventSource | null = null;
  private last = "";
  private over = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners: [string, (data: string) => void][] = [];
  private readonly look = (): void => (document.hidden ? this.drop() : this.open());

  constructor(private readonly path: string, private readonly changed: () => void) {
    // A browser has six connections to a server. Pages that nobody looks at must not take them all.
    document.addEventListener("visibilitychange", this.look);
    queueMicrotask(this.look);
  }

  on(name: string, listen: (data: string) => void): void {
    this.listeners.push([name, listen]);
  }

  close(): void {
    this.over = true;
    this.cut = false;
    document.removeEventListener("visibilitychange", this.look);
    this.drop();
  }

  private drop(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  private open(): void {
    if (this.over || this.source) return;
    const source = new EventSource(this.last ? `${this.path}?after=${this.last}` : this.path);
    this.source = source;
    for (const [name, listen] of this.listeners) {
      source.addEventListener(name, (event) => {
        const message = event as MessageEvent<string>;
        this.last = message.lastEventId;
        listen(message.data);
      });
    }
    source.addEventListener("open", () => this.say(false));
    source.addEventListener("error", () => {
      this.say(true);
      if (source.readyState !== EventSource.CLOSED || this.over) return;
      this.drop();
      this.timer = setTimeout(this.look, retryMillis);
    });
  }

  private say(cut: boolean): void {
    this.cut = cut && !this.over;
    this.changed();
  }
}
