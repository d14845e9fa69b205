// Entry point for libFuzzer: any text is rejected with an Error, or its kernels run to an end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vgpu/hostile_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cudalab::vgpu::run_anything(std::string_view(reinterpret_cast<const char*>(data), size), 1 + size % 2);
  return 0;
}
