// A topology from hwloc's one-line text: "pack:2 l3:1 core:4 pu:2".
#pragma once

#include <hwloc.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "hwmodels/topology.hpp"

namespace corecast::hwmodels::test {

using HwlocTopology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

inline HwlocTopology load_synthetic(const std::string& text) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw std::runtime_error("hwloc cannot be initialised");
  HwlocTopology topology(raw, &hwloc_topology_destroy);
  if (hwloc_topology_set_synthetic(raw, text.c_str()) != 0)
    throw std::runtime_error("not synthetic: " + text);
  if (hwloc_topology_load(raw) != 0) throw std::runtime_error("cannot load: " + text);
  return topology;
}

inline Topology synthetic(const std::string& text) {
  return read_topology(load_synthetic(text).get());
}

}  // namespace corecast::hwmodels::test
