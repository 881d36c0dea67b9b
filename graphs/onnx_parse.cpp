#include "graphs/onnx_parse.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <array>

#include "base/error.hpp"

namespace corecast::graphs::importing {
namespace {

// Files that people take for ONNX models, by how they begin.
struct Lookalike {
  std::size_t at;
  std::string_view bytes;
  std::string_view what;
  std::string_view hint;
};

constexpr std::array<Lookalike, 9> kLookalikes{{
    {0, "version https://git-lfs", "is a Git LFS pointer, not the model itself",
     "fetch it with git lfs pull"},
    {0, "PK\x03\x04", "is a zip archive",
     "a PyTorch or Keras file? export the model to ONNX; or unpack it first"},
    {0, "\x89HDF", "is an HDF5 file", "a Keras model? convert it to ONNX with tf2onnx"},
    {0, "\x1f\x8b", "is a gzip archive", "unpack it first"},
    {0, "GGUF", "is a GGUF file", "only ONNX models and corecast's own JSON graphs can be read"},
    {4, "TFL3", "is a TensorFlow Lite model", "convert it to ONNX with tf2onnx"},
    {4, "ORTM", "is a model in onnxruntime's own format", "give the .onnx file that it was made from"},
    {0, "<", "is text (XML or HTML), not an ONNX model", "a web page saved in place of the model?"},
    {0, "\x80\x02", "is a Python pickle", "a PyTorch file? export the model to ONNX"},
}};

void refuse_lookalikes(std::string_view bytes) {
  for (const Lookalike& other : kLookalikes) {
    if (bytes.size() >= other.at && bytes.substr(other.at).starts_with(other.bytes)) {
      throw InputError("", std::string(other.what), std::string(other.hint));
    }
  }
}

}  // namespace

::onnx::ModelProto parse_model(std::string_view bytes) {
  if (bytes.empty()) throw InputError("", "is empty, wanted an ONNX model");
  ::onnx::ModelProto model;
  const auto size = static_cast<int>(bytes.size());
  google::protobuf::io::ArrayInputStream stream(bytes.data(), size);
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(static_cast<int>(kMostFileBytes));
  const bool parsed = model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  if (!parsed) {
    refuse_lookalikes(bytes);
    const int at = coded.CurrentPosition();
    // A graph that was begun means that this is a model; what is missing is its end.
    const bool begun = model.has_ir_version() && model.ir_version() > 0 && model.ir_version() < 1000;
    if (begun) {
      throw InputError(
          "", fmt::format("is damaged or truncated: cannot be parsed beyond byte {} of {}", at, size),
          "fetch or export it again");
    }
    throw InputError("", "is not an ONNX model: cannot be parsed as protobuf", "wanted an .onnx file");
  }
  if (!model.has_graph()) {
    refuse_lookalikes(bytes);
    throw InputError("", "holds no graph", "is it an ONNX model?");
  }
  return model;
}

}  // namespace corecast::graphs::importing
