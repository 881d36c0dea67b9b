// The points of group "kernels": which problem in which library on which team, the most telling first.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "calibration/microbench/kernel_shapes.hpp"
#include "calibration/microbench/onednn.hpp"
#include "calibration/microbench/openblas.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/team.hpp"

namespace corecast::calibration::microbench {

enum class Library { onednn, openblas };
inline constexpr std::array kLibraries{Library::onednn, Library::openblas};
[[nodiscard]] std::string name_of(Library library);  // "onednn"

// Both behind one set of functions; what they mean stands in onednn.hpp and openblas.hpp.
struct Libraries {
  OneDnn onednn;
  OpenBlas openblas;

  [[nodiscard]] const std::string& missing(Library library) const;
  [[nodiscard]] std::string version(Library library) const;  // with the kernels it dispatches
  [[nodiscard]] std::string use(Library library, const std::vector<int>& cpus);
  [[nodiscard]] bool not_pinned(Library library) const;
  [[nodiscard]] LibraryCall prepare(Library library, const Problem& problem) const;
};

struct LibraryPoint {
  Library library = Library::onednn;
  Problem problem;
  Seats seats;
  int rank = 0;  // of the problem and of the team together
  // Within a rank: every class, type and library has its first problem before any has its second.
  int turn = 0;
};
[[nodiscard]] std::string text_of(const LibraryPoint& point);

// In the order in which they should be measured; a quick effort has rank 0 alone. Of missing libraries none.
[[nodiscard]] std::vector<LibraryPoint> library_points(const hwmodels::Host& host, Effort effort,
                                                       const Libraries& libraries);

}  // namespace corecast::calibration::microbench
