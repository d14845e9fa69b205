#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <thread>

#include "core/alignment.h"
#include "vgpu/checks/grid_races.h"
#include "vgpu/levels.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::vgpu {
namespace {

// A prime below 2^15, so threads whose distance is a power of two get different numbers.
constexpr std::uint32_t kThreads = 32749;
constexpr std::uint16_t kWritten = 0x8000, kReduced = 0x7ffe, kManyReaders = 0x7fff, kWho = 0x7fff;
constexpr std::uint16_t kBusy = kWritten;  // the written bit without a thread

std::uint16_t mark_of(std::uint32_t thread, std::uint32_t lane) {
  const std::uint32_t number = thread + (lane >> kLaneShift);
  return static_cast<std::uint16_t>(number - (number >= kThreads ? kThreads : 0) + 1);
}

// The mark after an access, and whether the access conflicts.
struct Change {
  std::uint16_t after;
  std::uint16_t conflict;
};
[[gnu::always_inline]] inline Change read_mark(std::uint16_t mark, std::uint16_t mine) {
  const bool is_mine = (mark & kWho) == mine;
  const std::uint16_t after = mark == 0 ? mine : is_mine || (mark & kWritten) ? mark : kManyReaders;
  return {after, ((mark & kWritten) != 0 && !is_mine) || mark == kReduced};
}
[[gnu::always_inline]] inline Change write_mark(std::uint16_t mark, std::uint16_t mine) {
  return {static_cast<std::uint16_t>(mine | kWritten), mark != 0 && (mark & kWho) != mine};
}
[[gnu::always_inline]] inline Change reduce_mark(std::uint16_t mark, std::uint16_t) {
  return {kReduced, mark != 0 && mark != kReduced};
}

enum class Touch { kRead, kWrite, kReduction };
[[gnu::always_inline]] inline Change change_of(Touch touch, std::uint16_t mark, std::uint16_t mine) {
  if (touch == Touch::kRead) return read_mark(mark, mine);
  if (touch == Touch::kWrite) return write_mark(mark, mine);
  return reduce_mark(mark, mine);
}

// The result of a loop over marks. The loops have no early exit, so the compiler can vectorize them.
struct Seen {
  bool conflict, change;
};

// Contiguous granules. `kStores`: false to read the marks only.
template <Touch kTouch, bool kStores>
[[gnu::always_inline]] inline Seen touch_row(std::uint16_t* __restrict marks,
                                             const std::uint32_t* __restrict lanes, std::size_t count,
                                             std::uint32_t thread, bool is_shared) {
  std::uint16_t conflict = 0, differs = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint16_t mark = marks[g], mine = is_shared ? kManyReaders : mark_of(thread, lanes[g]);
    const Change change = change_of(kTouch, mark, mine);
    conflict |= change.conflict;
    differs |= mark ^ change.after;
    if constexpr (kStores) marks[g] = change.after;
  }
  return {conflict != 0, differs != 0};
}

CUDALAB_EACH_LEVEL Seen look_at_row(Touch touch, std::uint16_t* marks, const std::uint32_t* lanes,
                                    std::size_t count, std::uint32_t thread, bool is_shared) {
  if (touch == Touch::kRead) return touch_row<Touch::kRead, false>(marks, lanes, count, thread, is_shared);
  if (touch == Touch::kWrite) return touch_row<Touch::kWrite, false>(marks, lanes, count, thread, false);
  return touch_row<Touch::kReduction, false>(marks, lanes, count, thread, false);
}
CUDALAB_EACH_LEVEL Seen mark_row(Touch touch, std::uint16_t* marks, const std::uint32_t* lanes,
                                 std::size_t count, std::uint32_t thread, bool is_shared) {
  if (touch == Touch::kRead) return touch_row<Touch::kRead, true>(marks, lanes, count, thread, is_shared);
  if (touch == Touch::kWrite) return touch_row<Touch::kWrite, true>(marks, lanes, count, thread, false);
  return touch_row<Touch::kReduction, true>(marks, lanes, count, thread, false);
}

Touch touch_of(const ObservedAccess& access) {
  if (access.mode == AccessMode::kRead) return Touch::kRead;
  return access.mode == AccessMode::kWrite || access.scope() == Scope::kBlock ? Touch::kWrite
                                                                              : Touch::kReduction;
}

// ThreadSanitizer would report the read without the lock as a race (see grid_races.h).
#ifdef __SANITIZE_THREAD__
constexpr bool kLooksFirst = false;
#else
constexpr bool kLooksFirst = true;
#endif

std::uint16_t look(const std::uint16_t& mark) { return __atomic_load_n(&mark, __ATOMIC_RELAXED); }

// ---- locks ---------------------------------------------------------------------------------------------
// A lock is stored in the marks: the first mark of a host cache line is kBusy, and the lock's holder keeps
// the original value.
constexpr std::uint64_t kMarksPerLine = 32;

std::uint16_t take_line(std::uint16_t& first) {
  std::uint16_t value = 0;
  while ((value = __atomic_exchange_n(&first, kBusy, __ATOMIC_ACQUIRE)) == kBusy) std::this_thread::yield();
  return value;
}
void return_line(std::uint16_t& first, std::uint16_t value) {
  __atomic_store_n(&first, value, __ATOMIC_RELEASE);
}

}  // namespace

// ---- saved pages -------------------------------------------------------------------------------------
SavedPages::SavedPages(const Allocation& allocation)
    : allocation_(&allocation),
      states_(new std::atomic<std::uint8_t>[(allocation.bytes + kPageBytes - 1) / kPageBytes]()),
      contents_(allocation.bytes),
      written_(allocation.written ? WrittenBits(allocation.bytes) : WrittenBits()) {}

void SavedPages::save(std::uint64_t from, std::uint64_t to) {
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
  // Pages of zeros, as most outputs are, need no copy: the fresh memory already holds zeros.
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

Suspicion::Watched Suspicion::watched_from_now_on(const Allocation& allocation) const {
  const std::uint64_t marks = round_up((allocation.bytes >> granule_shift_) + 1, kMarksPerLine);
  return {ShadowBytes(marks * sizeof(std::uint16_t)), SavedPages(allocation)};
}

void Suspicion::ask_for_marks(const Pattern& pattern, std::uint64_t base,
                              const Allocation& allocation) const {
  const auto* watched = watched_.known(allocation);
  if (!watched) return;
  const auto* marks = reinterpret_cast<const std::uint16_t*>(watched->marks.get());
  const auto first = static_cast<std::int64_t>(base - allocation.base);
  for (const std::int64_t offset : pattern.offset)
    __builtin_prefetch(marks + ((first + offset) >> granule_shift_));
}

void Suspicion::observe(const ObservedAccess& access, const Allocation& allocation, std::uint64_t thread) {
  Watched* const watched =
      watched_.of(allocation, [this](const Allocation& touched) { return watched_from_now_on(touched); });
  if (!watched) return;
  const Footprint& footprint = *access.footprint;
  if (access.mode == AccessMode::kWrite && footprint.overlaps) raised_ = true;
  const std::uint64_t at = access.base - allocation.base;
  if (access.writes())
    for (const Footprint::Span& span : footprint.spans) {
      const std::uint64_t from = at + static_cast<std::uint64_t>(access.offset(span));
      watched->saved.save(from, from + access.bytes(span));
    }
  const std::uint64_t first = at >> granule_shift_;
  const auto number = static_cast<std::uint32_t>(thread % kThreads);
  const bool conflict = footprint.granule.empty() ? touch_spans(access, watched->marks, first, number)
                                                  : touch_each(access, watched->marks, first, number);
  if (conflict) raised_.store(true, std::memory_order_relaxed);
}

namespace {

// Granules of one line, starting with `marks[at]`.
bool mark_in_line(Touch touch, std::uint16_t* marks, std::uint64_t at, const std::uint32_t* lanes,
                  std::size_t count, std::uint32_t thread, bool is_shared) {
  std::uint16_t* line = marks + at / kMarksPerLine * kMarksPerLine;
  alignas(64) std::array<std::uint16_t, kMarksPerLine> copy;
  const std::uint16_t first = take_line(line[0]);
  std::memcpy(copy.data() + 1, line + 1, sizeof copy - sizeof first);
  copy[0] = first;
  const bool conflict =
      mark_row(touch, copy.data() + at % kMarksPerLine, lanes, count, thread, is_shared).conflict;
  std::memcpy(line + 1, copy.data() + 1, sizeof copy - sizeof first);
  return_line(line[0], copy[0]);
  return conflict;
}

}  // namespace

bool Suspicion::touch_spans(const ObservedAccess& access, const ShadowBytes& shadow, std::uint64_t first,
                            std::uint32_t thread) const {
  auto* const marks = reinterpret_cast<std::uint16_t*>(shadow.get());
  const Touch touch = touch_of(access);
  bool conflict = false;
  for (const Footprint::Span& span : access.footprint->spans) {
    const std::uint32_t* lanes = access.footprint->lane.data() + span.lanes;
    const std::uint64_t at = first + static_cast<std::uint64_t>(span.first);
    shadow.touch(at * sizeof *marks, (at + span.count) * sizeof *marks);
    if (is_alone_) {
      conflict |= mark_row(touch, marks + at, lanes, span.count, thread, span.is_shared).conflict;
      continue;
    }
    if (kLooksFirst && marks[at] != 0) {
      const Seen seen = look_at_row(touch, marks + at, lanes, span.count, thread, span.is_shared);
      if (!seen.conflict && !seen.change) continue;
    }
    for (std::uint64_t done = 0, count = 0; done < span.count; done += count) {
      count = std::min(span.count - done, kMarksPerLine - (at + done) % kMarksPerLine);
      conflict |= mark_in_line(touch, marks, at + done, lanes + done, count, thread, span.is_shared);
    }
  }
  return conflict;
}

// First reads all marks without branching on any of them, so the host loads them, and the data needed next,
// in parallel.
bool Suspicion::touch_each(const ObservedAccess& access, const ShadowBytes& shadow, std::uint64_t first,
                           std::uint32_t thread) const {
  auto* const marks = reinterpret_cast<std::uint16_t*>(shadow.get());
  const Touch touch = touch_of(access);
  const Footprint& footprint = *access.footprint;
  const std::size_t count = footprint.granule.size();
  const auto at = [&](std::size_t i) {
    return first + static_cast<std::uint64_t>(std::int64_t{footprint.granule[i]});
  };
  const auto mine = [&](std::size_t i) {
    return footprint.lane[i] != footprint.other[i] ? kManyReaders : mark_of(thread, footprint.lane[i]);
  };
  bool conflict = false;
  for (std::size_t from = 0; from < count; from += kWarpSize) {
    const std::size_t end = std::min(from + kWarpSize, count);
    std::array<std::uint16_t, kWarpSize> before;
    for (std::size_t i = from; i < end; ++i)
      __builtin_prefetch(access.host + (std::int64_t{footprint.granule[i]} << granule_shift_));
    for (std::size_t i = from; i < end; ++i) shadow.touch(at(i) * sizeof *marks, (at(i) + 1) * sizeof *marks);
    for (std::size_t i = from; i < end; ++i) before[i - from] = kLooksFirst ? look(marks[at(i)]) : kBusy;
    std::uint32_t changes = 0;
    for (std::size_t i = from; i < end; ++i) {
      const Change change = change_of(touch, before[i - from], mine(i));
      const bool is_done = change.after == before[i - from] && !change.conflict;
      changes |= std::uint32_t{!is_done} << (i - from);
    }
    // Successive marks of one cache line change together.
    while (changes) {
      const auto next = [&] { return from + static_cast<std::size_t>(std::countr_zero(changes)); };
      std::uint16_t* const line = marks + at(next()) / kMarksPerLine * kMarksPerLine;
      std::uint16_t first = is_alone_ ? line[0] : take_line(line[0]);
      for (; changes && at(next()) - static_cast<std::uint64_t>(line - marks) < kMarksPerLine;
           changes &= changes - 1) {
        const std::size_t i = next();
        std::uint16_t& mark = marks + at(i) == line ? first : marks[at(i)];
        const Change change = change_of(touch, mark, mine(i));
        mark = change.after;
        conflict |= change.conflict != 0;
      }
      return_line(line[0], first);
    }
  }
  return conflict;
}

void Suspicion::add_touched_to(std::vector<TouchedSpan>& spans) const {
  const auto kind_of = [](std::uint16_t mark) {
    return mark == kReduced  ? TouchedSpan::kAtomic
           : mark & kWritten ? TouchedSpan::kWrite
                             : TouchedSpan::kRead;
  };
  for (const auto& [allocation, watched] : watched_) {
    const auto* marks = reinterpret_cast<const std::uint16_t*>(watched->marks.get());
    const std::uint64_t granules = allocation->bytes >> granule_shift_;
    watched->marks.for_each_touched([&](std::size_t from, std::size_t to) {
      const std::uint64_t first = from / sizeof *marks, end = std::min(to / sizeof *marks, granules);
      if (first < end)
        add_touched(allocation->base + (first << granule_shift_), marks + first, end - first, granule_shift_,
                    kind_of, spans);
    });
  }
}

void Suspicion::undo() const {
  for (const auto& [allocation, watched] : watched_) watched->saved.restore();
}

}  // namespace cudalab::vgpu
