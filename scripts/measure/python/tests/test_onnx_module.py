"""ONNX graphs as PyTorch modules: what each small graph computes, and with which operators. Needs torch and onnx."""
import os
import tempfile
import unittest

import numpy
import onnx
import support  # noqa: F401  (paths)
import torch
from onnx import helper, numpy_helper

from onnx_module import UnsupportedError, load_onnx

node = helper.make_node


def loaded(nodes, inputs, outputs=("y",), constants=None, opset=17):
    """Module of a graph; inputs and constants: {name: tensor}."""
    info = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(tensor.numpy().dtype) if hasattr(helper, "np_dtype_to_tensor_dtype")
                                          else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[tensor.numpy().dtype], list(tensor.shape)) for name, tensor in inputs.items()]
    graph = helper.make_graph(nodes, "g", info, [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs],
                              [numpy_helper.from_array(numpy.array(value), name) for name, value in (constants or {}).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        onnx.save(model, path)
        return load_onnx(path, inputs)[0]


def floats(*values):
    return numpy.array(values, dtype=numpy.float32)


def ints(*values):
    return numpy.array(values, dtype=numpy.int64)


class Module(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)

    def same(self, found, wanted, tolerance=1e-5):
        self.assertEqual(tuple(found.shape), tuple(wanted.shape))
        self.assertLessEqual(float((found - wanted).abs().max()), tolerance)

    def test_padding_that_differs_between_the_sides_is_added_first(self):
        x, w = torch.randn(1, 2, 5, 5), torch.randn(3, 2, 3, 3)
        module = loaded([node("Conv", ["x", "w"], ["y"], pads=[0, 0, 1, 1], strides=[2, 2])], {"x": x}, constants={"w": w})
        self.same(module(x), torch.conv2d(torch.nn.functional.pad(x, [0, 1, 0, 1]), w, stride=2))
        same = loaded([node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", strides=[2, 2])], {"x": x}, constants={"w": w})
        self.same(same(x), torch.conv2d(x, w, stride=2, padding=1))  # 5 -> 3 windows of 3: (3 - 1) 2 + 3 - 5 = 2, one on each side

    def test_pools_with_more_padding_behind_are_torchs_ceil_mode(self):
        x = torch.arange(16.0).reshape(1, 1, 4, 4) - 20
        module = loaded([node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])], {"x": x})
        self.assertEqual(module(x).flatten().tolist(), [-10, -9, -6, -5])  # largest are lowest right: 10, 11, 14, 15
        average = loaded([node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])], {"x": x})
        self.assertEqual(average(x).flatten().tolist(), [5 - 20, 6.5 - 20, 11 - 20, 12.5 - 20])  # of what lies inside the input
        counted = loaded([node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1], count_include_pad=1)], {"x": x})
        self.same(counted(x)[0, 0, 1, 1], (x[0, 0, 2:, 2:].sum() / 9))

    def test_shapes_are_computed_when_the_model_is_loaded(self):
        x = torch.randn(2, 3, 4)
        module = loaded([node("Shape", ["x"], ["s"]), node("Gather", ["s", "first"], ["n"]), node("Unsqueeze", ["n", "zero"], ["n1"]),
                         node("Concat", ["n1", "rest"], ["target"], axis=0), node("Reshape", ["x", "target"], ["y"])], {"x": x},
                        constants={"first": numpy.array(0), "zero": ints(0), "rest": ints(-1)})
        self.assertEqual(module.operators, ["Reshape"])
        self.same(module(x), x.reshape(2, 12))

    def test_constant_fills_become_weights_and_are_parameters(self):
        x = torch.randn(2, 3)
        module = loaded([node("ConstantOfShape", ["s"], ["w"], value=numpy_helper.from_array(floats(0.5))), node("MatMul", ["x", "w"], ["p"]),
                         node("Add", ["p", "b"], ["y"])], {"x": x}, constants={"s": ints(3, 4), "b": floats(1, 2, 3, 4)})
        self.assertEqual(module.operators, ["Gemm"])  # one F.linear with its bias
        self.assertEqual(sorted(tuple(p.shape) for p in module.parameters()), [(4,), (4, 3)])
        self.same(module(x), x @ torch.full((3, 4), 0.5) + torch.tensor([1.0, 2, 3, 4]))

    def test_relu_works_in_place_only_on_what_nobody_else_reads(self):
        x = torch.tensor([-1.0, 2.0])
        module = loaded([node("Relu", ["x"], ["a"]), node("Neg", ["x"], ["b"]), node("Relu", ["b"], ["c"]), node("Add", ["b", "c"], ["d"]),
                         node("Relu", ["d"], ["e"]), node("Add", ["a", "e"], ["y"])], {"x": x})
        for _ in range(2):
            self.assertEqual(module(x).tolist(), [2, 2])  # a = 0, 2; b = 1, -2; c = 1, 0; d = 2, -2; e = 2, 0
        self.assertEqual(x.tolist(), [-1, 2])
        self.assertEqual([f is torch.relu_ for f, *_ in module._steps], [False, False, False, False, True, False])

    def test_written_out_gelus_are_one_operator(self):
        x = torch.randn(4, 8)
        erf = loaded([node("Div", ["x", "root"], ["a"]), node("Erf", ["a"], ["b"]), node("Add", ["b", "one"], ["c"]), node("Mul", ["x", "c"], ["d"]),
                      node("Mul", ["d", "half"], ["y"])], {"x": x}, constants={"root": floats(2**0.5)[0], "one": floats(1)[0], "half": floats(0.5)[0]})
        self.assertEqual(erf.operators, ["Gelu"])
        self.same(erf(x), torch.nn.functional.gelu(x))
        tanh = loaded([node("Pow", ["x", "three"], ["a"]), node("Mul", ["a", "k"], ["b"]), node("Add", ["x", "b"], ["c"]), node("Mul", ["c", "r"], ["d"]),
                       node("Tanh", ["d"], ["e"]), node("Add", ["e", "one"], ["f"]), node("Mul", ["x", "half"], ["h"]), node("Mul", ["h", "f"], ["y"])],
                      {"x": x}, constants={"three": floats(3)[0], "k": floats(0.044715)[0], "r": floats((2 / numpy.pi)**0.5)[0], "one": floats(1)[0],
                                           "half": floats(0.5)[0]})
        self.assertEqual(tanh.operators, ["Gelu"])
        self.same(tanh(x), torch.nn.functional.gelu(x, approximate="tanh"))

    def test_a_gelu_whose_inside_is_read_stays_written_out(self):
        x = torch.randn(4)
        module = loaded([node("Div", ["x", "root"], ["a"]), node("Erf", ["a"], ["b"]), node("Add", ["b", "one"], ["c"]), node("Mul", ["x", "c"], ["d"]),
                         node("Mul", ["d", "half"], ["y"])], {"x": x}, ("y", "b"),
                        {"root": floats(2**0.5)[0], "one": floats(1)[0], "half": floats(0.5)[0]})
        self.assertEqual(module.operators, ["Div", "Erf", "Add", "Mul", "Mul"])
        self.same(module(x)[1], torch.erf(x / 2**0.5))

    def test_a_written_out_layer_normalization_is_one_operator(self):
        x, w, b = torch.randn(2, 3, 8), torch.randn(8), torch.randn(8)
        module = loaded([node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["d"]), node("Pow", ["d", "two"], ["q"]),
                         node("ReduceMean", ["q"], ["v"], axes=[-1]), node("Add", ["v", "e"], ["s"]), node("Sqrt", ["s"], ["r"]),
                         node("Div", ["d", "r"], ["n"]), node("Mul", ["n", "w"], ["g"]), node("Add", ["g", "b"], ["y"])], {"x": x},
                        constants={"two": floats(2)[0], "e": floats(1e-5)[0], "w": w, "b": b})
        self.assertEqual(module.operators, ["LayerNormalization"])
        self.same(module(x), torch.layer_norm(x, [8], w, b))

    def test_lstm_gates_are_put_into_torchs_order(self):
        x, w, r, b = torch.randn(3, 1, 2), torch.randn(1, 8, 2), torch.randn(1, 8, 2), torch.randn(1, 16)
        module = loaded([node("LSTM", ["x", "w", "r", "b"], ["y", "h"], hidden_size=2)], {"x": x}, ("y", "h"), {"w": w, "r": r, "b": b})
        h = c = torch.zeros(1, 2)
        for t in range(3):  # ONNX: i, o, f, c
            i, o, f, g = (x[t] @ w[0].t() + h @ r[0].t() + b[0, :8] + b[0, 8:]).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        y, last = module(x)
        self.same(y[2, 0], h)
        self.same(last[0], h)

    def test_older_softmax_takes_all_dimensions_behind_its_axis(self):
        x = torch.randn(2, 3, 4)
        module = loaded([node("Softmax", ["x"], ["y"])], {"x": x}, opset=9)
        self.same(module(x), torch.softmax(x.reshape(2, 12), 1).reshape(2, 3, 4))

    def test_slices_go_backwards_too(self):
        x = torch.arange(12.0).reshape(2, 6)
        for start, end, step, wanted in ((-1, -100, -2, [5, 3, 1]), (4, 0, -1, [4, 3, 2, 1]), (1, 9, 2, [1, 3, 5])):
            module = loaded([node("Slice", ["x", "s", "e", "a", "t"], ["y"])], {"x": x}, constants={"s": ints(start), "e": ints(end), "a": ints(1), "t": ints(step)})
            self.assertEqual(module(x)[0].tolist(), wanted)

    def test_an_if_takes_the_branch_of_the_example(self):
        x, flag = torch.tensor([3.0]), torch.tensor(True)
        branches = {name: helper.make_graph([node(kind, ["x"], ["z"])], name, [], [helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, None)])
                    for name, kind in (("then_branch", "Neg"), ("else_branch", "Exp"))}
        self.assertEqual(loaded([node("If", ["f"], ["y"], **branches)], {"x": x, "f": flag})(x, flag).tolist(), [-3])

    def test_scripts_give_the_same(self):
        x, w = torch.randn(1, 4, 6, 6), torch.randn(4, 4, 3, 3)
        module = loaded([node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]), node("Relu", ["a"], ["b"]), node("Add", ["b", "x"], ["y"])], {"x": x}, constants={"w": w})
        script = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(module, (x,), check_trace=False)))
        self.same(script(x), torch.relu(torch.conv2d(x, w, padding=1)) + x)

    def test_what_is_not_translated_is_named(self):
        x = torch.randn(1, 1, 4)
        gru = {"w": torch.randn(1, 6, 4), "r": torch.randn(1, 6, 2)}
        for nodes, wanted in (([node("Fourier", ["x"], ["y"], name="f1")], 'operator Fourier \\(node "f1"\\) is not translated'),
                              ([node("Relu", ["x"], ["y"], domain="com.me")], "com.me:Relu"),
                              ([node("Reshape", ["x", "x"], ["y"])], "its shape depends on the values of the inputs"),
                              ([node("GRU", ["x", "w", "r"], ["y"], hidden_size=2)], "linear_before_reset = 0"),
                              ([node("Add", ["x", "q"], ["y"])], 'no node gives its operand "q"'),
                              ([node("MatMul", ["x", "x"], ["y"])], "operator MatMul .*operands 1x1x4, 1x1x4")):
            with self.subTest(wanted), self.assertRaisesRegex(UnsupportedError, wanted):
                loaded(nodes, {"x": x}, constants=gru)


if __name__ == "__main__":
    unittest.main()
