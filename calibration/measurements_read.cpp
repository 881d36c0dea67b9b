// The strict reader of corecast.measurements/1.
#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "calibration/measurements.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::calibration {
namespace {

constexpr std::int64_t kMostCount = 1'048'576;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 53;  // whole in a double

void text(json::Object& object, std::string_view key, std::string& target) {
  if (const auto found = object.optional(key)) target = found->text();
}
void texts(json::Object& object, std::string_view key, std::vector<std::string>& target) {
  const auto found = object.optional(key);
  if (!found) return;
  for (const json::Value& item : found->array()) target.push_back(item.text());
}
void number(json::Object& object, std::string_view key, std::optional<double>& target) {
  if (const auto found = object.optional(key)) target = found->number();
}
void count(json::Object& object, std::string_view key, int& target) {
  if (const auto found = object.optional(key)) target = static_cast<int>(found->whole(1, kMostCount));
}
template <typename Enum, typename Named, typename Names>
Enum one_of(const json::Value& value, std::string_view what, Named named, const Names& names) {
  const std::string written = value.text();
  if (const auto found = named(written)) return *found;
  value.fail(fmt::format("unknown {} {}, wanted {}", what, quote(written), fmt::join(names, " or ")),
             did_you_mean(written, names));
}

Context read_context(const json::Value& node) {
  json::Object object = node.object();
  Context context;
  context.source = object.required("source").text();
  text(object, "date", context.date);
  text(object, "host", context.host);
  text(object, "cpu", context.cpu);
  text(object, "kernel", context.kernel);
  text(object, "compiler", context.compiler);
  text(object, "corecast_version", context.corecast_version);
  text(object, "governor", context.governor);
  text(object, "smt", context.smt);
  text(object, "huge_pages", context.huge_pages);
  text(object, "clock_source", context.clock_source);
  if (const auto libraries = object.optional("libraries")) {
    json::Object by_name = libraries->object();
    for (const auto& [name, version] : by_name.entries()) context.libraries[name] = version.text();
  }
  if (const auto cpus = object.optional("granted_cpus")) {
    for (const json::Value& cpu : cpus->array()) {
      context.granted_cpus.push_back(static_cast<int>(cpu.whole(0, kMostCount)));
    }
  }
  number(object, "quota_cpus", context.quota_cpus);
  if (const auto vm = object.optional("virtual_machine")) context.virtual_machine = vm->boolean();
  number(object, "load_before", context.load_before);
  number(object, "load_after", context.load_after);
  if (const auto throttled = object.optional("throttled_periods")) {
    context.throttled_periods = throttled->whole(0, kMostNumber);
  }
  number(object, "steal_seconds", context.steal_seconds);
  if (const auto clock = object.optional("clock_before"))
    context.clock_before = clock->positive_quantity<Hertz>();
  if (const auto clock = object.optional("clock_after"))
    context.clock_after = clock->positive_quantity<Hertz>();
  texts(object, "not_measured", context.not_measured);
  texts(object, "warnings", context.warnings);
  object.finish();
  return context;
}

// "GB/s" -> {bytes per second, 1e9}: the grammar of quantities, with the number 1 before it.
struct ScaledUnit {
  Unit unit;
  double scale;
};
ScaledUnit read_unit(const json::Value& value) {
  const std::string written = value.text();
  if (const auto base = unit_named(written)) return {*base, 1.0};  // as our own files have it: the fast way
  const std::string one = "1 " + written;
  const auto scale_as = [&](auto quantity) -> std::optional<double> {
    try {
      return parse_quantity<decltype(quantity)>(one).value();
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  if (const auto scale = scale_as(Seconds{})) return {Unit::seconds, *scale};
  if (const auto scale = scale_as(FlopsPerSecond{})) return {Unit::flop_per_second, *scale};
  if (const auto scale = scale_as(BytesPerSecond{})) return {Unit::bytes_per_second, *scale};
  if (const auto scale = scale_as(Hertz{})) return {Unit::hertz, *scale};
  value.fail("unknown unit " + quote(written),
             "wanted s, flop/s, B/s or Hz, with a prefix or without: ns, GB/s, Gflop/s");
}

void read_where(json::Object& object, Row& row) {
  row.threads = static_cast<int>(object.required("threads").whole(1, kMostCount));
  count(object, "threads_per_core", row.threads_per_core);
  row.cores = std::max(1, row.threads / row.threads_per_core);
  count(object, "cores", row.cores);
  count(object, "sockets", row.sockets);
  count(object, "clusters", row.clusters);
  if (const auto placement = object.optional("placement")) {
    row.placement = one_of<Placement>(*placement, "placement", placement_named,
                                      std::array<std::string_view, 3>{"compact", "scattered", "remote"});
  }
  if (const auto domain = object.optional("cpu_domain")) {
    row.cpu_domain = static_cast<int>(domain->whole(0, kMostCount));
  }
  if (const auto domain = object.optional("memory_domain")) {
    row.memory_domain = static_cast<int>(domain->whole(0, kMostCount));
  }
}

Row read_row(const json::Value& node) {
  json::Object object = node.object();
  Row row;
  row.group = one_of<Group>(object.required("group"), "group", group_named, kGroupNames);
  row.kernel = object.required("kernel").text();
  if (const auto type = object.optional("type")) {
    row.type = one_of<DataType>(*type, "data type", data_type_named, kDataTypeNames);
  }
  if (const auto extension = object.optional("extension")) {
    row.extension = one_of<hwmodels::Extension>(*extension, "vector extension", hwmodels::extension_named,
                                                hwmodels::kExtensionNames);
  }
  text(object, "library", row.library);
  text(object, "implementation", row.implementation);
  read_where(object, row);
  if (const auto size = object.optional("working_set")) row.working_set = size->quantity<Bytes>();
  if (const auto background = object.optional("background")) {
    row.background = background->quantity<BytesPerSecond>();
  }
  if (const auto shape = object.optional("shape")) {
    json::Object fields = shape->object();
    for (const auto& [key, value] : fields.entries()) row.shape[key] = value.whole(0, kMostNumber);
  }
  if (const auto flop = object.optional("flop")) row.flop = Flops(flop->number());
  if (const auto bytes = object.optional("bytes")) row.bytes = Bytes(bytes->number());
  const ScaledUnit unit = read_unit(object.required("unit"));
  row.unit = unit.unit;
  for (const json::Value& sample : object.required("samples").array()) {
    row.samples.push_back(sample.number() * unit.scale);
  }
  text(object, "note", row.note);
  object.finish();
  return row;
}

}  // namespace

Measurements parse_measurements_json(std::string_view text, const std::string& file) {
  const json::Document document = json::parse(text, file);
  json::Object root = document.root().object();
  const json::Value schema = root.required("schema");
  if (schema.text() != "corecast.measurements/1") {
    schema.fail(fmt::format("wanted \"corecast.measurements/1\", found {}", quote(schema.text())));
  }
  Measurements measurements;
  measurements.context = read_context(root.required("context"));
  measurements.machine = hwmodels::parse_machine_json(root.required("machine").dump(), file + ": /machine");
  for (const json::Value& row : root.required("rows").array()) measurements.rows.push_back(read_row(row));
  root.finish();
  check(measurements, file);
  return measurements;
}

Measurements read_measurements(const std::filesystem::path& path) {
  return parse_measurements_json(read_file(path), path.string());
}

}  // namespace corecast::calibration
