import type { ComparisonPage } from "./compare/model.ts";
import { comparePage } from "./compare/page.ts";
import { el } from "./dom.ts";
import { parse } from "./json.ts";
import type { Page } from "./model.ts";
import { runPage } from "./run.ts";
import type { SuitePage } from "./suite/model.ts";
import { suitePage } from "./suite/page.ts";

const at = document.getElementById("page");
const data = document.getElementById("data")?.textContent;

function drawn(page: Page | SuitePage | ComparisonPage): HTMLElement[] {
  switch (page.kind) {
    case "suite": return suitePage(page.suite);
    case "comparison": return comparePage(page);
    default: return runPage(page);
  }
}

if (at && data) {
  try {
    at.replaceChildren(...drawn(parse<Page | SuitePage | ComparisonPage>(data)));
  } catch (error) {
    at.replaceChildren(el("p", { class: "warning" }, `The page can't be drawn: ${String(error)}. The report as JSON has the figures.`));
    throw error;
  }
}
