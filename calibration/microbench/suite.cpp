#include "calibration/microbench/suite.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "calibration/microbench/buffer.hpp"
#include "calibration/microbench/circumstances.hpp"
#include "hwmodels/size_text.hpp"

namespace corecast::calibration::microbench {
namespace {

struct GroupRun {
  Group group;
  double weight;  // share of the budget
  void (*measure)(Recorder&);
};

constexpr std::array<GroupRun, 5> kGroups{{{Group::peak, 0.15, &measure_peak},
                                           {Group::bandwidth, 0.40, &measure_bandwidth},
                                           {Group::latency, 0.12, &measure_latency},
                                           {Group::threads, 0.08, &measure_threads},
                                           {Group::kernels, 0.25, &measure_library_kernels}}};

int passes_of(Effort effort) {
  return effort == Effort::quick ? 1 : effort == Effort::normal ? 2 : 4;
}

bool wanted(const SuiteOptions& options, Group group) {
  return options.only.empty() || options.only.count(group) > 0;
}

// The same point: all but what was seen there.
bool same_point(Row a, Row b) {
  for (Row* row : {&a, &b}) {
    row->samples.clear();
    row->note.clear();
  }
  return a == b;
}

// A point that an earlier pass has seen takes the new repetitions in.
void add_row(std::vector<Row>& rows, const Row& row) {
  const auto seen =
      std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return same_point(other, row); });
  if (seen == rows.end()) {
    rows.push_back(row);
    return;
  }
  seen->samples.insert(seen->samples.end(), row.samples.begin(), row.samples.end());
  if (!row.note.empty() && seen->note.find(row.note) == std::string::npos) {
    seen->note += (seen->note.empty() ? "" : "; ") + row.note;
  }
}

void append(Measurements& all, const Recorder& recorder) {
  for (const Row& row : recorder.rows()) add_row(all.rows, row);
  const Context& notes = recorder.notes();
  const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (const std::string& text : from) {
      if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
    }
  };
  add(all.context.not_measured, notes.not_measured);
  add(all.context.warnings, notes.warnings);
  all.context.libraries.insert(notes.libraries.begin(), notes.libraries.end());
}

// Whether a large buffer gets huge pages here: the setting alone does not say.
std::string granted_huge_pages() {
  constexpr std::size_t kProbe = std::size_t{16} << 20U;
  if (memory_allowance() < Bytes(static_cast<double>(kProbe))) return "not tried";
  const Buffer buffer(kProbe, Pages::huge);
  const Bytes before = huge_pages_in_use();
  for (std::size_t at = 0; at < kProbe; at += 4096) buffer.data()[at] = 1;
  return hwmodels::size_text(huge_pages_in_use() - before) + " of " +
         hwmodels::size_text(Bytes(static_cast<double>(kProbe))) + " granted as huge pages";
}

// Threads that a group cannot do without: libraries start their teams at once, and end the process where they cannot.
int threads_needed(Group group, const hwmodels::Grant& grant) {
  if (group == Group::threads) return 1;
  return group == Group::kernels ? static_cast<int>(grant.usable().size()) - 1 : 0;
}

// Why so many threads beside this one cannot be had; empty where they can.
std::string why_no_threads(int wanted, const hwmodels::Grant& grant) {
  std::atomic<bool> end{false};
  std::vector<std::thread> threads;
  std::string text;
  try {
    while (static_cast<int>(threads.size()) < wanted) threads.emplace_back([&end] { end.wait(false); });
  } catch (const std::system_error& error) {
    text = fmt::format("{} more thread{} wanted, but only {} can be created: {}", wanted,
                       wanted == 1 ? "" : "s", threads.size(), error.code().message());
    if (grant.pids_limit) text += fmt::format("; the limit is {} (`ulimit -u`, cgroup)", *grant.pids_limit);
    if (grant.pids_limit && grant.pids_used) text += fmt::format(", {} run already", *grant.pids_used);
  }
  end = true;
  end.notify_all();
  for (std::thread& thread : threads) thread.join();
  return text;
}

void measure(const GroupRun& run, Recorder& recorder) {
  const std::string group(name_of(run.group));
  const hwmodels::Grant& grant = recorder.host().grant;
  try {
    const std::string why = why_no_threads(threads_needed(run.group, grant), grant);
    if (!why.empty()) return recorder.not_measured(group, why);
    run.measure(recorder);
  } catch (const std::exception& error) {  // one group that cannot run here must not cost the others' rows
    recorder.not_measured(group, error.what());
  }
}

// A file without rows would be refused, and that would be no reason.
void check_any(const Measurements& all) {
  if (!all.rows.empty()) return;
  throw InputError("host",
                   fmt::format("nothing could be measured: {}", fmt::join(all.context.not_measured, "; ")));
}

}  // namespace

Measurements run_suite(const hwmodels::Host& host, const SuiteOptions& options) {
  Measurements all;
  all.machine = host.machine;
  all.context.source = "corecast calibrate";
  all.context.warnings = host.warnings;
  describe_host(all.context, host);
  all.context.huge_pages += (all.context.huge_pages.empty() ? "" : "; ") + granted_huge_pages();

  double weights = 0.0;
  for (const GroupRun& run : kGroups) weights += wanted(options, run.group) ? run.weight : 0.0;
  const Moment before = observe(host);
  // Neighbours disturb a machine for seconds, and its clock drifts over minutes: each point is visited in several passes,
  // so that a burst spoils a part of its repetitions and not all of them.
  const int passes = passes_of(options.effort);
  std::vector<GroupRun> runs;
  for (int pass = 0; pass < passes; ++pass) runs.insert(runs.end(), kGroups.begin(), kGroups.end());
  double begun = 0.0;  // share of the budget that belongs to the groups before
  for (const GroupRun& run : runs) {
    if (!wanted(options, run.group)) continue;
    const double share = run.weight / (weights * passes);
    SuiteOptions own = options;
    if (options.progress) {
      own.progress = [&options, begun, share](std::string_view what, double done) {
        options.progress(what, begun + share * done);
      };
    }
    Recorder recorder(host, own, share * options.budget);
    measure(run, recorder);
    append(all, recorder);
    begun += share;
  }
  check_any(all);
  compare(all.context, host, before, observe(host));
  judge_spread(all.context, all.rows, options.target_spread);
  return all;
}

}  // namespace corecast::calibration::microbench
