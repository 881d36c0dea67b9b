#include <fmt/format.h>

#include "cli/validate_report.hpp"

namespace corecast::cli {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

// The measured columns as in the input, then the forecast: what was read can be read again.
std::string csv_of(const ValidateReport& report) {
  std::string text =
      "source,machine,framework,model,mode,runtime,seq_len,batch,instances,inter_op,intra_op,smt,spin,"
      "placement,memory,allocator,pinning,cpu_quota,rows,latency_ms,forecast_ms,error,anchor\n";
  for (const evidence::Group& group : report.evidence.groups) {
    const evidence::GroupKey& key = group.key;
    for (const evidence::Point& point : group.points) {
      const sim::Setting& s = point.setting;
      // Onnxruntime's mode is not in the key but in the setting.
      const std::string mode = key.mode.empty() ? std::string(name_of(s.mode)) : key.mode;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},", cell(key.source), cell(key.machine),
                          cell(key.framework), cell(key.model), cell(mode), cell(s.runtime),
                          key.sequence > 0 ? fmt::format("{}", key.sequence) : "", s.batch, s.instances,
                          s.inter_op, s.intra_op, cell(key.smt), s.spin ? "on" : "off");
      text += fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{}\n", cell(key.placement),
                          cell(key.memory), cell(key.allocator), cell(key.pinning),
                          key.quota_cpus > 0.0 ? fmt::format("{:g}", key.quota_cpus) : "", point.rows,
                          point.measured_ms, point.forecast_ms, point.error(), point.anchor ? "yes" : "");
    }
  }
  return text;
}

}  // namespace corecast::cli
