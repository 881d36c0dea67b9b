// Latencies of one process: all count for the mean, and of many an even selection is kept for the quantiles.

const MOST = 1000;

export class Samples {
  #latencies = [];
  #stride = 1;
  #sum = 0;
  count = 0;

  /** Once 2 x MOST are kept, every second one is dropped and of the following only as many are taken. */
  add(milliseconds) {
    if (this.count % this.#stride === 0) this.#latencies.push(Number(milliseconds.toFixed(4)));
    this.count += 1;
    this.#sum += milliseconds;
    if (this.#latencies.length === 2 * MOST) {
      this.#latencies = this.#latencies.filter((_, i) => i % 2 === 0);
      this.#stride *= 2;
    }
  }

  mean() {
    return Number((this.#sum / this.count).toFixed(4));
  }

  kept() {
    return this.#latencies;
  }
}
