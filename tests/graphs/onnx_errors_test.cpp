// What is wrong with a file is said with the file's name, the place in it, and what to do.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;
using corecast::test::bytes_of;
using corecast::test::import_error;
using corecast::test::onnx_model;

namespace {

std::string bytes_error(std::string_view bytes) {
  try {
    (void)import_onnx_bytes(bytes, "m.onnx");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string file_error(const std::filesystem::path& path) {
  try {
    (void)import_onnx(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const char* const kValid = "agraph (float[2,4] x) => (float[2,4] y) { a = Exp(x) y = Relu(a) }";

}  // namespace

TEST_CASE("bytes that are no model are refused by what they are") {
  CHECK(bytes_error("") == "m.onnx: is empty, wanted an ONNX model");
  CHECK(bytes_error("hello, world") ==
        "m.onnx: is not an ONNX model: cannot be parsed as protobuf (wanted an .onnx file)");
  CHECK(bytes_error("version https://git-lfs.github.com/spec/v1\noid sha256:0") ==
        "m.onnx: is a Git LFS pointer, not the model itself (fetch it with git lfs pull)");
  CHECK(bytes_error(std::string("PK\x03\x04 and more", 13)).starts_with("m.onnx: is a zip archive"));
  CHECK(bytes_error("GGUF\x03").starts_with("m.onnx: is a GGUF file"));
  CHECK(bytes_error("<html></html>").starts_with("m.onnx: is text (XML or HTML)"));
}

TEST_CASE("a truncated model is called so") {
  const std::string bytes = bytes_of(onnx_model(kValid));
  const std::string message = bytes_error(std::string_view(bytes).substr(0, bytes.size() - 3));
  CHECK(message.starts_with("m.onnx: is damaged or truncated: cannot be parsed beyond byte "));
}

TEST_CASE("a model without graph, nodes or outputs holds nothing to run") {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  CHECK(import_error(model) == "model.onnx: holds no graph (is it an ONNX model?)");
  model.mutable_graph();
  CHECK(import_error(model) == "model.onnx: has no nodes: there is nothing to run");
  model = onnx_model(kValid);
  model.mutable_graph()->clear_output();
  CHECK(import_error(model) == "model.onnx: has no outputs: there is nothing to compute");
}

TEST_CASE("a model must say which operator sets it is written in") {
  auto model = onnx_model(kValid);
  model.clear_opset_import();
  CHECK(import_error(model).starts_with("model.onnx: has no opset_import"));
  model = onnx_model(kValid);
  model.mutable_graph()->mutable_node(0)->set_domain("some.where");
  CHECK(
      import_error(model) ==
      R"(model.onnx: node "Exp_0" ("some.where:Exp"): its domain "some.where" is not among the model's opset imports)");
}

TEST_CASE("a cycle names a node on it") {
  CHECK(import_error(
            "agraph (float[4] x) => (float[4] y) { z = Exp(x) a = Add(z, b) b = Relu(a) y = Neg(b) }") ==
        R"(model.onnx: node "Add_1" ("Add"): depends on its own result: the graph has a cycle)");
}

TEST_CASE("an input that nobody produces is named, with the nearest name") {
  CHECK(import_error("agraph (float[4] image) => (float[4] y) { y = Relu(imgae) }") ==
        "model.onnx: node \"Relu_0\" (\"Relu\"): reads \"imgae\", which no node produces and which is "
        "neither input nor "
        "constant (did you mean \"image\"?)");
  CHECK(import_error("agraph (float[4] x) => (float[4] y) { z = Relu(x) }")
            .starts_with("model.onnx: outputs: reads \"y\", which no node produces"));
}

TEST_CASE("two producers of one tensor are refused") {
  CHECK(import_error("agraph (float[4] x) => (float[4] y) { y = Relu(x) y = Exp(x) }") ==
        "model.onnx: node \"Exp_1\" (\"Exp\"): produces \"y\", as node \"Relu_0\" (\"Relu\") does already "
        "(every tensor "
        "must have one producer)");
  CHECK(import_error("agraph (float[4] x) => (float[4] x) { x = Relu(x) }")
            .starts_with("model.onnx: node \"Relu_0\" (\"Relu\"): produces \"x\", which is an input or a "
                         "constant already"));
  auto model = onnx_model(kValid);
  *model.mutable_graph()->add_input() = model.graph().input(0);
  CHECK(import_error(model).starts_with("model.onnx: input \"x\" is there twice"));
  model = onnx_model("agraph (float[4] x, float[4] w) => (float[4] y) { y = Add(x, w) }", {"w"});
  *model.mutable_graph()->add_initializer() = model.graph().initializer(0);
  CHECK(import_error(model).starts_with("model.onnx: constant \"w\" is there twice"));
}

TEST_CASE("huge, negative and zero sizes are refused without overflow") {
  auto model = onnx_model(kValid);
  auto* size = model.mutable_graph()
                   ->mutable_input(0)
                   ->mutable_type()
                   ->mutable_tensor_type()
                   ->mutable_shape()
                   ->mutable_dim(0);
  size->set_dim_value(std::numeric_limits<std::int64_t>::max());
  CHECK(import_error(model).starts_with(
      "model.onnx: input \"x\": dimension 0 has the size 9223372036854775807 in the file"));
  size->set_dim_value(std::int64_t{1} << 49);  // each fits, their product does not
  CHECK(import_error(model) ==
        "model.onnx: input \"x\": shape 562949953421312x4 is too large for any machine");
  size->set_dim_value(-5);
  CHECK(import_error(model).starts_with("model.onnx: input \"x\": dimension 0 has the size -5 in the file"));
  size->set_dim_value(0);
  CHECK(
      import_error(model) ==
      "model.onnx: input \"x\": dimension 0 has the size 0 in the file (give the sizes with --shape x=...)");
  // Each repetition is harmless, the last one is not.
  CHECK(import_error(
            R"(agraph (float[1048576] x) => (float[N] y) <int64[1] n = {1073741824}, int64[1] m = {1048576}> {
    a = Tile(x, n)
    y = Tile(a, m)
  })")
            .find("Tile_1") != std::string::npos);
  auto weight = onnx_model("agraph (float[4] x, float[4] w) => (float[4] y) { y = Add(x, w) }", {"w"});
  weight.mutable_graph()->mutable_initializer(0)->set_dims(0, -4);
  CHECK(import_error(weight) == "model.onnx: constant \"w\": has shape -4, which is negative or too large");
}

TEST_CASE("a constant whose data is shorter than its shape is refused, one without data is fine") {
  auto model = onnx_model("agraph (float[4] x, float[4] w) => (float[4] y) { y = Add(x, w) }", {"w"});
  CHECK(import_error(model).empty());
  model.mutable_graph()->mutable_initializer(0)->add_float_data(1.0F);
  CHECK(import_error(model) ==
        "model.onnx: constant \"w\": its data does not hold the 4 elements of its shape 4");
}

TEST_CASE("shapes that contradict the operator are refused with the node's name") {
  CHECK(import_error("agraph (float[2,3] x, float[4,5] w) => (float[2,5] y) { y = MatMul(x, w) }", {"w"}) ==
        "model.onnx: node \"MatMul_0\" (\"MatMul\"): inputs of shapes 2x3 and 4x5 do not fit: 3 columns meet "
        "4 rows");
  CHECK(import_error("agraph (float[2,3] x, float[8,3,3,3] w) => (float[2,5] y) { y = Conv(x, w) }", {"w"}) ==
        "model.onnx: node \"Conv_0\" (\"Conv\"): input 0 \"x\" has shape 2x3, wanted rank 3 to 8");
  CHECK(
      import_error("agraph (float[1,4,9,9] x, float[8,3,3,3] w) => (float[N] y) { y = Conv(x, w) }", {"w"}) ==
      "model.onnx: node \"Conv_0\" (\"Conv\"): input 1x4x9x9 has 4 channels, the weights 8x3x3x3 are for 3 "
      "in each of 1 "
      "groups");
  CHECK(import_error("agraph (float[1,3,2,2] x, float[8,3,3,3] w) => (float[N] y) { y = Conv(x, w) }", {"w"})
            .ends_with("its window reaches over 3 elements, more than the 2 of the padded input"));
  CHECK(import_error("agraph (float[2,3] x, float[2,4] z) => (float[2,5] y) { y = Add(x, z) }") ==
        "model.onnx: node \"Add_0\" (\"Add\"): inputs of shapes 2x3 and 2x4 do not fit together element by "
        "element");
  CHECK(import_error("agraph (float[2,3] x) => (float[N] y) <int64[2] s = {4, 2}> { y = Reshape(x, s) }") ==
        "model.onnx: node \"Reshape_0\" (\"Reshape\"): 6 elements of shape 2x3 do not fill the target shape "
        "4x2");
  CHECK(import_error("agraph (float[2,3] x) => (float[N] y) { y = Transpose <perm = [0, 0]> (x) }")
            .ends_with("perm names axis 0 twice"));
  CHECK(import_error("agraph (float[2,3] x, float[2,3,1] z) => (float[N] y) { y = Concat <axis = 5> (x, z) }")
            .ends_with("axis 5 of a tensor of rank 2"));
}

TEST_CASE("files that cannot be read are refused with their path") {
  CHECK(file_error("/no/such/model.onnx") == "/no/such/model.onnx: cannot open: No such file or directory");
  CHECK(file_error("/").ends_with("is a directory, wanted a file"));
  const auto path =
      std::filesystem::temp_directory_path() / ("corecast_unreadable_" + std::to_string(::getpid()));
  write_file(path, bytes_of(onnx_model(kValid)));
  CHECK(file_error(path).empty());
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (::geteuid() == 0) {
    MESSAGE("root may read everything: unreadable file not tested");
  } else {
    CHECK(file_error(path).ends_with("cannot open: Permission denied"));
  }
  std::filesystem::remove(path);
}

TEST_CASE("a file of more than 2 GiB is refused before it is read") {
  const auto path = std::filesystem::temp_directory_path() / ("corecast_huge_" + std::to_string(::getpid()));
  write_file(path, "x");
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 31U) + 5);  // sparse: takes no room
  CHECK(file_error(path).find(
            "is larger than 2 GiB, the most an ONNX file can hold (save it with its weights as external") !=
        std::string::npos);
  std::filesystem::remove(path);
}

TEST_CASE("a node whose first input is left out is a mistake, although all the others are constants") {
  for (const char* node : {"Conv", "MatMul", "Gemm", "Add"}) {
    INFO(node);
    ::onnx::ModelProto model = onnx_model(
        "agraph (float[1,4] x) => (float[M] y) <float[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}> { y "
        "= Relu(w) }");
    ::onnx::NodeProto& first = *model.mutable_graph()->mutable_node(0);
    first.set_op_type(node);
    first.clear_input();
    first.add_input("");
    first.add_input("w");
    CHECK(bytes_error(bytes_of(model)).find("input 0 is missing") != std::string::npos);
  }
}
