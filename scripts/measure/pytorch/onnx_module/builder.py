"""ONNX graph -> nn.Module with the operators that a PyTorch author would write.

The graph is walked once with example inputs. A node whose operands are all known is computed at once (torch does it) and is a constant from
then on, as are shapes; so no arithmetic on shapes is left at run time. Every other node becomes one call of a torch function with its
weights as parameters, is run on the example, and tells its successors their shapes. Then groups of nodes that are one operator in PyTorch
are merged (fusions.py), ReLUs whose operand nobody else reads work in place, as torchvision's do, and what no output needs is left out.

An If takes the branch that the example takes, as tracing would. Holds for models whose shapes do not depend on the values of their
inputs. Errors: UnsupportedError names the operator."""
import collections

import onnx
import torch
from torch import nn

from .fusions import fuse
from .node import Node, Step, UnsupportedError, Value, constant, to_tensor
from .operators import OPERATORS

DOMAINS = ("", "ai.onnx")


class OnnxModule(nn.Module):
    """Runs its steps one after the other and forgets each value after its last use."""

    def __init__(self, inputs, steps, outputs):
        super().__init__()
        slots = {value: i for i, value in enumerate(inputs)}
        self._initial = [None] * len(inputs)

        def slot_of(value):
            if value not in slots:
                slots[value] = len(self._initial)
                self._initial.append(None if value.constant is None else self._registered(value.constant, slots[value]))
            return slots[value]
        last_use = {}
        for i, step in enumerate(steps):
            last_use.update((operand, i) for operand in step.operands if operand.constant is None)
        last_use.update((value, len(steps)) for value in outputs)
        ends = collections.defaultdict(list)
        for value, i in last_use.items():
            ends[i].append(value)
        self._steps = [(step.function, [slot_of(v) for v in step.operands], [slot_of(v) for v in step.outputs], [slot_of(v) for v in ends[i]])
                       for i, step in enumerate(steps)]
        self._outputs = [slot_of(value) for value in outputs]
        self.operators = [step.kind for step in steps]

    def _registered(self, tensor, slot):
        """Weights are parameters, so that freezing sees them; other constants are buffers."""
        if tensor.is_floating_point():
            weight = nn.Parameter(tensor, requires_grad=False)
            self.register_parameter(f"weight_{slot}", weight)
            return weight
        self.register_buffer(f"constant_{slot}", tensor)
        return tensor

    def forward(self, *inputs):
        values = list(self._initial)
        values[:len(inputs)] = inputs
        for function, operands, outputs, dead in self._steps:
            result = function(*[values[i] for i in operands])
            if len(outputs) == 1:
                values[outputs[0]] = result
            else:
                for slot, tensor in zip(outputs, result):
                    values[slot] = tensor
            for slot in dead:
                values[slot] = None
        return tuple(values[i] for i in self._outputs) if len(self._outputs) > 1 else values[self._outputs[0]]


class _Builder:
    def __init__(self, opset):
        self._opset = opset
        self.steps = []

    def add_graph(self, graph, scope):
        """Values of the graph's outputs; scope holds those that it can see by name and is not changed."""
        scope = dict(scope)
        scope.update((tensor.name, constant(to_tensor(tensor))) for tensor in graph.initializer)
        if graph.sparse_initializer:
            raise UnsupportedError("sparse initializers are not translated")
        last_use = {name: i for i, node in enumerate(graph.node) for name in node.input}
        own = {tensor.name for tensor in graph.initializer} | {name for node in graph.node for name in node.output}
        kept = {output.name for output in graph.output} | self._captured(graph)
        for i, proto in enumerate(graph.node):
            self._add_node(proto, scope)
            for name in proto.input:
                if last_use[name] == i and name in own and name not in kept and name in scope:
                    value = scope.pop(name)
                    if value not in scope.values():  # an Identity gives one value two names
                        value.example = None
        missing = [output.name for output in graph.output if output.name not in scope]
        if missing:
            raise UnsupportedError(f'no node gives the output "{missing[0]}"')
        return [scope[output.name] for output in graph.output]

    @staticmethod
    def _captured(graph):
        """Names that subgraphs read from outside."""
        found = set()
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    found |= {name for inner in attribute.g.node for name in inner.input} | {out.name for out in attribute.g.output}
                    found |= _Builder._captured(attribute.g)
        return found

    def _add_node(self, proto, scope):
        node = Node(proto, self._opset)
        unknown = [name for name in proto.input if name and name not in scope]
        if unknown:
            node.refuse(f'no node gives its operand "{unknown[0]}"')
        operands = [scope[name] if name else None for name in proto.input]
        if proto.domain in DOMAINS and node.kind == "If":
            results = self._branch(node, operands[0], scope)
        else:
            if proto.domain not in DOMAINS or node.kind not in OPERATORS:
                domain = f"{proto.domain}:" if proto.domain not in DOMAINS else ""
                raise UnsupportedError(f'operator {domain}{node.kind} (node "{node.name}") is not translated to PyTorch')
            try:
                results = self._translated(node, operands)
            except UnsupportedError:
                raise
            except (RuntimeError, ValueError, TypeError, IndexError, AttributeError) as error:
                shapes = ", ".join("none" if v is None else "x".join(map(str, v.shape)) or "scalar" for v in operands)
                raise UnsupportedError(f'operator {node.kind} (node "{node.name}", operands {shapes}): {str(error).split(chr(10))[0]}') from error
        scope.update((name, value) for name, value in zip(proto.output, results) if name)

    def _branch(self, node, condition, scope):
        return self.add_graph(node.get("then_branch" if bool(condition.tensor().reshape(-1)[0]) else "else_branch"), scope)

    def _translated(self, node, operands):
        found = OPERATORS[node.kind](node, *operands)
        if isinstance(found, Value):
            return [found]  # an identity; who reads an output behind it (Dropout's mask) is told that no node gives it
        if isinstance(found, torch.Tensor):
            return [constant(found)]
        known = all(operand.constant is not None for operand in found.operands)
        results = found.function(*[operand.tensor() for operand in found.operands])
        many = isinstance(results, (tuple, list))
        if known:
            return [constant(one) for one in (results if many else [results])]
        owners = {operand.tensor().storage().data_ptr() for operand in found.operands}
        outputs = [Value(example=one, shape=tuple(one.shape), dtype=one.dtype, is_fresh=one.storage().data_ptr() not in owners)
                   for one in (results if many else [results])]
        self.steps.append(Step(node.kind, found.function, list(found.operands), outputs, found.in_place, found.attributes))
        return outputs


def _needed(steps, outputs):
    """Without the steps that no output depends on."""
    wanted, kept = set(outputs), []
    for step in reversed(steps):
        if any(value in wanted for value in step.outputs):
            wanted.update(step.operands)
            kept.append(step)
    return kept[::-1]


def _use_in_place(steps, outputs):
    uses = collections.Counter(operand for step in steps for operand in step.operands)
    uses.update(outputs)
    for step in steps:
        if step.in_place and step.operands[0].is_fresh and uses[step.operands[0]] == 1 and step.operands[0].dtype == step.outputs[0].dtype:
            step.function = step.in_place


def load_onnx(path, examples):
    """(module, names of its outputs) for inputs of the given shapes: {name: tensor}, whose order is that of forward's arguments."""
    model = onnx.load(path)
    opset = next((one.version for one in model.opset_import if one.domain in DOMAINS), 1)
    inputs = {name: Value(example=tensor, shape=tuple(tensor.shape), dtype=tensor.dtype) for name, tensor in examples.items()}
    builder = _Builder(opset)
    with torch.no_grad():
        outputs = builder.add_graph(model.graph, inputs)
        names = [output.name for output in model.graph.output]
        del model
        steps = _needed(fuse(_needed(builder.steps, outputs), outputs), outputs)
        _use_in_place(steps, outputs)
        for value in {value for step in builder.steps for value in step.operands + step.outputs}:
            value.example = None
        return OnnxModule(list(inputs.values()), steps, outputs).eval(), names
