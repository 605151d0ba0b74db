// Elements are made of nodes, never of markup, so a name that holds markup is shown as text.

type Child = Node | string | null | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  for (const child of children) if (child) node.append(child);
  return node;
}

/** table has a header row; numbers are set to the right. */
export function table(caption: string, header: string[], rows: string[][]): HTMLTableElement {
  const numeric = header.map((_, i) => i > 0 && rows.some((row) => /^[−\d]/.test(row[i] ?? "")) && rows.every((row) => /^([–−\d]|none|at least)/.test(row[i] ?? "–")));
  const cell = (tag: "td" | "th", text: string, i: number): HTMLElement =>
    el(tag, { ...(numeric[i] ? { class: "number" } : {}), ...(tag === "th" ? { scope: "col" } : {}) }, text);
  return el("table", {},
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...header.map((text, i) => cell("th", text, i)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((text, i) => cell("td", text, i))))),
  );
}

/** safely draws a part of a page. What a part can't be drawn from, takes none of the others. */
export function safely(what: string, draw: () => HTMLElement[]): HTMLElement[] {
  try {
    return draw();
  } catch (error) {
    return [el("p", { class: "warning" }, `${what} can't be drawn: ${String(error)}. The other parts of the page, and the report as JSON, have figures.`)];
  }
}

/** scrolling lets a wide table scroll by itself, with the keyboard too. */
export function scrolling(label: string, child: HTMLElement): HTMLElement {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, child);
}

export function save(name: string, type: string, content: BlobPart): void {
  const link = el("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
