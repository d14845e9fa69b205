#include "runtime/streams/results_exchange.h"

#include <cstring>
#include <random>
#include <span>

namespace cudalab::runtime {
namespace {

using ResultWord = std::uint32_t;

ResultWord result_word(const std::vector<std::byte>& bytes, std::size_t word) {
  ResultWord value = 0;
  std::memcpy(&value, bytes.data() + word * sizeof value, sizeof value);
  return value;
}

std::vector<std::size_t> changed_words(const std::vector<std::byte>& before,
                                       const std::vector<std::byte>& after) {
  std::vector<std::size_t> changed;
  for (std::size_t word = 0; word < after.size() / sizeof(ResultWord); ++word)
    if (result_word(before, word) != result_word(after, word)) changed.push_back(word);
  return changed;
}

}  // namespace

ResultsExchange::ResultsExchange(vgpu::VirtualGpu& gpu, std::uint64_t seed) : gpu_(gpu), seed_(seed) {
  if (seed_ % 2 == 0) return;
  spans_ = gpu_.allocations();
  for (const vgpu::MemorySpan& span : spans_) before_.push_back(contents(span));
}

std::vector<std::byte> ResultsExchange::contents(const vgpu::MemorySpan& span) const {
  std::vector<std::byte> bytes(span.bytes);
  gpu_.read(span.address, bytes);
  return bytes;
}

void ResultsExchange::apply() const {
  for (std::size_t i = 0; i < spans_.size(); ++i) exchange_in(spans_[i], before_[i], seed_ + i);
}

void ResultsExchange::exchange_in(const vgpu::MemorySpan& span, const std::vector<std::byte>& before,
                                  std::uint64_t seed) const {
  constexpr int kPairs = 3;
  const std::vector<std::byte> after = contents(span);
  const std::vector<std::size_t> changed = changed_words(before, after);
  if (changed.size() < 2) return;
  std::mt19937_64 random(seed);
  for (int pair = 0; pair < kPairs; ++pair) {
    // Neighbours of the list: the pairs are disjoint, or the same pair again, which changes nothing.
    const std::size_t first = random() % (changed.size() / 2) * 2;
    for (const auto& [to, from] : {std::pair{first, first + 1}, {first + 1, first}}) {
      const ResultWord value = result_word(after, changed[from]);
      gpu_.write(span.address + changed[to] * sizeof value, std::as_bytes(std::span(&value, 1)));
    }
  }
}

}  // namespace cudalab::runtime
