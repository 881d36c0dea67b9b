"""Latencies of one process: all count for the mean, and of many an even selection is kept for the quantiles (../samples.mjs)."""

MOST = 1000


class Samples:
    def __init__(self):
        self.kept = []
        self.count = 0
        self._stride = 1
        self._sum = 0.0

    def add(self, milliseconds):
        """Once 2 x MOST are kept, every second one is dropped and of the following only as many are taken."""
        if self.count % self._stride == 0:
            self.kept.append(round(milliseconds, 4))
        self.count += 1
        self._sum += milliseconds
        if len(self.kept) == 2 * MOST:
            self.kept = self.kept[::2]
            self._stride *= 2

    def mean(self):
        return round(self._sum / self.count, 4)
