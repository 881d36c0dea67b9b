#include "calibration/adaptor/adaptor.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "calibration/adaptor/child_process.hpp"
#include "calibration/adaptor/stop_signals.hpp"

namespace corecast::adaptor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Exit codes of the contract.
constexpr int kUsage = 1, kBadInput = 2, kSomeFailed = 3, kInterrupted = 130;
constexpr int kLook_ms = 200;          // how often the clocks are looked at
constexpr int kTimeToEnd_ms = 10'000;  // after it was told to stop, or closed its output

// The message of "measure_onnxruntime: MESSAGE", the last line that says something but "try --help".
std::string complaint_of(const std::string& printed) {
  std::string last;
  std::size_t begin = 0;
  while (begin < printed.size()) {
    const std::size_t end = std::min(printed.find('\n', begin), printed.size());
    const std::string line = printed.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") != std::string::npos && line != "try --help") last = line;
  }
  const std::size_t colon = last.find(": ");
  const bool named = colon != std::string::npos && last.compare(0, 8, "measure_") == 0;
  return named ? last.substr(colon + 2) : last;
}

class Session {
 public:
  explicit Session(const Request& request)
      : request_(request), child_(arguments_of(request)), begin_(Clock::now()), heard_(begin_) {}

  Answer run() {
    while (child_.read(out_, err_, kLook_ms, stop_.descriptor())) {
      take_lines();
      look_at_clocks();
    }
    take_lines();
    std::optional<Ending> ending = child_.wait_for(kTimeToEnd_ms);
    if (!ending) {
      child_.kill();
      ending = child_.wait_for(kTimeToEnd_ms);
    }
    return answer_of(ending.value_or(Ending{0, 9}));
  }

 private:
  static std::vector<std::string> arguments_of(const Request& request) {
    std::vector<std::string> arguments = request.command;
    for (const std::string& text :
         {std::string("--plan"), request.plan.string(), std::string("--output"), request.result.string()})
      arguments.push_back(text);
    return arguments;
  }

  void take_lines() {
    for (std::size_t end = out_.find('\n'); end != std::string::npos; end = out_.find('\n')) {
      const std::string line = out_.substr(0, end);
      out_.erase(0, end + 1);
      heard_ = Clock::now();
      if (const std::optional<Step> step = step_of(line); step && request_.on_step) request_.on_step(*step);
    }
  }

  // Anything else that a library prints there is no progress.
  static std::optional<Step> step_of(const std::string& line) {
    const auto tree = nlohmann::json::parse(line, nullptr, false);
    if (!tree.is_object() || !tree.contains("done") || !tree.contains("total")) return std::nullopt;
    if (!tree["done"].is_number_unsigned() || !tree["total"].is_number_unsigned()) return std::nullopt;
    Step step;
    step.done = tree["done"].get<int>();
    step.total = tree["total"].get<int>();
    if (const auto found = tree.find("latency_ms"); found != tree.end() && found->is_number())
      step.latency_ms = found->get<double>();
    if (const auto found = tree.find("error"); found != tree.end())
      step.error = found->is_string() ? found->get<std::string>() : found->dump();
    return step;
  }

  void look_at_clocks() {
    const Clock::time_point now = Clock::now();
    if (told_) {
      // Asked once more, by an impatient user, or too slow.
      const bool again = stop_.came();
      if (again) why_ = Outcome::interrupted;
      if (again || now - *told_ > std::chrono::milliseconds(kTimeToEnd_ms)) child_.kill();
      return;
    }
    if (stop_.came()) {
      stop(Outcome::interrupted);
    } else if (request_.budget_s && now - begin_ > Seconds(*request_.budget_s)) {
      stop(Outcome::out_of_budget);
    } else if (now - heard_ > Seconds(request_.patience_s)) {
      hangs_ = true;
      child_.kill();
    }
  }

  void stop(Outcome why) {
    told_ = Clock::now();
    why_ = why;
    child_.interrupt();
  }

  Answer answer_of(const Ending& ending) const {
    Answer answer;
    answer.warnings = warnings();
    if (told_ && (ending.signal != 0 || ending.code == kInterrupted)) {
      answer.outcome = why_;
      return answer;
    }
    const std::string script = name_of(request_);
    const std::string complaint = complaint_of(err_);
    if (hangs_) {
      throw InputError(script, fmt::format("said nothing for {:.0f} s and was ended", request_.patience_s),
                       "what it had measured is kept; the same command goes on");
    }
    if (ending == Ending{0, 0} || ending == Ending{kSomeFailed, 0}) {
      answer.outcome = ending.code == 0 ? Outcome::complete : Outcome::some_failed;
      return answer;
    }
    if (ending == Ending{kBadInput, 0} && !complaint.empty()) throw InputError("", complaint);
    // Another one of its group may have been told, not through us.
    if (ending == Ending{kInterrupted, 0}) {
      answer.outcome = Outcome::interrupted;
      return answer;
    }
    throw InputError(script,
                     fmt::format("{}: {}", adaptor::text_of(ending),
                                 complaint.empty() ? "it printed nothing" : quote(complaint, 300)),
                     ending == Ending{kUsage, 0}
                         ? "it does not take this plan: is it of another version of corecast?"
                         : "what it had measured is kept; the same command goes on");
  }

  static std::string name_of(const Request& request) {
    for (const std::string& argument : request.command) {
      const std::string extension = fs::path(argument).extension().string();
      if (extension == ".mjs" || extension == ".py" || extension == ".sh")
        return fs::path(argument).filename().string();
    }
    return fs::path(request.command.front()).filename().string();
  }

  std::vector<std::string> warnings() const {
    constexpr std::string_view kWarning = "warning: ";
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin < err_.size();) {
      const std::size_t end = std::min(err_.find('\n', begin), err_.size());
      if (err_.compare(begin, kWarning.size(), kWarning) == 0)
        found.push_back(err_.substr(begin + kWarning.size(), end - begin - kWarning.size()));
      begin = end + 1;
    }
    return found;
  }

  const Request& request_;
  StopSignals stop_;
  ChildProcess child_;
  Clock::time_point begin_, heard_;
  std::string out_, err_;
  std::optional<Clock::time_point> told_;
  Outcome why_ = Outcome::interrupted;
  bool hangs_ = false;
};

}  // namespace

Answer run(const Request& request) {
  CORECAST_CHECK(!request.command.empty(), "no command");
  Session session(request);
  return session.run();
}

}  // namespace corecast::adaptor
