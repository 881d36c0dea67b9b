// Reading machine files: the full form as it stands, the short form filled from its datasheet and family first.
#include "hwmodels/machine_json.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "hwmodels/machine_tree.hpp"
#include "hwmodels/priors.hpp"
#include "hwmodels/value_json.hpp"

namespace corecast::hwmodels {
namespace {

constexpr std::int64_t kMostCount = 1'048'576;

int optional_count(json::Object& object, std::string_view key, std::int64_t least, std::int64_t most,
                   int otherwise) {
  const auto found = object.optional(key);
  return found ? static_cast<int>(found->whole(least, most)) : otherwise;
}

template <typename Q>
void optional_quantity(json::Object& object, std::string_view key, Q& target) {
  if (const auto found = object.optional(key)) target = found->positive_quantity<Q>();
}

Extension extension_in(const json::Value& place, const std::string& name) {
  if (const auto extension = extension_named(name)) return *extension;
  place.fail("unknown vector extension " + quote(name), did_you_mean(name, kExtensionNames));
}

Datasheet read_datasheet(const json::Value& node, const std::string& family) {
  json::Object object = node.object();
  Datasheet sheet;
  sheet.family = family;
  sheet.sockets = static_cast<int>(object.required("sockets").whole(1, kMostCount));
  sheet.domains_per_socket = optional_count(object, "domains_per_socket", 1, kMostCount, 1);
  sheet.cores_per_socket = static_cast<int>(object.required("cores_per_socket").whole(1, kMostCount));
  sheet.smt = optional_count(object, "smt", 1, 8, 1);
  optional_quantity(object, "base_clock", sheet.base_clock);
  optional_quantity(object, "turbo_clock", sheet.turbo_clock);
  if (const auto clocks = object.optional("all_core_clock")) {
    json::Object by_extension = clocks->object();
    for (const auto& [name, clock] : by_extension.entries()) {
      sheet.all_core_clock.push_back(
          {extension_in(clock, name), read_value<Hertz>(clock, Origin::datasheet)});
      if (!(sheet.all_core_clock.back().clock.value > Hertz(0.0))) clock.fail("must be greater than zero");
    }
  }
  if (const auto extensions = object.optional("extensions")) {
    for (const json::Value& item : extensions->array())
      sheet.extensions.push_back(extension_in(item, item.text()));
  }
  sheet.fma_units_512 = optional_count(object, "fma_units_512", 1, 2, 0);
  optional_quantity(object, "l1", sheet.l1);
  optional_quantity(object, "l2", sheet.l2);
  optional_quantity(object, "l3", sheet.l3);
  sheet.l3_shared_by_cores = optional_count(object, "l3_shared_by_cores", 0, kMostCount, 0);
  sheet.memory_channels = optional_count(object, "memory_channels", 1, 64, 0);
  if (const auto rate = object.optional("memory_mega_transfers")) {
    sheet.memory_mega_transfers = rate->number(1.0, 1e6);
  }
  optional_quantity(object, "memory_capacity", sheet.memory_capacity);
  optional_quantity(object, "link_bandwidth", sheet.link_bandwidth);
  if (const auto from = object.optional("from")) sheet.from = from->text();
  object.finish();
  for (AllCoreClock& known : sheet.all_core_clock) {
    if (known.clock.from.empty()) known.clock.from = sheet.from;
  }
  return sheet;
}

// What the file says stands over what the priors filled in: objects key by key, values and the points of one
// extension's clock as a whole.
void lay_over(nlohmann::json& base, const nlohmann::json& over, const std::string& path) {
  const bool whole = path.starts_with("/clock/") || is_value(base) || is_value(over);
  if (whole || !base.is_object() || !over.is_object()) {
    base = over;
    return;
  }
  for (const auto& [key, value] : over.items()) {
    const auto found = base.find(key);
    if (found == base.end()) {
      base[key] = value;
    } else {
      lay_over(*found, value, fmt::format("{}/{}", path, key));
    }
  }
}

// "family" and "datasheet" give a whole machine; the file's other keys are laid over it.
nlohmann::json filled(nlohmann::json tree, const std::string& file) {
  json::Object root = json::Value(&tree, file, "").object();
  const json::Value name = root.required("name");
  const Datasheet sheet = read_datasheet(root.required("datasheet"), root.required("family").text());
  for (const std::string_view key : {"topology", "groups"}) {
    if (const auto found = root.optional(key)) {
      found->fail(fmt::format("\"{}\" beside \"datasheet\"", key),
                  "a datasheet states the counts of cores of one kind itself; more kinds need the full form");
    }
  }
  nlohmann::json base;
  try {
    base = nlohmann::json(tree_of(machine_from_datasheet(sheet, name.text())));
  } catch (const InputError& error) {
    throw error.within(file + ": /datasheet");
  }
  tree.erase("datasheet");
  lay_over(base, tree, "");
  return base;
}

}  // namespace

Machine parse_machine_json(std::string_view text, const std::string& file) {
  const json::Document document = json::parse(text, file);  // refuses repeated keys and deep nesting
  nlohmann::json tree = nlohmann::json::parse(text);
  if (tree.is_object() && tree.contains("datasheet")) return machine_of(filled(std::move(tree), file), file);
  try {
    return machine_of(tree, file);
  } catch (const InputError& error) {
    if (!error.hint().empty() || !error.problem().starts_with("key ")) throw;  // not a missing key
    throw InputError(
        error.where(), error.problem(),
        "with \"family\" and \"datasheet\" in the file, what is missing is taken from the family");
  }
}

Machine read_machine(const std::filesystem::path& path) {
  return parse_machine_json(read_file(path), path.string());
}

}  // namespace corecast::hwmodels
