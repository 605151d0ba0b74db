import { el } from "./dom.ts";

/** choose is a labelled list to choose from. */
export function choose(label: string, options: [value: string, text: string][], chosen: string, changed: (value: string) => void): HTMLElement {
  const select = el("select", {}, ...options.map(([value, text]) => el("option", { value, ...(value === chosen ? { selected: "" } : {}) }, text)));
  select.addEventListener("change", () => changed(select.value));
  return el("label", { class: "choice" }, `${label} `, select);
}

/** tick is a labelled box to tick. */
export function tick(label: string, ticked: boolean, changed: (ticked: boolean) => void): HTMLElement {
  const box = el("input", { type: "checkbox", ...(ticked ? { checked: "" } : {}) });
  box.addEventListener("change", () => changed(box.checked));
  return el("label", { class: "choice" }, box, ` ${label}`);
}
