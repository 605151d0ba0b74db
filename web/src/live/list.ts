import { el } from "../dom.ts";
import { list, type Entry, type Session } from "./api.ts";
import type { View } from "./main.ts";

const every = 2000;

/** listView has all runs and suites, those that began last first. */
export function listView(session: Session): View {
  const search = el("input", { type: "search", placeholder: "name, store, phase …", "aria-label": "Show those that have these words" });
  const kind = el("select", { "aria-label": "Kind" }, el("option", { value: "" }, "runs and suites"), el("option", { value: "run" }, "runs"), el("option", { value: "suite" }, "suites"));
  const body = el("tbody", {});
  const note = el("p", { class: "muted", "aria-live": "polite" }, "Asking …");
  let entries: Entry[] = [];
  let stopped = false;
  let asked = false;
  const where = session.namespace ? `the namespace ${session.namespace}` : "all namespaces";
  const ticked = new Map<string, Entry>();
  const compare = el("a", { class: "button", hidden: "" });
  const tick = (e: Entry, is: boolean): void => {
    if (is) ticked.set(e.uid, e);
    else ticked.delete(e.uid);
    compare.hidden = ticked.size < 2;
    compare.textContent = `Compare ${ticked.size}`;
    compare.setAttribute("href", `#/compare?${[...ticked.values()].map((one) => `of=${encodeURIComponent(`${one.kind}/${one.name}/${one.uid}`)}`).join("&")}`);
  };
  const rows = new Map<string, { row: HTMLTableRowElement; drawn: string }>();

  const draw = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = entries.filter((e) => (kind.value === "" || e.kind === kind.value) && words.every((word) => textOf(e).includes(word)));
    // A row that stays keeps the focus.
    const made = wanted.map((e) => {
      const drawn = JSON.stringify([e, ago(e.started)]);
      const old = rows.get(e.uid);
      if (old?.drawn === drawn) return old.row;
      const row = rowOf(e, session.namespace === "", ticked.has(e.uid), session.cluster ? tick : null);
      const focused = document.activeElement?.tagName;
      if (old?.row.contains(document.activeElement)) requestAnimationFrame(() => row.querySelector<HTMLElement>(focused === "INPUT" ? "input" : "a")?.focus());
      rows.set(e.uid, { row, drawn });
      return row;
    });
    if (made.length !== body.children.length || made.some((row, i) => row !== body.children[i])) body.replaceChildren(...made);
    note.textContent = entries.length === 0 ? `There is nothing yet in ${where}. kubectl kvbench init writes a first run.`
      : wanted.length === entries.length ? `${entries.length} in ${where}` : `${wanted.length} of ${entries.length} in ${where}`;
  };
  const trouble = el("p", { class: "warning", role: "status", hidden: "" });
  const load = async (): Promise<void> => {
    try {
      const listed = await list(session);
      entries = listed.entries;
      asked = true;
      for (const [uid, e] of ticked) if (!entries.some((one) => one.uid === uid)) tick(e, false);
      trouble.hidden = !listed.missing;
      trouble.textContent = `Without those that are kept, for the results server doesn't answer: ${listed.missing ?? ""}`;
    } catch (error) {
      if (entries.length === 0) note.textContent = "Asking …";
      trouble.hidden = false;
      trouble.textContent = `This list is an older one, for its server doesn't answer: ${String(error)}`;
    }
    if (stopped) return;
    if (asked) draw();
    setTimeout(() => void load(), every);
  };
  search.addEventListener("input", draw);
  kind.addEventListener("change", draw);
  void load();
  const header = [...(session.cluster ? ["compare"] : []), "name", "kind", "store", "members", "phase", "valid", "objectives", "started"];
  return {
    title: "Runs and suites",
    element: el("div", {},
      el("header", {}, el("h1", {}, "Runs and suites")),
      el("div", { class: "filter" }, search, kind, ...(session.cluster ? [el("a", { class: "button", href: "#/new" }, "New run"), el("a", { class: "button", href: "#/import" }, "Import")] : []), compare), trouble, note,
      el("div", { class: "scroll list" }, el("table", {}, el("thead", {}, el("tr", {}, ...header.map((h) => el("th", { scope: "col" }, h)))), body))),
    stop: () => { stopped = true; },
  };
}

function textOf(e: Entry): string {
  return [e.namespace, e.name, e.kind, e.store, e.mode, e.phase, e.verdict, e.valid === false ? "not valid" : "", ...(e.invalidReasons ?? [])].join(" ").toLowerCase();
}

function rowOf(e: Entry, namespaces: boolean, ticked: boolean, tick: ((e: Entry, is: boolean) => void) | null): HTMLTableRowElement {
  const link = el("a", { href: `#/${e.kind}/${encodeURIComponent(e.name)}/${e.uid}` }, e.name);
  const valid = e.valid === undefined ? "" : e.valid ? "yes" : `no: ${(e.invalidReasons ?? []).join(", ")}`;
  const box = el("input", { type: "checkbox", "aria-label": `Compare ${e.name}`, ...(ticked ? { checked: "" } : {}), ...(e.reported ? {} : { disabled: "", title: "It has no report yet." }) });
  box.addEventListener("change", () => tick?.(e, box.checked));
  return el("tr", {},
    tick ? el("td", {}, box) : null,
    el("td", {}, link, namespaces ? el("span", { class: "muted" }, ` in ${e.namespace}`) : null), el("td", {}, e.kind), el("td", {}, `${e.store ?? ""}${e.mode ? ` (${e.mode})` : ""}`),
    el("td", { class: "number" }, e.members ? String(e.members) : ""), el("td", {}, el("span", { class: `phase ${e.phase.toLowerCase()}` }, e.phase)),
    el("td", { class: e.valid === false ? "bad" : "" }, valid),
    el("td", { class: e.verdict === "Passed" ? "good" : e.verdict === "Failed" ? "bad" : "" }, e.verdict ?? ""),
    el("td", {}, ago(e.started)));
}

function ago(time: string | undefined): string {
  if (!time) return "";
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 60_000));
  if (minutes < 1) return "less than a minute ago";
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}
