// What to do about an error in a source of which parts were left out: the names and lines that it mentions.
#include <fmt/format.h>

#include "compile/sources/host_code.h"

namespace cudalab::compile {
namespace {

std::string_view last_name(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

bool mentions(std::string_view error, std::string_view name) {
  const auto quoted = [&](std::string_view word) {
    return error.find(fmt::format("\"{}\"", word)) != std::string_view::npos ||
           error.find(fmt::format("\"{}(", word)) !=
               std::string_view::npos;  // nvcc shows the parameters, too
  };
  return !name.empty() && (quoted(name) || quoted(last_name(name)));
}

std::string lines_of(const SourcePart& part) {
  if (part.first_line == part.last_line) return fmt::format("line {}", part.first_line);
  return fmt::format("lines {} to {}", part.first_line, part.last_line);
}

// "lines 2 to 3 of book.h"
std::string place_text(const SourcePart& part, const std::string& header) {
  return header.empty() ? lines_of(part)
                        : fmt::format("{} of {}", lines_of(part), header.substr(header.rfind('/') + 1));
}

std::string advice_on_left_out(std::span<const SourcePart> left_out, std::string_view error,
                               const std::string& header) {
  for (const SourcePart& part : left_out)
    if (mentions(error, part.name))
      return fmt::format(
          "; `{}` ({}) has no {}, so it is the host's", part.name, place_text(part, header),
          part.is_function ? "__device__ in front of it" : "__device__ or __constant__ in front of it");
  return "";
}

std::string advice_on_kept(std::span<const SourcePart> kept, int line) {
  for (const SourcePart& part : kept)
    if (!part.name.empty() && part.first_line <= line && line <= part.last_line)
      return fmt::format("; if it is there for the host, leave out `{}` ({})", part.name, lines_of(part));
  return "";
}

}  // namespace

std::string advice_on(const DeviceCode& code, std::string_view error, const std::string& file, int line) {
  std::string advice = advice_on_left_out(code.left_out, error, "");
  for (const DeviceHeader& header : code.headers)
    if (advice.empty()) advice = advice_on_left_out(header.left_out, error, header.path);
  if (!advice.empty()) return advice;
  if (file.empty()) return advice_on_kept(code.kept, line);
  for (const DeviceHeader& header : code.headers)
    if (header.path == file) return advice_on_kept(header.kept, line);
  return "";
}

}  // namespace cudalab::compile
