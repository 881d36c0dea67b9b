#include "calibration/runtime_fit/cutting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "calibration/runtime_fit/stage.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr std::array kFactors{0.125, 0.25, 0.5, 2.0, 4.0, 8.0};

struct Threshold {
  const char* name;
  sim::Cut cut;
  double sim::Cutting::*value;
};

constexpr std::array kThresholds{
    Threshold{"gemm_multiplications_per_part", sim::Cut::gemm, &sim::Cutting::gemm_multiplications_per_part},
    Threshold{"element_cycles_to_cut", sim::Cut::elements, &sim::Cutting::element_cycles_to_cut},
    Threshold{"row_elements_per_part", sim::Cut::rows, &sim::Cutting::row_elements_per_part},
    Threshold{"grain_elements", sim::Cut::grain, &sim::Cutting::grain_elements},
};

bool uses(const sim::Runtime& runtime, sim::Cut cut) {
  const auto has = [&](const auto& item) { return item.second.cut == cut; };
  return std::any_of(runtime.kernels.begin(), runtime.kernels.end(), has) ||
         std::any_of(runtime.operators.begin(), runtime.operators.end(), has);
}

}  // namespace

std::vector<CutResult> fit_cutting(Forecaster& forecaster, const std::vector<const Sample*>& many_threads,
                                   double clearly_better) {
  std::vector<CutResult> results;
  if (many_threads.empty()) return results;
  for (const Threshold& threshold : kThresholds) {
    if (!uses(forecaster.runtime(), threshold.cut)) continue;
    double& value = forecaster.runtime().cutting.*threshold.value;
    CutResult result{threshold.name, value, value, false, "", 0};
    const double now = cost_of(forecaster, many_threads);
    double least = now;
    std::vector<double> before;
    for (const Sample* sample : many_threads) before.push_back(log_ratio(forecaster, *sample));
    std::set<std::string> touched;
    for (const double factor : kFactors) {
      value = result.prior * factor;
      const double cost = cost_of(forecaster, many_threads);
      for (std::size_t i = 0; i < many_threads.size(); ++i) {
        if (log_ratio(forecaster, *many_threads[i]) != before[i]) touched.insert(many_threads[i]->of->name);
      }
      if (cost >= least) continue;
      least = cost;
      result.value = value;
    }
    result.cases = static_cast<int>(touched.size());
    result.changed = now - least >= clearly_better;
    if (!result.changed) {
      result.value = result.prior;
      result.why = touched.empty() ? "no case lies near it"
                                   : "no factor from 1/8 to 8 explains the cases clearly better";
    }
    value = result.value;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace corecast::runtime_fit
