// How figures are written. Three digits are enough to read; the tables and the CSV have all of them.

const digits = (x: number): string => {
  const size = Math.abs(x);
  if (size !== 0 && size < 0.001) return x.toExponential(1);
  return String(Number(x.toPrecision(size >= 1000 ? 4 : 3)));
};

/** micros writes a time in the unit that suits it. */
export function micros(x: number | null | undefined): string {
  if (x === null || x === undefined) return "–";
  const size = Math.abs(x);
  if (size < 1000) return `${digits(x)} µs`;
  if (size < 1_000_000) return `${digits(x / 1000)} ms`;
  if (size < 600_000_000) return `${digits(x / 1_000_000)} s`;
  return `${digits(x / 60_000_000)} min`;
}

/** count writes a whole number with narrow spaces between thousands. */
export function count(x: number | null | undefined): string {
  if (x === null || x === undefined) return "–";
  return Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function rate(x: number | null | undefined): string {
  if (x === null || x === undefined) return "–";
  return `${x >= 1000 ? count(x) : digits(x)}/s`;
}

export function bytes(x: number | null | undefined): string {
  if (x === null || x === undefined) return "–";
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]] as const) {
    if (Math.abs(x) >= size) return `${digits(x / size)} ${unit}`;
  }
  return `${x} B`;
}

export function share(x: number | null | undefined): string {
  return x === null || x === undefined ? "–" : `${digits(100 * x)} %`;
}

export function plain(x: number | null | undefined): string {
  return x === null || x === undefined ? "–" : digits(x);
}

/** seconds writes an instant from the measurement's start. */
export function seconds(x: number): string {
  const sign = x < 0 ? "−" : "";
  const size = Math.abs(x);
  if (size < 120) return `${sign}${Number(size.toFixed(3))} s`;
  const minutes = Math.floor(size / 60);
  return `${sign}${minutes} min ${Math.floor(size - 60 * minutes)} s`;
}
