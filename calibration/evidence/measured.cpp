#include "calibration/evidence/measured.hpp"

#include <algorithm>
#include <boost/tokenizer.hpp>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/quantity_text.hpp"

namespace corecast::evidence {
namespace {

constexpr long long kMostCount = 1'000'000;
constexpr long long kMostThreads = 65'536;

using Cell = const std::string&;

std::optional<long long> count(Cell cell) {
  return parse_whole(cell, "a whole number of at least 1", 1, kMostCount);
}

std::optional<long long> threads(Cell cell) {
  return parse_whole(cell, "a number of threads", 1, kMostThreads);
}

std::optional<double> above_zero(Cell cell) {
  const double value = parse_number(cell, "a number above zero");
  if (!(value > 0.0)) throw InputError("", fmt::format("found {}, wanted a number above zero", quote(cell)));
  return value;
}

// Of milliseconds: a picosecond to 30 years. Beyond, ratios of two values would leave the range of numbers.
std::optional<double> in_range(Cell cell, const char* unit) {
  const std::optional<double> value = above_zero(cell);
  if (!(*value >= 1e-9 && *value <= 1e12))
    throw InputError("", fmt::format("found {}, wanted {} from 1e-9 to 1e12", quote(cell), unit));
  return value;
}

std::optional<double> not_negative(Cell cell) {
  const double value = parse_number(cell, "a number of at least zero");
  if (value < 0.0)
    throw InputError("", fmt::format("found {}, wanted a number of at least zero", quote(cell)));
  return value;
}

std::optional<bool> on_or_off(Cell cell) {
  if (cell != "on" && cell != "off")
    throw InputError("", fmt::format("found {}, wanted on, off or nothing", quote(cell)));
  return cell == "on";
}

struct Column {
  const char* name;
  void (*set)(MeasuredRow& row, Cell cell);  // of a cell that is not empty
};

constexpr Column kColumns[] = {
    {"source", [](MeasuredRow& r, Cell c) { r.source = c; }},
    {"machine", [](MeasuredRow& r, Cell c) { r.machine = c; }},
    {"framework", [](MeasuredRow& r, Cell c) { r.framework = c; }},
    {"model", [](MeasuredRow& r, Cell c) { r.model = c; }},
    {"mode", [](MeasuredRow& r, Cell c) { r.mode = c; }},
    {"runtime", [](MeasuredRow& r, Cell c) { r.runtime = c; }},
    {"seq_len", [](MeasuredRow& r, Cell c) { r.sequence = count(c); }},
    {"batch", [](MeasuredRow& r, Cell c) { r.batch = count(c); }},
    {"instances", [](MeasuredRow& r, Cell c) { r.instances = threads(c); }},
    {"inter_op", [](MeasuredRow& r, Cell c) { r.inter_op = threads(c); }},
    {"intra_op", [](MeasuredRow& r, Cell c) { r.intra_op = threads(c); }},
    {"smt", [](MeasuredRow& r, Cell c) { r.smt = on_or_off(c); }},
    {"spin", [](MeasuredRow& r, Cell c) { r.spin = on_or_off(c); }},
    {"placement", [](MeasuredRow& r, Cell c) { r.placement = c; }},
    {"memory", [](MeasuredRow& r, Cell c) { r.memory = c; }},
    {"allocator", [](MeasuredRow& r, Cell c) { r.allocator = c; }},
    {"pinning", [](MeasuredRow& r, Cell c) { r.pinning = c; }},
    {"cpu_quota", [](MeasuredRow& r, Cell c) { r.quota_cpus = above_zero(c); }},
    {"latency_ms", [](MeasuredRow& r, Cell c) { r.latency_ms = in_range(c, "milliseconds"); }},
    {"latency_ms_median", [](MeasuredRow& r, Cell c) { r.latency_median_ms = in_range(c, "milliseconds"); }},
    {"latency_mean_ms", [](MeasuredRow& r, Cell c) { r.latency_mean_ms = in_range(c, "milliseconds"); }},
    {"latency_min_ms", [](MeasuredRow& r, Cell c) { r.latency_min_ms = in_range(c, "milliseconds"); }},
    {"latency_max_ms", [](MeasuredRow& r, Cell c) { r.latency_max_ms = in_range(c, "milliseconds"); }},
    {"throughput_per_s",
     [](MeasuredRow& r, Cell c) { r.throughput_per_s = in_range(c, "samples per second"); }},
    {"spread", [](MeasuredRow& r, Cell c) { r.spread = not_negative(c); }},
    {"rounds", [](MeasuredRow& r, Cell c) { r.rounds = count(c); }},
    {"note", [](MeasuredRow& r, Cell c) { r.note = c; }},
};

std::vector<std::string> cells_of(const std::string& line, const std::string& place) {
  if (std::count(line.begin(), line.end(), '"') % 2 != 0)
    throw InputError(place, "a double quote is not closed", "a cell has no line ends");
  using Separator = boost::escaped_list_separator<char>;
  // No escape character: a backslash is a backslash.
  const boost::tokenizer<Separator> cells(line, Separator("", ",", "\""));
  std::vector<std::string> out(cells.begin(), cells.end());
  for (std::string& cell : out) {
    const std::size_t first = cell.find_first_not_of(" \t");
    cell = first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
  }
  return out;
}

struct Header {
  std::vector<std::string> names;
  std::vector<const Column*> columns;  // nullptr: ignored
};

Header header_of(const std::string& line, const std::string& place, MeasuredTable& table) {
  Header header{cells_of(line, place), {}};
  std::set<std::string> seen;
  for (const std::string& name : header.names) {
    if (!seen.insert(name).second)
      throw InputError(place, fmt::format("the column {} stands there twice", quote(name)));
    const auto* column = std::find_if(std::begin(kColumns), std::end(kColumns),
                                      [&](const Column& one) { return name == one.name; });
    header.columns.push_back(column == std::end(kColumns) ? nullptr : column);
    if (header.columns.back() == nullptr) table.ignored_columns.push_back(name);
  }
  for (const char* name : {"machine", "framework", "model", "batch", "intra_op"}) {
    if (seen.contains(name)) continue;
    throw InputError(place,
                     fmt::format("there is no column {}; found {}", quote(name),
                                 quote(fmt::format("{}", fmt::join(header.names, ",")))),
                     "the first line that does not begin with # names the columns");
  }
  const auto has = [&](const char* name) { return seen.contains(name); };
  if (!has("latency_ms") && !has("latency_ms_median") && !has("throughput_per_s"))
    throw InputError(place, "there is no column of what was measured",
                     "latency_ms, latency_ms_median or throughput_per_s");
  return header;
}

MeasuredRow row_of(const Header& header, const std::string& line, const std::string& place) {
  const std::vector<std::string> cells = cells_of(line, place);
  if (cells.size() != header.names.size()) {
    throw InputError(place, fmt::format("found {} cells, wanted {}, as many as there are columns",
                                        cells.size(), header.names.size()));
  }
  MeasuredRow row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (header.columns[i] == nullptr || cells[i].empty()) continue;
    try {
      header.columns[i]->set(row, cells[i]);
    } catch (const InputError& error) {
      throw error.within(fmt::format("{}: column {}", place, header.names[i]));
    }
  }
  return row;
}

}  // namespace

MeasuredTable parse_measured(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  MeasuredTable table;
  table.file = file;
  std::optional<Header> header;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.pop_back();
    const std::string place = fmt::format("{}: line {}", file, number);
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (!header && line.front() == '#') {
      const std::size_t first = line.find_first_not_of("# \t");
      table.context.push_back(first == std::string::npos ? "" : line.substr(first));
    } else if (!header) {
      header = header_of(line, place, table);
    } else {
      table.rows.push_back(row_of(*header, line, place));
    }
  }
  if (!header) throw InputError(file, "is empty: there is not even a line that names the columns");
  return table;
}

MeasuredTable read_measured(const std::filesystem::path& path) {
  return parse_measured(read_file(path), path.string());
}

std::optional<double> latency_ms_of(const MeasuredRow& row) {
  if (row.quota_cpus && row.latency_mean_ms) return row.latency_mean_ms;
  if (row.latency_ms) return row.latency_ms;
  if (row.latency_median_ms) return row.latency_median_ms;
  if (!row.throughput_per_s || !row.batch) return std::nullopt;
  return 1e3 * static_cast<double>(row.instances.value_or(1)) * static_cast<double>(*row.batch) /
         *row.throughput_per_s;
}

std::optional<double> throughput_of(const MeasuredRow& row) {
  if (row.throughput_per_s) return row.throughput_per_s;
  const std::optional<double> latency = latency_ms_of(row);
  if (!latency || !row.batch) return std::nullopt;
  return 1e3 * static_cast<double>(row.instances.value_or(1)) * static_cast<double>(*row.batch) / *latency;
}

}  // namespace corecast::evidence
