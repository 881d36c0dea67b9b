// The worst rows of `calibrate --report`: whoever reads the table must be able to tell them apart.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/calibrate_report.hpp"

using namespace corecast;
using calibration::Row;

namespace {

Row product(const std::string& library, std::int64_t size, int threads, DataType type) {
  Row row;
  row.group = calibration::Group::kernels;
  row.kernel = "gemm";
  row.library = library;
  row.type = type;
  row.extension = hwmodels::Extension::avx512;
  row.threads = row.cores = threads;
  row.shape = {{"m", size}, {"n", size}, {"k", size}};
  row.working_set = Bytes(12.0 * static_cast<double>(size * size));
  row.unit = calibration::Unit::flop_per_second;
  row.samples = {1.0};
  return row;
}

Row chase(int cpu_domain, int memory_domain) {
  Row row;
  row.group = calibration::Group::latency;
  row.kernel = "chase";
  row.cpu_domain = cpu_domain;
  row.memory_domain = memory_domain;
  row.working_set = Bytes(200e6);
  row.samples = {1e-7};
  return row;
}

cli::CalibrateReport report_of(const std::vector<Row>& rows) {
  cli::CalibrateReport report;
  report.full = true;
  report.measurements.rows = rows;
  report.fit.emplace();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    calibration::Residual residual;
    residual.row = i;
    residual.measured = 1e-7;
    residual.modelled = 1e-7;
    report.fit->residuals.push_back(residual);
  }
  return report;
}

// The first cells of the table of worst rows, which two blanks end.
std::vector<std::string> labels(const std::vector<Row>& rows, int width) {
  std::istringstream text(cli::text_of(report_of(rows), width));
  std::vector<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (inside && line.empty()) break;
    if (inside) out.push_back(line.substr(0, line.find("  ")));
    inside = inside || line.starts_with("worst rows");
  }
  return out;
}

}  // namespace

TEST_CASE("worst rows differ in what is left of them at 80 columns") {
  std::vector<Row> rows;
  for (const char* library :
       {"OpenBLAS 0.3.21, all of its build options", "oneDNN 2.6.3, all of its build options"}) {
    for (const std::int64_t size : {1280, 12800}) {
      for (const int threads : {64, 128}) rows.push_back(product(library, size, threads, DataType::fp32));
    }
  }
  const std::vector<std::string> shown = labels(rows, 80);
  REQUIRE(shown.size() == rows.size());
  CHECK(std::set<std::string>(shown.begin(), shown.end()).size() == rows.size());
}

TEST_CASE("what rows have in common is told last, and what is usual only where it tells rows apart") {
  const std::string library = "eigen";
  CHECK(
      labels({product(library, 480, 64, DataType::fp32), product(library, 480, 128, DataType::fp32)}, 120) ==
      std::vector<std::string>{"gemm 64 threads 480^3 avx512 eigen", "gemm 128 threads 480^3 avx512 eigen"});
  CHECK(labels({product(library, 480, 64, DataType::fp32), product(library, 480, 64, DataType::fp64)}, 80)
            .front()
            .starts_with("gemm fp32 480^3"));
  CHECK(labels({chase(0, 0), chase(0, 1)}, 80) ==
        std::vector<std::string>{"chase domain 0->0 200 MB 1 thread", "chase domain 0->1 200 MB 1 thread"});
  CHECK(labels({chase(0, 0)}, 80) == std::vector<std::string>{"chase 200 MB 1 thread"});
}

TEST_CASE("rows that are equal in all they say are told apart by their number") {
  CHECK(labels({chase(0, 1), chase(0, 1)}, 80) ==
        std::vector<std::string>{"chase row 0 200 MB 1 thread", "chase row 1 200 MB 1 thread"});
}
