/** quantile interpolates between the two values of the ordered ones that are nearest. */
export function quantile(ordered: ArrayLike<number>, part: number): number {
  const at = (ordered.length - 1) * part;
  const low = Math.floor(at);
  return ordered[low]! + (at - low) * ((ordered[low + 1] ?? ordered[low]!) - ordered[low]!);
}
