#include "calibration/microbench/onednn.hpp"

#if __has_include(<dnnl.h>)
#include <fmt/format.h>

#include <optional>

#include "calibration/microbench/onednn_plan.hpp"
#include "calibration/microbench/openmp.hpp"

namespace corecast::calibration::microbench {
namespace {

std::string isa_text(dnnl_cpu_isa_t isa) {
  switch (isa) {
    case dnnl_cpu_isa_sse41:
      return "sse41";
    case dnnl_cpu_isa_avx:
      return "avx";
    case dnnl_cpu_isa_avx2:
      return "avx2";
    case dnnl_cpu_isa_avx2_vnni:
      return "avx2_vnni";
    case dnnl_cpu_isa_avx512_core:
      return "avx512_core";
    case dnnl_cpu_isa_avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl_cpu_isa_avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl_cpu_isa_avx512_core_amx:
      return "avx512_core_amx";
    default:
      return fmt::format("instruction set {:#x}", static_cast<unsigned>(isa));
  }
}

std::int64_t elements(const dnnl_memory_desc_t& layout) {
  std::int64_t product = 1;
  for (int i = 0; i < layout.ndims; ++i) product *= layout.dims[i];
  return product;
}

using onednn::Memory;
using onednn::Plan;
using onednn::Session;

Memory filled(const Session& session, const onednn::Tensor& tensor, int number, DataType type) {
  std::vector<float> values = input_values(number, elements(tensor.plain), type);
  const Memory plain = session.memory(tensor.plain, values.data());
  Memory memory = session.memory(tensor.blocked);
  session.copy(tensor.plain, plain, tensor.blocked, memory);
  return memory;
}

std::vector<float> read_back(const Session& session, const onednn::Tensor& tensor, const Memory& memory) {
  std::vector<float> values(static_cast<std::size_t>(elements(tensor.plain)));
  const Memory plain = session.memory(tensor.plain, values.data());
  session.copy(tensor.blocked, memory, tensor.plain, plain);
  return values;
}

// Nobody runs a model on it, and one call may take a thousand times the budget of a measurement.
bool is_reference_code(const std::string& implementation) {
  return implementation.rfind("ref", 0) == 0;
}

LibraryCall call_of(const Session& session, const Problem& problem) {
  const Plan plan = onednn::plan(session, problem);
  const std::string implementation = session.implementation(plan.primitive);
  if (is_reference_code(implementation)) {
    throw onednn::Refusal(fmt::format("oneDNN has only \"{}\" for it on this CPU", implementation));
  }
  const onednn::Primitive primitive = session.create(plan.primitive);
  std::vector<Memory> owners;
  std::vector<dnnl_exec_arg_t> arguments;
  for (const onednn::Tensor& input : plan.inputs) {
    owners.push_back(filled(session, input, static_cast<int>(owners.size()), problem.type));
    arguments.push_back({input.argument, owners.back().get()});
  }
  const Memory result = session.memory(plan.output.blocked);
  arguments.push_back({plan.output.argument, result.get()});

  LibraryCall call;
  call.implementation = implementation;
  session.run(primitive, arguments);  // what fails at run time alone is refused here too
  call.run = [&session, primitive, owners, result, arguments] { session.run(primitive, arguments); };
  call.result = [&session, output = plan.output, result] { return read_back(session, output, result); };
  return call;
}

}  // namespace

struct OneDnn::State {
  DynamicLibrary library{std::vector<std::string>{"libdnnl.so.2"}};
  onednn::Api api;
  std::optional<OpenMpThreads> threads;
  std::optional<Session> session;
};

OneDnn::OneDnn() : state_(std::make_unique<State>()) {
  if (!state_->library.loaded()) {
    missing_ = fmt::format("{} (Debian package libdnnl2)", state_->library.error());
    return;
  }
  if (const std::string symbol = state_->api.find(state_->library); !symbol.empty()) {
    missing_ = fmt::format("{} lacks {}", state_->library.name(), symbol);
    return;
  }
  state_->threads = OpenMpThreads::of(state_->library);
  try {
    state_->session.emplace(state_->api);
  } catch (const onednn::Refusal& refusal) {
    missing_ = refusal.what();
  }
}

OneDnn::~OneDnn() = default;

std::string OneDnn::version() const {
  const dnnl_version_t* version = state_->api.version();
  return fmt::format("{}.{}.{}, up to {}", version->major, version->minor, version->patch,
                     isa_text(state_->api.get_effective_cpu_isa()));
}

std::string OneDnn::use(const std::vector<int>& cpus) {
  if (!state_->threads) return "this oneDNN is not built with OpenMP: its threads cannot be set";
  not_pinned_ = !state_->threads->use(cpus);
  return {};
}

LibraryCall OneDnn::prepare(const Problem& problem) const {
  try {
    return call_of(*state_->session, problem);
  } catch (const onednn::Refusal& refusal) {
    LibraryCall call;
    call.refused = refusal.what();
    return call;
  }
}

}  // namespace corecast::calibration::microbench

#else

namespace corecast::calibration::microbench {

struct OneDnn::State {};

OneDnn::OneDnn()
    : missing_("this program was built without the header of oneDNN (Debian package libdnnl-dev)") {}
OneDnn::~OneDnn() = default;
std::string OneDnn::version() const {
  return {};
}
std::string OneDnn::use(const std::vector<int>&) {
  return missing_;
}
LibraryCall OneDnn::prepare(const Problem&) const {
  LibraryCall call;
  call.refused = missing_;
  return call;
}

}  // namespace corecast::calibration::microbench
#endif
