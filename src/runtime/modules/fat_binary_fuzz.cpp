// libFuzzer target: any bytes either are refused with an Error, or are containers whose PTX is linked and
// loaded. The same bytes are also read as an ELF file.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fuzz_testing.h"
#include "core/programs/elf_file.h"
#include "ptx/module.h"
#include "runtime/modules/fat_binary.h"
#include "vgpu/vgpu.h"

namespace {

using namespace cudalab;
using Bytes = std::span<const std::byte>;
constexpr int kArchitecture = 90;  // the architecture of the machine code in the samples

void load(const std::vector<std::string>& texts) {
  std::vector<ptx::Module> parts;
  for (const std::string& text : texts) parts.push_back(ptx::parse(text, "fuzz"));
  if (parts.empty()) return;
  vgpu::VirtualGpu gpu({.host_threads = 1, .memory_bytes = 64u << 20});
  gpu.load(runtime::linked(std::move(parts)), "fuzz");
}

// Consecutive containers, as with -rdc=true.
std::vector<std::string> texts_in_containers(Bytes bytes) {
  std::vector<std::string> texts;
  while (!bytes.empty()) {
    const Bytes container = runtime::container_in(bytes);
    for (runtime::DeviceImage& image : runtime::images_of(container, kArchitecture)) {
      resources_in_machine_code(std::as_bytes(std::span(image.machine_code)));
      if (!image.ptx.empty()) texts.push_back(std::move(image.ptx));
    }
    bytes = bytes.subspan(container.size());
  }
  return texts;
}

// Texts separated by zeros. Fuzzing uncompressed text reaches the parser, which damage to compressed data
// seldom does.
std::vector<std::string> texts_between_zeros(std::string_view all) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\0', begin), all.size());
    if (end > begin) texts.emplace_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return texts;
}

void ask(Bytes file) {
  constexpr std::string_view kPrefixes[]{"main", "_Z"};
  is_elf(file);
  has_section(file, ".nv_fatbin");
  needed_libraries(file);
  functions_of(file, kPrefixes);
  resources_in_machine_code(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> bytes(first, first + size);  // a copy, aligned as a mapped file is
  ask(bytes);
  unless_refused([&] { load(texts_in_containers(bytes)); });
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("//") || text.starts_with(".version"))
    unless_refused([&] { load(texts_between_zeros(text)); });
  return 0;
}
