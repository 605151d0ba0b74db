// Tables whose cells have a second, smaller line, or a colour.
import { el } from "./dom.ts";

export interface Cell {
  text: string;
  sub?: string;
  style?: string;
}

/** number begins with one. A UID may begin with a digit, too. */
const number = /^[−+≥ ]*[\d.\u202f]+( |\/|$)/;

/** cells is a table with a header for each column, and one for each row: its first cell. Columns without anything are left out. */
export function cells(caption: string, allHeaders: string[], allRows: (string | Cell)[][]): HTMLTableElement {
  const filled = allHeaders.map((_, i) => i === 0 || allRows.some((row) => textOf(row[i]) !== ""));
  const [header, ...rows] = [allHeaders, ...allRows].map((row) => row.filter((_, i) => filled[i])) as [string[], ...(string | Cell)[][]];
  const numeric = header.map((_, i) => i > 0 && rows.some((row) => number.test(textOf(row[i]))) && rows.every((row) => number.test(textOf(row[i])) || /^(–|none|)$/.test(textOf(row[i]))));
  return el("table", { class: "cells" },
    el("caption", {}, el("span", {}, caption)),
    el("thead", {}, el("tr", {}, ...header.map((text, i) => el("th", { scope: "col", ...(numeric[i] ? { class: "number" } : {}) }, text)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell, i) => {
      const of = typeof cell === "string" ? { text: cell } : cell;
      return el(i === 0 ? "th" : "td", { class: `${numeric[i] ? "number " : ""}${of.style ?? ""}`, ...(i === 0 ? { scope: "row" } : {}) },
        of.text, of.sub ? el("small", {}, of.sub) : null);
    })))),
  );
}

const textOf = (cell: string | Cell | undefined): string => (typeof cell === "string" ? cell : (cell?.text ?? ""));
