#include "sim/runtime.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "hwmodels/value_json.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

using hwmodels::Origin;
using hwmodels::read_value;

constexpr std::array<std::string_view, 7> kCutNames{"whole", "nchwc", "gemm", "elements",
                                                    "rows",  "grain", "team"};

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

// Of the machine's bandwidth: above 1 where a kernel moves fewer bytes than are counted (its result replaces its input).
Value<double> read_memory_share(const json::Value& value) {
  const auto share = read_value<double>(value, Origin::prior);
  if (!(share.value > 0.0 && share.value <= 2.0)) {
    value.fail(fmt::format("must be above 0 and at most 2, found {}", share.value));
  }
  return share;
}

Value<Seconds> read_cost(const json::Value& value) {
  const auto cost = read_value<Seconds>(value, Origin::prior);
  if (!(cost.value >= Seconds(0.0))) value.fail("must not be negative");
  return cost;
}

OddTeam read_odd_team(const json::Value& value) {
  json::Object object = value.object();
  OddTeam team;
  team.rows = object.required("rows").whole(1, std::int64_t{1} << 40);
  team.cycles_per_byte = object.required("cycles_per_byte").number(0.0, 1e3);
  object.finish();
  return team;
}

KernelModel read_kernel(const json::Value& value) {
  json::Object object = value.object();
  KernelModel kernel;
  kernel.cut = read_cut(object.required("cut"));
  kernel.efficiency = read_fraction(object.required("efficiency"));
  kernel.memory_efficiency = read_memory_share(object.required("memory_efficiency"));
  if (const auto half = object.optional("m_half")) kernel.m_half = half->number(0.0, 1e6);
  if (const auto half = object.optional("n_half")) kernel.n_half = half->number(0.0, 1e6);
  if (const auto half = object.optional("k_half")) kernel.k_half = half->number(0.0, 1e6);
  if (const auto unpacked = object.optional("unpacked")) kernel.unpacked = unpacked->number(0.01, 2.0);
  if (const auto pack = object.optional("pack_cycles_per_byte"))
    kernel.pack_cycles_per_byte = pack->number(0.0, 1e3);
  if (const auto team = object.optional("odd_team")) kernel.odd_team = read_odd_team(*team);
  if (const auto smoothing = object.optional("smoothing")) kernel.smoothing = smoothing->number(1.0, 64.0);
  if (const auto dispatch = object.optional("dispatch")) kernel.dispatch = read_cost(*dispatch);
  if (const auto forks = object.optional("forks")) kernel.forks = forks->number(1.0, 64.0);
  if (const auto blocks = object.optional("fresh_blocks")) kernel.fresh_blocks = blocks->number(0.0, 16.0);
  object.finish();
  return kernel;
}

void read_kernels(const json::Value& value, std::map<KernelClass, KernelModel>& kernels) {
  for (const auto& [name, entry] : value.object().entries()) {
    const auto kernel = kernel_class_named(name);
    if (!kernel) entry.fail("unknown kernel class " + quote(name), did_you_mean(name, kKernelClassNames));
    kernels.insert_or_assign(*kernel, read_kernel(entry));
  }
  for (std::size_t i = 0; i < kKernelClassNames.size(); ++i) {
    const auto kernel = static_cast<KernelClass>(i);
    if (!kernels.contains(kernel)) value.fail(fmt::format("kernel class \"{}\" is missing", name_of(kernel)));
  }
}

// The members of an object that a file must give, or may leave as they are in the one that it extends.
class Fields {
 public:
  Fields(json::Object object, bool extends) : object_(std::move(object)), extends_(extends) {}

  [[nodiscard]] std::optional<json::Value> get(std::string_view key) {
    return extends_ ? object_.optional(key) : std::optional(object_.required(key));
  }
  void number(std::string_view key, double low, double high, double& out) {
    if (const auto value = get(key)) out = value->number(low, high);
  }
  void whole(std::string_view key, int low, int high, int& out) {
    if (const auto value = get(key)) out = static_cast<int>(value->whole(low, high));
  }
  void cost(std::string_view key, Value<Seconds>& out) {
    if (const auto value = get(key)) out = read_cost(*value);
  }
  void text(std::string_view key, std::string& out) {
    if (const auto value = get(key)) out = value->text();
  }
  [[nodiscard]] json::Object& object() { return object_; }
  [[nodiscard]] bool extends() const { return extends_; }

 private:
  json::Object object_;
  bool extends_;
};

void read_cutting(Fields fields, Cutting& cutting) {
  fields.number("gemm_multiplications_per_part", 1.0, 1e12, cutting.gemm_multiplications_per_part);
  fields.whole("gemm_max_parts", 1, 1 << 20, cutting.gemm_max_parts);
  fields.whole("gemm_columns", 1, 1 << 20, cutting.gemm_columns);
  fields.whole("nchwc_filter_blocks", 1, 1024, cutting.nchwc_filter_blocks);
  fields.number("element_cycles_per_byte", 0.0, 1e6, cutting.element_cycles_per_byte);
  fields.number("element_cycles_to_cut", 0.0, 1e12, cutting.element_cycles_to_cut);
  fields.number("row_elements_per_part", 1.0, 1e12, cutting.row_elements_per_part);
  if (const auto block = fields.object().optional("element_cycles_per_block"))
    cutting.element_cycles_per_block = block->number(1.0, 1e12);
  if (const auto grain = fields.object().optional("grain_elements"))
    cutting.grain_elements = grain->number(1.0, 1e12);
  fields.object().finish();
}

void read_costs(Fields fields, Runtime& runtime) {
  fields.cost("dispatch", runtime.dispatch);
  fields.cost("fork", runtime.fork);
  fields.cost("fork_per_thread", runtime.fork_per_thread);
  fields.cost("hand_over", runtime.hand_over);
  if (const auto run = fields.object().optional("run")) runtime.run = read_cost(*run);
  if (const auto more = fields.object().optional("dispatch_parallel"))
    runtime.dispatch_parallel = read_cost(*more);
  if (const auto input = fields.object().optional("run_per_input")) runtime.run_per_input = read_cost(*input);
  fields.object().finish();
}

void read_wait(json::Object object, Wait& wait) {
  if (const auto spin = object.optional("spin")) wait.spins = spin->boolean();
  if (const auto spin = object.optional("spin_when_oversubscribed"))
    wait.spins_when_oversubscribed = spin->boolean();
  if (const auto yields = object.optional("yields")) wait.yields = yields->boolean();
  if (const auto time = object.optional("spin_time")) wait.spin_time = read_cost(*time);
  object.finish();
}

// One of two words.
bool read_choice(const json::Value& value, std::string_view no, std::string_view yes) {
  const std::string word = value.text();
  if (word != no && word != yes)
    value.fail(fmt::format("wanted \"{}\" or \"{}\", found {}", no, yes, quote(word)));
  return word == yes;
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

graphs::BlockedLayout read_layout(json::Object object) {
  graphs::BlockedLayout layout;
  layout.channels = object.required("channels").whole(1, 1024);
  layout.operators = texts(object.required("operators"));
  layout.following = texts(object.required("following"));
  object.finish();
  return layout;
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

const OperatorFactor* Runtime::factor_of(const graphs::Operator& op) const {
  if (operator_factors.empty()) return nullptr;
  const auto found = operator_factors.find(op.name);
  return found == operator_factors.end() ? nullptr : &found->second;
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
    model.smoothing = measured.smoothing.value;  // what it allocates stays the runtime's
    runtime.library_kernels[{measured.kernel, measured.type}] = model;
  }
  return runtime;
}

namespace {

// What stands in every file of its own, or comes from the runtime that it extends.
void read_identity(Fields& root, Runtime& runtime) {
  root.text("framework", runtime.framework);
  root.text("description", runtime.description);
  root.text("versions", runtime.versions);
  if (const auto policy = root.object().optional("policy")) {
    runtime.policy = policy->text();
    const auto& names = policy_names();
    if (std::find(names.begin(), names.end(), runtime.policy) == names.end())
      policy->fail("unknown policy " + quote(runtime.policy), did_you_mean(runtime.policy, names));
  }
  if (const auto works = root.get("inter_op_works")) runtime.inter_op_works = works->boolean();
  root.whole("idle_inter_op_threads", 0, 16, runtime.idle_inter_op_threads);
  if (const auto keeps = root.object().optional("parallel_keeps_outputs"))
    runtime.parallel_keeps_outputs = keeps->boolean();
  if (const auto pool = root.object().optional("intra_op_pool"))
    runtime.own_teams = read_choice(*pool, "shared", "own");
  if (const auto parts = root.object().optional("parts"))
    runtime.static_parts = read_choice(*parts, "claimed", "static");
}

void read_numbers(Fields& root, Runtime& runtime) {
  if (const auto kernels = root.get("kernels")) read_kernels(*kernels, runtime.kernels);
  if (const auto operators = root.object().optional("operators")) {
    for (const auto& [type, entry] : operators->object().entries())
      runtime.operators.insert_or_assign(type, read_kernel(entry));
  }
  if (const auto cutting = root.get("cutting"))
    read_cutting(Fields(cutting->object(), root.extends()), runtime.cutting);
  if (const auto costs = root.get("costs")) read_costs(Fields(costs->object(), root.extends()), runtime);
  if (const auto wait = root.object().optional("wait")) read_wait(wait->object(), runtime.wait);
  if (const auto allocator = root.object().optional("allocator")) {
    runtime.allocator = read_choice(*allocator, "system", "caching") ? Allocator::caching : Allocator::system;
  }
  if (const auto smoothing = root.get("smoothing")) {
    runtime.smoothing = read_value<double>(*smoothing, Origin::prior);
    if (!(runtime.smoothing.value >= 1.0)) smoothing->fail("must be at least 1");
  }
}

Runtime extended(const json::Value& base, const std::vector<Runtime>& known) {
  const std::string name = base.text();
  std::vector<std::string> names;
  for (const Runtime& runtime : known) {
    if (runtime.name == name) return runtime;
    names.push_back(runtime.name);
  }
  base.fail("no runtime is called " + quote(name), did_you_mean(name, names));
}

}  // namespace

Runtime parse_runtime_json(std::string_view text, const std::string& file,
                           const std::vector<Runtime>& known) {
  const json::Document document = json::parse(text, file);
  json::Object object = document.root().object();
  const json::Value schema = object.required("schema");
  if (schema.text() != "corecast.runtime/1")
    schema.fail("wanted \"corecast.runtime/1\", found " + quote(schema.text()));
  Runtime runtime;
  const auto base = object.optional("extends");
  if (base) runtime = extended(*base, known);
  runtime.name = object.required("name").text();
  Fields root(std::move(object), base.has_value());
  read_identity(root, runtime);
  if (const auto library = root.object().optional("library")) runtime.library = library->text();
  if (const auto types = root.get("native_types")) runtime.native_types = read_types(*types);
  if (const auto fusion = root.get("fusion")) runtime.fusion = read_fusion(*fusion);
  if (const auto layout = root.object().optional("blocked_layout"))
    runtime.blocked_layout = read_layout(layout->object());
  read_numbers(root, runtime);
  root.object().finish();
  return runtime;
}

namespace {

struct RuntimeText {
  std::string file, text;
};

std::optional<std::string> base_of(const RuntimeText& source) {
  const json::Document document = json::parse(source.text, source.file);
  json::Object root = document.root().object();
  const auto base = root.optional("extends");
  return base ? std::optional(base->text()) : std::nullopt;
}

// Reads what others extend first; what is left in the end extends itself in a circle, or nothing that is there.
std::vector<Runtime> parse_all(std::vector<RuntimeText> sources) {
  std::vector<Runtime> known;
  const auto can_be_read = [&](const RuntimeText& source) {
    const auto base = base_of(source);
    return !base || std::any_of(known.begin(), known.end(),
                                [&](const Runtime& runtime) { return runtime.name == *base; });
  };
  while (!sources.empty()) {
    auto next = std::find_if(sources.begin(), sources.end(), can_be_read);
    if (next == sources.end()) next = sources.begin();  // fails, and says why
    known.push_back(parse_runtime_json(next->text, next->file, known));
    sources.erase(next);
  }
  return known;
}

}  // namespace

std::vector<Runtime> read_runtimes(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(directory, code)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (code) throw InputError(directory.string(), "cannot list the runtimes: " + code.message());
  std::sort(files.begin(), files.end());
  std::vector<RuntimeText> sources;
  for (const auto& file : files) sources.push_back({file.string(), read_file(file)});
  std::vector<Runtime> runtimes = parse_all(std::move(sources));
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
