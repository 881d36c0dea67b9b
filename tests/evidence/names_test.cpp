#include "calibration/evidence/names.hpp"

#include <doctest/doctest.h>

namespace corecast::evidence {
namespace {

template <typename T>
T value(const Or<T>& answer) {
  if (const auto* reason = std::get_if<Reason>(&answer)) FAIL(reason->text);
  return std::get<T>(answer);
}

template <typename T>
std::string reason(const Or<T>& answer) {
  REQUIRE(std::holds_alternative<Reason>(answer));
  return std::get<Reason>(answer).text;
}

sim::Runtime runtime(const char* name, const char* framework) {
  sim::Runtime out;
  out.name = name;
  out.framework = framework;
  return out;
}

const std::vector<sim::Runtime> kRuntimes{
    runtime("onnxruntime", "onnxruntime"), runtime("onnxruntime-1.13", "onnxruntime"),
    runtime("pytorch", "pytorch"),         runtime("torchscript", "pytorch"),
    runtime("tensorflow", "tensorflow"),   runtime("tensorflow-onednn", "tensorflow")};

std::string chosen(const char* framework, const char* mode, const RuntimeChoices& choices = {}) {
  MeasuredRow row;
  row.framework = framework;
  row.mode = mode;
  return value(runtime_named(row, kRuntimes, choices));
}

TEST_CASE("a framework's version follows a dash, a blank or equal signs") {
  CHECK(framework_of("onnxruntime-1.13.1").name == "onnxruntime");
  CHECK(framework_of("onnxruntime-1.13.1").version == "1.13.1");
  CHECK(framework_of("PyTorch 2.1").name == "pytorch");
  CHECK(framework_of("torch==2.1").name == "torch");
  CHECK(framework_of("tensorflow-onednn").name == "tensorflow-onednn");
  CHECK(framework_of("llama").version.empty());
  CHECK(framework_of("").name.empty());
}

TEST_CASE("built-in models are known by other spellings, and what could be two is no answer") {
  CHECK(value(builtin_named_like("resnet50")) == "resnet50");
  CHECK(value(builtin_named_like("ResNet-50")) == "resnet50");
  CHECK(value(builtin_named_like("bert")) == "bert_base");
  CHECK(value(builtin_named_like("BERT-base")) == "bert_base");
  CHECK(reason(builtin_named_like("mobilenet")).find("mobilenet_v1 or mobilenet_v2") != std::string::npos);
  CHECK(reason(builtin_named_like("resnet")).find("is not built in") != std::string::npos);
  CHECK(reason(builtin_named_like("")).find("is not built in") != std::string::npos);
}

TEST_CASE("a runtime follows from framework, version and mode") {
  CHECK(chosen("pytorch-1.12", "eager") == "pytorch");
  CHECK(chosen("pytorch-1.12", "torchscript") == "torchscript");
  CHECK(chosen("tensorflow-2.4.1", "eager(default)") == "tensorflow");
  CHECK(chosen("onnxruntime", "parallel") == "onnxruntime");
  CHECK(chosen("onnxruntime-1.13.1", "parallel") == "onnxruntime-1.13");  // 1.13.1 is of 1.13
  CHECK(chosen("onnxruntime-1.9", "") == "onnxruntime-1.13");             // and before it
  CHECK(chosen("onnxruntime-1.14.0", "") == "onnxruntime");
}

TEST_CASE("the row's own runtime comes first, then what the user says of mode, framework and all") {
  CHECK(chosen("pytorch-1.12", "ipex", {{"ipex", "torchscript"}}) == "torchscript");
  CHECK(chosen("tensorflow-2.4.1", "", {{"tensorflow", "tensorflow-onednn"}}) == "tensorflow-onednn");
  CHECK(chosen("tensorflow-2.4.1", "", {{"", "pytorch"}, {"tensorflow-2.4.1", "tensorflow-onednn"}}) ==
        "tensorflow-onednn");
  MeasuredRow row;
  row.framework = "onnxruntime-1.30";
  row.runtime = "onnxruntime-1.13";
  CHECK(value(runtime_named(row, kRuntimes, {{"", "pytorch"}})) == "onnxruntime-1.13");
}

TEST_CASE("modes and frameworks without a runtime have a reason") {
  MeasuredRow row;
  row.framework = "pytorch-1.12";
  row.mode = "ipex";
  CHECK(reason(runtime_named(row, kRuntimes, {})).starts_with("mode \"ipex\" of pytorch-1.12"));
  row.framework = "torchserve";
  row.mode.clear();
  CHECK(reason(runtime_named(row, kRuntimes, {})).starts_with("framework \"torchserve\""));
  row.mode = "torchscript";  // a runtime's name, but of another framework
  CHECK(reason(runtime_named(row, kRuntimes, {})).starts_with("framework \"torchserve\""));
}

TEST_CASE("words of a setting: what is not stated is the plain case") {
  MeasuredRow row;
  row.batch = 4;
  row.intra_op = 8;
  const sim::Setting plain = value(setting_of(row, kRuntimes[2]));
  sim::Setting wanted;
  wanted.runtime = "pytorch";
  wanted.batch = 4;
  wanted.intra_op = 8;
  CHECK(plain == wanted);
  row.smt = true;
  row.placement = "interleave/numactl";
  row.memory = "interleave";
  row.allocator = "tcmalloc";
  row.spin = false;
  row.pinning = "stacked";
  row.instances = 3;
  const sim::Setting other = value(setting_of(row, kRuntimes[2]));
  CHECK(other.smt);
  CHECK(other.placement == sim::Placement::scatter);
  CHECK(other.memory == sim::MemoryPolicy::interleave);
  CHECK(other.allocator == sim::Allocator::caching);
  CHECK_FALSE(other.spin);
  CHECK(other.pinning == sim::Pinning::stacked);
  CHECK(other.instances == 3);
}

TEST_CASE("onnxruntime is parallel where the mode says so, others where there are inter-op threads") {
  MeasuredRow row;
  row.batch = 1;
  row.intra_op = 1;
  row.inter_op = 4;
  CHECK(value(setting_of(row, kRuntimes[0])).mode == sim::Mode::sequential);
  CHECK(value(setting_of(row, kRuntimes[4])).mode == sim::Mode::parallel);
  row.mode = "parallel";
  CHECK(value(setting_of(row, kRuntimes[0])).mode == sim::Mode::parallel);
}

TEST_CASE("a word that no setting has is a reason") {
  MeasuredRow row;
  row.batch = 1;
  row.intra_op = 1;
  row.memory = "remote";
  CHECK(reason(setting_of(row, kRuntimes[2])) == "memory \"remote\": a setting has no such word");
  row.intra_op.reset();
  CHECK(reason(setting_of(row, kRuntimes[2])) == "intra_op is not stated");
}

}  // namespace
}  // namespace corecast::evidence
