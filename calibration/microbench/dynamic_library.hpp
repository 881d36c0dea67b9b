// A shared library found at run time, so that the program starts where it is not installed.
#pragma once

#include <string>
#include <vector>

namespace corecast::calibration::microbench {

// Never closed: a thread pool inside (OpenMP, OpenBLAS) outlives every call into it, and code that such a
// thread still runs must stay mapped.
class DynamicLibrary {
 public:
  // The first of `names` that the loader finds; error() otherwise.
  explicit DynamicLibrary(const std::vector<std::string>& names);

  [[nodiscard]] bool loaded() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }    // the one found
  [[nodiscard]] const std::string& error() const { return error_; }  // the loader's words, on the first name

  // Sets `function` to the symbol, of the library or of one it depends on; false and null when there is none.
  template <typename Function>
  bool find(const char* symbol, Function*& function) const {
    function = reinterpret_cast<Function*>(address(symbol));  // POSIX promises this conversion
    return function != nullptr;
  }

 private:
  [[nodiscard]] void* address(const char* symbol) const;

  void* handle_ = nullptr;
  std::string name_, error_;
};

}  // namespace corecast::calibration::microbench
