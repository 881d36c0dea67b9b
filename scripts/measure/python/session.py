"""One measurement in a fresh process: warm-up, common start, timed runs, and going on until told to stop.

Argument 1 is a job as JSON. Descriptor job["answers"] carries two lines to the parent, "ready" after the warm-up and the answer as
JSON; descriptor job["orders"] brings "go" from it, and its end says that the process may end. Standard output and error are left to the
library, which prints warnings there."""
import ctypes
import json
import os
import select
import signal
import sys
import time

from cpu_group import PERIOD_SECONDS
from samples import Samples
from statistics_of_runs import is_stable

MIN_REPETITIONS = 3  # even when the budget is spent: a single sample has no spread
MIN_PERIODS = 30  # under a quota a run is fast or stopped, so samples must span many of its periods
LOOK_AGAIN = 1.1  # whether samples are stable is asked after each tenth more: asking sorts them
PR_SET_PDEATHSIG = 1

now = time.perf_counter


class Orders:
    """The parent's orders, looked for between runs that are not timed."""

    def __init__(self, descriptor):
        self.go = False
        self.stop = False
        self._descriptor = descriptor

    def look(self):
        while not self.stop and select.select([self._descriptor], [], [], 0)[0]:
            if os.read(self._descriptor, 64):
                self.go = True
            else:
                self.go = self.stop = True


def die_with(parent):
    """Nobody wants the answer of a process whose parent was killed; it may have been while libraries were loaded."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def warm_up(method, run):
    """At least `warmup` runs and min_time_seconds, at most budget_seconds."""
    if method["warmup"] == 0:
        return
    begin, count = now(), 0
    while now() - begin <= method["budget_seconds"] and (count < method["warmup"] or now() - begin < method["min_time_seconds"]):
        run()
        count += 1


def measure(method, has_quota, run):
    """At least three runs; else until the budget is spent, or until there are `repetitions` of them over min_time_seconds and, with
    `stable`, the interval of their median is narrow."""
    least = MIN_PERIODS * PERIOD_SECONDS if has_quota else 0
    min_time, budget = max(method["min_time_seconds"], least), max(method["budget_seconds"], least)
    samples, first, look_at = Samples(), now(), 0
    while True:
        count, spent = samples.count, now() - first
        if count >= MIN_REPETITIONS and spent > budget:
            break
        if count >= max(MIN_REPETITIONS, method["repetitions"]) and spent >= min_time:
            if not method["stable"]:
                break
            if count >= look_at:
                if is_stable(samples.kept, method["stable"]):
                    break
                look_at = count * LOOK_AGAIN
        start = now()
        run()
        samples.add((now() - start) * 1000)
    return {"mean_ms": samples.mean(), "timed_runs": samples.count, "latencies_ms": samples.kept}


def serve(prepare):
    """prepare(job) -> (run, seconds that loading took). Does not return: nothing in the library's own teardown may turn an answer into a
    failure or a wait."""
    job = json.loads(sys.argv[1])
    die_with(job["parent"])

    def tell(line):
        os.write(job["answers"], (line + "\n").encode())

    def run_until(run, order):
        orders.look()
        while not getattr(orders, order):
            run()
            orders.look()
    orders = Orders(job["orders"])
    try:
        run, seconds = prepare(job)
        warm_up(job["method"], run)
        tell("ready")
        run_until(run, "go")
        measured = measure(job["method"], "cpu_quota" in job["setting"], run)
        answer = json.dumps({"session_ms": round(seconds * 1000, 1), **measured}) + "\n"
        while answer:  # longer than a pipe takes at once
            answer = answer[os.write(job["answers"], answer.encode()):]
        run_until(run, "stop")
    except Exception as error:  # whatever the library raises belongs to this setting
        tell(json.dumps({"error": f"{error}" if type(error).__name__ == "InputError" else f"{type(error).__name__}: {error}"[:2000]}))
    sys.stdout.flush()
    os._exit(0)
