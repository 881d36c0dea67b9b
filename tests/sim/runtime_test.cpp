#include "sim/runtime.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

using namespace corecast;

namespace {

std::string shipped() {
  return read_file(std::string(CORECAST_DATA_DIRECTORY) + "/runtimes/onnxruntime.json");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string problem_of(const std::string& text) {
  try {
    (void)sim::parse_runtime_json(text, "r.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a runtime file is read strictly") {
  CHECK(problem_of(shipped()).empty());
  CHECK(problem_of(replaced(shipped(), "\"inter_op_works\"", "\"inter_op_work\"")).find("inter_op_works") !=
        std::string::npos);
  CHECK(problem_of(replaced(shipped(), "\"idle_inter_op_threads\": 1,",
                            "\"idle_inter_op_threads\": 1, \"intra_op_pool\": \"mine\","))
            .find("wanted \"shared\" or \"own\", found \"mine\"") != std::string::npos);
  CHECK(problem_of(replaced(shipped(), "corecast.runtime/1", "corecast.runtime/9")).find("r.json: /schema") ==
        0);
  CHECK(problem_of(replaced(shipped(), "\"softmax\"", "\"sotfmax\"")).find("did you mean \"softmax\"?") !=
        std::string::npos);
}

TEST_CASE("an unknown runtime is answered with the nearest name") {
  const auto runtimes = sim::read_runtimes(std::string(CORECAST_DATA_DIRECTORY) + "/runtimes");
  CHECK(sim::find_runtime(runtimes, "onnxruntime").inter_op_works == false);
  CHECK(sim::find_runtime(runtimes, "onnxruntime-1.13").inter_op_works == true);
  try {
    (void)sim::find_runtime(runtimes, "onnxruntme");
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.hint() == "did you mean \"onnxruntime\"?");
  }
}
