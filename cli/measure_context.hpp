// The context block of a file of measurements, and whether a file can be continued.
#pragma once

#include <filesystem>
#include <string>

#include "cli/measure_report.hpp"
#include "cli/options.hpp"
#include "hwmodels/host.hpp"

namespace corecast::cli {

// No clock in it: the date is the one the user gives, and the line is missing otherwise.
[[nodiscard]] ContextLines measure_context(const MeasureOptions& options, const MeasureReport& report,
                                           const hwmodels::Host& host);

// InputError when the file was measured with another model, host, grant, framework or method: rows of both in one file could not be told
// apart. More settings and more rounds are the same question. The framework's version is compared by the adaptor, who knows it.
void check_same_question(const std::filesystem::path& file, const ContextLines& found,
                         const ContextLines& now);

// "legacy", "1.13.1": a version of onnxruntime whose inter-op threads and parallel mode have an effect on CPUs.
[[nodiscard]] bool is_before_1_14(const std::string& version);

}  // namespace corecast::cli
