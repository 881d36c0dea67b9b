// Recurrent layers, attention, and signal transforms.
#include <fmt/format.h>

#include <algorithm>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

constexpr std::size_t kHidden = 2;  // index of the recurrence weights: (directions, gates x hidden, hidden)

// Y (time, directions, batch, hidden), then the last states (directions, batch, hidden). Source: ONNX LSTM,
// GRU, RNN.
Types recurrent(const Inference& in) {
  const Shape* x = in.shape(0);
  const Shape* recurrence = in.shape(kHidden);
  const DataType type = in.type(0);
  if (x == nullptr) return {{type, std::nullopt}, {type, std::nullopt}, {type, std::nullopt}};
  in.need_rank(0, 3, 3);
  if (recurrence != nullptr) in.need_rank(kHidden, 3, 3);
  std::int64_t hidden = in.node.whole("hidden_size", 0);
  if (hidden <= 0 && recurrence != nullptr) hidden = (*recurrence)[2];
  if (hidden <= 0) return {{type, std::nullopt}, {type, std::nullopt}, {type, std::nullopt}};
  const std::int64_t directions = in.node.text("direction", "forward") == "bidirectional" ? 2 : 1;
  if (in.node.whole("layout", 0) == 0) {
    const Shape state{directions, (*x)[1], hidden};
    return {{type, Shape{(*x)[0], directions, (*x)[1], hidden}}, {type, state}, {type, state}};
  }
  const Shape state{(*x)[0], directions, hidden};
  return {{type, Shape{(*x)[0], (*x)[1], directions, hidden}}, {type, state}, {type, state}};
}

// Attention of opset 23: Q, K, V as (batch, length, heads x size) or (batch, heads, length, size).
Types attention(const Inference& in) {
  const Shape* q = in.shape(0);
  const Shape* k = in.shape(1);
  const Shape* v = in.shape(2);
  const DataType type = in.type(0);
  Types types(4, {type, std::nullopt});
  if (q == nullptr || k == nullptr || v == nullptr) return types;
  for (std::size_t i = 0; i < 3; ++i) in.need_rank(i, 3, 4);
  if (k->size() != q->size() || v->size() != q->size()) in.fail("query, key and value differ in rank");
  const std::int64_t heads = q->size() == 4 ? (*q)[1] : in.node.whole("q_num_heads", 0);
  const std::int64_t kv_heads = q->size() == 4 ? (*k)[1] : in.node.whole("kv_num_heads", 0);
  if (heads < 1 || kv_heads < 1 || heads > kMostElements) in.fail("has no number of heads");
  const std::int64_t length = (*q)[q->size() - 2];
  const std::int64_t key_size = q->size() == 4 ? k->back() : k->back() / kv_heads;
  const std::int64_t value_size = q->size() == 4 ? v->back() : v->back() / kv_heads;
  std::int64_t keys = (*k)[k->size() - 2];
  if (const Shape* past = in.shape(4)) {
    in.need_rank(4, 4, 4);
    keys += (*past)[2];
  }
  if (value_size > kMostElements / heads) in.fail("its result is too large for any machine");
  types[0].shape =
      q->size() == 4 ? Shape{(*q)[0], heads, length, value_size} : Shape{(*q)[0], length, heads * value_size};
  types[1].shape = Shape{(*q)[0], kv_heads, keys, key_size};
  types[2].shape = Shape{(*q)[0], kv_heads, keys, value_size};
  types[3].shape = Shape{(*q)[0], heads, length, keys};
  return types;
}

// Real input: the one-sided spectrum has floor(n / 2) + 1 bins.
Types fourier(const Inference& in) {
  const Shape* signal = in.shape(0);
  if (signal == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 2, 16);
  const auto given =
      in.has(2) ? in.integer(2) : std::optional(in.node.whole("axis", in.node.opset >= 20 ? -2 : 1));
  const auto length = in.has(1) ? in.integer(1) : std::optional<std::int64_t>();
  if (!given || (in.has(1) && !length)) return {{in.type(0), std::nullopt}};
  Shape out = *signal;
  std::int64_t& size = out[in.axis(*given, out.size())];
  if (length) size = *length;
  if (in.node.whole("onesided", 0) != 0) size = size / 2 + 1;
  out.back() = 2;
  return {{in.type(0), out}};
}

// STFT(signal, frame_step, window, frame_length): (batch, frames, bins, 2).
Types short_time_fourier(const Inference& in) {
  const Shape* signal = in.shape(0);
  const auto step = in.integer(1);
  std::optional<std::int64_t> length = in.integer(3);
  if (!length && in.shape(2) != nullptr && in.shape(2)->size() == 1) length = in.shape(2)->front();
  if (signal == nullptr || !step || !length) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 2, 3);
  if (*step < 1 || *length < 1 || *length > (*signal)[1]) {
    in.fail(fmt::format("frames of {} every {} samples in a signal of {}", *length, *step, (*signal)[1]));
  }
  const bool one_sided = in.node.whole("onesided", 1) != 0;
  return {{in.type(0), Shape{(*signal)[0], ((*signal)[1] - *length) / *step + 1,
                             one_sided ? *length / 2 + 1 : *length, 2}}};
}

Types window(const Inference& in) {
  const DataType given = data_type_of_code(in.node.whole("output_datatype", 1));
  const auto size = in.integer(0);
  return {{given, size ? std::optional<Shape>(Shape{*size}) : std::nullopt}};
}

// MelWeightMatrix(num_mel_bins, dft_length, ...)
Types mel_weights(const Inference& in) {
  const DataType type = data_type_of_code(in.node.whole("output_datatype", 1));
  const auto bins = in.integer(0);
  const auto length = in.integer(1);
  if (!bins || !length) return {{type, std::nullopt}};
  return {{type, Shape{*length / 2 + 1, *bins}}};
}

}  // namespace

const ShapeRules& sequence_shape_rules() {
  static const ShapeRules rules{
      {"Attention", attention},
      {"BlackmanWindow", window},
      {"DFT", fourier},
      {"DynamicQuantizeLSTM", recurrent},
      {"GRU", recurrent},
      {"HammingWindow", window},
      {"HannWindow", window},
      {"LSTM", recurrent},
      {"MelWeightMatrix", mel_weights},
      {"RNN", recurrent},
      {"STFT", short_time_fourier},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
