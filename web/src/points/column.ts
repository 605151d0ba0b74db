/** Column holds numbers that come one by one. It grows by pieces, so that nothing is copied before the end. */
const piece = 1 << 18;

export class Column {
  private full: Float64Array[] = [];
  private last = new Float64Array(1024);
  private used = 0;

  push(value: number): void {
    if (this.used === this.last.length) {
      this.full.push(this.last);
      this.last = new Float64Array(Math.min(2 * this.last.length, piece));
      this.used = 0;
    }
    this.last[this.used++] = value;
  }

  /** joined are all of them, in their order. */
  joined(): Float64Array {
    const all = new Float64Array(this.full.reduce((n, one) => n + one.length, this.used));
    let at = 0;
    for (const one of this.full) {
      all.set(one, at);
      at += one.length;
    }
    all.set(this.last.subarray(0, this.used), at);
    return all;
  }
}
