// What a launch did to global memory, as spans of bytes: read from the marks that the race checks leave
// behind.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// Adds the spans of an allocation that begins at `base`. A mark that is 0 says that nobody touched its
// granule; `kind_of` reads the others.
template <class Mark, class KindOf>
void add_touched(std::uint64_t base, const Mark* marks, std::uint64_t count, int granule_shift,
                 const KindOf& kind_of, std::vector<TouchedSpan>& spans) {
  TouchedSpan open;
  const auto close = [&](std::uint64_t granule) {
    open.end = base + (granule << granule_shift);
    if (open.kind != TouchedSpan::kNot) spans.push_back(open);
  };
  constexpr std::uint64_t kInWord = sizeof(std::uint64_t) / sizeof(Mark);
  for (std::uint64_t granule = 0; granule < count; ++granule) {
    if (open.kind == TouchedSpan::kNot && granule + kInWord <= count) {  // most of a memory, mostly
      std::uint64_t word = 0;
      std::memcpy(&word, marks + granule, sizeof word);
      if (word == 0) granule += kInWord - 1;
      if (word == 0) continue;
    }
    const TouchedSpan::Kind kind = marks[granule] == 0 ? TouchedSpan::kNot : kind_of(marks[granule]);
    if (kind == open.kind) continue;
    close(granule);
    open = {base + (granule << granule_shift), 0, kind};
  }
  close(count);
}

}  // namespace cudalab::vgpu
