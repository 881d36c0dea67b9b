// The edges of a Graph as a Boost.Graph, for algorithms that want one. Only files that run such an algorithm include this:
// Boost.Graph costs seconds to compile.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "graphs/graph.hpp"

namespace corecast::graphs {

// vecS for both: vertex descriptors are the operators' indices and out-edges keep the order in which they were made.
using BoostGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Edge>;

struct Topology {
  BoostGraph graph;
};

}  // namespace corecast::graphs
