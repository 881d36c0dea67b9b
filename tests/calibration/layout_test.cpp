#include "calibration/fit/layout.hpp"

#include "calibration/fit/levels.hpp"
#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

using Counts = std::vector<int>;

Row placed(int cores, Placement placement, int sockets, int clusters) {
  Row made = row(Group::bandwidth, "read", cores, Unit::bytes_per_second, {1.0});
  made.placement = placement;
  made.sockets = sockets;
  made.clusters = clusters;
  return made;
}

TEST_CASE("compact teams fill one cluster, domain and socket before the next") {
  // EPYC 7742: 2 sockets of 64 cores, clusters of 4.
  const auto epyc = machine_named("epyc-7742");
  const Layout six = layout_of(epyc, placed(6, Placement::compact, 1, 2));
  CHECK(six.sockets == Counts{6});
  CHECK(six.clusters == Counts{4, 2});
  const Layout seventy = layout_of(epyc, placed(70, Placement::compact, 2, 18));
  CHECK(seventy.sockets == Counts{64, 6});
  CHECK(seventy.most_of_a_socket() == 64);
  CHECK(seventy.clusters.size() == 18);
}

TEST_CASE("scattered teams take sockets and clusters in turns") {
  const auto epyc = machine_named("epyc-7742");
  const Layout six = layout_of(epyc, placed(6, Placement::scattered, 2, 6));
  CHECK(six.sockets == Counts{3, 3});
  CHECK(six.clusters == Counts{1, 1, 1, 1, 1, 1});
}

TEST_CASE("domains split a socket's cores") {
  auto clustered = machine_named("xeon-gold-6148");
  clustered.domains_per_socket = 2;
  const Layout twelve = layout_of(clustered, placed(12, Placement::compact, 1, 1));
  REQUIRE(twelve.domains.size() == 2);
  CHECK(twelve.domains[0] == Counts{10});
  CHECK(twelve.domains[1] == Counts{2});
}

TEST_CASE("what a row states stands over what its placement would give") {
  // A grant of one core in each of four clusters.
  const auto epyc = machine_named("epyc-7742");
  CHECK(layout_of(epyc, placed(4, Placement::compact, 1, 4)).clusters == Counts{1, 1, 1, 1});
  CHECK(layout_of(epyc, placed(4, Placement::compact, 2, 2)).sockets == Counts{2, 2});
  // One cluster cannot hold 32 cores: the field was not filled in.
  CHECK(layout_of(epyc, placed(32, Placement::compact, 1, 1)).clusters.size() == 8);
}

TEST_CASE("a working set belongs to a level only well inside it") {
  // Xeon 8180: L1 32 KiB, L2 1 MiB, L3 38.5 MiB of the socket.
  const auto xeon = machine_named("xeon-8180");
  const auto level = [&](int cores, double bytes) -> std::string {
    const Layout layout = layout_of(xeon, placed(cores, Placement::compact, 1, 1));
    const auto found = level_well_inside(xeon, layout, Bytes(bytes));
    return found ? level_name(xeon, *found) : "none";
  };
  CHECK(level(1, 20e3) == "l1");
  CHECK(level(1, 30e3) == "none");
  CHECK(level(1, 0.5e6) == "l2");
  CHECK(level(1, 1.0e6) == "none");
  CHECK(level(1, 20e6) == "l3");
  CHECK(level(1, 60e6) == "none");
  CHECK(level(1, 200e6) == "memory");
  CHECK(level(28, 28 * 20e3) == "l1");
  CHECK(level(28, 24e6) == "none");  // 857 kB a core: much of it stays in the L2 caches
  CHECK(level(1, 0.0) == "none");
  CHECK(level_name(xeon, level_holding(xeon, layout_of(xeon, placed(1, Placement::compact, 1, 1)),
                                       Bytes(30e3))) == "l1");
}

TEST_CASE("the last caches in use count, not those of the whole socket") {
  // One core of an EPYC 7742 has the 16 MiB of its cluster; 45 MB are more than 2.5 times that.
  const auto epyc = machine_named("epyc-7742");
  const Layout one = layout_of(epyc, placed(1, Placement::compact, 1, 1));
  CHECK(level_well_inside(epyc, one, Bytes(45e6)) == epyc.caches.size());
  const Layout all = layout_of(epyc, placed(64, Placement::compact, 1, 16));
  CHECK(level_well_inside(epyc, all, Bytes(100e6)) == 2);
}

}  // namespace
}  // namespace corecast::calibration
