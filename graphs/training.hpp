// One training step of a model as a graph: forward, loss, backward by the chain rule, optimizer.
//
// For y = f(x, w) and a loss L write dy = dL/dy. Each operator hands dx = (df/dx)^T dy to its inputs and
// dw = (df/dw)^T dy to its weights. F is the flop of the forward operator, |t| the elements of a tensor.
//
//   operator                gradient                                     flop            passes over memory
//   MatMul, Gemm  y = x w   dx = dy w^T,  dw = x^T dy                    F each          dy w | dx;  dy x | dw
//   Conv, ConvTranspose     dx = dy with the flipped filters,
//                           dw = x with dy, over images and pixels       F each          dy w | dx;  dy x | dw
//   bias                    db = dy summed to the bias's shape           |dy|            dy | db
//   LSTM, GRU, RNN          dx, dh and dw, dr at every step              twice the products,
//                           (without dx for an input that wants none)    the rest once   dy x y w gates | dx dw
//   BatchNormalization      sums of dy and dy x^, then
//                           dx = s / sigma (dy - mean dy - x^ mean dy x^)  11 |x|        dy x twice | dx
//   LayerNormalization      the same along a row that stays in cache     13 |x|          dy x | dx
//   LRN                     the sum over the window again                2 F             dy x y | dx
//   Softmax                 dx = y (dy - sum y dy)                       4 |y|           dy y | dx
//   MaxPool                 dy to the largest of the window, found anew  F + |y|         dy x y | dx
//   AveragePool, Global...  dy spread over the window                    F               dy | dx
//   elementwise             dx = f'(x) dy                                table in training_elementwise.cpp
//   Dropout                 dy where the mask of the forward pass says   2 |y|           dy mask | dx
//   Add, Sum; Reshape, Flatten, Squeeze, Identity: dx is dy, no operator (a broadcast input: summed, |dy|)
//   Concat: slices of dy; Slice: dy between zeros; Transpose: back; Gather: added to the rows looked up
//   tensor of n readers     n - 1 additions of two gradients             |x| each        2 x | x
//   anything else           2 F, all inputs and dy | gradients of the inputs; Note "approximate-gradient"
//   loss                    softmax cross-entropy of each output, its value and gradient, 16 per element
//   weights of an operator  momentum: v = mu v + dw,  w = w - eta v      4 |w|           w v dw | w v
//
// (before the bar what is read, behind it what is written; x^ the normalised x, s the learned scale)
//
// The matrix of a convolution's gradient, per group (Cin, Cout: channels of one group):
//   to data     batch = images groups, m = input pixels, n = Cin, k = Cout window
//   to weights  batch = groups, m = Cout, n = Cin window, k = images output pixels
// With a stride s only 1 / s^2 of the data gradient's window meets an input pixel: its flop are the forward's,
// less than 2 batch m n k.
//
// Gradients to data and to weights of one operator wait for dy and for what the forward pass left, not for
// each other: that is the width a training graph has beyond its forward graph. A gradient to data is left out
// where no learned weight stands upstream (the first layer).
//
// Forward operators that do more in training: BatchNormalization takes its own mean and variance (a second pass
// over x, 4 flop per element), Dropout draws a mask (read, write, one byte of mask each), LSTM, GRU and RNN keep
// their gates.
//
// Names: forward operators keep theirs; "grad/F/data", "grad/F/weights", "grad/F/bias", "grad/F/sum",
// "loss/F", "update/F" for the operator F; a number follows where there are several. Types: "ConvGradData",
// "ConvGradWeights", "ReluGrad", "BiasGrad", "GradSum", "SoftmaxCrossEntropyGrad", "MomentumUpdate",
// "SparseMomentumUpdate" and so on, of the kernel class of the forward operator. metrics.hpp says how they count.
//
// Updates: one for all learned weights of an operator; it waits for their gradients only. Rows of a table that is
// looked up are updated alone (all lookups counted as different rows, at most the table). Which weights are learned
// is told by the operator's `parameters`: the first constants whose elements add up to it. A weight that is written
// as not learned (frozen, or the second use of a shared one) has no gradient; where a matrix product is concerned
// a Note "frozen-weight" says so.
//
// Holds for one process with the whole batch, dense gradients, fp32 or bf16 throughout. Leaves out: recomputation of
// activations, loss scaling and fp32 copies in mixed precision, all-reduce between processes, weight decay and gradient
// clipping. An update does not wait for the data gradient that reads the old weights: where a framework updates in
// place and holds it back (TensorFlow 1 gates it), a schedule may start it too early.
//
// Sources: chain rule, Rumelhart, Hinton, Williams, Nature 323, 1986; convolution gradients as matrix products,
// Chellapilla, Puri, Simard, IWFHR 2006, and Chetlur et al. (cuDNN), arXiv 1410.0759; batch normalisation, Ioffe
// and Szegedy, arXiv 1502.03167; layer normalisation, Ba, Kiros, Hinton, arXiv 1607.06450.
#pragma once

#include "graphs/graph.hpp"
#include "graphs/written_model.hpp"

namespace corecast::graphs {

// The model must come from a Builder: nodes[i] belongs to operator i, every shape is known, producers first.
// Operators of the forward pass keep their indices; batch, notes and parameters are the model's. Its name is the
// model's with "_training". A model without learned weights that reach an output stays a forward pass.
[[nodiscard]] Graph training_step(const WrittenModel& model);

}  // namespace corecast::graphs
