#include "graphs/builtin.hpp"

#include <array>

#include "base/error.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs {
namespace {

struct Entry {
  const char* name;
  const char* description;
  Graph (*build)(std::int64_t batch);
};

constexpr std::array kModels{
    Entry{"inception_v3",
          "Inception v3, 299x299, 1000 classes (arXiv 1512.00567; torchvision's form, no auxiliary head)",
          models::inception_v3},
};

constexpr std::int64_t kMostBatch = 1'000'000;  // beyond any use, and sizes stay far from overflow

}  // namespace

const std::vector<BuiltinModel>& builtin_models() {
  static const std::vector<BuiltinModel> all = [] {
    std::vector<BuiltinModel> list;
    for (const Entry& entry : kModels) list.push_back({entry.name, entry.description});
    return list;
  }();
  return all;
}

Graph build_model(const std::string& name, std::int64_t batch) {
  std::vector<std::string> names;
  for (const Entry& entry : kModels) {
    if (entry.name != name) {
      names.emplace_back(entry.name);
      continue;
    }
    if (batch < 1 || batch > kMostBatch) {
      throw InputError(name, fmt::format("batch is {}, wanted 1 to {}", batch, kMostBatch));
    }
    return entry.build(batch);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("there are: {}", fmt::join(names, ", "));
  throw InputError("", fmt::format("no built-in model is named {}", quote(name)), hint);
}

}  // namespace corecast::graphs
