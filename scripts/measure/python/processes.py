"""Starts the processes of one measurement and always comes back: with their answer or with an error text.

Every instance of the setting is a process, pinned before its program starts. All load and warm up; when the last one is ready they are
told to go, and each goes on running, untimed, until all have their samples: no timed run is without its neighbours."""
import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time

from cpu_group import CpuGroup
from cpu_use import start_cpu_use
from errors import InputError
from statistics_of_runs import median

KEPT_OUTPUT = 4000  # the end of what the library printed is enough to explain a crash


@contextlib.contextmanager
def uninterrupted():
    """Interrupts wait until the end: one in the middle of a start would leave a process that nobody knows of."""
    came = []
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: came.append(True)) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before):
            signal.signal(kind, handler)
    if came:
        raise KeyboardInterrupt


class Child:
    def __init__(self, script, job, environment, cpus, group):
        answers, write_end = os.pipe()
        read_end, orders = os.pipe()
        job = {**job, "cpus": cpus, "parent": os.getpid(), "answers": write_end, "orders": read_end}
        command = [sys.executable, script, json.dumps(job)]
        self._printed = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                group.inside(command) if group else command, stdin=subprocess.DEVNULL, stdout=self._printed, stderr=self._printed,
                pass_fds=(write_end, read_end), env={name: text for name, text in {**os.environ, **environment}.items() if text is not None},
                preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None)
        finally:
            os.close(write_end)
            os.close(read_end)
        self.answers, self._orders, self._partial = answers, orders, b""
        self.answer = None

    def lines(self):
        """Those that came; None at the end."""
        data = os.read(self.answers, 1 << 16)
        if not data:
            return None
        *lines, self._partial = (self._partial + data).split(b"\n")
        return [line.decode() for line in lines]

    def go(self):
        try:
            os.write(self._orders, b"go\n")
        except BrokenPipeError:
            pass  # it has ended: its end tells how

    def stop(self):
        if self._orders is not None:
            os.close(self._orders)
            self._orders = None

    def kill(self):
        self.process.kill()  # a library stuck in native code answers to nothing weaker

    def how_it_ended(self):
        code = self.process.wait()
        size = self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, size - KEPT_OUTPUT))
        printed = self._printed.read().decode("utf8", "replace").strip().split("\n")[-1]
        how = f"was stopped by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"process {how}: {printed or 'it printed nothing'}"

    def close(self):
        self.stop()
        self.process.wait()
        os.close(self.answers)
        self._printed.close()


def _round_of(answers):
    """One round of the answers of all instances; a single one is its own."""
    if len(answers) == 1:
        return answers[0]
    return {
        "session_ms": max(answer["session_ms"] for answer in answers),
        "mean_ms": round(sum(answer["mean_ms"] for answer in answers) / len(answers), 4),
        "timed_runs": sum(answer["timed_runs"] for answer in answers),
        "latencies_ms": [value for answer in answers for value in answer["latencies_ms"]],
        "instances": [{"session_ms": answer["session_ms"], "mean_ms": answer["mean_ms"], "timed_runs": answer["timed_runs"],
                       "latency_ms_median": median(answer["latencies_ms"]), "samples": len(answer["latencies_ms"])} for answer in answers],
    }


class Measurement:
    """Of one setting; run() may be interrupted by any exception: close() ends the processes and removes the group."""

    def __init__(self, script, job, environments, timeout):
        self._script, self._job, self._environments, self._timeout = script, job, environments, timeout
        self._children, self._group, self._use, self._before, self._extra = [], None, None, None, {}

    def run(self):
        """A round {session_ms, latencies_ms, ...} or {error}."""
        try:
            return self._run()
        except InputError as error:
            return {"error": str(error)}
        finally:
            self.close()

    def close(self):
        with uninterrupted():
            for child in self._children:
                child.kill()
            for child in self._children:
                child.close()
            self._children = []
            if self._group:
                self._group.remove()
                self._group = None

    def _run(self):
        setting = self._job["setting"]
        if "cpu_quota" in setting:
            with uninterrupted():
                self._group = CpuGroup(setting["cpu_quota"])
        end = time.monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            for index in range(setting["instances"]):
                cpus = setting["cpus"][index] if "cpus" in setting else None
                with uninterrupted():
                    child = Child(self._script, self._job, self._environments[index], cpus, self._group)
                    self._children.append(child)
                selector.register(child.answers, selectors.EVENT_READ, child)
            ready = 0
            while selector.get_map():
                events = selector.select(max(0, end - time.monotonic()))
                if not events:
                    return {"error": f"no answer within {self._timeout:g} s"}
                for key, _ in events:
                    lines = key.data.lines()
                    if lines is None:
                        selector.unregister(key.fileobj)
                        if key.data.answer is None:
                            return {"error": key.data.how_it_ended()}  # without it the others would wait for ever
                        continue
                    for line in lines:
                        if line == "ready":
                            ready += 1
                            if ready == len(self._children):
                                self._start()
                            continue
                        key.data.answer = json.loads(line)
                        if "error" in key.data.answer:
                            return {"error": key.data.answer["error"]}
                        if all(child.answer for child in self._children):
                            self._finish()
        return {**_round_of([child.answer for child in self._children]), **self._extra}

    def _start(self):
        self._before = self._group.statistics() if self._group else None
        self._use = start_cpu_use([child.process.pid for child in self._children])
        for child in self._children:
            child.go()

    def _finish(self):
        self._extra = self._use()
        if self._group:
            after = self._group.statistics()
            self._extra["throttling"] = {name: round(after[name] - self._before[name], 3) for name in after}
        for child in self._children:
            child.stop()
