"""Small pure statistics on latencies, all in ms: those of ../statistics.mjs, and the interval of a median.

Interval of the median (no distribution assumed, order statistics x_(1) <= ... <= x_(n)): the true median lies between x_(j) and
x_(k) with 95 % when j = floor((n - z sqrt(n)) / 2), k = ceil((n + z sqrt(n)) / 2) + 1, z = 1.96: the normal approximation of the
binomial law of how many of n samples are below it. Below 6 samples there is no such interval. Successive runs of a process are
not independent (clock, other users), so the interval is a stopping rule, not an error bar: that is `spread`."""
import math

Z = 1.959964
FEWEST = 6


def quantile(values, share):
    """By linear interpolation between order statistics; share in 0..1; None of no values."""
    if not values:
        return None
    ordered = sorted(values)
    position = (len(ordered) - 1) * share
    below, above = math.floor(position), math.ceil(position)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def median(values):
    return quantile(values, 0.5)


def median_interval(values):
    """(low, high) of the 95 % interval, or None for too few values."""
    count = len(values)
    if count < FEWEST:
        return None
    ordered = sorted(values)
    reach = Z * math.sqrt(count)
    low = max(1, math.floor((count - reach) / 2))
    high = min(count, math.ceil((count + reach) / 2) + 1)
    return ordered[low - 1], ordered[high - 1]


def is_stable(values, tolerance):
    """Whether the interval reaches at most `tolerance` (a share of the median) to either side, on average."""
    interval = median_interval(values)
    return interval is not None and interval[1] - interval[0] <= 2 * tolerance * median(values)


def rounded(value):
    return None if value is None else round(value, 4)


def round_median(measured):
    """Median of the medians of a round's instances; latencies_ms holds the samples of one instance after the other."""
    if "instances" not in measured:
        return median(measured["latencies_ms"])
    return median([instance["latency_ms_median"] for instance in measured["instances"]])


def summarize(rounds):
    """Of one setting from its rounds (one round is one process): median of the round medians, see ../statistics.mjs."""
    medians = [round_median(one) for one in rounds]
    samples = [value for one in rounds for value in one["latencies_ms"]]
    middle = median(medians)
    return {
        "latency_ms_median": rounded(middle),
        "latency_ms_mean": rounded(median([one["mean_ms"] for one in rounds])),
        "latency_ms_min": rounded(min(samples)),
        "latency_ms_p10": rounded(quantile(samples, 0.1)),
        "latency_ms_p90": rounded(quantile(samples, 0.9)),
        "latency_ms_max": rounded(max(samples)),
        "spread": None if len(medians) < 2 else rounded((max(medians) - min(medians)) / middle),
    }
