// Classical models of domain ai.onnx.ml. Their weights are attributes, not inputs: read whole, in fp32.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

std::int64_t numbers_in(const NodeView& node, std::string_view attribute) {
  const auto found = node.attributes.find(std::string(attribute));
  if (found == node.attributes.end()) return 0;
  if (const auto* reals = std::get_if<std::vector<double>>(&found->second)) {
    return static_cast<std::int64_t>(reals->size());
  }
  if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&found->second)) {
    return static_cast<std::int64_t>(wholes->size());
  }
  return 0;
}

struct Table {
  std::int64_t rows, features;
};

// [rows, features], or one row [features].
Table table_of(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 1, 64);
  if (x.size() == 1) return {1, x[0]};
  return {x[0], product(node, std::span(x).subspan(1))};
}

// Results may be sequences of maps, whose shape is unknown.
Work row_traffic(const NodeView& node) {
  Work work;
  work.compute_type = DataType::fp32;
  for (const TensorView& tensor : node.inputs) {
    if (!tensor.absent) read(work, tensor);
  }
  for (const TensorView& tensor : node.outputs) work.written += tensor.absent ? Bytes{} : tensor.bytes();
  return work;
}

Operator linear(const NodeView& node) {
  const Table x = table_of(node);
  const std::int64_t weights = numbers_in(node, "coefficients");
  if (weights < 1) fail(node, "attribute coefficients is missing or empty");
  if (x.features < 1 || weights % x.features != 0) {
    fail(node, fmt::format("{} coefficients do not fit {} features", weights, x.features));
  }
  Work work = row_traffic(node);
  work.weights_read += bytes_of(DataType::fp32, weights);
  return matrix_operator(node, MatrixShape{1, x.rows, weights / x.features, x.features}, work);
}

// A kernel value per row and support vector: a product, and an exponential for all kernels but the linear
// one.
Operator support_vectors(const NodeView& node) {
  const Table x = table_of(node);
  const std::int64_t numbers = numbers_in(node, "support_vectors");
  const std::int64_t weights = numbers > 0 ? numbers : numbers_in(node, "coefficients");
  const std::int64_t vectors = x.features > 0 ? ceil_div(weights, x.features) : 0;
  Work work = row_traffic(node);
  work.weights_read += bytes_of(DataType::fp32, sum(node, {weights, numbers_in(node, "coefficients")}));
  const bool plain = node.text("kernel_type", "LINEAR") == "LINEAR";
  work.flops = Flops(static_cast<double>(product(node, {x.rows, vectors})) * (plain ? 2.0 : 2.0 + kExp));
  return matrix_operator(node, MatrixShape{1, x.rows, vectors, x.features}, work);
}

// Every row walks every tree from the root to a leaf: log2(nodes of a tree) comparisons, each with an index
// computed from the last (counted as 4). Nodes are 24 bytes (feature, threshold, two links, mode, weight).
Operator trees(const NodeView& node) {
  const Table x = table_of(node);
  double nodes = 0, count = 1;
  const Shape ids = node.wholes("nodes_treeids");
  if (!ids.empty()) {
    Shape distinct = ids;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    nodes = static_cast<double>(ids.size());
    count = static_cast<double>(distinct.size());
  } else {  // TreeEnsemble, version 5
    nodes = static_cast<double>(numbers_in(node, "nodes_featureids"));
    count = static_cast<double>(std::max<std::int64_t>(1, numbers_in(node, "tree_roots")));
  }
  const double depth = std::log2(std::max(2.0, nodes / count));
  Work work = row_traffic(node);
  work.weights_read += Bytes(24.0 * nodes);
  work.flops = Flops(static_cast<double>(x.rows) * count * depth * 4.0);
  work.units = x.rows;
  work.working_set = Bytes(24.0 * nodes);
  return operator_with(KernelClass::gather, work);
}

template <int kFlop>
Operator per_feature(const NodeView& node) {
  const Table x = table_of(node);
  Work work = row_traffic(node);
  const std::int64_t count = product(node, {x.rows, x.features});
  work.flops = Flops(kFlop * static_cast<double>(count));
  work.units = chunk_units(count);
  return operator_with(KernelClass::elementwise, work);
}

// A hash and a comparison for each key; maps are built by one thread.
Operator keyed(const NodeView& node) {
  const std::int64_t count = elements(node, input(node, 0));
  Work work = row_traffic(node);
  constexpr double kHash = 10;
  work.flops = Flops(kHash * static_cast<double>(count));
  work.units = chunk_units(count);
  return operator_with(KernelClass::gather, work);
}

// Maps of text have no shape: nothing can be said.
Operator maps(const NodeView& node) {
  Operator op = keyed(node);
  op.work.serial_fraction = 1.0;
  return op;
}

constexpr std::array kRules{
    Entry{kMl, "Binarizer", per_feature<kSimple>},
    Entry{kMl, "CastMap", maps},
    Entry{kMl, "CategoryMapper", keyed},
    Entry{kMl, "DictVectorizer", maps},
    Entry{kMl, "FeatureVectorizer", per_feature<kFree>},
    Entry{kMl, "Imputer", per_feature<kSimple>},
    Entry{kMl, "LabelEncoder", keyed},
    Entry{kMl, "LinearClassifier", linear},
    Entry{kMl, "LinearRegressor", linear},
    Entry{kMl, "Normalizer", per_feature<3 * kSimple>},
    Entry{kMl, "OneHotEncoder", per_feature<kSimple>},
    Entry{kMl, "SVMClassifier", support_vectors},
    Entry{kMl, "SVMRegressor", support_vectors},
    Entry{kMl, "Scaler", per_feature<2 * kSimple>},
    Entry{kMl, "TreeEnsemble", trees},
    Entry{kMl, "TreeEnsembleClassifier", trees},
    Entry{kMl, "TreeEnsembleRegressor", trees},
    Entry{kMl, "ZipMap", maps},
    Entry{kOnnx, "StringConcat", keyed},
    Entry{kOnnx, "StringNormalizer", keyed},
    Entry{kOnnx, "StringSplit", keyed},
    Entry{kOnnx, "RegexFullMatch", keyed},
    Entry{kOnnx, "TfIdfVectorizer", keyed},
    Entry{kMicrosoft, "MurmurHash3", keyed},
};

}  // namespace

std::span<const Entry> ml_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
