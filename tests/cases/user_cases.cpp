#include "tests/cases/user_cases.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json.hpp"
#include "hwmodels/cpu_list.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::cases {
namespace {

constexpr std::int64_t kMost = 1'000'000;

// The value whose name the text is.
template <typename Enum, std::size_t N>
Enum named(const json::Value& value, const std::array<Enum, N>& all) {
  const std::string text = value.text();
  for (const Enum one : all) {
    if (name_of(one) == text) return one;
  }
  value.fail("unknown name " + quote(text));
}

std::vector<std::string> texts_of(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : list.array()) texts.push_back(item.text());
  return texts;
}

std::vector<double> numbers_of(const json::Value& list) {
  std::vector<double> numbers;
  for (const json::Value& item : list.array()) numbers.push_back(item.number());
  return numbers;
}

Grant grant_of(const json::Value& value) {
  json::Object object = value.object();
  Grant grant;
  if (const auto list = object.optional("cpuset")) grant.cpus = hwmodels::parse_cpu_list(list->text());
  if (const auto quota = object.optional("quota_cpus")) grant.quota_cpus = quota->number(0.01, 1e5);
  object.finish();
  return grant;
}

Model model_of(const json::Value& value) {
  json::Object object = value.object();
  Model model;
  model.name = object.required("name").text();
  if (const auto batch = object.optional("batch")) model.batch = batch->whole(1, kMost);
  if (const auto sequence = object.optional("sequence")) model.sequence = sequence->whole(1, kMost);
  if (const auto training = object.optional("training")) model.training = training->boolean();
  if (const auto text = object.optional("type")) {
    const auto type = data_type_named(text->text());
    if (!type) text->fail("unknown data type");
    model.type = *type;
  }
  object.finish();
  return model;
}

int count(json::Object& object, const char* key) {
  const auto value = object.optional(key);
  return value ? static_cast<int>(value->whole(1, kMost)) : 1;
}

Point point_of(const std::string& name, const json::Value& value, const Case& owner, const Model& model,
               const Grant& grant) {
  using sim::Allocator, sim::MemoryPolicy, sim::Mode, sim::Pinning, sim::Placement;
  json::Object object = value.object();
  Point point{name, {}, model, grant};
  if (const auto own = object.optional("model")) point.model = model_of(*own);
  if (const auto own = object.optional("grant")) {
    const Grant more = grant_of(*own);
    if (!more.cpus.empty()) point.grant.cpus = more.cpus;
    if (more.quota_cpus) point.grant.quota_cpus = more.quota_cpus;
  }
  sim::Setting& setting = point.setting;
  setting.runtime = owner.runtime;
  setting.batch = point.model.batch;
  setting.intra_op = count(object, "intra_op");
  setting.inter_op = count(object, "inter_op");
  setting.instances = count(object, "instances");
  if (const auto smt = object.optional("smt")) setting.smt = smt->boolean();
  if (const auto spin = object.optional("spin")) setting.spin = spin->boolean();
  if (const auto mode = object.optional("mode"))
    setting.mode = named(*mode, std::array{Mode::sequential, Mode::parallel});
  if (const auto placement = object.optional("placement"))
    setting.placement = named(*placement, std::array{Placement::compact, Placement::scatter});
  if (const auto memory = object.optional("memory"))
    setting.memory = named(*memory, std::array{MemoryPolicy::first_touch, MemoryPolicy::interleave});
  if (const auto allocator = object.optional("allocator"))
    setting.allocator =
        named(*allocator, std::array{Allocator::framework, Allocator::system, Allocator::caching});
  if (const auto pinning = object.optional("pinning"))
    setting.pinning = named(*pinning, std::array{Pinning::distinct, Pinning::stacked});
  object.finish();
  return point;
}

Metric metric_of(const json::Value& value) {
  const std::string text = value.text();
  if (text != "latency" && text != "throughput") value.fail("unknown metric " + quote(text));
  return text == "latency" ? Metric::latency : Metric::throughput;
}

void read_fields(json::Object& object, Check& check) {
  const std::string& type = check.type;
  if (type == "ordering" || type == "curve" || type == "best")
    check.metric = metric_of(object.required("metric"));
  if (type == "ordering") {
    check.points = {object.required("faster").text(), object.required("slower").text()};
    if (const auto ratio = object.optional("ratio")) check.measured = {ratio->number(1.0, 1e6)};
  } else if (type == "curve" || type == "best") {
    check.points = texts_of(object.required("points"));
    check.measured = numbers_of(object.required("measured"));
    if (type == "best") {
      check.tolerance = object.required("regret").number(0.0, 1.0);
    } else if (const auto tolerance = object.optional("tolerance")) {
      check.tolerance = tolerance->number(0.0, 1.0);
    }
  } else if (type == "advice") {
    check.points = {object.required("point").text()};
    check.codes = texts_of(object.required("any_of"));
    if (const auto objective = object.optional("objective"))
      check.objective = named(*objective, std::array{sim::Objective::latency, sim::Objective::throughput});
  } else if (type == "threads") {
    check.points = texts_of(object.required("points"));
    check.measured = numbers_of(object.required("extra"));
  } else if (type == "quota_threads") {
    for (const double quota : numbers_of(object.required("quota_cpus")))
      check.points.push_back(fmt::format("{}", quota));
    check.measured = numbers_of(object.required("threads"));
  } else {
    object.value().fail("unknown type of check " + quote(type));
  }
}

Check check_of(const json::Value& value, const Case& owner) {
  json::Object object = value.object();
  Check check;
  check.type = object.required("type").text();
  read_fields(object, check);
  const bool one_each = check.type != "ordering" && check.type != "advice";
  if (one_each && (check.measured.empty() || check.points.size() != check.measured.size()))
    value.fail("wanted as many points as figures");
  if (check.type != "quota_threads") {
    for (const std::string& name : check.points) static_cast<void>(owner.point(name));
  }
  if (const auto holds = object.optional("holds")) check.holds = holds->boolean();
  if (!check.holds) check.why = object.required("why").text();
  object.finish();
  return check;
}

Case case_of(const json::Value& value) {
  json::Object object = value.object();
  Case one;
  one.id = object.required("id").text();
  one.url = object.required("url").text();
  one.saw = object.required("saw").text();
  one.expressible = object.required("expressible").boolean();
  if (!one.expressible) {
    one.reason = object.required("reason").text();
    object.finish();
    return one;
  }
  // For readers; nothing follows from them.
  for (const char* note : {"stands_for", "assumed"}) {
    if (const auto text = object.optional(note)) static_cast<void>(text->text());
  }
  one.machine = object.required("machine").text();
  one.runtime = object.required("runtime").text();
  const Model model = model_of(object.required("model"));
  Grant grant;
  if (const auto given = object.optional("grant")) grant = grant_of(*given);
  json::Object points = object.required("points").object();
  for (const auto& [name, fields] : points.entries())
    one.points.push_back(point_of(name, fields, one, model, grant));
  const json::Value checks = object.required("checks");
  for (const json::Value& item : checks.array()) one.checks.push_back(check_of(item, one));
  if (one.checks.empty()) checks.fail("a case without a check says nothing");
  object.finish();
  return one;
}

}  // namespace

const Point& Case::point(const std::string& name) const {
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const Point& one) { return one.name == name; });
  if (found == points.end()) throw InputError(id, "no point " + quote(name));
  return *found;
}

UserCases read_user_cases(const std::filesystem::path& file) {
  const json::Document document = json::read(file);
  json::Object root = document.root().object();
  const json::Value schema = root.required("schema");
  if (schema.text() != "corecast.user_cases/1") schema.fail("unknown schema");
  UserCases all;
  for (const json::Value& machine : root.required("machines").array())
    all.machines.push_back(hwmodels::parse_machine_json(machine.dump(), machine.place()));
  for (const json::Value& item : root.required("cases").array()) all.cases.push_back(case_of(item));
  root.finish();
  return all;
}

}  // namespace corecast::cases
