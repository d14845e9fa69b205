// Loads the CUDA driver and names its errors.
#include "device/cuda/driver.h"

#include <fmt/format.h>

#include "compile/library_probe.h"
#include "compile/shared_library.h"
#include "compile/toolkit.h"

namespace cudalab::device {
namespace {

struct Symbol {
  const char* name;
  void (*set)(Driver&, void* address);
};

constexpr Symbol kSymbols[] = {
#define CUDALAB_SYMBOL(member, declaration, symbol) \
  {symbol, [](Driver& driver, void* address) { driver.member.set(symbol, address); }},
    CUDALAB_DRIVER_FUNCTIONS(CUDALAB_SYMBOL)
#undef CUDALAB_SYMBOL
};

// The first symbol that the library lacks; null where it has all.
const char* fill_in(Driver& driver, const compile::SharedLibrary& library) {
  for (const Symbol& symbol : kSymbols) {
    void* address = library.function<void*>(symbol.name);
    if (!address) return symbol.name;
    symbol.set(driver, address);
  }
  return nullptr;
}

std::string text_of(const Driver& driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver.error_name.attempt(result, &name);
  driver.error_string.attempt(result, &text);
  return fmt::format("{} ({})", name ? name : fmt::format("CUDA error {}", static_cast<int>(result)).c_str(),
                     text ? text : "no description");
}

// Why the loaded driver cannot be used; empty where it can.
std::string why_unusable(Driver& driver) {
  if (const CUresult result = driver.init.attempt(0); result != CUDA_SUCCESS)
    return "cuInit failed: " + text_of(driver, result);
  int count = 0, version = 0;
  if (driver.device_count.attempt(&count) != CUDA_SUCCESS || count == 0) return "the CUDA driver sees no GPU";
  driver.driver_version.attempt(&version);
  driver.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  return {};
}

DriverSearch search() {
  const std::string name = compile::environment("CUDALAB_CUDA_DRIVER").value_or("libcuda.so.1");
  if (const std::string crash = compile::crash_of_loading(name); !crash.empty())
    return {nullptr, fmt::format("{} {}", name, crash)};
  const auto library = compile::SharedLibrary::open(name);
  if (!library) return {nullptr, name + " was not found"};
  auto driver = std::make_shared<Driver>();
  driver->path = library->path().string();
  if (const char* missing = fill_in(*driver, *library))
    return {nullptr, fmt::format("{} lacks {}: it is older than CUDA 12", driver->path, missing)};
  if (std::string reason = why_unusable(*driver); !reason.empty()) return {nullptr, std::move(reason)};
  return {std::move(driver), {}};
}

}  // namespace

const DriverSearch& cuda_driver() {
  static const DriverSearch found = search();
  return found;
}

std::string cuda_error_name(CUresult result) {
  const char* name = nullptr;
  if (const auto& driver = cuda_driver().driver) driver->error_name.attempt(result, &name);
  return name ? name : fmt::format("CUDA error {}", static_cast<int>(result));
}

void throw_cuda_failure(const char* function, CUresult result) {
  const auto& driver = cuda_driver().driver;
  throw CudaFailure(result, fmt::format("{} failed: {}", function,
                                        driver ? text_of(*driver, result) : cuda_error_name(result)));
}

}  // namespace cudalab::device
