// libFuzzer's entry point: any text yields a module or an Error, and a module can be written as text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "ptx/module.h"
#include "ptx/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = cudalab::ptx::to_text(cudalab::ptx::parse(text, "fuzz"));
  } catch (const cudalab::Error&) {
    return 0;
  }
  if (cudalab::ptx::to_text(cudalab::ptx::parse(written, "written")) != written) std::abort();
  return 0;
}
