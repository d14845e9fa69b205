// libFuzzer's entry point: any text is split into device code and what is left out, and no line is lost.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compile/diagnosis.h"
#include "compile/sources/host_code.h"
#include "compile/sources/source_parts.h"

namespace {

using namespace cudalab::compile;

// Pretends, by the length of a header's name, that it is found, used unchanged, or missing.
std::optional<std::string> find_header(const IncludedHeader& header) {
  switch (header.name.size() % 3) {
    case 0: return "/found/" + std::string(header.name);
    case 1: return "";
    default: return std::nullopt;
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

auto lines_of(std::string_view text) { return std::ranges::count(text, '\n'); }

void require_places(const std::vector<SourcePart>& parts, std::string_view source) {
  for (const SourcePart& part : parts)
    require(part.first_line >= 1 && part.first_line <= part.last_line &&
            part.last_line <= lines_of(source) + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  std::size_t end = 0;
  for (const SourceToken& token : tokens_of(source)) {
    require(token.begin >= end && token.end() <= size && !token.text.empty());
    end = token.end();
  }
  const DeviceCode code = device_code_of(source, find_header);
  require(lines_of(code.text) >= lines_of(source));  // replacements of headers may be inserted at the top
  require_places(code.left_out, source);
  require_places(code.kept, source);
  for (const KernelDeclaration& kernel : code.kernels)
    require(kernel.line >= 1 && kernel.line <= kernel.last_line);
  const std::string first_line(source.substr(0, source.find('\n')));
  advice_on(code, first_line, "", 1);
  advice_on_removed(first_line);
  warnings_in(source, "fuzz.cu");
  return 0;
}
