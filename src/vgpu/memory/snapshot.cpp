#include "vgpu/memory/snapshot.h"

#include <algorithm>

namespace cudalab::vgpu {

MemorySnapshot::MemorySnapshot(const GlobalMemory& memory) {
  for (const auto& allocation : memory.allocations()) {
    if (allocation->read_only) continue;
    const std::byte* contents = allocation->host.get();
    Saved& saved = saved_.emplace_back(
        Saved{allocation->base, {contents, contents + allocation->bytes}, {}, allocation->changed_unseen});
    if (!allocation->written) continue;
    const auto words = allocation->written.words_of(0, allocation->bytes);
    saved.written.assign(words.begin(), words.end());
  }
}

void MemorySnapshot::restore(const GlobalMemory& memory) const {
  auto saved = saved_.begin();
  for (const auto& allocation : memory.allocations()) {
    while (saved != saved_.end() && saved->base < allocation->base) ++saved;
    if (saved == saved_.end()) return;
    if (saved->base != allocation->base || saved->contents.size() != allocation->bytes) continue;
    std::ranges::copy(saved->contents, allocation->host.get());
    if (!saved->written.empty())
      std::ranges::copy(saved->written, allocation->written.words_of(0, allocation->bytes).begin());
    allocation->changed_unseen = saved->changed_unseen;
  }
}

bool MemorySnapshot::has(std::uint64_t base) const {
  const auto found = std::ranges::lower_bound(saved_, base, {}, &Saved::base);
  return found != saved_.end() && found->base == base;
}

}  // namespace cudalab::vgpu
