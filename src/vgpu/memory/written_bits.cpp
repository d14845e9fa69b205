#include "vgpu/memory/written_bits.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kBits = 64;

// Calls use(word, mask of its bits in the range) until it returns false. The range has `bytes` bytes from
// `from` on.
template <class Use>
void for_each_word(std::size_t from, std::size_t bytes, Use use) {
  while (bytes > 0) {
    const std::size_t bit = from % kBits, here = std::min(bytes, kBits - bit);
    if (!use(from / kBits, (~std::uint64_t{0} >> (kBits - here)) << bit)) return;
    from += here;
    bytes -= here;
  }
}

void add_run(std::vector<ByteRun>& runs, ByteRun run) {
  if (!runs.empty() && runs.back().end() == run.at)
    runs.back().bytes += run.bytes;
  else
    runs.push_back(run);
}

// Adds the runs of ones in a word whose first bit stands for byte `at`.
void add_runs(std::vector<ByteRun>& runs, std::size_t at, std::uint64_t bits) {
  while (bits != 0) {
    const auto zeros = static_cast<std::size_t>(std::countr_zero(bits));
    const auto ones = static_cast<std::size_t>(std::countr_one(bits >> zeros));
    add_run(runs, {at + zeros, ones});
    bits = zeros + ones < kBits ? bits >> (zeros + ones) << (zeros + ones) : 0;
  }
}

}  // namespace

WrittenBits::WrittenBits(std::size_t bytes)
    : words_(allocate_host((bytes + kBits - 1) / kBits * sizeof(std::uint64_t))) {
  prefer_large_pages(words_);
}

bool WrittenBits::has_all(std::size_t from, std::size_t bytes) const {
  bool all = true;
  for_each_word(from, bytes, [&](std::size_t word, std::uint64_t mask) {
    const std::uint64_t bits = std::atomic_ref(words()[word]).load(std::memory_order_relaxed);
    return all = (bits & mask) == mask;
  });
  return all;
}

std::vector<ByteRun> WrittenBits::gaps(std::size_t from, std::size_t bytes) const {
  std::vector<ByteRun> runs;
  for_each_word(from, bytes, [&](std::size_t word, std::uint64_t mask) {
    add_runs(runs, word * kBits, ~words()[word] & mask);
    return true;
  });
  return runs;
}

void WrittenBits::set(std::size_t from, std::size_t bytes) {
  for_each_word(from, bytes, [&](std::size_t word, std::uint64_t mask) {
    const std::atomic_ref bits(words()[word]);
    if ((bits.load(std::memory_order_relaxed) & mask) != mask) bits.fetch_or(mask, std::memory_order_relaxed);
    return true;
  });
}

void WrittenBits::clear(std::size_t from, std::size_t bytes) {
  for_each_word(from, bytes, [&](std::size_t word, std::uint64_t mask) {
    words()[word] &= ~mask;
    return true;
  });
}

}  // namespace cudalab::vgpu
