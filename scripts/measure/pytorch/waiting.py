#!/usr/bin/env python3
"""What a fork and join of PyTorch's OpenMP team costs: an addition just large enough to be cut, less the same one uncut; called again
at once (the team still spins), after a pause (it sleeps or still spins), and with more threads than CPUs. And for how long a
waiting team spins: CPU time used during a pause."""
import resource
import sys
import time

import torch

CUT, WHOLE = 32769, 32768
PAUSES = (0.0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)


def sample(count, pause, seconds):
    x, out = torch.rand(count), torch.rand(count)
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        if pause >= 2e-3:
            time.sleep(pause)
        elif pause:
            until = time.perf_counter() + pause
            while time.perf_counter() < until:
                pass
        start = time.perf_counter()
        torch.add(x, x, out=out)
        times.append(time.perf_counter() - start)
    times.sort()
    return times[len(times) // 2]


def spun(threads):
    """CPU seconds of the process during a sleep right after a fork."""
    x = torch.rand(1 << 16)
    best = []
    for _ in range(10):
        torch.add(x, x)
        before = resource.getrusage(resource.RUSAGE_SELF)
        time.sleep(0.05)
        after = resource.getrusage(resource.RUSAGE_SELF)
        best.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return sorted(best)[5]


def main():
    for threads in (int(a) for a in sys.argv[1:] or ("2", "3", "4")):
        torch.set_num_threads(1)
        whole = [sample(WHOLE, pause, 0.3) for pause in PAUSES]
        torch.set_num_threads(threads)
        cut = [sample(CUT, pause, 0.5) for pause in PAUSES]
        print(f"{threads} threads: CPU used in a pause of 50 ms: {spun(threads) * 1e3:.2f} ms")
        for pause, one, many in zip(PAUSES, whole, cut):
            print(f"  pause {pause * 1e3:6.1f} ms: whole {one * 1e6:7.2f} us, cut over {threads} {many * 1e6:9.2f} us", flush=True)


if __name__ == "__main__":
    main()
