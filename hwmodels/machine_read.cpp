// The strict reader of the full form.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json.hpp"
#include "hwmodels/machine_tree.hpp"
#include "hwmodels/value_json.hpp"

namespace corecast::hwmodels {
namespace {

constexpr std::int64_t kMostCount = 1'048'576;

// Reads values whose origin, where they do not say, is that of the file.
class Reader {
 public:
  explicit Reader(Origin origin) : origin_(origin) {}

  template <typename Q>
  void value(json::Object& object, std::string_view key, Value<Q>& target) const {
    target = read_value<Q>(object.required(key), origin_);
  }
  template <typename Q>
  void optional_value(json::Object& object, std::string_view key, std::optional<Value<Q>>& target) const {
    if (const auto found = object.optional(key)) target = read_value<Q>(*found, origin_);
  }

  // {"avx512": {"1": "3.5 GHz", "28": "2.3 GHz"}, ...}; points come out sorted by extension and count.
  [[nodiscard]] std::vector<ClockPoint> clock(const json::Value& node) const {
    std::vector<ClockPoint> points;
    json::Object by_extension = node.object();
    for (const auto& [name, counts] : by_extension.entries()) {
      const Extension extension = extension_of(name, counts);
      json::Object by_count = counts.object();
      for (const auto& [count, clock] : by_count.entries()) {
        points.push_back({extension, active_cores(count, clock), read_value<Hertz>(clock, origin_)});
      }
    }
    std::stable_sort(points.begin(), points.end(), [](const ClockPoint& a, const ClockPoint& b) {
      return a.extension != b.extension ? a.extension < b.extension : a.active_cores < b.active_cores;
    });
    return points;
  }

  // {"fp32": {"avx2": 32, "avx512": 64}, ...}
  [[nodiscard]] std::vector<Peak> peaks(const json::Value& node) const {
    std::vector<Peak> peaks;
    json::Object by_type = node.object();
    for (const auto& [name, extensions] : by_type.entries()) {
      const auto type = data_type_named(name);
      if (!type) extensions.fail("unknown data type " + quote(name), did_you_mean(name, kDataTypeNames));
      json::Object by_extension = extensions.object();
      for (const auto& [extension, flop] : by_extension.entries()) {
        peaks.push_back({*type, extension_of(extension, flop), read_value<double>(flop, origin_)});
      }
    }
    std::stable_sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) {
      return a.type != b.type ? a.type < b.type : a.extension < b.extension;
    });
    return peaks;
  }

  // The keys of one group; they stand in `counts` (cores_per_socket, smt) and `object`, for hybrid machines the same.
  void core(json::Object& counts, json::Object& object, CoreGroup& group) const {
    group.cores_per_socket = static_cast<int>(counts.required("cores_per_socket").whole(1, kMostCount));
    if (const auto smt = counts.optional("smt")) group.smt = static_cast<int>(smt->whole(1, 8));
    group.clock = clock(object.required("clock"));
    group.peaks = peaks(object.required("peak"));
    const auto gain = group.smt > 1 ? object.required("smt_gain") : object.optional("smt_gain");
    if (!gain) return;
    json::Object gains = gain->object();
    value(gains, "compute", group.smt_gain_compute);
    value(gains, "memory", group.smt_gain_memory);
    gains.finish();
  }

  [[nodiscard]] std::vector<CacheLevel> caches(const json::Value& node) const {
    std::vector<CacheLevel> levels;
    json::Object object = node.object();
    for (const std::string_view key : {"l1", "l2", "l3", "l4"}) {
      const auto found = object.optional(key);
      if (!found) continue;
      json::Object fields = found->object();
      CacheLevel cache;
      cache.level = key[1] - '0';
      value(fields, "size", cache.size);
      if (const auto shared = fields.optional("shared_by_cores")) {
        cache.shared_by_cores = static_cast<int>(shared->whole(0, kMostCount));
      }
      value(fields, "bandwidth_per_core", cache.bandwidth_per_core);
      optional_value(fields, "bandwidth_per_instance", cache.bandwidth_per_instance);
      optional_value(fields, "peer_bandwidth", cache.peer_bandwidth);
      value(fields, "latency", cache.latency);
      fields.finish();
      levels.push_back(cache);
    }
    object.finish();
    return levels;
  }

  [[nodiscard]] Memory memory(const json::Value& node) const {
    Memory memory;
    json::Object object = node.object();
    value(object, "bandwidth", memory.bandwidth);
    value(object, "core_bandwidth", memory.core_bandwidth);
    optional_value(object, "cluster_bandwidth", memory.cluster_bandwidth);
    value(object, "saturation_shape", memory.saturation_shape);
    value(object, "latency", memory.latency);
    value(object, "page_fault", memory.page_fault);
    optional_value(object, "capacity", memory.capacity);
    object.finish();
    return memory;
  }

  [[nodiscard]] Link link(const json::Value& node) const {
    Link link;
    json::Object object = node.object();
    value(object, "bandwidth", link.bandwidth);
    value(object, "latency", link.latency);
    object.finish();
    return link;
  }

  [[nodiscard]] Threads threads(const json::Value& node) const {
    Threads threads;
    json::Object object = node.object();
    value(object, "barrier", threads.barrier);
    value(object, "barrier_per_doubling", threads.barrier_per_doubling);
    value(object, "wake_up", threads.wake_up);
    value(object, "time_slice", threads.time_slice);
    object.finish();
    return threads;
  }

  // {"onednn": {"gemm": {"fp32": {"efficiency": 0.9, ...}}}}
  [[nodiscard]] std::vector<LibraryKernel> kernels(const json::Value& node) const {
    std::vector<LibraryKernel> kernels;
    json::Object by_library = node.object();
    for (const auto& [library, classes] : by_library.entries()) {
      json::Object by_class = classes.object();
      for (const auto& [name, types] : by_class.entries()) {
        const auto kernel = kernel_class_named(name);
        if (!kernel) types.fail("unknown kernel class " + quote(name), did_you_mean(name, kKernelClassNames));
        json::Object by_type = types.object();
        for (const auto& [type_name, fields] : by_type.entries()) {
          const auto type = data_type_named(type_name);
          if (!type)
            fields.fail("unknown data type " + quote(type_name), did_you_mean(type_name, kDataTypeNames));
          LibraryKernel item;
          item.library = library;
          item.kernel = *kernel;
          item.type = *type;
          kernels.push_back(library_kernel(std::move(item), fields));
        }
      }
    }
    std::sort(kernels.begin(), kernels.end(), comes_before);
    return kernels;
  }

 private:
  [[nodiscard]] LibraryKernel library_kernel(LibraryKernel kernel, const json::Value& node) const {
    json::Object object = node.object();
    value(object, "efficiency", kernel.efficiency);
    value(object, "m_half", kernel.m_half);
    value(object, "n_half", kernel.n_half);
    value(object, "k_half", kernel.k_half);
    value(object, "memory_efficiency", kernel.memory_efficiency);
    value(object, "smoothing", kernel.smoothing);
    object.finish();
    return kernel;
  }

  static Extension extension_of(const std::string& name, const json::Value& place) {
    if (const auto extension = extension_named(name)) return *extension;
    place.fail("unknown vector extension " + quote(name), did_you_mean(name, kExtensionNames));
  }

  static int active_cores(const std::string& count, const json::Value& place) {
    try {
      return static_cast<int>(parse_whole(count, "a count of active cores", 1, kMostCount));
    } catch (const InputError& error) {
      place.fail(error.problem(), error.hint());
    }
  }

  Origin origin_;
};

void read_head(json::Object& root, Machine& machine) {
  const json::Value schema = root.required("schema");
  if (schema.text() != "corecast.machine/1") {
    schema.fail(fmt::format("wanted \"corecast.machine/1\", found {}", quote(schema.text())));
  }
  machine.name = root.required("name").text();
  if (const auto description = root.optional("description")) machine.description = description->text();
  if (const auto family = root.optional("family")) machine.family = family->text();
  if (const auto aliases = root.optional("aliases")) {
    for (const json::Value& alias : aliases->array()) machine.aliases.push_back(alias.text());
  }
}

CalibrationRecord calibration_of(const json::Value& node) {
  json::Object object = node.object();
  CalibrationRecord record;
  record.date = object.required("date").text();
  record.source = object.required("source").text();
  record.rows = static_cast<int>(object.required("rows").whole(0, kMostCount));
  record.measurements = object.required("measurements").text();
  if (const auto warnings = object.optional("warnings")) {
    for (const auto& warning : warnings->array()) record.warnings.push_back(warning.text());
  }
  object.finish();
  return record;
}

void read_topology(json::Object& root, const Reader& reader, Machine& machine) {
  json::Object topology = root.required("topology").object();
  machine.sockets = static_cast<int>(topology.required("sockets").whole(1, kMostCount));
  if (const auto domains = topology.optional("domains_per_socket")) {
    machine.domains_per_socket = static_cast<int>(domains->whole(1, kMostCount));
  }
  if (const auto groups = root.optional("groups")) {
    machine.groups.clear();
    for (const json::Value& item : groups->array()) {
      json::Object object = item.object();
      CoreGroup group;
      group.name = object.required("name").text();
      reader.core(object, object, group);
      object.finish();
      machine.groups.push_back(std::move(group));
    }
  } else {
    reader.core(topology, root, machine.groups[0]);
  }
  topology.finish();
}

}  // namespace

bool is_value(const nlohmann::json& node) {
  return node.is_string() || node.is_number() || (node.is_object() && node.contains("value"));
}

Machine machine_of(const nlohmann::json& tree, const std::string& file) {
  json::Object root = json::Value(&tree, file, "").object();
  Machine machine;
  read_head(root, machine);
  const auto origin = root.optional("origin");
  const Reader reader(origin ? read_origin(*origin) : Origin::datasheet);
  read_topology(root, reader, machine);
  if (const auto caches = root.optional("caches")) machine.caches = reader.caches(*caches);
  machine.memory = reader.memory(root.required("memory"));
  if (const auto link = root.optional("link")) machine.link = reader.link(*link);
  machine.threads = reader.threads(root.required("threads"));
  if (const auto kernels = root.optional("kernels")) machine.kernels = reader.kernels(*kernels);
  if (const auto record = root.optional("calibration")) machine.calibration = calibration_of(*record);
  root.finish();
  check(machine, file);
  return machine;
}

}  // namespace corecast::hwmodels
