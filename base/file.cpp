#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/error.hpp"

namespace corecast {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw InputError(path.string(), fmt::format("cannot write: {}", std::strerror(error)),
                   error == EFBIG ? "`ulimit -f` limits the size of files" : "");
}

// Closes at the end of its scope.
struct Closing {
  explicit Closing(int what) : descriptor(what) {}
  ~Closing() { ::close(descriptor); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  int descriptor;
};

}  // namespace

std::string read_file(const fs::path& path, std::size_t most) {
  // open() rather than a stream: only errno tells "no such file" from "permission denied". All questions go to what was
  // opened, never to the path again: another program may put a new file there at any moment, by renaming. Without
  // waiting, or a pipe that nobody writes would hold us up before it can be refused.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    // A socket cannot be opened at all.
    if (errno == ENXIO) throw InputError(path.string(), "is not a regular file");
    throw InputError(path.string(), fmt::format("cannot open: {}", std::strerror(errno)));
  }
  const Closing closing{descriptor};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    throw InputError(path.string(), fmt::format("cannot read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw InputError(path.string(), "is a directory, wanted a file");
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISCHR(status.st_mode)) {
    throw InputError(path.string(), "is not a regular file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most) {
    throw InputError(path.string(),
                     fmt::format("is {} bytes long, the most that can be read is {}", size, most));
  }
  std::string content(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, content.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(path.string(), fmt::format("cannot read: {}", std::strerror(errno)));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

void write_file(const fs::path& path, std::string_view content) {
  std::error_code code;
  if (fs::is_directory(path, code))
    throw InputError(path.string(), "is a directory, cannot write a file there");
  if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
    // A pipe or /dev/stdout has no neighbour to rename from.
    std::ofstream stream(path, std::ios::binary);
    if (!(stream << content).flush()) throw InputError(path.string(), "cannot write");
    return;
  }
  fs::path target = path;
  if (fs::is_symlink(path, code)) target = fs::weakly_canonical(path, code);
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::string name = (parent / (target.filename().string() + ".XXXXXX")).string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) cannot_write(path, errno);
  const auto fail = [&](int error) {
    ::close(descriptor);
    ::unlink(name.c_str());
    cannot_write(path, error);
  };
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t put = ::write(descriptor, content.data() + done, content.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(errno);
    done += static_cast<std::size_t>(put);
  }
  // mkstemp makes the file private; give it what a plain open() would have.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat old {};
  const mode_t mode = ::stat(target.c_str(), &old) == 0 ? (old.st_mode & 07777U) : (0666U & ~mask);
  if (::fchmod(descriptor, mode) != 0) fail(errno);
  if (::close(descriptor) != 0) {
    const int error = errno;
    ::unlink(name.c_str());
    cannot_write(path, error);
  }
  if (::rename(name.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::unlink(name.c_str());
    cannot_write(path, error);
  }
}

}  // namespace corecast
