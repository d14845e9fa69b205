// Padding: a gap shorter than the alignment A of the member behind it, which ends at a multiple of A and has
// A written bytes behind it; the last one of an element fills it up to a multiple of A that one of its
// members has.
#include "runtime/paddings.h"

#include <algorithm>
#include <bit>

namespace cudalab::runtime {
namespace {

constexpr std::size_t kLargestAlignment = 16;
constexpr std::size_t kLargestSingle = 64;  // bytes: a copy of one struct, which nothing repeats

using Gaps = std::span<const vgpu::ByteRun>;

std::size_t written_behind(Gaps gaps, std::size_t gap, std::size_t bytes) {
  return (gap + 1 < gaps.size() ? gaps[gap + 1].at : bytes) - gaps[gap].end();
}

// That one of the written stretches of an element holds a member of this alignment.
bool has_member(Gaps gaps, std::size_t alignment) {
  std::size_t from = 0;
  for (const vgpu::ByteRun& gap : gaps) {
    if ((from + alignment - 1) / alignment * alignment + alignment <= gap.at) return true;
    from = gap.end();
  }
  return false;
}

// `gaps` of one element, from its first byte on.
bool is_padding(Gaps gaps, std::size_t which, std::size_t bytes) {
  const vgpu::ByteRun& gap = gaps[which];
  const std::size_t alignment = std::bit_ceil(gap.bytes + 1);
  if (gap.at == 0 || alignment > kLargestAlignment || gap.end() % alignment != 0) return false;
  return gap.end() == bytes ? has_member(gaps, alignment) : written_behind(gaps, which, bytes) >= alignment;
}

bool repeats(Gaps gaps, std::size_t each, std::size_t period) {
  for (std::size_t i = each; i < gaps.size(); ++i)
    if (gaps[i].at != gaps[i - each].at + period || gaps[i].bytes != gaps[i - each].bytes) return false;
  return true;
}

// The gaps of the first of so many equal elements, where all are alike.
bool are_paddings_of(Gaps gaps, std::size_t each, std::size_t bytes) {
  const std::size_t elements = gaps.size() / each;
  if (gaps.size() % each != 0 || bytes % elements != 0) return false;
  const std::size_t period = bytes / elements;
  if (gaps[each - 1].end() > period || !repeats(gaps, each, period)) return false;
  const Gaps first = gaps.first(each);
  for (std::size_t i = 0; i < each; ++i)
    if (!is_padding(first, i, period)) return false;
  return elements > 1 || bytes <= kLargestSingle;
}

}  // namespace

bool are_paddings(Gaps gaps, std::size_t bytes) {
  constexpr std::size_t kMostOfOne = 8;
  for (std::size_t each = 1; each <= std::min(gaps.size(), kMostOfOne); ++each)
    if (are_paddings_of(gaps, each, bytes)) return true;
  return false;
}

}  // namespace cudalab::runtime
