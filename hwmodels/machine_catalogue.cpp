#include <algorithm>
#include <map>
#include <system_error>

#include "base/error.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::hwmodels {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  if (error) throw InputError(directory.string(), "cannot be listed: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<Machine> read_catalogue(const std::filesystem::path& directory) {
  std::vector<Machine> machines;
  std::map<std::string, std::string> owner;  // name or alias -> file
  for (const auto& file : json_files(directory)) {
    Machine machine = read_machine(file);
    if (machine.name != file.stem().string()) {
      throw InputError(file.string() + ": /name",
                       fmt::format("is {}, must be {}, the file's name", quote(machine.name),
                                   quote(file.stem().string())));
    }
    std::vector<std::string> names{machine.name};
    names.insert(names.end(), machine.aliases.begin(), machine.aliases.end());
    for (const std::string& name : names) {
      const auto [other, added] = owner.emplace(lower(name), file.string());
      if (!added) {
        throw InputError(file.string(),
                         fmt::format("the name {} is taken by {}", quote(name), other->second));
      }
    }
    machines.push_back(std::move(machine));
  }
  std::sort(machines.begin(), machines.end(),
            [](const Machine& a, const Machine& b) { return a.name < b.name; });
  return machines;
}

Machine find_machine(const std::vector<Machine>& catalogue, std::string_view name) {
  const std::string wanted = lower(name);
  std::vector<std::string> known;
  for (const Machine& machine : catalogue) {
    known.push_back(lower(machine.name));
    if (known.back() == wanted) return machine;
    for (const std::string& alias : machine.aliases) {
      known.push_back(lower(alias));
      if (known.back() == wanted) return machine;
    }
  }
  throw InputError("", "no machine is called " + quote(name), did_you_mean(wanted, known));
}

}  // namespace corecast::hwmodels
