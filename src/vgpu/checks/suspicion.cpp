#include "vgpu/checks/suspicion.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "vgpu/levels.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint32_t kThreads = 32749;  // a prime below 2^15: threads a power of two apart differ
constexpr std::uint16_t kWritten = 0x8000, kReduced = 0x7ffe, kManyReaders = 0x7fff, kWho = 0x7fff;

std::uint16_t mark_of(std::uint32_t thread, std::uint32_t lane) {
  const std::uint32_t number = thread + (lane >> kLaneShift);
  return static_cast<std::uint16_t>(number - (number >= kThreads ? kThreads : 0) + 1);
}

// What a loop over marks saw. No early exits, so that the compiler makes vectors of the loops.
struct Seen {
  bool conflict;      // two threads, and one of them wrote
  bool many_readers;  // of a granule, now
};

CUDALAB_EACH_LEVEL Seen mark_reads(std::uint16_t* __restrict marks, const std::uint32_t* __restrict lanes,
                                   std::size_t count, std::uint32_t thread, bool is_shared) {
  std::uint16_t conflict = 0, many = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint16_t mark = marks[g], mine = is_shared ? kManyReaders : mark_of(thread, lanes[g]);
    const bool is_mine = (mark & kWho) == mine;
    const std::uint16_t after = mark == 0 ? mine : is_mine || (mark & kWritten) ? mark : kManyReaders;
    conflict |= ((mark & kWritten) != 0 && !is_mine) || mark == kReduced;
    many |= after == kManyReaders;
    marks[g] = after;
  }
  return {conflict != 0, many != 0};
}

// These return whether two threads conflict.
CUDALAB_EACH_LEVEL bool mark_writes(std::uint16_t* __restrict marks, const std::uint32_t* __restrict lanes,
                                    std::size_t count, std::uint32_t thread) {
  std::uint16_t conflict = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint16_t mark = marks[g], mine = mark_of(thread, lanes[g]);
    conflict |= mark != 0 && (mark & kWho) != mine;
    marks[g] = mine | kWritten;
  }
  return conflict != 0;
}

CUDALAB_EACH_LEVEL bool mark_reductions(std::uint16_t* marks, std::size_t count) {
  std::uint16_t conflict = 0;
  for (std::size_t g = 0; g < count; ++g) {
    conflict |= marks[g] != 0 && marks[g] != kReduced;
    marks[g] = kReduced;
  }
  return conflict != 0;
}

// Which of a word's granules lie in `count` from `first` on, and how many they are.
struct PartOfWord {
  std::uint64_t word, mask, count;
};
PartOfWord part_of_word(std::uint64_t first, std::uint64_t count) {
  constexpr std::uint64_t kBits = 64;
  const std::uint64_t bit = first % kBits, here = std::min(count, kBits - bit);
  return {first / kBits, (~std::uint64_t{0} >> (kBits - here)) << bit, here};
}

// Without a lock: see suspicion.h.
bool all_known(const std::atomic<std::uint64_t>* known, std::uint64_t first, std::uint64_t count) {
  while (count > 0) {
    const PartOfWord part = part_of_word(first, count);
    if ((known[part.word].load(std::memory_order_relaxed) & part.mask) != part.mask) return false;
    first += part.count;
    count -= part.count;
  }
  return true;
}

// Makes known which of the marks say that several threads have read.
void make_known(std::atomic<std::uint64_t>* known, const std::uint16_t* marks, std::uint64_t first,
                std::uint64_t count) {
  while (count > 0) {
    const PartOfWord part = part_of_word(first, count);
    std::uint64_t many = 0;
    for (std::uint64_t i = 0; i < part.count; ++i)
      many |= std::uint64_t{marks[first + i] == kManyReaders} << ((first + i) % 64);
    if ((known[part.word].load(std::memory_order_relaxed) & many) != many)
      known[part.word].fetch_or(many, std::memory_order_relaxed);
    first += part.count;
    count -= part.count;
  }
}

}  // namespace

// ---- saved pages -------------------------------------------------------------------------------------
SavedPages::SavedPages(const Allocation& allocation)
    : allocation_(&allocation),
      states_(new std::atomic<std::uint8_t>[(allocation.bytes + kPageBytes - 1) / kPageBytes]()),
      contents_(allocate_host(allocation.bytes)),
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
  // Pages of zeroes, as most outputs are, need no copy: that is what the new memory holds.
  const std::byte* contents = allocation_->host.get() + from;
  const bool is_zero = contents[0] == std::byte{0} && std::memcmp(contents, contents + 1, bytes - 1) == 0;
  if (!is_zero) std::memcpy(contents_.get() + from, contents, bytes);
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
Suspicion::Suspicion(GlobalMemory& memory, int granule_shift) : granule_shift_(granule_shift) {
  for (const auto& allocation : memory.allocations()) {
    if (allocation->read_only) continue;
    auto watched = std::make_unique<Watched>(
        Watched{allocate_host(((allocation->bytes >> granule_shift) + 1) * sizeof(std::uint16_t)),
                allocate_host(((allocation->bytes >> granule_shift) / 64 + 1) * sizeof(std::uint64_t)),
                SavedPages(*allocation)});
    allocation->watch = watched.get();
    watched_[allocation.get()] = std::move(watched);
  }
}

Suspicion::~Suspicion() {
  for (const auto& [allocation, watched] : watched_) allocation->watch = nullptr;
}

void Suspicion::observe(const ObservedAccess& access, const Allocation& allocation, std::uint64_t thread) {
  auto* watched = static_cast<Watched*>(allocation.watch);
  if (!watched) return;
  if (access.mode == AccessMode::kWrite && access.footprint->overlaps) raised_ = true;
  const std::uint64_t at = access.base - allocation.base;
  for (const Footprint::Span& span : access.footprint->spans) {
    const std::uint64_t from = at + static_cast<std::uint64_t>(access.offset(span));
    if (access.writes()) watched->saved.save(from, from + access.bytes(span));
    mark_span(access, span, *watched, from >> granule_shift_, static_cast<std::uint32_t>(thread % kThreads));
  }
}

void Suspicion::mark_span(const ObservedAccess& access, const Footprint::Span& span, const Watched& watched,
                          std::uint64_t first, std::uint32_t thread) {
  auto* marks = reinterpret_cast<std::uint16_t*>(watched.marks.get());
  auto* known = reinterpret_cast<std::atomic<std::uint64_t>*>(watched.read_by_many.get());
  if (access.mode == AccessMode::kRead && all_known(known, first, span.count)) return;
  constexpr std::uint64_t kGranulesPerLock = 512;
  for (std::uint64_t done = 0; done < span.count;) {
    const std::uint64_t at = first + done;
    const std::uint64_t count = std::min(span.count - done, kGranulesPerLock - at % kGranulesPerLock);
    const std::uint32_t* lanes = access.footprint->lane.data() + span.lanes + done;
    std::atomic_flag& lock = locks_[at / kGranulesPerLock % kLocks];
    while (lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    const Seen seen = access.mode == AccessMode::kRead
                          ? mark_reads(marks + at, lanes, count, thread, span.is_shared)
                      : access.mode == AccessMode::kWrite || access.scope() == Scope::kBlock
                          ? Seen{mark_writes(marks + at, lanes, count, thread), false}
                          : Seen{mark_reductions(marks + at, count), false};
    if (seen.many_readers) make_known(known, marks, at, count);
    lock.clear(std::memory_order_release);
    if (seen.conflict) raised_.store(true, std::memory_order_relaxed);
    done += count;
  }
}

void Suspicion::undo() const {
  for (const auto& [allocation, watched] : watched_) watched->saved.restore();
}

}  // namespace cudalab::vgpu
