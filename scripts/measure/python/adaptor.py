"""What the adaptors of all Python frameworks share: command line, rounds over the settings, result and progress.

    ADAPTOR --plan plan.json --output runs.json      measures what runs.json does not hold yet
    ADAPTOR --plan plan.json --profile trace.json    runs the plan's one setting under the framework's profiler

One JSON line per setting and round on standard output: {"done", "total", "round", "setting", "latency_ms"}, or "error" in place of
the latency. Exit codes: 0 all measured, 1 usage, 2 bad input, 3 some settings failed (recorded in the result), 130 interrupted."""
import argparse
import json
import os
import signal
import sys
import tempfile

from errors import InputError, UsageError
from host_context import granted_cpus, host_context, load_average
from plan import entries_of, read_plan
from processes import Measurement
from result_file import add_answer, check_writable, has_round, open_result, run_for, to_text, write_atomically
from statistics_of_runs import round_median

INTERRUPTED = 130


class Framework:
    """What an adaptor has to say of its framework."""
    name = ""  # of the program
    session = ""  # path of the script that measures, see session.py
    modes = {}  # mode of a setting -> name of the runtime that it is
    can_profile = False

    def versions(self):
        """{"..._version": text}; InputError when the framework is not installed."""
        raise NotImplementedError

    def refusal(self, setting, model):
        """Why the framework cannot run the setting as asked, or None."""
        return None

    def environment(self, setting, cpus):
        """Environment variables of one instance, beside the present ones."""
        return {}

    def runtime(self, mode):
        if mode not in self.modes:
            raise InputError(f'mode "{mode}" is not one of {", ".join(self.modes)}')
        return self.modes[mode]


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def _arguments(framework, argv):
    parser = _Parser(prog=framework.name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--plan", required=True, help="what to run: corecast.measure_plan/1")
    parser.add_argument("--output", help="result: corecast.measured_runs/1; an existing one is continued")
    parser.add_argument("--profile", metavar="TRACE", help="write the framework's own trace of the plan's one setting; nothing is timed")
    options = parser.parse_args(argv)
    if not options.output and not options.profile:
        raise UsageError("--output or --profile is needed")
    if options.profile and not framework.can_profile:
        raise UsageError(f"--profile: {framework.name} writes no profiles")
    return options


def _cpus_refusal(setting):
    granted = granted_cpus()
    missing = sorted({cpu for one in setting.get("cpus", []) for cpu in one} - granted)
    if missing:
        return f"CPU {', '.join(map(str, missing))} is not granted to this process (granted: {', '.join(map(str, sorted(granted)))})"
    return None


class _Adaptor:
    def __init__(self, framework, options):
        self.framework, self.options = framework, options
        for file in (options.output, options.profile):
            if file:
                check_writable(file)
        self.versions = framework.versions()  # first: without the framework nothing else matters
        self.plan = read_plan(options.plan, framework.runtime)
        self.entries = entries_of(self.plan, lambda setting: _cpus_refusal(setting) or framework.refusal(setting, self.plan["model"]))
        self.method = self.plan["method"]
        self.running = None

    def _start(self, entry, **extra):
        setting = entry["identity"]["setting"]
        cpus = setting.get("cpus", [None] * setting["instances"])
        environments = [self.framework.environment(setting, one) for one in cpus]
        job = {"model": self.plan["model"]["file"], "inputs": entry["identity"]["inputs"], "setting": setting, "method": self.method, **extra}
        self.running = Measurement(self.framework.session, job, environments, self.method["timeout_seconds"])
        return self.running.run()

    def measure(self):
        """Rounds go over all settings before the next one starts: a burst of noise then spoils one round of a setting."""
        recorded = {name: value for name, value in self.method.items() if name not in ("processes", "timeout_seconds", "stable")}
        if self.method["stable"]:
            recorded["stable"] = self.method["stable"]
        result = open_result(self.options.output, host_context(self.versions, recorded))
        runs = [run_for(result, entry["identity"]) for entry in self.entries]
        failed, done = set(), 0
        for number in range(self.method["processes"]):
            for index, (entry, run) in enumerate(zip(self.entries, runs)):
                done += 1
                if has_round(run, number) or index in failed:
                    continue
                load = load_average()
                answer = {"error": entry["error"]} if entry["error"] else self._start(entry)
                add_answer(run, number, answer if "error" in answer else {"load_average": load, **answer})
                if "error" in answer:
                    failed.add(index)  # what fails once mostly fails always; a later run of the command tries again
                write_atomically(self.options.output, to_text(result))
                outcome = {"error": answer["error"]} if "error" in answer else {"latency_ms": round(round_median(answer), 4)}
                print(json.dumps({"done": done, "total": len(self.entries) * self.method["processes"], "round": number,
                                  "setting": run["setting"], **outcome}), flush=True)
        write_atomically(self.options.output, to_text(result))
        return 3 if any("failures" in run for run in runs) else 0

    def profile(self):
        if len(self.entries) != 1 or self.entries[0]["identity"]["setting"]["instances"] != 1:
            raise UsageError("--profile takes a plan with one setting of one instance")
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            answer = self._start(self.entries[0], profile=trace)
            if "error" in answer:
                raise InputError(answer["error"])
            with open(trace, encoding="utf8") as file:
                write_atomically(self.options.profile, file.read())
        return 0


def main(framework, argv=None):
    adaptor = None

    def interrupt(_signal, _frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        options = _arguments(framework, argv)
        adaptor = _Adaptor(framework, options)
        code = adaptor.measure() if options.output else 0
        if options.profile:
            adaptor.profile()
        return code
    except (UsageError, InputError) as error:
        print(f"{framework.name}: {error}" + ("\ntry --help" if isinstance(error, UsageError) else ""), file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):  # the latter: nobody waits for the progress any more
        print(f"{framework.name}: interrupted; what was written is kept, the same command goes on from there", file=sys.stderr)
        return INTERRUPTED
