"""The PyTorch adaptor from end to end on a model of one operator. Needs torch and onnx."""
import json
import os
import tempfile
import unittest

import support
from allocators import preload
from openmp import openmp_environment

ADAPTOR = "pytorch/measure_pytorch.py"
SETTING = {**support.SETTING, "mode": "eager"}


class Adaptor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_eager_and_script_are_measured_and_compile_is_refused(self):
        cpu = min(os.sched_getaffinity(0))
        path = support.write_plan(self.folder, settings=[{**SETTING, "cpus": [[cpu]]}, {**SETTING, "mode": "torchscript", "spin": "off"},
                                                         {**SETTING, "mode": "compile"}])
        output = os.path.join(self.folder, "runs.json")
        code, lines, _ = support.run_adaptor(ADAPTOR, ["--plan", path, "--output", output])
        self.assertEqual(code, 3)
        self.assertTrue(all(line["latency_ms"] > 0 for line in lines[:2]))
        self.assertRegex(lines[2]["error"], "mode compile: ")
        with open(output, encoding="utf8") as file:
            result = json.load(file)
        self.assertEqual([run["setting"]["runtime"] for run in result["runs"]], ["pytorch", "torchscript", "torch-compile"])
        self.assertIn("pytorch_version", result["context"])

    def test_a_suite_is_measured_and_a_model_that_is_not_translated_is_refused_by_name(self):
        unknown = support.relu_model([1, 4]).replace(b"Relu", b"Rulu")
        models = []
        for name, data in (("unknown", unknown), ("relu", support.relu_model([1, 4]))):
            models.append({"name": name, "file": os.path.join(self.folder, f"{name}.onnx")})
            with open(models[-1]["file"], "wb") as file:
                file.write(data)
        plan, output = os.path.join(self.folder, "suite.json"), os.path.join(self.folder, "runs.json")
        for mode in ("eager", "torchscript"):
            with open(plan, "w", encoding="utf8") as file:
                json.dump({"schema": "corecast.suite_plan/1", "mode": mode, "rounds": 1, "min_seconds": 0.001, "threads": [1], "models": models}, file)
            code, _, error = support.run_adaptor("pytorch/measure_suite.py", ["--plan", plan, "--output", output])
            self.assertEqual((code, error), (0, "progress 0.5000 unknown\nprogress 1.0000 relu\n"))
            with open(output, encoding="utf8") as file:
                result = json.load(file)
            self.assertIn("pytorch_version", result["context"])
            self.assertRegex(result["runs"][0]["error"], "Rulu")
            self.assertGreater(result["runs"][1]["median_ms"], 0)

    def test_a_profile_is_a_chrome_trace_with_shapes(self):
        trace = os.path.join(self.folder, "trace.json")
        code, _, error = support.run_adaptor(ADAPTOR, ["--plan", support.write_plan(self.folder, settings=[SETTING]), "--profile", trace])
        self.assertEqual((code, error), (0, ""))
        with open(trace, encoding="utf8") as file:
            events = json.load(file)["traceEvents"]
        runs = [event for event in events if event.get("name") == "corecast::run"]
        relus = [event for event in events if event.get("name") == "aten::relu"]
        self.assertEqual((len(runs), len(relus), relus[0]["args"]["Input Dims"]), (5, 5, [[1, 4]]))

    def test_an_unknown_operator_is_named(self):
        model = support.relu_model([1, 4]).replace(b"Relu", b"Rule")
        path = support.write_plan(self.folder, settings=[SETTING], model=("m.onnx", model))
        code, lines, _ = support.run_adaptor(ADAPTOR, ["--plan", path, "--output", os.path.join(self.folder, "runs.json")])
        self.assertEqual((code, lines[0]["error"]), (3, 'operator Rule (node "y") is not translated to PyTorch'))


class Environment(unittest.TestCase):
    def test_an_allocator_that_is_not_installed_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(preload("system", [folder]), (None, None))
            self.assertRegex(preload("caching", [folder])[1], "no tcmalloc or jemalloc is installed")
            self.assertRegex(preload("magic", [folder])[1], '"magic" is not one of')
            library = os.path.join(folder, "libjemalloc.so.2")
            with open(library, "w", encoding="utf8"):
                pass
            self.assertEqual(preload("caching", [folder]), (library, None))

    def test_threads_are_bound_where_each_has_a_cpu(self):
        self.assertEqual(openmp_environment(2, 1, "on", [4, 6])["OMP_PLACES"], "{4},{6}")
        for threads, pools, cpus in ((3, 1, [4, 6]), (2, 2, [4, 6]), (2, 1, None)):
            self.assertIsNone(openmp_environment(threads, pools, "on", cpus)["OMP_PROC_BIND"])
        self.assertEqual(openmp_environment(2, 1, "off", None)["OMP_WAIT_POLICY"], "PASSIVE")
        self.assertIsNone(openmp_environment(2, 1, None, None)["OMP_WAIT_POLICY"])


if __name__ == "__main__":
    unittest.main()
