// Transforms, windows and random numbers. A Fourier transform of length N is counted as 5 N log2 N flop (the
// customary figure for a complex radix-2 transform; FFTW's benchmarks use it).
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

double fourier(std::int64_t length) {
  const auto n = static_cast<double>(length);
  return length < 2 ? 0.0 : 5.0 * n * std::log2(n);
}

Operator transformed(const NodeView& node, std::int64_t lines, std::int64_t length, double flop_per_sample) {
  Work work = traffic(node);
  work.flops =
      Flops(static_cast<double>(lines) * (fourier(length) + flop_per_sample * static_cast<double>(length)));
  work.units = lines;
  work.working_set = bytes_of(work.compute_type, product(node, {length, 4}));  // complex, in and out
  return operator_with(KernelClass::reduce, work);
}

std::optional<std::int64_t> constant(const NodeView& node, std::size_t i) {
  const TensorView* tensor = node.input(i);
  if (tensor == nullptr || !tensor->integers || tensor->integers->size() != 1) return std::nullopt;
  return tensor->integers->front();
}

// [batch, ..., 1 or 2], along one axis; the length may be cut or padded by the second input.
Operator dft(const NodeView& node) {
  Shape x = input_shape(node, 0, 2, 64);
  // An attribute until operator set 19 (default 1), an input since (default -2, the last signal axis).
  const std::int64_t since_20 = constant(node, 2).value_or(-2);
  const std::int64_t axis = node.opset >= 20 || node.input(2) != nullptr ? since_20 : node.whole("axis", 1);
  const std::size_t at = axis_index(node, axis, x.size());
  if (at + 1 == x.size()) fail(node, fmt::format("axis {} is the one of real and imaginary part", axis));
  const std::int64_t length = constant(node, 1).value_or(x[at]);
  if (length < 0) fail(node, fmt::format("the length is {}, wanted at least 0", length));
  x[at] = 1;
  x.back() = 1;
  return transformed(node, product(node, x), length, 0);
}

// Frames [batch, frames, bins, 2] of a signal, each windowed and transformed.
Operator stft(const NodeView& node) {
  const Shape& y = output_shape(node, 0);
  if (y.size() != 4) fail(node, fmt::format("output has {} dimensions, wanted 4", y.size()));
  const std::int64_t frames = product(node, {y[0], y[1]});
  const bool onesided = node.whole("onesided", 1) != 0;
  const std::int64_t from_bins = onesided ? product(node, {2, std::max<std::int64_t>(0, y[2] - 1)}) : y[2];
  const std::int64_t length = constant(node, 3).value_or(from_bins);
  if (length < 0) fail(node, fmt::format("frame_length is {}, wanted at least 0", length));
  return transformed(node, frames, length, 1);
}

// Real transforms of the last axes.
Operator real_transform(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 1, 64);
  const std::int64_t axes = node.whole("signal_ndim", 1);
  if (axes < 1 || axes > static_cast<std::int64_t>(x.size()))
    fail(node, fmt::format("signal_ndim is {}", axes));
  const std::size_t lead = x.size() - static_cast<std::size_t>(axes);
  return transformed(node, product(node, std::span(x).first(lead)), product(node, std::span(x).subspan(lead)),
                     0);
}

template <int kFlop>
Operator generated(const NodeView& node) {
  return fill_unless_constant(node, kFlop);
}

// One stream of numbers, drawn in order by one thread.
Operator random(const NodeView& node) {
  Operator op = fill(node, kRandom);
  op.work.serial_fraction = 1.0;
  return op;
}

Operator bernoulli(const NodeView& node) {
  Operator op = streamed(node, KernelClass::elementwise, kRandom + kSimple);
  op.work.serial_fraction = 1.0;
  return op;
}

// Probabilities [rows, classes] from logarithms, then a search in their running sum per sample.
Operator multinomial(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 2, 2);
  Work work = traffic(node);
  const double search = std::log2(std::max(2.0, static_cast<double>(x[1])));
  work.flops =
      Flops(input(node, 0).elements() * (kExp + 1) + output(node, 0).elements() * (kRandom + search));
  work.serial_fraction = 1.0;
  return operator_with(KernelClass::elementwise, work);
}

constexpr std::array kRules{
    Entry{kOnnx, "Bernoulli", bernoulli},
    Entry{kOnnx, "BlackmanWindow", generated<2 * kSine + 4>},
    Entry{kOnnx, "DFT", dft},
    Entry{kOnnx, "HammingWindow", generated<kSine + 2>},
    Entry{kOnnx, "HannWindow", generated<kSine + 2>},
    Entry{kOnnx, "MelWeightMatrix", generated<2 * kSimple>},
    Entry{kOnnx, "Multinomial", multinomial},
    Entry{kOnnx, "RandomNormal", random},
    Entry{kOnnx, "RandomNormalLike", random},
    Entry{kOnnx, "RandomUniform", random},
    Entry{kOnnx, "RandomUniformLike", random},
    Entry{kOnnx, "STFT", stft},
    Entry{kMicrosoft, "Irfft", real_transform},
    Entry{kMicrosoft, "Rfft", real_transform},
};

}  // namespace

std::span<const Entry> signal_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
