import type uPlot from "uplot";

/** fitting shortens labels to the room that each has, and leaves out those that would lie on others. */
export function fitting(u: uPlot, at: number[], label: (x: number) => string): string[] {
  const places = at.map((x) => u.valToPos(x, "x"));
  let taken = -Infinity;
  return at.map((x, i) => {
    const room = Math.min(...[places[i + 1]! - places[i]!, places[i]! - places[i - 1]!].filter((w) => w > 0), u.over.clientWidth);
    const letters = Math.max(6, Math.floor(room / 6.6) - 1);
    const lines = inLines(label(x), letters);
    const half = Math.max(...lines.map((line) => line.length)) * 3.3;
    if (places[i]! - half < taken) return "";
    taken = places[i]! + half + 4;
    return lines.join("\n");
  });
}

/** inLines breaks a text into two lines at most, where a word ends if that is possible. */
function inLines(text: string, letters: number): string[] {
  if (text.length <= letters) return [text];
  const at = Math.max(...["-", "_", " ", "/", "."].map((sign) => text.lastIndexOf(sign, letters - 1))) + 1;
  const cut = at > letters / 3 ? at : letters;
  const rest = text.slice(cut);
  return [text.slice(0, cut).trimEnd(), rest.length > letters ? `${rest.slice(0, letters - 1)}…` : rest];
}
