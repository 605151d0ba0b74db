// Points come nearly sorted by time. Merging costs n log n for any order, and little for points that are in order already.

const run = 32;

/** sortByTime sorts both arrays by time. Points of the same time keep their order. */
export function sortByTime(times: Float64Array, values: Float64Array): void {
  let sorted = true;
  for (let i = 1; sorted && i < times.length; i++) sorted = times[i]! >= times[i - 1]!;
  if (sorted) return;
  for (let from = 0; from < times.length; from += run) insert(times, values, from, Math.min(from + run, times.length));
  const otherTimes = new Float64Array(times.length);
  const otherValues = new Float64Array(times.length);
  for (let width = run; width < times.length; width *= 2) {
    for (let from = 0; from + width < times.length; from += 2 * width) {
      merge(times, values, otherTimes, otherValues, from, from + width, Math.min(from + 2 * width, times.length));
    }
  }
}

function insert(times: Float64Array, values: Float64Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const time = times[i]!;
    const value = values[i]!;
    let at = i;
    for (; at > from && times[at - 1]! > time; at--) {
      times[at] = times[at - 1]!;
      values[at] = values[at - 1]!;
    }
    times[at] = time;
    values[at] = value;
  }
}

/** merge joins two sorted parts that stand beside each other. */
function merge(times: Float64Array, values: Float64Array, otherTimes: Float64Array, otherValues: Float64Array, from: number, middle: number, to: number): void {
  if (times[middle - 1]! <= times[middle]!) return;
  otherTimes.set(times.subarray(from, middle), from);
  otherValues.set(values.subarray(from, middle), from);
  let left = from;
  let right = middle;
  for (let at = from; left < middle; at++) {
    const takeLeft = right === to || otherTimes[left]! <= times[right]!;
    times[at] = takeLeft ? otherTimes[left]! : times[right]!;
    values[at] = takeLeft ? otherValues[left++]! : values[right++]!;
  }
}
