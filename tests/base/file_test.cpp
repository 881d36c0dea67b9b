#include "base/file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "base/error.hpp"

using namespace corecast;
namespace fs = std::filesystem;

namespace {

struct TemporaryDirectory {
  fs::path path;
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "corecast-test.XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path); }
};

std::string problem_of_reading(const fs::path& path, std::size_t most = 1000) {
  try {
    (void)read_file(path, most);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what is written is read back, and nothing else is left in the folder") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path / "x";
  const std::string content("a\0b\n", 4);
  write_file(file, content);
  CHECK(read_file(file) == content);
  write_file(file, "second");
  CHECK(read_file(file) == "second");
  CHECK(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator{}) == 1);
}

TEST_CASE("a file that another program replaces meanwhile is read as it was or as it is, never half") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path / "x";
  const std::string small(10, 's'), large(100'000, 'l');
  write_file(file, small);
  std::atomic<bool> ended = false;
  std::thread other([&] {
    for (int i = 0; !ended; ++i) write_file(file, i % 2 == 0 ? large : small);
  });
  int halves = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string content = read_file(file);
    halves += content != small && content != large;
  }
  ended = true;
  other.join();
  CHECK(halves == 0);
}

TEST_CASE("a pipe that nobody writes is refused at once") {
  const TemporaryDirectory directory;
  REQUIRE(::mkfifo((directory.path / "pipe").c_str(), 0600) == 0);
  CHECK(problem_of_reading(directory.path / "pipe").find("not a regular file") != std::string::npos);
}

TEST_CASE("a file that cannot be read says why") {
  const TemporaryDirectory directory;
  CHECK(problem_of_reading(directory.path / "none").find("No such file or directory") != std::string::npos);
  CHECK(problem_of_reading(directory.path).find("is a directory") != std::string::npos);
  CHECK(problem_of_reading("/dev/null").find("not a regular file") != std::string::npos);
  write_file(directory.path / "long", std::string(2000, 'x'));
  CHECK(problem_of_reading(directory.path / "long").find("2000 bytes") != std::string::npos);
  if (::geteuid() == 0) {
    MESSAGE("skipped: root reads files without permission");
  } else {
    write_file(directory.path / "secret", "x");
    fs::permissions(directory.path / "secret", fs::perms::none);
    CHECK(problem_of_reading(directory.path / "secret").find("Permission denied") != std::string::npos);
  }
}

TEST_CASE("a file that cannot be written leaves nothing behind") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(write_file(directory.path / "no" / "folder", "x"), InputError);
  CHECK_THROWS_AS(write_file(directory.path, "x"), InputError);
  CHECK(fs::is_empty(directory.path));
}

TEST_CASE("a file beyond the limit of the process says so, leaves the old one and nothing beside it") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path / "x";
  write_file(file, "old");
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const struct rlimit small { 4096, before.rlim_max };
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // as the program does
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string problem;
  try {
    write_file(file, std::string(5000, 'x'));
  } catch (const InputError& error) {
    problem = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(problem == file.string() + ": cannot write: File too large (`ulimit -f` limits the size of files)");
  CHECK(read_file(file) == "old");
  CHECK(std::distance(fs::directory_iterator(directory.path), fs::directory_iterator{}) == 1);
}

TEST_CASE("writing through a symbolic link replaces what it points at, not the link") {
  const TemporaryDirectory directory;
  write_file(directory.path / "target", "old");
  fs::create_symlink("target", directory.path / "link");
  write_file(directory.path / "link", "new");
  CHECK(fs::is_symlink(directory.path / "link"));
  CHECK(read_file(directory.path / "target") == "new");
}
