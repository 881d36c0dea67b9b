#include "sim/runtime.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "hwmodels/value_json.hpp"

namespace corecast::sim {
namespace {

using hwmodels::Origin;
using hwmodels::read_value;

constexpr std::array<std::string_view, 5> kCutNames{"whole", "nchwc", "gemm", "elements", "rows"};

std::vector<std::string> texts(const json::Value& value) {
  std::vector<std::string> out;
  for (const auto& item : value.array()) out.push_back(item.text());
  return out;
}

Cut read_cut(const json::Value& value) {
  const std::string name = value.text();
  const auto* found = std::find(kCutNames.begin(), kCutNames.end(), name);
  if (found == kCutNames.end())
    value.fail("unknown way to cut " + quote(name), did_you_mean(name, kCutNames));
  return static_cast<Cut>(found - kCutNames.begin());
}

Value<double> read_fraction(const json::Value& value) {
  const auto fraction = read_value<double>(value, Origin::prior);
  if (!(fraction.value > 0.0 && fraction.value <= 1.0)) {
    value.fail(fmt::format("must be above 0 and at most 1, found {}", fraction.value));
  }
  return fraction;
}

Value<Seconds> read_cost(const json::Value& value) {
  const auto cost = read_value<Seconds>(value, Origin::prior);
  if (!(cost.value >= Seconds(0.0))) value.fail("must not be negative");
  return cost;
}

KernelModel read_kernel(const json::Value& value) {
  json::Object object = value.object();
  KernelModel kernel;
  kernel.cut = read_cut(object.required("cut"));
  kernel.efficiency = read_fraction(object.required("efficiency"));
  kernel.memory_efficiency = read_fraction(object.required("memory_efficiency"));
  if (const auto half = object.optional("m_half")) kernel.m_half = half->number(0.0, 1e6);
  if (const auto half = object.optional("n_half")) kernel.n_half = half->number(0.0, 1e6);
  if (const auto half = object.optional("k_half")) kernel.k_half = half->number(0.0, 1e6);
  object.finish();
  return kernel;
}

std::map<KernelClass, KernelModel> read_kernels(const json::Value& value) {
  std::map<KernelClass, KernelModel> kernels;
  for (const auto& [name, entry] : value.object().entries()) {
    const auto kernel = kernel_class_named(name);
    if (!kernel) entry.fail("unknown kernel class " + quote(name), did_you_mean(name, kKernelClassNames));
    kernels.emplace(*kernel, read_kernel(entry));
  }
  for (std::size_t i = 0; i < kKernelClassNames.size(); ++i) {
    const auto kernel = static_cast<KernelClass>(i);
    if (!kernels.contains(kernel)) value.fail(fmt::format("kernel class \"{}\" is missing", name_of(kernel)));
  }
  return kernels;
}

Cutting read_cutting(const json::Value& value) {
  json::Object object = value.object();
  Cutting cutting;
  cutting.gemm_multiplications_per_part = object.required("gemm_multiplications_per_part").number(1.0, 1e12);
  cutting.gemm_max_parts = static_cast<int>(object.required("gemm_max_parts").whole(1, 1 << 20));
  cutting.gemm_columns = static_cast<int>(object.required("gemm_columns").whole(1, 1 << 20));
  cutting.nchwc_filter_blocks = static_cast<int>(object.required("nchwc_filter_blocks").whole(1, 1024));
  cutting.element_cycles_per_byte = object.required("element_cycles_per_byte").number(0.0, 1e6);
  cutting.element_cycles_to_cut = object.required("element_cycles_to_cut").number(0.0, 1e12);
  cutting.row_elements_per_part = object.required("row_elements_per_part").number(1.0, 1e12);
  object.finish();
  return cutting;
}

std::vector<graphs::FusionRule> read_fusion(const json::Value& value) {
  std::vector<graphs::FusionRule> rules;
  for (const auto& item : value.array()) {
    json::Object object = item.object();
    graphs::FusionRule rule;
    rule.into = texts(object.required("into"));
    rule.consumer = texts(object.required("consumer"));
    if (const auto folds = object.optional("folds")) rule.folds = folds->boolean();
    object.finish();
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<DataType> read_types(const json::Value& value) {
  std::vector<DataType> types;
  for (const auto& item : value.array()) {
    const std::string name = item.text();
    const auto type = data_type_named(name);
    if (!type) item.fail("unknown data type " + quote(name), did_you_mean(name, kDataTypeNames));
    types.push_back(*type);
  }
  return types;
}

}  // namespace

const KernelModel& Runtime::model_of(const graphs::Operator& op) const {
  // "Add+LayerNormalization", then "Add": a fused operator may have a kernel that is neither of its parts'.
  for (std::string type = operators.empty() ? std::string{} : op.type; !type.empty();) {
    const auto own = operators.find(type);
    if (own != operators.end()) return own->second;
    const std::size_t last = type.rfind('+');
    type.resize(last == std::string::npos ? 0 : last);
  }
  if (!library_kernels.empty()) {
    const auto measured = library_kernels.find({op.kernel, run_as(op.work.compute_type)});
    if (measured != library_kernels.end()) return measured->second;
  }
  return kernels.at(op.kernel);
}

DataType Runtime::run_as(DataType type) const {
  // Converting a wide type would change the result, so no framework does.
  const bool wide = type == DataType::fp64 || type == DataType::int64;
  const bool native = std::find(native_types.begin(), native_types.end(), type) != native_types.end();
  return wide || native ? type : DataType::fp32;
}

Runtime with_kernels_of(Runtime runtime, const hwmodels::Machine& machine) {
  if (runtime.library.empty()) return runtime;
  for (const hwmodels::LibraryKernel& measured : machine.kernels) {
    const Origin origin = measured.efficiency.origin;
    if (measured.library != runtime.library || (origin != Origin::fitted && origin != Origin::measured))
      continue;
    KernelModel model = runtime.kernels.at(measured.kernel);
    model.efficiency = measured.efficiency;
    model.memory_efficiency = measured.memory_efficiency;
    model.m_half = measured.m_half.value;
    model.n_half = measured.n_half.value;
    model.k_half = measured.k_half.value;
    model.smoothing = measured.smoothing.value;
    runtime.library_kernels[{measured.kernel, measured.type}] = model;
  }
  return runtime;
}

Runtime parse_runtime_json(std::string_view text, const std::string& file) {
  const json::Document document = json::parse(text, file);
  json::Object root = document.root().object();
  const json::Value schema = root.required("schema");
  if (schema.text() != "corecast.runtime/1")
    schema.fail("wanted \"corecast.runtime/1\", found " + quote(schema.text()));
  Runtime runtime;
  runtime.name = root.required("name").text();
  runtime.framework = root.required("framework").text();
  runtime.description = root.required("description").text();
  runtime.versions = root.required("versions").text();
  runtime.inter_op_works = root.required("inter_op_works").boolean();
  runtime.idle_inter_op_threads = static_cast<int>(root.required("idle_inter_op_threads").whole(0, 16));
  if (const auto pool = root.optional("intra_op_pool")) {
    const std::string kind = pool->text();
    if (kind != "shared" && kind != "own") pool->fail("wanted \"shared\" or \"own\", found " + quote(kind));
    runtime.own_teams = kind == "own";
  }
  if (const auto library = root.optional("library")) runtime.library = library->text();
  runtime.native_types = read_types(root.required("native_types"));
  runtime.fusion = read_fusion(root.required("fusion"));
  runtime.kernels = read_kernels(root.required("kernels"));
  if (const auto operators = root.optional("operators")) {
    for (const auto& [type, entry] : operators->object().entries())
      runtime.operators.emplace(type, read_kernel(entry));
  }
  runtime.cutting = read_cutting(root.required("cutting"));
  json::Object costs = root.required("costs").object();
  runtime.dispatch = read_cost(costs.required("dispatch"));
  runtime.fork = read_cost(costs.required("fork"));
  runtime.fork_per_thread = read_cost(costs.required("fork_per_thread"));
  runtime.hand_over = read_cost(costs.required("hand_over"));
  costs.finish();
  const json::Value smoothing = root.required("smoothing");
  runtime.smoothing = read_value<double>(smoothing, Origin::prior);
  if (!(runtime.smoothing.value >= 1.0)) smoothing.fail("must be at least 1");
  root.finish();
  return runtime;
}

std::vector<Runtime> read_runtimes(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(directory, code)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (code) throw InputError(directory.string(), "cannot list the runtimes: " + code.message());
  std::vector<Runtime> runtimes;
  for (const auto& file : files) runtimes.push_back(parse_runtime_json(read_file(file), file.string()));
  std::sort(runtimes.begin(), runtimes.end(),
            [](const Runtime& a, const Runtime& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < runtimes.size(); ++i) {
    if (runtimes[i].name == runtimes[i - 1].name) {
      throw InputError(directory.string(),
                       fmt::format("two files describe the runtime \"{}\"", runtimes[i].name));
    }
  }
  return runtimes;
}

Runtime find_runtime(const std::vector<Runtime>& runtimes, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& runtime : runtimes) {
    if (runtime.name == name) return runtime;
    names.push_back(runtime.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError("", fmt::format("unknown runtime {}", quote(name)),
                   near.empty() ? fmt::format("known: {}", fmt::join(names, ", ")) : near);
}

}  // namespace corecast::sim
