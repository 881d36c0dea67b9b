// A sign of life on standard error, for work that takes longer than two seconds. Says nothing about results.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace corecast::cli {

// On a terminal: one line, renewed every second, gone at the end. Else: one line after two seconds.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void watch();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watcher_;
};

}  // namespace corecast::cli
