// Machine <-> JSON, schema corecast.machine/1 (described in data/machines/README.md), the catalogue, and paths.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

[[nodiscard]] Machine parse_machine_json(std::string_view text, const std::string& file);
[[nodiscard]] Machine read_machine(const std::filesystem::path& path);
[[nodiscard]] std::string to_json_text(const Machine& machine);  // stable bytes, round trips

// One change of a what-if: `path=value`. Paths are those of the JSON, dots between keys:
//   memory.bandwidth=+50%   memory.bandwidth=200 GB/s   topology.cores_per_socket=64   clock=*1.1   smt=off
// Absolute values carry units; +p%, -p% and *f scale what is there, under `clock`, `peak` or a part of them all
// values below.
// machine_path_table() lists the paths and their short names.
// What follows from a change:
//   smt                off: gains become 1; on or more ways where there was one: the family's gains
//   topology.sockets   a link between sockets comes from the family where the machine has none
//   cores_per_socket   memory bandwidth, and the size of a cache that the socket shares, stay; private caches
//                      come with their cores; the clock of the last point holds for more cores
//   clock=+p%, *f      bandwidth and latency of caches private to a core go along: they run at its clock
// Changed values keep their origin and say `what-if: ...` in `from`; absolute ones count as exact.
// Counts are changed first, else the order given holds.
struct Change {
  std::string path;
  std::string value;
};
[[nodiscard]] Change parse_change(std::string_view text);  // InputError when it is not "path=value"
// InputError for an unknown path, a value of wrong form, or a machine that check() refuses.
[[nodiscard]] Machine changed(const Machine& machine, const std::vector<Change>& changes);

struct MachinePath {
  std::string path;     // "memory.bandwidth", "clock.EXTENSION.CORES"
  std::string meaning;  // for people
  bool scales = false;  // exists on every machine and takes +p%: fit for an elasticity
};
[[nodiscard]] const std::vector<MachinePath>& machine_path_table();
[[nodiscard]] std::vector<std::string> machine_paths();  // the first column

// All machines under data/machines, sorted by name; names and aliases must be unique, and files named by machine.
[[nodiscard]] std::vector<Machine> read_catalogue(const std::filesystem::path& directory);
// By name or alias, upper or lower case, else InputError with the nearest name.
[[nodiscard]] Machine find_machine(const std::vector<Machine>& catalogue, std::string_view name);

}  // namespace corecast::hwmodels
