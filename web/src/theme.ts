// Colours come from the style sheet, so that charts follow the page's light and dark look.

export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const palette = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7", "series-8"];

/** seriesColor is that of the series with the index; there are eight, which colour-blind people can tell apart. */
export function seriesColor(index: number): string {
  return color(palette[index % palette.length] as string);
}

/** onThemeChange calls back when the system changes between light and dark, and when the page is printed. */
export function onThemeChange(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  matchMedia("print").addEventListener("change", changed);
}
