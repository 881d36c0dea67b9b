"""The adaptor of a Python onnxruntime from end to end, with a stand-in for the package; it needs numpy only."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import support

ADAPTOR = "python_onnxruntime/measure_onnxruntime.py"
# Sessions only wait. The model's name chooses others: *crash* kills the process, *refused* raises, *hang* never answers. Each session writes
# what it was made with beside the model.
FAKE = '''
import json, os, time
__version__ = "1.16.3"
class ExecutionMode: ORT_SEQUENTIAL, ORT_PARALLEL = "sequential", "parallel"
class GraphOptimizationLevel: ORT_ENABLE_ALL = "all"
class SessionOptions:
    __slots__ = ("intra_op_num_threads", "inter_op_num_threads", "execution_mode", "graph_optimization_level", "log_severity_level",
                 "enable_cpu_mem_arena", "enable_profiling", "profile_file_prefix", "entries")
    def __init__(self): self.entries = {}
    def add_session_config_entry(self, name, value):
        assert isinstance(value, str)
        self.entries[name] = value
class InferenceSession:
    def __init__(self, path, options, providers):
        assert providers == ["CPUExecutionProvider"]
        if "crash" in path: os.abort()
        if "refused" in path: raise RuntimeError("operator not known")
        if "hang" in path: time.sleep(60)
        self._options = options
        with open(f"{path}.{os.getpid()}.json", "w") as file:
            json.dump({"cpus": sorted(os.sched_getaffinity(0)), **{n: getattr(options, n) for n in options.__slots__ if hasattr(options, n)}}, file)
    def run(self, outputs, feeds):
        assert outputs is None and feeds["x"].dtype == "float32"
        time.sleep(0.001)
    def end_profiling(self):
        path = self._options.profile_file_prefix + "_today.json"
        with open(path, "w") as file: file.write("[]")
        return path
'''


class Adaptor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.output = os.path.join(self.folder, "runs.json")
        with open(os.path.join(self.folder, "onnxruntime.py"), "w", encoding="utf8") as file:
            file.write(FAKE)

    def measure(self, *more, **plan):
        path = support.write_plan(self.folder, **plan)
        return support.run_adaptor(ADAPTOR, ["--plan", path, "--output", self.output, *more], self.folder)

    def result(self):
        with open(self.output, encoding="utf8") as file:
            return json.load(file)

    def made_with(self):
        found = []
        for name in sorted(os.listdir(self.folder)):
            if name.startswith("m.onnx."):
                with open(os.path.join(self.folder, name), encoding="utf8") as file:
                    found.append(json.load(file))
        return found

    def test_a_setting_is_measured_with_its_options_and_on_its_cpus(self):
        cpu = min(os.sched_getaffinity(0))
        setting = {**support.SETTING, "mode": "parallel", "inter_op": 3, "intra_op": 2, "spin": "off", "allocator": "system", "cpus": [[cpu]]}
        code, lines, error = self.measure(settings=[setting])
        self.assertEqual((code, error), (0, ""))
        self.assertEqual([(line["done"], line["total"], line["round"]) for line in lines], [(1, 1, 0)])
        made = self.made_with()[0]
        self.assertEqual(made, {
            "cpus": [cpu], "intra_op_num_threads": 2, "inter_op_num_threads": 3, "execution_mode": "parallel", "graph_optimization_level": "all",
            "log_severity_level": 3, "enable_cpu_mem_arena": False,
            "entries": {"session.intra_op.allow_spinning": "0", "session.inter_op.allow_spinning": "0"}})
        run = self.result()["runs"][0]
        self.assertEqual(run["setting"], {"runtime": "onnxruntime", **setting})
        self.assertEqual(run["inputs"], [{"name": "x", "type": "float32", "dims": [1, 4]}])
        self.assertEqual(self.result()["context"]["onnxruntime_version"], "1.16.3")
        self.assertEqual(run["rounds"][0]["timed_runs"], 5)
        self.assertGreaterEqual(run["latency_ms_min"], 1)

    def test_instances_are_processes_and_each_ones_median_is_kept(self):
        code, _, _ = self.measure(settings=[{**support.SETTING, "instances": 2}])
        measured = self.result()["runs"][0]["rounds"][0]
        self.assertEqual((code, len(self.made_with()), len(measured["instances"]), len(measured["latencies_ms"])), (0, 2, 2, 10))

    def test_a_result_is_continued_by_the_rounds_that_lack(self):
        self.measure()
        code, lines, _ = self.measure(method={**support.METHOD, "processes": 2})
        self.assertEqual((code, [line["done"] for line in lines]), (0, [2]))
        self.assertEqual([one["round"] for one in self.result()["runs"][0]["rounds"]], [0, 1])
        code, _, error = self.measure(method={**support.METHOD, "seed": 2})
        self.assertEqual(code, 2)
        self.assertIn("measured with another method", error)

    def test_failures_are_recorded_and_tried_again(self):
        for name, wanted in (("crash", "was stopped by signal 6"), ("refused", "RuntimeError: operator not known"), ("hang", "no answer within 1 s")):
            with self.subTest(name):
                code, lines, _ = self.measure(model=(f"{name}.onnx", support.relu_model([1, 4])), method={**support.METHOD, "timeout_seconds": 1})
                self.assertEqual(code, 3)
                self.assertIn(wanted, lines[0]["error"])
                self.assertIn(wanted, self.result()["runs"][0]["failures"][0]["error"])
                os.unlink(self.output)

    def test_a_profile_is_the_librarys_own_file(self):
        trace = os.path.join(self.folder, "trace.json")
        code, _, error = support.run_adaptor(ADAPTOR, ["--plan", support.write_plan(self.folder), "--profile", trace], self.folder)
        self.assertEqual((code, error), (0, ""))
        with open(trace, encoding="utf8") as file:
            self.assertEqual(file.read(), "[]")

    def test_wrong_use_and_wrong_input_have_their_exit_codes(self):
        self.assertEqual(support.run_adaptor(ADAPTOR, ["--plan"], self.folder)[0], 1)
        self.assertEqual(support.run_adaptor(ADAPTOR, ["--plan", "x"], self.folder)[0], 1)  # no output
        code, _, error = self.measure(settings=[{**support.SETTING, "mode": "eager"}])
        self.assertEqual((code, error), (2, 'measure_onnxruntime: mode "eager" is not one of sequential, parallel\n'))
        code, _, error = self.measure(settings=[{**support.SETTING, "cpus": [[99999]]}])
        self.assertEqual(code, 2)
        self.assertIn("CPU 99999 is not granted", error)

    def test_an_interrupt_ends_all_processes_and_keeps_what_was_written(self):
        path = support.write_plan(self.folder, settings=[{**support.SETTING, "intra_op": 1}, {**support.SETTING, "intra_op": 2, "instances": 2}],
                                  method={**support.METHOD, "processes": 1000})
        program = subprocess.Popen([sys.executable, os.path.join(support.MEASURE, ADAPTOR), "--plan", path, "--output", self.output],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": self.folder})
        self.addCleanup(program.kill)
        program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        _, error = program.communicate(timeout=20)
        self.assertEqual(program.returncode, 130)
        self.assertIn("interrupted", error)
        self.assertGreaterEqual(len(self.result()["runs"][0]["rounds"]), 1)
        time.sleep(0.05)
        mine = [pid for pid in os.listdir("/proc") if pid.isdigit() and self.folder in (support_cmdline(pid))]
        self.assertEqual(mine, [])


def support_cmdline(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main()
