"""Plans, shapes, inputs, statistics and result files."""
import json
import os
import tempfile
import unittest

import support
from errors import InputError
from host_context import cpu_quota
from input_data import RandomSource, all_inputs
from input_shapes import parse_shape, parse_value, resolve_inputs
from onnx_inputs import onnx_inputs
from plan import entries_of, read_plan
from result_file import add_answer, check_writable, open_result, run_for, to_text
from samples import Samples
from statistics_of_runs import is_stable, median_interval, quantile, summarize


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_order_statistics(self):
        self.assertEqual(quantile([4, 1, 3, 2], 0.5), 2.5)  # half way between the second and the third
        self.assertEqual(quantile([10, 20, 30], 0.1), 12)  # position 0.2
        self.assertIsNone(quantile([], 0.5))

    def test_the_interval_of_a_median_is_of_order_statistics(self):
        # n = 100: reach 19.6; j = floor(80.4 / 2) = 40, k = ceil(119.6 / 2) + 1 = 61
        self.assertEqual(median_interval(list(range(1, 101))), (40, 61))
        self.assertIsNone(median_interval([1, 2, 3, 4, 5]))

    def test_samples_are_stable_when_the_interval_is_narrow(self):
        self.assertTrue(is_stable([1.0] * 6, 0.02))
        self.assertFalse(is_stable([1.0, 2.0] * 10, 0.02))
        self.assertFalse(is_stable([1.0] * 5, 0.02))

    def test_the_latency_is_the_median_of_round_medians(self):
        rounds = [{"latencies_ms": [1, 2, 3], "mean_ms": 2}, {"latencies_ms": [3, 4, 5], "mean_ms": 4},
                  {"latencies_ms": [9], "mean_ms": 9, "instances": [{"latency_ms_median": 5}, {"latency_ms_median": 7}]}]
        found = summarize(rounds)  # medians 2, 4, 6
        self.assertEqual((found["latency_ms_median"], found["latency_ms_mean"], found["spread"]), (4, 4, 1))

    def test_of_many_samples_an_even_selection_is_kept(self):
        samples = Samples()
        for i in range(2000):
            samples.add(i)
        self.assertEqual((samples.kept[:3], len(samples.kept), samples.count, samples.mean()), ([0, 2, 4], 1000, 2000, 999.5))


class Inputs(unittest.TestCase):
    def test_random_numbers_are_those_of_the_node_adaptor(self):
        found = RandomSource(1).take(3)  # mulberry32(1)
        self.assertEqual(list(found), [0.6270739405881613, 0.002735721180215478, 0.5274470399599522])
        two = RandomSource(1)
        self.assertEqual([two.take(1)[0], two.take(2)[1]], [found[0], found[2]])

    def test_masks_are_one_integers_are_bits_and_values_fill(self):
        given = [{"name": "attention_mask", "type": "int64", "dims": [1, 3]}, {"name": "ids", "type": "int64", "dims": [50]},
                 {"name": "sr", "type": "int64", "dims": [], "value": 16000}]
        mask, ids, rate = all_inputs(given, 1)
        self.assertEqual((mask.tolist(), set(ids.tolist()), int(rate), rate.shape), ([[1, 1, 1]], {0, 1}, 16000, ()))

    def test_inputs_are_read_from_the_models_bytes(self):
        self.assertEqual(onnx_inputs(support.relu_model(["N", 4])), [{"name": "x", "type": "float32", "dims": ["N", 4]}])
        with self.assertRaisesRegex(InputError, "m.onnx: not an ONNX model"):
            onnx_inputs(b"hello", "m.onnx")

    def resolve(self, dims, batch, shapes=(), values=()):
        return resolve_inputs([{"name": "x", "type": "float32", "dims": dims}], "m", batch, [parse_shape(s) for s in shapes], [parse_value(v) for v in values])

    def test_an_open_first_dimension_is_the_batch(self):
        self.assertEqual(self.resolve(["N", 4], 8)[0]["dims"], [8, 4])
        self.assertEqual(self.resolve(["a", "b"], 8, ["m:x=1x5"], ["x=2"]), [{"name": "x", "type": "float32", "dims": [8, 5], "value": 2}])
        self.assertEqual(self.resolve(["a", "b"], 8, ["x=5xN"])[0]["dims"], [5, 8])

    def test_what_the_model_does_not_allow_is_told(self):
        for dims, batch, shapes, wanted in ((["N", "w"], 1, [], "open at dimension 1"), ([1, 4], 8, [], "batch 8 is not possible"),
                                            ([1, 4], 1, ["x=1x5"], "has 4 fixed at dimension 1, 5 was asked"), ([1, 4], 1, ["x=1"], "has 1 dimensions")):
            with self.assertRaisesRegex(InputError, wanted):
                self.resolve(dims, batch, shapes)
        for text in ("x", "x=", "x=1y2", "x=1x2:text"):
            with self.assertRaisesRegex(InputError, "plan: shapes"):
                parse_shape(text)


class Plans(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def read(self, **changes):
        return read_plan(support.write_plan(self.folder.name, **changes), lambda mode: mode)

    def test_keys_that_are_null_or_missing_take_their_defaults(self):
        plan = self.read(settings=[{**support.SETTING, "cpus": None}], method={"stable": True})
        self.assertEqual(plan["settings"], [{"runtime": "sequential", "mode": "sequential", "instances": 1, "inter_op": 1, "intra_op": 1, "batch": 1}])
        self.assertEqual((plan["method"]["stable"], plan["method"]["repetitions"]), (0.02, 30))

    def test_a_wrong_plan_names_the_key_and_what_was_found(self):
        cases = ((dict(schema="x"), '/schema: "x" is not'), (dict(settings=[]), "/settings: a list"), (dict(colour=1), "/colour: unknown key"),
                 (dict(settings=[{**support.SETTING, "batch": 0}]), "/settings/0/batch: 0 is not a whole number from 1"),
                 (dict(settings=[{"mode": "x"}]), "/settings/0/instances: missing"),
                 (dict(settings=[{**support.SETTING, "cpus": [[0], [1]]}]), "cpus: 2 lists for 1 instances"),
                 (dict(settings=[{**support.SETTING, "cpus": [[0, 0]]}]), "cpus: .* is not one list"),
                 (dict(settings=[{**support.SETTING, "spin": "yes"}]), 'spin: "yes" is not'), (dict(method={"seed": -1}), "/method/seed: -1"),
                 (dict(shapes=["x"]), "plan: shapes"), (dict(model={"file": "none.onnx"}), "none.onnx: No such file"))
        for changes, wanted in cases:
            with self.subTest(wanted), self.assertRaisesRegex(InputError, wanted):
                model = changes.pop("model", None)
                path = support.write_plan(self.folder.name, **changes)
                if model:
                    with open(path, encoding="utf8") as file:
                        plan = {**json.load(file), "model": model}
                    with open(path, "w", encoding="utf8") as file:
                        json.dump(plan, file)
                read_plan(path, lambda mode: mode)

    def test_settings_that_cannot_run_are_recorded_unless_all_of_them(self):
        refuse = {1: None, 2: "two are too many"}
        settings = [{**support.SETTING, "intra_op": count} for count in (1, 2)]
        entries = entries_of(self.read(settings=settings), lambda setting: refuse[setting["intra_op"]])
        self.assertEqual([entry["error"] for entry in entries], [None, "two are too many"])
        with self.assertRaisesRegex(InputError, "m: two are too many"):
            entries_of(self.read(settings=settings[1:]), lambda setting: refuse[setting["intra_op"]])
        with self.assertRaisesRegex(InputError, "shapes: y: the model has no input"):
            entries_of(self.read(shapes=["y=1"]), lambda setting: None)


class Results(unittest.TestCase):
    IDENTITY = {"model": "m", "model_sha256": "0", "setting": {"a": 1}, "inputs": []}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "runs.json")

    def write(self, text):
        with open(self.file, "w", encoding="utf8") as file:
            file.write(text)

    def test_a_failure_stays_until_its_round_succeeds(self):
        result = open_result(None, {})
        run = run_for(result, self.IDENTITY)
        add_answer(run, 0, {"error": "bad"})
        self.assertEqual(run["failures"], [{"round": 0, "error": "bad"}])
        add_answer(run, 0, {"latencies_ms": [1, 2], "mean_ms": 1.5})
        self.assertNotIn("failures", run)
        self.assertEqual(run["latency_ms_median"], 1.5)
        self.assertIs(run_for(result, dict(self.IDENTITY)), run)

    def test_a_result_is_continued_only_in_its_own_context(self):
        self.write(to_text({"schema": "corecast.measured_runs/1", "context": {"kernel": "a", "load_average": [1]}, "runs": []}))
        self.assertEqual(open_result(self.file, {"kernel": "a", "load_average": [9]})["runs"], [])
        with self.assertRaisesRegex(InputError, "measured with another kernel"):
            open_result(self.file, {"kernel": "b"})
        for text, wanted in (("{", "not JSON"), ("[]", "not a corecast"), ('{"schema": "x"}', "not a corecast")):
            self.write(text)
            with self.assertRaisesRegex(InputError, wanted):
                open_result(self.file, {})

    def test_lists_of_numbers_take_one_line(self):
        self.assertEqual(to_text({"a": [1, 2.5, 1e-07]}), '{\n "a": [1, 2.5, 1e-07]\n}\n')
        self.assertEqual(json.loads(to_text({"a": [[0, 1], [2]], "b": ["1"]})), {"a": [[0, 1], [2]], "b": ["1"]})

    def test_only_regular_files_in_folders_are_written(self):
        for file, wanted in (("/dev/null", "not a regular file"), (os.path.join(self.folder.name, "no", "x"), "no such folder")):
            with self.assertRaisesRegex(InputError, wanted):
                check_writable(file)


class Host(unittest.TestCase):
    def test_the_smallest_quota_on_the_way_up_counts(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "proc/self"))
            os.makedirs(os.path.join(root, "sys/fs/cgroup/a/b"))
            for path, text in (("proc/self/cgroup", "0::/a/b\n"), ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"), ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n")):
                with open(os.path.join(root, path), "w", encoding="utf8") as file:
                    file.write(text)
            self.assertEqual(cpu_quota(root), 1.5)


if __name__ == "__main__":
    unittest.main()
