// Small pure statistics on latencies, all in ms.

/** Quantile by linear interpolation between order statistics; share in 0..1. */
export function quantile(values, share) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const above = Math.ceil(position);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

export const median = (values) => quantile(values, 0.5);

const Z = 1.959964; // 95 % of a normal distribution lie within so many standard deviations
const FEWEST = 6;

/**
 * [low, high]: the 95 % interval of the median, or null for too few values. No distribution is assumed: how many of n values lie below
 * the true median is binomial, so it lies between the order statistics (n - z sqrt(n)) / 2, rounded down, and (n + z sqrt(n)) / 2 + 1,
 * rounded up. Successive runs are not independent: this is a rule for stopping, no error bar.
 */
export function medianInterval(values) {
  const count = values.length;
  if (count < FEWEST) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const reach = Z * Math.sqrt(count);
  const low = Math.max(1, Math.floor((count - reach) / 2));
  const high = Math.min(count, Math.ceil((count + reach) / 2) + 1);
  return [sorted[low - 1], sorted[high - 1]];
}

/** Whether that interval reaches at most `tolerance` (a share of the median) to either side, on average. */
export function isStable(values, tolerance) {
  const interval = medianInterval(values);
  return interval !== null && interval[1] - interval[0] <= 2 * tolerance * median(values);
}

const rounded = (value) => (value === null ? null : Number(value.toFixed(4)));

/** Median of the medians of a round's instances; latencies_ms holds the samples of one instance after the other. */
export function roundMedian({ latencies_ms, instances }) {
  if (!instances) return median(latencies_ms);
  return median(instances.map((instance) => instance.latency_ms_median));
}

/** Mean of all timed runs of a round; results of earlier versions hold the samples only. */
export const roundMean = ({ latencies_ms, mean_ms }) =>
  mean_ms ?? latencies_ms.reduce((sum, value) => sum + value, 0) / latencies_ms.length;

/**
 * Summary of one setting from its rounds (one round is one process).
 *
 * The latency is the median of the round medians: a burst of noise lasts seconds, so it spoils whole
 * rounds, and pooling all samples would let a spoiled round with many samples decide.
 * Spread is (largest - smallest round median) / latency; one round alone cannot tell it.
 */
export function summarize(rounds) {
  const medians = rounds.map(roundMedian);
  const all = rounds.flatMap((round) => round.latencies_ms);
  const middle = median(medians);
  const smallest = quantile(medians, 0);
  const largest = quantile(medians, 1);
  return {
    latency_ms_median: rounded(middle),
    latency_ms_mean: rounded(median(rounds.map(roundMean))),
    latency_ms_min: rounded(quantile(all, 0)),
    latency_ms_p10: rounded(quantile(all, 0.1)),
    latency_ms_p90: rounded(quantile(all, 0.9)),
    latency_ms_max: rounded(quantile(all, 1)),
    spread: medians.length < 2 ? null : rounded((largest - smallest) / middle),
  };
}
