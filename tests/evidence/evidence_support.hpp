// A model of one operator whose forecast is worked out in the head: 1 Gflop in 8 units on cores of 10 Gflop/s, so n threads take
// 100 ms x ceil(8 / n) / 8: 100, 50, 37.5, 25 ms on 1, 2, 3, 4 threads, 12.5 ms on 8.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "calibration/evidence/evidence.hpp"
#include "graphs/graph_json.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::test {

inline const char* const kColumns =
    "source,machine,framework,model,mode,batch,instances,inter_op,intra_op,latency_ms\n";

// The graph's file; written once, removed at the end.
inline std::string one_operator() {
  struct File {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("corecast_evidence_{}.json", ::getpid());
    File() { write_file(path, graphs::to_json_text(dag("a:1Gflop,units=8,shape=8x1000"))); }
    ~File() { std::filesystem::remove(path); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
  };
  static const File file;
  return file.path.string();
}

inline evidence::Request request(const std::string& rows) {
  evidence::Request request;
  request.tables.push_back(evidence::parse_measured(kColumns + rows, "m.csv"));
  evidence::KnownMachine known;
  known.machine = machine("4 cores 10Gflop/s; sockets 2");
  known.target.machine = known.machine;
  request.machines["m"] = known;
  sim::Runtime runtime = plain_runtime();
  runtime.name = "pytorch";
  runtime.framework = "pytorch";
  runtime.policy = "pytorch";
  request.runtimes.push_back(runtime);
  request.graphs["one"] = one_operator();
  return request;
}

}  // namespace corecast::test
