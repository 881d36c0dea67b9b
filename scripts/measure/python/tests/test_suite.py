"""The suite's plan, the CPUs of its teams, and what becomes of models that end their process. Needs numpy, and no torch."""
import json
import os
import tempfile
import unittest

import support  # noqa: F401 (paths)
import measure_suite
from errors import InputError

PLAN = {"schema": "corecast.suite_plan/1", "rounds": 2, "min_seconds": 0.04, "threads": [1, 2], "models": [{"name": "a", "file": "a.onnx"}]}


class Process:
    """Answers for so many models, then ends."""

    def __init__(self, count):
        self._lines = [[json.dumps({"median_ms": 1.0})] for _ in range(count)]

    def lines(self):
        return self._lines.pop(0) if self._lines else None

    def how_it_ended(self):
        return "process was stopped by signal 4"

    def kill(self):
        pass

    def close(self):
        pass


class Suite(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def _read(self, **changes):
        path = os.path.join(self.folder, "plan.json")
        with open(path, "w", encoding="utf8") as file:
            json.dump({**PLAN, **changes}, file)
        return measure_suite.read_plan(path)

    def test_a_plan_without_a_mode_is_eager(self):
        self.assertEqual(self._read(), {**PLAN, "mode": "eager"})
        self.assertEqual(self._read(mode="torchscript")["mode"], "torchscript")

    def test_a_bad_plan_is_refused_with_the_place(self):
        for changes, place in (({"schema": "other/1"}, "suite_plan"), ({"mode": "compile"}, "/mode"), ({"rounds": 0}, "/rounds"),
                               ({"min_seconds": "1"}, "/min_seconds"), ({"threads": [0]}, "/threads"), ({"models": [{"name": "a"}]}, "/models"),
                               ({"models": []}, "/models"), ({"threads": []}, "/threads")):
            with self.assertRaisesRegex(InputError, place):
                self._read(**changes)
        with self.assertRaisesRegex(InputError, "nothing.json"):
            measure_suite.read_plan(os.path.join(self.folder, "nothing.json"))

    def test_threads_have_a_core_each_where_there_are_as_many(self):
        # CPUs 0 and 1 are one core's, 2 and 3 the other's.
        for cpu in range(4):
            place = os.path.join(self.folder, f"cpu{cpu}", "topology")
            os.makedirs(place)
            for name, value in (("physical_package_id", 0), ("core_id", cpu // 2)):
                with open(os.path.join(place, name), "w", encoding="utf8") as file:
                    file.write(f"{value}\n")
        self.assertEqual(measure_suite.team_cpus(1, {0, 1, 2, 3}, self.folder), [0])
        self.assertEqual(measure_suite.team_cpus(2, {0, 1, 2, 3}, self.folder), [0, 2])
        self.assertEqual(measure_suite.team_cpus(2, {1, 3}, self.folder), [1, 3])
        self.assertIsNone(measure_suite.team_cpus(3, {0, 1, 2, 3}, self.folder))
        self.assertEqual(measure_suite.team_cpus(2, {7, 9}, self.folder), [7, 9])  # no topology: a core each

    def test_a_model_that_ends_the_process_is_its_own_failure(self):
        models = [{"name": name, "file": ""} for name in "abcd"]
        started = []

        def start(left):
            started.append("".join(one["name"] for one in left))
            return Process(1 if len(left) == 4 else len(left))
        answers = list(measure_suite.all_answers(models, start))
        self.assertEqual(started, ["abcd", "cd"])
        self.assertEqual([one["model"] for one in answers], list("abcd"))
        self.assertEqual([one["model"] for one in answers if "error" in one], ["b"])

    def test_processes_that_never_answer_end_the_suite(self):
        models = [{"name": str(i), "file": ""} for i in range(9)]
        with self.assertRaisesRegex(InputError, "signal 4"):
            list(measure_suite.all_answers(models, lambda left: Process(0)))


if __name__ == "__main__":
    unittest.main()
