// Settings out of a file: a CSV of measurements (or of settings alone), or a JSON list.
#include <algorithm>
#include <boost/tokenizer.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "cli/measure_settings.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::map<std::string, std::string>;

// Columns of measurement files -> keys of a setting.
std::optional<std::string> key_of(const std::string& column) {
  static const std::map<std::string, std::string> renamed{
      {"inter_op", "inter"}, {"intra_op", "intra"}, {"cpu_quota", "quota"}};
  if (const auto found = renamed.find(column); found != renamed.end()) return found->second;
  const auto& keys = measure_keys();
  if (std::find(keys.begin(), keys.end(), column) != keys.end()) return column;
  return std::nullopt;
}

// What others call the same thing; the part behind '/' or '(' says by which tool.
std::string usual_word(const std::string& key, std::string text) {
  static const std::map<std::string, Words> others{
      {"placement", {{"sequential", "compact"}, {"interleave", "scatter"}}},
      {"memory", {{"local", "first-touch"}}},
      {"allocator",
       {{"default", "framework"}, {"malloc", "system"}, {"tcmalloc", "caching"}, {"jemalloc", "caching"}}}};
  text = text.substr(0, text.find_first_of("/("));
  const auto words = others.find(key);
  if (words == others.end()) return text;
  const auto found = words->second.find(text);
  return found == words->second.end() ? text : found->second;
}

std::vector<std::string> cells_of(const std::string& line, const std::string& place) {
  if (std::count(line.begin(), line.end(), '"') % 2 != 0)
    throw InputError(place, "a double quote is not closed");
  using Separator = boost::escaped_list_separator<char>;
  const boost::tokenizer<Separator> cells(line, Separator("", ",", "\""));
  return {cells.begin(), cells.end()};
}

void add(std::vector<MeasureSetting>& settings, const Words& words, const std::string& place,
         const MeasureWords& known) {
  const MeasureSetting setting = setting_of_words(words, place, known);
  if (std::find(settings.begin(), settings.end(), setting) == settings.end()) settings.push_back(setting);
}

std::vector<MeasureSetting> settings_of_csv(const fs::path& file, const MeasureWords& known) {
  std::vector<MeasureSetting> settings;
  std::vector<std::optional<std::string>> keys;
  std::istringstream stream(read_file(file));
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    const std::string place = fmt::format("{}: line {}", file.string(), ++number);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || (keys.empty() && line.front() == '#')) continue;
    const std::vector<std::string> cells = cells_of(line, place);
    if (keys.empty()) {
      for (const std::string& column : cells) keys.push_back(key_of(column));
      if (std::none_of(keys.begin(), keys.end(), [](const auto& key) { return key == "intra"; }))
        throw InputError(place, fmt::format("there is no column \"intra_op\"; found {}", quote(line)),
                         "the first line names the columns");
      continue;
    }
    if (cells.size() != keys.size())
      throw InputError(place, fmt::format("found {} cells, wanted {}", cells.size(), keys.size()));
    Words words;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (keys[i] && !cells[i].empty()) words[*keys[i]] = usual_word(*keys[i], cells[i]);
    }
    add(settings, words, place, known);
  }
  return settings;
}

std::string word_of(const json::Value& value) {
  if (value.is_text()) return value.text();
  if (value.is_number()) return value.dump();
  return value.boolean() ? "on" : "off";
}

std::vector<MeasureSetting> settings_of_json(const fs::path& file, const MeasureWords& known) {
  std::vector<MeasureSetting> settings;
  const json::Document document = json::read(file);
  for (const json::Value& value : document.root().array()) {
    Words words;
    for (const auto& [name, text] : value.object().entries()) {
      const std::optional<std::string> key = key_of(name);
      if (!key)
        throw InputError(
            value.place(),
            fmt::format("found the key {}, wanted one of {}", quote(name), fmt::join(measure_keys(), ", ")),
            did_you_mean(name, measure_keys()));
      words[*key] = usual_word(*key, word_of(text));
    }
    add(settings, words, value.place(), known);
  }
  return settings;
}

}  // namespace

std::vector<MeasureSetting> settings_of_file(const fs::path& file, const MeasureWords& known) {
  std::error_code code;
  if (!fs::exists(file, code))
    throw InputError("--settings", fmt::format("no file is called {}", quote(file.string())),
                     "\"grid\", or a file of settings (CSV or JSON); --axes names them on the command line");
  std::vector<MeasureSetting> settings =
      file.extension() == ".json" ? settings_of_json(file, known) : settings_of_csv(file, known);
  if (settings.empty()) throw InputError(file.string(), "holds no setting");
  return settings;
}

}  // namespace corecast::cli
