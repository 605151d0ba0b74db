import { el } from "./dom.ts";
import type { Reason, Report } from "./model.ts";

/** verdict says first whether the numbers may be believed, and whether the objectives were kept. */
export function verdict(report: Report): HTMLElement[] {
  const s = report.store;
  const parts = [
    el("header", {},
      el("h1", {}, `${report.run.namespace}/${report.run.name}`),
      el("p", { class: "lead" }, `${s.name}${s.version ? ` ${s.version}` : ""}, ${s.mode ? `${s.mode}, ` : ""}${s.members.length} ${s.members.length === 1 ? "member" : "members"}`),
      el("ul", { class: "badges" },
        badge(report.valid ? "valid" : "not valid", report.valid ? "good" : "bad"),
        report.verdict ? badge(report.verdict.toLowerCase(), report.verdict === "Passed" ? "good" : report.verdict === "Failed" ? "bad" : "unsure") : null,
      ),
    ),
    reasons("Why these numbers may not be believed", report.invalidReasons, "warning"),
    reasons("What could not be judged", report.notJudged, "note"),
    reasons("Remarks", report.remarks, "note"),
    report.objectives?.length
      ? el("ul", { class: "objectives" }, ...report.objectives.map((o) => el("li", { class: String(o.verdict).toLowerCase() }, `${o.verdict}: ${o.text ?? ""}`)))
      : null,
  ];
  return parts.filter((part) => part !== null);
}

export function badge(text: string, style: string): HTMLElement {
  return el("li", { class: `badge ${style}` }, text);
}

function reasons(title: string, all: Reason[] | undefined, style: string): HTMLElement | null {
  if (!all || all.length === 0) return null;
  return el("div", { class: style }, el("h2", {}, title),
    el("ul", {}, ...all.map((r) => el("li", {}, el("strong", {}, r.reason), `${r.workload ? ` (workload ${r.workload})` : ""}: ${r.message}`))));
}
