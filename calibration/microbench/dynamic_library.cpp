#include "calibration/microbench/dynamic_library.hpp"

#include <dlfcn.h>

namespace corecast::calibration::microbench {
namespace {

// What the loader says of its last failure.
std::string loader_error() {
  const char* words = ::dlerror();
  std::string text = words != nullptr ? words : "cannot be loaded";
  (void)::dlerror();  // the first call hands its text out, the second gives the memory back
  return text;
}

}  // namespace

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    // Local: OpenBLAS and a BLAS that another library brought must not see each other's symbols.
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    const std::string words = loader_error();
    if (error_.empty()) error_ = words;
  }
}

void* DynamicLibrary::address(const char* symbol) const {
  if (handle_ == nullptr) return nullptr;
  void* const found = ::dlsym(handle_, symbol);
  if (found == nullptr) (void)loader_error();
  return found;
}

}  // namespace corecast::calibration::microbench
