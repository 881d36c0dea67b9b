#include "calibration/adaptor/child_process.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "calibration/adaptor/plan.hpp"

using namespace corecast::adaptor;

namespace {

struct Printed {
  std::string out, err;
};

Printed read_all(ChildProcess& child) {
  Printed printed;
  while (child.read(printed.out, printed.err, 1000, -1)) {
  }
  return printed;
}

// Whether it is gone within two seconds: a killed process may need a moment.
bool is_gone(pid_t process) {
  for (int tries = 0; tries < 200; ++tries) {
    if (::kill(process, 0) != 0 && errno == ESRCH) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("output, errors and the exit code come apart") {
  ChildProcess child({"sh", "-c", "echo out; echo err >&2; exit 7"});
  const Printed printed = read_all(child);
  CHECK(printed.out == "out\n");
  CHECK(printed.err == "err\n");
  const std::optional<Ending> ending = child.wait_for(5000);
  REQUIRE(ending.has_value());
  CHECK(*ending == Ending{7, 0});
  CHECK(text_of(*ending) == "ended with code 7");
}

TEST_CASE("a child does not inherit that we ignore broken pipes") {
  // The shell's own kill tells: ignored, it would go on to the exit.
  ChildProcess child({"sh", "-c", "kill -PIPE $$; exit 0"});
  (void)read_all(child);
  CHECK(child.wait_for(5000) == Ending{0, SIGPIPE});
}

TEST_CASE("whoever is left behind by a child that is killed ends with it") {
  pid_t grandchild = 0;
  {
    ChildProcess child({"sh", "-c", "sleep 100 & echo $!; wait"});
    std::string out, err;
    while (out.find('\n') == std::string::npos && child.read(out, err, 1000, -1)) {
    }
    grandchild = static_cast<pid_t>(std::stol(out));
    CHECK(::kill(grandchild, 0) == 0);
    CHECK_FALSE(child.wait_for(0).has_value());
  }
  CHECK(is_gone(grandchild));
}

TEST_CASE("programs are found as a shell finds them") {
  CHECK(find_program("sh").has_value());
  CHECK(find_program("/bin/sh") == "/bin/sh");
  CHECK_FALSE(find_program("no-program-of-this-name").has_value());
  CHECK_FALSE(find_program("/etc/passwd").has_value());  // not executable
  CHECK_FALSE(find_program("").has_value());
}

TEST_CASE("the estimate of a plan counts processes, warm-up and timing") {
  Plan plan;
  plan.settings.resize(4);
  plan.method.processes = 3;
  plan.method.min_time_s = 0.2;
  plan.method.budget_s = 5.0;
  // 12 processes of 0.5 s start and 0.2 s warm-up; then 0.2 s to 5 s.
  const Duration duration = estimated_duration(plan, 0.5);
  CHECK(duration.least_s == doctest::Approx(12 * 0.9));
  CHECK(duration.most_s == doctest::Approx(12 * 5.7));
  plan.settings.resize(1);
  plan.settings[0].cpu_quota = 0.5;  // three seconds at least
  CHECK(estimated_duration(plan, 0.5).least_s == doctest::Approx(3 * 3.7));
}
