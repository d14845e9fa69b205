// The table of opcodes: what an instruction reads, writes and does. Every analysis asks this table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/word.h"

namespace cudalab::ptx {

// How an instruction accesses memory through an address among its operands.
enum class Access : std::uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,     // returns the old value
  kReduction,  // returns nothing
  kCopy,       // between two memories, asynchronously
  kTexel,      // reads a texture or surface
  kWriteTexel,
};

// Where execution continues, and whether a basic block ends.
enum class Flow : std::uint8_t {
  kOn,             // with the next instruction
  kOnInNextBlock,  // a barrier: paths may wait there
  kOnTogether,  // waits for lanes; with a guard it ends the basic block, because lanes that skip it must not
                // wait
  kBack,        // a call: its target is the return address
  kToLabels,    // a branch
  kNowhere,     // the function or kernel ends
};

// How the lanes' results depend on each other.
enum class Lanes : std::uint8_t {
  kOwn,        // on the lane's own operands
  kEqual,      // the same in all lanes
  kShuffled,   // on the operands of another lane
  kDifferent,  // nothing is known
};

// The result as a linear function of the sources a, b and c, for integers.
enum class Linear : std::uint8_t {
  kNone,
  kCopy,           // a
  kSum,            // a + b
  kDifference,     // a - b
  kProduct,        // a * b, or its high half
  kProductAndSum,  // a * b + c, or the high half of the product
  kShiftLeft,      // a << b
};

// The bits of the sources that a result depends on, for sources with undefined bits.
enum class Bits : std::uint8_t {
  kAll,
  kSome,    // extracts or combines bits: undefined ones may be dropped
  kUnseen,  // values that pass through this instruction are not followed
};

// How vgpu/time/instruction_costs.cpp finds the cost.
enum class Cost : std::uint8_t {
  kOfRow,       // by opcode and type
  kUnmeasured,  // taken for a logic instruction
  kAccess,
  kAtomic,
  kConversion,
  kMatrix,
  kMatrixMove,  // of rows in shared memory
  kShuffle,
  kTexture,
};

struct OpcodeFacts {
  std::string_view name;  // the first words of the opcode
  // The first operand is a register, vector or pair that the instruction writes. (An address there is none.)
  bool has_result = true;
  Access access = Access::kNone;
  Flow flow = Flow::kOn;
  Lanes lanes = Lanes::kOwn;
  Linear linear = Linear::kNone;
  Bits bits = Bits::kAll;
  Cost cost = Cost::kOfRow;
  // Only computes: the result depends on the source registers, and nothing else happens.
  bool is_pure = true;
  // Orders accesses to memory, or may change it in ways that operands do not tell.
  bool orders_memory = false;
  // Other threads or the host may notice that it was executed.
  bool is_observable = false;
  // ptxas accepts its modifiers in any order (tried with CUDA 13.0), and the manual puts types last.
  bool has_free_order = false;

  constexpr bool may_write_memory() const {
    return access == Access::kStore || access == Access::kAtomic || access == Access::kReduction ||
           access == Access::kCopy || access == Access::kWriteTexel;
  }
  constexpr bool leaves_straight_line() const { return flow == Flow::kToLabels || flow == Flow::kNowhere; }
};

// Of an opcode that has no row: nothing is claimed.
inline constexpr OpcodeFacts kUnknownOpcode{.lanes = Lanes::kDifferent,
                                            .bits = Bits::kUnseen,
                                            .is_pure = false,
                                            .orders_memory = true,
                                            .is_observable = true};

std::span<const OpcodeFacts> all_opcodes();

// Rows of a table by the first words of an opcode.
template <class Row>
class OpcodeIndex {
 public:
  // Rows are pointed to; `name` is a member with the words, separated by dots.
  OpcodeIndex(std::span<const Row> rows, std::string_view Row::*name) {
    for (const Row& row : rows) {
      Entry entry{words_of(row.*name), &row};
      const std::uint32_t first = entry.words.front().id();
      if (by_first_word_.size() <= first) by_first_word_.resize(first + 1);
      by_first_word_[first].push_back(std::move(entry));
    }
  }
  // Calls visit(row, number of its words) for each row that `words` begins with, in the order of the table.
  template <class Visit>
  void for_each(std::span<const Word> words, const Visit& visit) const {
    if (words.empty() || words[0].id() >= by_first_word_.size()) return;
    for (const Entry& entry : by_first_word_[words[0].id()])
      if (entry.words.size() <= words.size() &&
          std::equal(entry.words.begin(), entry.words.end(), words.begin()))
        visit(*entry.row, entry.words.size());
  }

 private:
  struct Entry {
    std::vector<Word> words;
    const Row* row;
  };
  std::vector<std::vector<Entry>> by_first_word_;
};

// The row with the longest name that the words begin with, or kUnknownOpcode.
const OpcodeFacts& facts_of(std::span<const Word> words);

}  // namespace cudalab::ptx
