"""A small ONNX model: one operator repeated, as a chain (each takes the result of the one before) or as a fan (all take
the model's input; onnxruntime runs operators whose results nobody takes)."""
import onnx
from onnx import TensorProto, helper

OPSET, IR = 17, 8  # what onnxruntime 1.13 knows
MICROSOFT = "com.microsoft"


class Builder:
    def __init__(self):
        self.nodes, self.initializers, self.inputs, self.known = [], [], [], set()

    def input(self, name, shape, kind=TensorProto.FLOAT):
        if name not in self.known:
            self.known.add(name)
            self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def whole(self, name, values):
        """A small tensor of int64."""
        if name not in self.known:
            self.known.add(name)
            self.initializers.append(helper.make_tensor(name, TensorProto.INT64, [len(values)], values))
        return name

    def scalar(self, name, value, kind=TensorProto.FLOAT):
        if name not in self.known:
            self.known.add(name)
            self.initializers.append(helper.make_tensor(name, kind, [], [value]))
        return name

    def full(self, name, shape, value, kind=TensorProto.FLOAT):
        """A constant tensor as ConstantOfShape: the runtime folds it when it loads the model, the file stays small. Equal
        tensors would be merged there: give those that must stay apart different values."""
        if name not in self.known:
            self.known.add(name)
            fill = helper.make_tensor(f"{name}_fill", kind, [1], [value])
            shape_name = self.whole(f"{name}_shape", shape)
            self.nodes.append(helper.make_node("ConstantOfShape", [shape_name], [name], value=fill))
        return name

    def node(self, kind, inputs, result, domain="", **attributes):
        results = [result] if isinstance(result, str) else result
        self.nodes.append(helper.make_node(kind, inputs, results, domain=domain, **attributes))
        return results[0] or results[-1]

    def save(self, path, output, shape, kind=TensorProto.FLOAT):
        result = helper.make_tensor_value_info(output, kind, shape)
        graph = helper.make_graph(self.nodes, "g", self.inputs, [result], self.initializers)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=IR), path)
