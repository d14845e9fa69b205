// What nobody wrote still holds the poison that unwritten memory is filled with.
#include "lab/any_kernel/buffer_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/digest.h"

namespace cudalab::lab {
namespace {

bool is_poison(std::span<const std::byte> element, std::uint8_t poison) {
  return std::all_of(element.begin(), element.end(),
                     [poison](std::byte byte) { return byte == std::byte{poison}; });
}

// Elements that still hold what unwritten memory is filled with.
std::size_t untouched_elements(const ArgumentSpec& spec, const Bytes& bytes) {
  if (spec.fill != Fill::kUnwritten) return 0;
  const std::size_t size = info(spec.type).bytes;
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); at += size)
    count += is_poison(std::span(bytes).subspan(at, size), poison_of(spec.type));
  return count;
}

std::string what_happened(const BoundElements& elements, const Bytes& bytes) {
  if (elements.spec.fill != Fill::kUnwritten) return bytes == elements.initial ? "unchanged" : "changed";
  if (elements.is_variable) return "a variable of the program";
  const std::size_t untouched = untouched_elements(elements.spec, bytes);
  if (untouched == 0) return "written";
  return untouched == elements.spec.count ? "never written"
                                          : fmt::format("{} elements never written", untouched);
}

std::string element_text(const BoundElements& elements, std::span<const std::byte> element) {
  const ArgumentSpec& spec = elements.spec;
  if (spec.fill == Fill::kUnwritten && !elements.is_variable && is_poison(element, poison_of(spec.type)))
    return "unwritten";
  return scalar_text(spec.type, element);
}

}  // namespace

std::string note_on(const BoundElements& elements, const Bytes& bytes) {
  return fmt::format("{} ({} x {}): digest {}, {}.", elements.name, elements.spec.count,
                     info(elements.spec.type).name, digest(bytes), what_happened(elements, bytes));
}

Figure print_of(const PrintRange& range, const BoundElements& elements, const Bytes& bytes) {
  constexpr std::size_t kInARow = 8;
  const ArgumentSpec& spec = elements.spec;
  const std::size_t size = info(spec.type).bytes,
                    count = std::min<std::size_t>(range.count, spec.count - range.first);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(element_text(elements, std::span(bytes).subspan((range.first + i) * size, size)));
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  const std::size_t index_width = std::to_string(range.first + count - 1).size();
  Figure figure;
  figure.title = fmt::format("{}: {} elements of {}, from {} on", elements.name, count, info(spec.type).name,
                             range.first);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kInARow == 0) figure.lines.push_back(fmt::format("[{:>{}}]", range.first + i, index_width));
    figure.lines.back() += fmt::format("  {:>{}}", texts[i], width);
  }
  return figure;
}

}  // namespace cudalab::lab
