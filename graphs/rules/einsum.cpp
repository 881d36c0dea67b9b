// Einsum. A product of two tensors is one multiply-add for every combination of index values:
//
//   flop = 2 * product of the sizes of all labels
//
// More than two operands are taken pairwise from the left, as a plain kernel does; labels that nobody needs
// any more are summed away at once. One operand: a sum over the labels that vanish, or a move when none does.
#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// Labels of one operand. The dimensions an ellipsis stands for are labelled '0', '1', ... counted from the
// last one, so that they broadcast.
using Labels = std::string;
using Sizes = std::map<char, std::int64_t>;

struct Equation {
  std::vector<Labels> operands;
  Labels result;
  Sizes sizes;
};

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

bool holds(const Labels& labels, char label) {
  return labels.find(label) != Labels::npos;
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// "b...ij" with two dimensions under the ellipsis: "b10ij".
Labels expand(const NodeView& node, std::string_view term, std::size_t hidden) {
  Labels labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "...") {
      if (hidden > 10) fail(node, "an ellipsis stands for more than 10 dimensions");
      for (std::size_t d = hidden; d > 0; --d) labels.push_back(static_cast<char>('0' + d - 1));
      i += 2;
    } else if (is_letter(term[i])) {
      labels.push_back(term[i]);
    } else {
      fail(node, fmt::format("equation has an unexpected {}", quote(term.substr(i, 1))));
    }
  }
  return labels;
}

std::size_t letters_in(std::string_view term) {
  return static_cast<std::size_t>(std::count_if(term.begin(), term.end(), is_letter));
}

// Without "->": the labels that occur once, in alphabetical order, after those of the ellipsis.
Labels implied_result(const std::vector<Labels>& operands) {
  std::map<char, int> uses;
  for (const Labels& labels : operands) {
    for (const char label : labels) ++uses[label];
  }
  Labels hidden, result;
  for (const auto& [label, count] : uses) {
    if (!is_letter(label)) hidden.insert(hidden.begin(), label);
    if (is_letter(label) && count == 1) result.push_back(label);
  }
  return hidden + result;
}

void add_sizes(const NodeView& node, const Labels& labels, const Shape& shape, Sizes& sizes) {
  for (std::size_t d = 0; d < labels.size(); ++d) {
    const auto [at, is_new] = sizes.emplace(labels[d], shape[d]);
    if (is_new || at->second == shape[d] || shape[d] == 1) continue;
    if (at->second != 1) {
      fail(node, fmt::format("label {} has sizes {} and {}", labels[d], at->second, shape[d]));
    }
    at->second = shape[d];
  }
}

Equation parse(const NodeView& node) {
  const std::string text = without_spaces(node.text("equation", ""));
  const std::size_t arrow = text.find("->");
  std::vector<std::string> terms(1);
  for (const char c : text.substr(0, arrow)) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back().push_back(c);
  }
  if (terms.size() != node.inputs.size()) {
    fail(node, fmt::format("equation {} has {} operands, found {} inputs", quote(text), terms.size(),
                           node.inputs.size()));
  }
  Equation equation;
  std::size_t most_hidden = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Shape& shape = input_shape(node, i);
    const std::size_t letters = letters_in(terms[i]);
    const bool has_ellipsis = terms[i].find("...") != std::string::npos;
    if (letters > shape.size() || (!has_ellipsis && letters != shape.size())) {
      fail(node, fmt::format("term {} does not fit the {} dimensions of input {}", quote(terms[i]),
                             shape.size(), i));
    }
    most_hidden = std::max(most_hidden, shape.size() - letters);
    equation.operands.push_back(expand(node, terms[i], shape.size() - letters));
    // A second ellipsis would repeat labels beyond the rank.
    if (equation.operands.back().size() != shape.size()) fail(node, "a term has two ellipses");
    add_sizes(node, equation.operands.back(), shape, equation.sizes);
  }
  equation.result = arrow == std::string::npos ? implied_result(equation.operands)
                                               : expand(node, text.substr(arrow + 2), most_hidden);
  for (const char label : equation.result) {
    if (equation.sizes.count(label) == 0)
      fail(node, fmt::format("label {} of the result is in no input", label));
  }
  return equation;
}

std::int64_t size_of(const NodeView& node, const Labels& labels, const Sizes& sizes) {
  Labels distinct = labels;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Shape factors;
  for (const char label : distinct) factors.push_back(sizes.at(label));
  return product(node, factors);
}

// batch: in both and kept; m, n: in one of them; k: summed.
MatrixShape matrix_of(const NodeView& node, const Labels& a, const Labels& b, const Labels& kept,
                      const Sizes& sizes) {
  Labels batch, m, n, k;
  for (const char label : a + b) {
    const bool in_a = holds(a, label);
    const bool in_b = holds(b, label);
    Labels& group = !holds(kept, label) ? k : in_a && in_b ? batch : in_a ? m : n;
    if (!holds(group, label)) group.push_back(label);
  }
  return {size_of(node, batch, sizes), size_of(node, m, sizes), size_of(node, n, sizes),
          size_of(node, k, sizes)};
}

// Labels still wanted by the result or by operands from `next` on.
Labels wanted_later(const Equation& equation, std::size_t next) {
  Labels wanted = equation.result;
  for (std::size_t i = next; i < equation.operands.size(); ++i) wanted += equation.operands[i];
  return wanted;
}

Operator single(const NodeView& node, const Equation& equation) {
  const bool sums = std::any_of(equation.sizes.begin(), equation.sizes.end(),
                                [&](const auto& label) { return !holds(equation.result, label.first); });
  Operator op = streamed(node, sums ? KernelClass::reduce : KernelClass::transpose, kFree);
  if (sums) op.work.flops = Flops(input(node, 0).elements());
  return op;
}

Operator einsum(const NodeView& node) {
  const Equation equation = parse(node);
  if (equation.operands.size() == 1) return single(node, equation);
  Work work = traffic(node);
  Labels left = equation.operands.front();
  MatrixShape last;
  for (std::size_t i = 1; i < equation.operands.size(); ++i) {
    const Labels kept = wanted_later(equation, i + 1);
    last = matrix_of(node, left, equation.operands[i], kept, equation.sizes);
    if (i + 1 < equation.operands.size()) work.flops += flops_of(last);
    Labels next;
    for (const char label : left + equation.operands[i]) {
      if (holds(kept, label) && !holds(next, label)) next.push_back(label);
    }
    left = next;
  }
  return matrix_operator(node, last, work);
}

constexpr std::array kRules{Entry{kOnnx, "Einsum", einsum}};

}  // namespace

std::span<const Entry> einsum_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
