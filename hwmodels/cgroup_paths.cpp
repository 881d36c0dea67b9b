#include "hwmodels/cgroup_paths.hpp"

#include <algorithm>
#include <optional>

#include "hwmodels/system_files.hpp"

namespace corecast::hwmodels {
namespace {

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view name : split(list, ',')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// mountinfo writes space, tab, line end and backslash as \ and three octal digits.
std::string unescaped(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string without_trailing_slash(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

// `path` relative to the mounted part of its hierarchy, "" or "/a/b"; nothing when it lies outside, or climbs ("/..", as
// a group outside of the process's cgroup namespace is shown).
std::optional<std::string> path_below_mount(const std::string& path, const std::string& mount_root) {
  for (const std::string_view piece : split(path, '/')) {
    if (piece == "..") return std::nullopt;
  }
  const std::string whole = without_trailing_slash(path);
  const std::string root = without_trailing_slash(mount_root);
  if (whole == root) return std::string{};
  if (whole.size() > root.size() && whole.compare(0, root.size(), root) == 0 && whole[root.size()] == '/') {
    return whole.substr(root.size());
  }
  return std::nullopt;
}

// Where a hierarchy is mounted when mountinfo cannot be read.
std::vector<CgroupMount> usual_mounts(const SystemRoot& root, std::string_view controller,
                                      const std::vector<std::string>& mounted_together) {
  std::vector<std::string> points;
  if (controller.empty()) {
    points = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
  } else {
    std::string all;
    for (const std::string& name : mounted_together) all += (all.empty() ? "" : ",") + name;
    points = {"/sys/fs/cgroup/" + all, "/sys/fs/cgroup/" + std::string(controller)};
  }
  for (const std::string& point : points) {
    if (!is_system_directory(root.root, point)) continue;
    return {
        {.version = controller.empty() ? 2 : 1, .root = "/", .point = point, .options = mounted_together}};
  }
  return {};
}

std::vector<std::string> with_ancestors(const std::string& point, std::string below) {
  std::vector<std::string> directories;
  while (!below.empty()) {
    directories.push_back(point + below);
    below.erase(below.rfind('/'));
  }
  directories.push_back(point);
  return directories;
}

}  // namespace

std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  for (const std::string_view line : split(text, '\n')) {
    // The path may hold colons: only the first two part the fields.
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    memberships.push_back(
        {names_in(line.substr(first + 1, second - first - 1)), std::string(line.substr(second + 1))});
  }
  return memberships;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text) {
  std::vector<CgroupMount> mounts;
  for (const std::string_view line : split(text, '\n')) {
    // 36 35 98:0 /root /point rw,noatime shared:1 - cgroup source rw,cpu,cpuacct
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const std::string_view type = dash[1];
    if (type != "cgroup" && type != "cgroup2") continue;
    mounts.push_back({.version = type == "cgroup2" ? 2 : 1,
                      .root = unescaped(fields[3]),
                      .point = without_trailing_slash(unescaped(fields[4])),
                      .options = names_in(dash[3])});
  }
  return mounts;
}

CgroupPlace cgroup_place(const SystemRoot& root, std::string_view controller) {
  CgroupPlace place{.version = controller.empty() ? 2 : 1, .directories = {}};
  const auto belongs = [&](const std::vector<std::string>& names) {
    return controller.empty() ? names.empty() : contains(names, controller);
  };
  const auto memberships =
      parse_cgroup_memberships(read_system_file(root.root, "/proc/self/cgroup").value_or(""));
  const auto mine = std::find_if(memberships.begin(), memberships.end(),
                                 [&](const CgroupMembership& m) { return belongs(m.controllers); });
  if (mine == memberships.end()) return place;

  std::vector<CgroupMount> mounts =
      parse_cgroup_mounts(read_system_file(root.root, "/proc/self/mountinfo").value_or(""));
  std::erase_if(mounts, [&](const CgroupMount& mount) {
    return mount.version != place.version || (place.version == 1 && !contains(mount.options, controller));
  });
  if (mounts.empty()) mounts = usual_mounts(root, controller, mine->controllers);
  for (const CgroupMount& mount : mounts) {
    const auto below = path_below_mount(mine->path, mount.root);
    if (!below || !is_system_directory(root.root, mount.point + *below)) continue;
    place.directories = with_ancestors(mount.point, *below);
    return place;
  }
  if (!mounts.empty()) place.directories = {mounts.front().point};
  return place;
}

}  // namespace corecast::hwmodels
