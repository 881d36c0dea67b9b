"""LSTM, GRU and plain recurrent layers, with torch's own kernels.

ONNX stacks the gates of an LSTM as i, o, f, c, torch as i, f, g (= c), o; of a GRU as z, r, h and r, z, n; directions lie in the first
dimension. torch's GRU multiplies by r after the recurrent product: ONNX's linear_before_reset = 1."""
import torch

from ..node import Call, constant

GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
ACTIVATIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def _check(node, sequence_lens, peephole, directions):
    if sequence_lens is not None and sequence_lens.constant is None:
        node.refuse("sequence_lens that depend on the inputs are not translated")
    if peephole is not None and (peephole.constant is None or peephole.constant.any()):
        node.refuse("peepholes are not translated: torch has none")
    if node.get("clip"):
        node.refuse("clip is not translated")
    if node.get("activations") not in (None, ACTIVATIONS[node.kind] * directions):
        node.refuse(f"activations {node.get('activations')} are not translated")
    node.only("input_forget", 0)
    node.only("layout", 0)
    if node.kind == "GRU" and not node.get("linear_before_reset", 0):
        node.refuse("linear_before_reset = 0 is not translated: torch's GRU is the other kind")


def _reordered(tensor, kind):
    """Rows of one direction in torch's order of gates."""
    gates = tensor.chunk(len(GATES[kind]))
    return torch.cat([gates[i] for i in GATES[kind]]).contiguous()


def _weights(node, w, r, b, directions):
    if any(value is not None and value.constant is None for value in (w, r, b)):
        node.refuse("weights that depend on the inputs are not translated")
    found = []
    for d in range(directions):
        found += [_reordered(w.constant[d], node.kind), _reordered(r.constant[d], node.kind)]
        if b is not None:
            found += [_reordered(half, node.kind) for half in b.constant[d].chunk(2)]
    return [constant(tensor) for tensor in found]


def recurrent(node, x, w, r, b=None, sequence_lens=None, initial_h=None, initial_c=None, peephole=None):
    directions = {"forward": 1, "reverse": 1, "bidirectional": 2}[node.get("direction", "forward")]
    _check(node, sequence_lens, peephole, directions)
    hidden, batch, length = r.shape[-1], x.shape[1], x.shape[0]
    if sequence_lens is not None and any(number != length for number in node.ints(sequence_lens, "sequence_lens")):
        node.refuse("sequences of several lengths are not translated")
    zeros = constant(torch.zeros(directions, batch, hidden))
    states = [initial_h or zeros] + ([initial_c or zeros] if node.kind == "LSTM" else [])
    weights = _weights(node, w, r, b, directions)
    kernel = {"LSTM": torch.lstm, "GRU": torch.gru, "RNN": torch.rnn_tanh}[node.kind]
    has_bias, is_reverse, count = b is not None, node.get("direction") == "reverse", len(states)

    def run(x, *more):
        given = more[:count] if count > 1 else more[0]
        y, *last = kernel(x.flip(0) if is_reverse else x, given, more[count:], has_bias, 1, 0.0, False, directions == 2, False)
        y = y.unsqueeze(1) if directions == 1 else y.reshape(length, batch, 2, hidden).transpose(1, 2)
        return (y.flip(0) if is_reverse else y, *last)
    return Call(run, [x, *states, *weights])


OPERATORS = {"LSTM": recurrent, "GRU": recurrent, "RNN": recurrent}
