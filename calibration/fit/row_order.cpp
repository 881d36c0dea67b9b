#include "calibration/fit/row_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace corecast::calibration {
namespace {

// Notes are for people.
auto key_of(const Row& row) {
  return std::tie(row.group, row.kernel, row.library, row.implementation, row.type, row.extension,
                  row.threads, row.threads_per_core, row.cores, row.sockets, row.clusters, row.placement,
                  row.cpu_domain, row.memory_domain, row.working_set, row.background, row.shape, row.flop,
                  row.bytes, row.unit, row.samples);
}

}  // namespace

std::vector<std::size_t> order_by_content(const std::vector<Row>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key_of(rows[a]) < key_of(rows[b]); });
  return order;
}

}  // namespace corecast::calibration
