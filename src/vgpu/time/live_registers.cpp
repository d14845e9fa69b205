#include "vgpu/time/live_registers.h"

#include <algorithm>
#include <bit>
#include <ranges>
#include <utility>

namespace cudalab::vgpu {
namespace {

// Some registers of the function.
class RegisterSet {
 public:
  explicit RegisterSet(std::size_t registers) : bits_((registers + kBits - 1) / kBits) {}
  void add(std::uint32_t reg) { bits_[reg / kBits] |= std::uint64_t{1} << reg % kBits; }
  void drop(std::uint32_t reg) { bits_[reg / kBits] &= ~(std::uint64_t{1} << reg % kBits); }
  // Returns whether there was anything new.
  bool add(const RegisterSet& others) {
    std::uint64_t more = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      more |= others.bits_[i] & ~bits_[i];
      bits_[i] |= others.bits_[i];
    }
    return more != 0;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      for (std::uint64_t left = bits_[i]; left; left &= left - 1)
        visit(static_cast<std::uint32_t>(i * kBits) + static_cast<std::uint32_t>(std::countr_zero(left)));
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  std::vector<std::uint64_t> bits_;
};

// Returns whether it is the first time in this basic block.
bool stamp(std::vector<std::size_t>& last, std::uint32_t reg, std::size_t basic_block) {
  if (last.size() <= reg) last.resize(reg + 1);
  return std::exchange(last[reg], basic_block) != basic_block;
}

}  // namespace

void LiveRegisters::begin(std::uint32_t number, std::vector<std::uint32_t> successors) {
  basic_blocks_.push_back({number, std::move(successors), {}, {}});
}

void LiveRegisters::read(std::uint32_t reg) {
  const bool is_written = reg < written_in_.size() && written_in_[reg] == basic_blocks_.size();
  if (!is_written && stamp(read_in_, reg, basic_blocks_.size())) basic_blocks_.back().reads.push_back(reg);
}

void LiveRegisters::write(std::uint32_t reg) {
  if (stamp(written_in_, reg, basic_blocks_.size())) basic_blocks_.back().writes.push_back(reg);
}

std::vector<int> LiveRegisters::unused(const std::function<int(std::uint32_t)>& words_of) const {
  std::uint32_t registers = 0, numbers = 0;
  for (const BasicBlock& one : basic_blocks_) {
    numbers = std::max(numbers, one.number + 1);
    for (const auto* used : {&one.reads, &one.writes})
      for (const std::uint32_t reg : *used) registers = std::max(registers, reg + 1);
  }
  // Of functions larger than any that a person writes, nothing is known.
  constexpr std::size_t kMostBits = std::size_t{1} << 28;
  if (std::size_t{registers} * numbers > kMostBits) return std::vector<int>(basic_blocks_.size());
  // What is still wanted where a basic block begins: what it reads, and what those behind it want and it does
  // not write. Backwards, until nothing changes.
  std::vector<RegisterSet> wanted(numbers, RegisterSet(registers));
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock& one : basic_blocks_ | std::views::reverse) {
      RegisterSet now(registers);
      for (const std::uint32_t next : one.successors)
        if (next < numbers) now.add(wanted[next]);
      for (const std::uint32_t reg : one.writes) now.drop(reg);
      for (const std::uint32_t reg : one.reads) now.add(reg);
      changed |= wanted[one.number].add(now);
    }
  }
  std::vector<int> unused;
  for (const BasicBlock& one : basic_blocks_) {
    RegisterSet across = wanted[one.number];
    for (const std::uint32_t reg : one.reads) across.drop(reg);
    int words = 0;
    across.for_each([&](std::uint32_t reg) { words += words_of(reg); });
    unused.push_back(words);
  }
  return unused;
}

}  // namespace cudalab::vgpu
