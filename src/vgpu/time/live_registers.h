// How many registers hold values across a basic block that does not use them: the compiler has so many less
// for what the basic block loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace cudalab::vgpu {

// Of one function, which is told instruction by instruction.
class LiveRegisters {
 public:
  // A basic block begins, of which the function has this number and those that may follow.
  void begin(std::uint32_t number, std::vector<std::uint32_t> successors);
  // Registers of its next instruction: first those that it reads. One that it may leave as it is counts as
  // read and written.
  void read(std::uint32_t reg);
  void write(std::uint32_t reg);

  // For each basic block, in the order of begin(): registers of 32 bits. `words_of` a register: 0 of one that
  // needs none. All 0 for a function of some thousand basic blocks and some ten thousand registers.
  std::vector<int> unused(const std::function<int(std::uint32_t)>& words_of) const;

 private:
  struct BasicBlock {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> reads, writes;  // reads: before it writes them
  };
  std::vector<BasicBlock> basic_blocks_;
  std::vector<std::size_t> read_in_, written_in_;  // by register: how many had begun when it last was
};

}  // namespace cudalab::vgpu
