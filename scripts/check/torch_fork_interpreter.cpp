#include "scripts/check/torch_fork_interpreter.hpp"

#include <ATen/Parallel.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace corecast::check {
namespace {

using Clock = std::chrono::steady_clock;

struct Record {
  std::mutex mutex;
  std::vector<double> lengths;
  std::vector<Ran> ran;
  std::map<std::thread::id, int> threads;
  Clock::time_point begin;
};

Record& record() {
  static Record only;
  return only;
}

double since_begin(Clock::time_point t) {
  return std::chrono::duration<double>(t - record().begin).count();
}

void sleep(torch::jit::Stack& stack) {
  const Clock::time_point start = Clock::now();
  const auto after = torch::jit::pop(stack).toInt();
  const auto op = static_cast<std::size_t>(torch::jit::pop(stack).toInt());
  Record& all = record();
  const double length = all.lengths.at(op);  // not written while anything runs
  if (length > 0.0) {
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(length)));
  }
  const Clock::time_point end = Clock::now();
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto thread = all.threads.emplace(std::this_thread::get_id(), static_cast<int>(all.threads.size()));
    all.ran.at(op) = {since_begin(start), since_begin(end), thread.first->second};
  }
  torch::jit::push(stack, after + 1);
}

// Conservative: an operator that nobody reasons about is neither folded, merged nor moved.
const torch::jit::RegisterOperators registered({torch::jit::Operator(
    "corecast::sleep(int op, int after) -> int", sleep, c10::AliasAnalysisKind::CONSERVATIVE)});

// The names that the scripts use; `fork` is a form of the language, which Python code knows as torch.jit.fork.
struct Names : torch::jit::NativeResolver {
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name,
                                                         torch::jit::GraphFunction& m,
                                                         const torch::jit::SourceRange& loc) override {
    if (name == "fork") return torch::jit::SpecialFormValue::create(c10::prim::fork);
    if (name == "sleep") {
      return std::make_shared<torch::jit::BuiltinFunction>(c10::Symbol::fromQualString("corecast::sleep"),
                                                           c10::nullopt);
    }
    return NativeResolver::resolveValue(name, m, loc);
  }
};

}  // namespace

void set_interop_threads(int threads) {
  at::set_num_interop_threads(threads);
}

std::vector<Ran> run_script(const std::string& source, const std::vector<double>& lengths) {
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  unit->define(c10::nullopt, source, std::make_shared<Names>(), nullptr);
  torch::jit::Function& function = unit->get_function(c10::QualifiedName("run"));
  Record& all = record();
  for (const bool timed : {false, false, true}) {
    all.lengths.assign(lengths.size(), 0.0);
    if (timed) all.lengths = lengths;
    all.ran.assign(lengths.size(), Ran{});
    all.threads = {{std::this_thread::get_id(), 0}};
    all.begin = Clock::now();
    torch::jit::Stack stack{torch::jit::IValue(0)};
    function.run(stack);
  }
  return all.ran;
}

}  // namespace corecast::check
