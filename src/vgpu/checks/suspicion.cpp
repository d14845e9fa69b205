#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "vgpu/checks/grid_races.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::vgpu {
namespace {

Marking touch_of(const ObservedAccess& access) {
  if (access.mode == AccessMode::kRead) return Marking::kRead;
  return access.mode == AccessMode::kWrite || access.scope() == Scope::kBlock ? Marking::kWrite
                                                                              : Marking::kReduction;
}

}  // namespace

// ---- saved pages -------------------------------------------------------------------------------------
SavedPages::SavedPages(const Allocation& allocation) : allocation_(&allocation) {}

void SavedPages::prepare() {
  contents_ = ShadowBytes(allocation_->bytes);
  if (allocation_->written) written_ = WrittenBits(allocation_->bytes);
  states_.reset(new std::atomic<std::uint8_t>[(allocation_->bytes + kPageBytes - 1) / kPageBytes]());
}

void SavedPages::save(std::uint64_t from, std::uint64_t to) {
  std::call_once(prepared_, [this] { prepare(); });
  for (std::uint64_t page = from / kPageBytes; page <= (to - 1) / kPageBytes; ++page)
    if (states_[page].load(std::memory_order_acquire) != kSaved) save_page(page);
}

void SavedPages::save_page(std::uint64_t page) {
  std::uint8_t expected = kUntouched;
  if (!states_[page].compare_exchange_strong(expected, kBeingSaved, std::memory_order_acquire)) {
    while (states_[page].load(std::memory_order_acquire) != kSaved) std::this_thread::yield();
    return;
  }
  const std::uint64_t from = page * kPageBytes, bytes = std::min(kPageBytes, allocation_->bytes - from);
  // Pages of zeros, as in most outputs, need no copy, because fresh memory already holds zeros.
  const std::byte* contents = allocation_->host.get() + from;
  const bool is_zero = contents[0] == std::byte{0} && std::memcmp(contents, contents + 1, bytes - 1) == 0;
  if (!is_zero) {
    contents_.touch(from, from + bytes);
    std::memcpy(contents_.get() + from, contents, bytes);
  }
  if (written_) {
    const auto written = allocation_->written.words_of(from, bytes);
    if (std::ranges::any_of(written, [](std::uint64_t word) { return word != 0; }))
      std::ranges::copy(written, written_.words_of(from, bytes).begin());
  }
  states_[page].store(kSaved, std::memory_order_release);
}

void SavedPages::restore() const {
  if (!states_) return;
  for (std::uint64_t from = 0; from < allocation_->bytes; from += kPageBytes) {
    if (states_[from / kPageBytes].load(std::memory_order_relaxed) != kSaved) continue;
    const std::uint64_t bytes = std::min(kPageBytes, allocation_->bytes - from);
    std::memcpy(allocation_->host.get() + from, contents_.get() + from, bytes);
    if (written_)
      std::ranges::copy(written_.words_of(from, bytes), allocation_->written.words_of(from, bytes).begin());
  }
}

// ---- marks -------------------------------------------------------------------------------------------
Suspicion::Suspicion(const GlobalMemory& memory, int granule_shift, bool is_alone)
    : granule_shift_(granule_shift), is_alone_(is_alone), watched_(memory) {}

void Suspicion::ask_for_marks(const Pattern& pattern, std::uint64_t base,
                              const Allocation& allocation) const {
  const auto* watched = watched_.known(allocation);
  if (!watched) return;
  std::array<std::uint64_t, kWarpSize> granules;
  std::size_t count = 0;
  for_each_lane(pattern.active, [&](int lane) {
    const std::uint64_t at = base - allocation.base + static_cast<std::uint64_t>(pattern.offset[lane]);
    if (at < allocation.bytes) granules[count++] = at >> granule_shift_;
  });
  watched->marks.prefetch({granules.data(), count});
}

void Suspicion::observe(const ObservedAccess& access, const Allocation& allocation, std::uint64_t thread) {
  Watched* const watched = watched_.of(allocation, [this](const Allocation& touched) {
    return Watched{LineMarks((touched.bytes >> granule_shift_) + 1, is_alone_, blocks_), SavedPages(touched)};
  });
  if (!watched) return;
  const Footprint& footprint = *access.footprint;
  bool conflict = access.mode == AccessMode::kWrite && footprint.overlaps;
  const std::uint64_t at = access.base - allocation.base;
  if (access.writes())
    for (const Footprint::Span& span : footprint.spans) {
      const std::uint64_t from = at + static_cast<std::uint64_t>(access.offset(span));
      watched->saved.save(from, from + access.bytes(span));
    }
  const std::uint64_t first = at >> granule_shift_;
  const auto number = static_cast<std::uint32_t>(thread % kMarkThreads);
  const Marking touch = touch_of(access);
  if (!footprint.granule.empty())
    conflict |= watched->marks.touch_each(touch, footprint, first, number, access.host, granule_shift_);
  else
    for (const Footprint::Span& span : footprint.spans)
      conflict |= watched->marks.touch_row(
          touch, {first + static_cast<std::uint64_t>(span.first), span.count,
                  footprint.lane.data() + span.lanes, number, span.is_shared, span.run});
  if (conflict) raised_.store(true, std::memory_order_relaxed);
}

void Suspicion::add_touched_to(std::vector<TouchedSpan>& spans) const {
  const auto kind_of = [](Mark mark) {
    return mark == 0              ? TouchedSpan::kNot
           : mark == kMarkReduced ? TouchedSpan::kAtomic
           : mark & kMarkWritten  ? TouchedSpan::kWrite
                                  : TouchedSpan::kRead;
  };
  for (const auto& [allocation, watched] : watched_) {
    TouchedRuns runs(allocation->base, granule_shift_, spans);
    const std::uint64_t granules = allocation->bytes >> granule_shift_;
    watched->marks.for_each_line([&](std::uint64_t first, std::span<const Mark> marks) {
      const std::uint64_t count = std::min<std::uint64_t>(marks.size(), granules - std::min(first, granules));
      for (std::uint64_t g = 0; g < count; ++g) runs.add(first + g, kind_of(marks[g]));
    });
  }
}

void Suspicion::undo() const {
  for (const auto& [allocation, watched] : watched_) watched->saved.restore();
}

}  // namespace cudalab::vgpu
