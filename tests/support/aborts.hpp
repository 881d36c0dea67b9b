// Whether a call aborts: for what CORECAST_CHECK must catch.
#pragma once

#include <functional>

namespace corecast::test {

// Runs it in a child process whose standard error is dropped. True when it ended by SIGABRT.
[[nodiscard]] bool aborts(const std::function<void()>& call);

}  // namespace corecast::test
