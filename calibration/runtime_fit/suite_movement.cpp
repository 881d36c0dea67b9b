#include <fmt/format.h>

#include "calibration/runtime_fit/suite_parts.hpp"

namespace corecast::runtime_fit {
namespace {

std::int64_t product(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) elements *= size;
  return elements;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += fmt::format("{}{}", text.empty() ? "" : "x", size);
  return text;
}

// A Reshape between two transpositions keeps a runtime from cancelling them.
void transpose(SuiteWriter& suite, const Shape& shape, const Shape& order) {
  const auto elements = static_cast<double>(product(shape));
  suite.chain(fmt::format("Transpose_{}_to{}", text_of(shape), text_of(order)), "Transpose", shape,
              SuiteWriter::links(0.0, 16.0 * elements),
              [&](Builder& b, Tensor x, int /*i*/) { return b.reshape(b.transpose(x, order), shape); });
}

// Images, one behind the other: the first of two then leads to other bytes.
void concat(SuiteWriter& suite, const Shape& image, int parts) {
  const std::string name = fmt::format("Concat_{}of{}", parts, text_of(image));
  Builder b(1);
  std::vector<Tensor> inputs, ends;
  for (int i = 0; i < parts; ++i) inputs.push_back(b.relu(b.input(image)));
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<Tensor> turned;
    for (int i = 0; i < parts; ++i)
      turned.push_back(inputs[static_cast<std::size_t>(i + turn) % inputs.size()]);
    // Once all parts have been first, the first one comes twice.
    if (turn >= parts) turned.push_back(turned.front());
    const Tensor one = first_element(b, b.concat(turned));
    ends.push_back(b.reshape(one, {1}));
  }
  (void)b.concat(ends);
  suite.add(name, "Concat", b.finish(name));
}

// Half of the channels, from another one each time.
void slice(SuiteWriter& suite, const Shape& image) {
  const std::string name = fmt::format("Slice_{}", text_of(image));
  Builder b(1);
  const Tensor x = b.relu(b.input(image));
  std::vector<Tensor> ends;
  Shape out = image;
  out[0] /= 2;
  for (std::int64_t i = 0; i < 6; ++i) {
    using Integers = Builder::Integers;
    const Tensor part = b.node("Slice", {x, Integers{{i}}, Integers{{i + out[0]}}, Integers{{1}}}, out);
    // A pass over it, which a second Slice could not be merged with.
    const Tensor one = first_element(b, b.activation("Neg", part));
    ends.push_back(b.reshape(one, {1}));
  }
  (void)b.concat(ends);
  suite.add(name, "Slice", b.finish(name));
}

// Rows of a table that a constant scatters: the input's indices are 0 and 1.
void gather(SuiteWriter& suite, std::int64_t rows, std::int64_t width, std::int64_t looked_up) {
  const std::string name = fmt::format("Gather_{}x{}_{}", rows, width, looked_up);
  Builder b(1);
  const Tensor index = b.input({looked_up}, DataType::int64);
  std::vector<Tensor> ends;
  for (std::int64_t i = 0; i < 4; ++i) {
    Builder::Integers scattered;
    const std::int64_t step = rows / looked_up * 7 / 8;
    for (std::int64_t j = 0; j < looked_up; ++j) scattered.values.push_back((j * step + i * 13) % (rows - 1));
    const Tensor at = b.node("Add", {index, scattered}, {looked_up});
    const Tensor one = first_element(b, b.embedding(at, rows, width));
    ends.push_back(b.reshape(one, {1}));
  }
  (void)b.concat(ends);
  suite.add(name, "Gather", b.finish(name));
}

// Channels of an image dealt out anew between convolutions: what runtimes with a layout of their own reorder for.
void shuffle(SuiteWriter& suite, std::int64_t groups, std::int64_t each, std::int64_t size) {
  const std::int64_t channels = groups * each;
  suite.chain(fmt::format("Transpose_shuffle_{}x{}_{}", groups, each, size), "Transpose",
              {channels, size, size}, 5, [&](Builder& b, Tensor x, int /*i*/) {
                x = b.relu(b.conv(x, channels, 1, {1, 0, 1, true}));
                x = b.transpose(b.reshape(x, {groups, each, size, size}), {1, 0, 2, 3});
                return b.reshape(x, {channels, size, size});
              });
}

}  // namespace

void add_movement(SuiteWriter& suite) {
  for (const Shape& shape : {Shape{152, 10, 48}, Shape{320, 12, 56}, Shape{40, 6, 40}})
    transpose(suite, shape, {1, 0, 2});
  for (const Shape& shape : {Shape{376, 632}, Shape{1000, 1500}, Shape{64, 80}})
    transpose(suite, shape, {1, 0});
  transpose(suite, {10, 160, 48}, {0, 2, 1});
  transpose(suite, {96, 48, 48}, {1, 2, 0});
  transpose(suite, {48, 48, 96}, {2, 0, 1});
  transpose(suite, {4, 48, 22, 22}, {1, 0, 2, 3});
  shuffle(suite, 4, 40, 20);
  shuffle(suite, 2, 48, 36);
  shuffle(suite, 3, 64, 10);
  for (const Shape& image : {Shape{64, 22, 22}, Shape{96, 12, 12}, Shape{96, 48, 48}, Shape{24, 8, 8}})
    concat(suite, image, 3);
  concat(suite, {200, 240}, 4);
  for (const Shape& image : {Shape{128, 22, 22}, Shape{192, 48, 48}, Shape{64, 60}, Shape{40, 8, 8}})
    slice(suite, image);
  gather(suite, 30000, 320, 184);
  gather(suite, 200000, 64, 2000);
  gather(suite, 4000, 96, 520);
  gather(suite, 500000, 24, 40);
  gather(suite, 8000, 640, 24);
}

}  // namespace corecast::runtime_fit
