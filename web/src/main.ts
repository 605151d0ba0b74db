import { el } from "./dom.ts";
import type { Page } from "./model.ts";
import { runPage } from "./run.ts";

const at = document.getElementById("page");
const data = document.getElementById("data")?.textContent;
if (at && data) {
  try {
    at.replaceChildren(...runPage(JSON.parse(data) as Page));
  } catch (error) {
    at.replaceChildren(el("p", { class: "warning" }, `The page can't be drawn: ${String(error)}. report.json has the figures.`));
    throw error;
  }
}
