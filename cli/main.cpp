// The program: reads the command line, runs one command, prints its result, turns failures into exit codes.
//   0  done      1  wrong usage      2  bad input (InputError)      3  no answer (NoAnswer)
//   130  interrupted by the user (Interrupted)
// Anything else that is thrown is a mistake of ours: 70. Results go to standard output, all else to standard
// error.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupted.hpp"
#include "hwmodels/text_columns.hpp"

namespace {

constexpr int kBadInput = 2, kNoAnswer = 3, kInternalError = 70, kInterrupted = 130;

int fail(int code, const std::string& message) {
  const std::string line = "corecast: " + corecast::hwmodels::printable(message) + "\n";
  std::fputs(line.c_str(), stderr);
  return code;
}

// All or an error: a result cut short must not look like one.
int print(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EPIPE) return 0;  // the reader has what it wanted: `corecast ... | head`
    if (put < 0)
      return fail(kBadInput, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    done += static_cast<std::size_t>(put);
  }
  return 0;
}

int run(int argc, char** argv) {
  const corecast::cli::Arguments arguments = corecast::cli::parse_arguments(argc, argv);
  if (!arguments.command) return arguments.text.empty() ? arguments.exit_code : print(arguments.text);
  return print(
      std::visit([](const auto& options) { return corecast::cli::run(options); }, *arguments.command));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed pipe then fails with EPIPE instead
  std::signal(SIGXFSZ, SIG_IGN);  // and beyond `ulimit -f` with EFBIG: the unfinished file is then removed
  try {
    return run(argc, argv);
  } catch (const corecast::InputError& error) {
    return fail(kBadInput, error.what());
  } catch (const corecast::NoAnswer& error) {
    return fail(kNoAnswer, error.what());
  } catch (const corecast::cli::Interrupted& error) {
    return fail(kInterrupted, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, "not enough memory for this input");
  } catch (const std::exception& error) {
    return fail(kInternalError, fmt::format("internal error: {}", error.what()));
  }
}
