// What the time model keeps of each PTX instruction: which units the machine code made of it needs, how long
// its result takes, and which registers it waits for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace cudalab::vgpu {

// The pipes of a multiprocessor's four parts.
enum class Unit : std::uint8_t {
  kIssue,     // any machine instruction takes a slot
  kFp32,      // FMA, both halves
  kMultiply,  // integer multiplications, the heavy half of the FMA pipe
  kLogic,     // ALU: logic, comparisons, minima, shifts
  kFp64,
  kSpecial,       // MUFU, conversions, POPC
  kTensor,        // in 16x8x16 products of halves
  kMemory,        // addresses that the load/store unit takes
  kThreeReads,    // of kFp32's instructions, those that read three registers
  kThreeReads64,  // of kFp64's
  kNumber,
};
inline constexpr std::size_t kUnits = static_cast<std::size_t>(Unit::kNumber);
using UnitUse = std::array<float, kUnits>;

// Where a result comes from, in the order of LatencyCounts.
enum class Source : std::uint8_t {
  kArithmetic,
  kShared,
  kL1,
  kL2,
  kDram,
  kConstant,
  kAtomic,
  kTexture,
  kNumber
};
inline constexpr std::size_t kSources = static_cast<std::size_t>(Source::kNumber);

// An instruction behind which nothing begins before what is in front of it can be seen by others.
enum class TimedFence : std::uint8_t { kNone, kCard, kSystem };

// Where an access may lie, a bit each. The compiler keeps a load behind a store that may be to the same
// place.
inline constexpr std::uint8_t kTimedGlobal = 1, kTimedLocal = 2, kTimedShared = 4,
                              kTimedAnywhere = kTimedGlobal | kTimedLocal | kTimedShared;

// A load's site says from where.
struct TimedOp {
  Source source = Source::kArithmetic;
  float latency = 0;                // clocks, of arithmetic
  float slots = 1;                  // of issue
  std::uint32_t site = ~0u;         // of an access to global or local memory
  std::uint32_t first_operand = 0;  // in TimedCode::registers: results, then what it waits for
  std::uint8_t results = 0, inputs = 0;
  std::uint8_t space = 0;  // of an access; its first input is then the register that its address begins with
  bool writes = false;     // there
  bool walks = false;      // a load in a loop: each round moves its address by less than a line
  bool is_barrier = false;
  // Machine code with a branch around what rarely happens (a quotient that is no normal number): what
  // computes with loaded values begins behind it when its result is there. (Measured: four divisions of a
  // warp that do not depend on each other take four times as long as one; loads of all four go ahead.)
  bool is_apart = false;
  TimedFence fence = TimedFence::kNone;  // that comes before the rest of it
};

struct TimedBasicBlock {
  std::uint32_t first_op = 0, ops = 0;
  UnitUse use{};
  bool draws = false;        // work from what is left for all blocks
  bool waits = false;        // for another thread: nothing behind it begins before
  int unused_registers = 0;  // of 32 bits, that hold values across it
  bool is_counted = false;   // its branch asks for a register that each round moves by a constant
};

// How often a warp waits for each source; arithmetic: in clocks.
using Waits = std::array<double, kSources>;
// `latencies`: of each source; arithmetic: 1.
inline double clocks_of(const Waits& waits, const Waits& latencies) {
  double clocks = 0;
  for (std::size_t source = 0; source < kSources; ++source) clocks += waits[source] * latencies[source];
  return clocks;
}

struct TimedCode {
  std::vector<TimedBasicBlock> basic_blocks;  // parallel to Program::basic_blocks
  std::vector<TimedOp> ops;
  std::vector<std::uint32_t> registers;  // numbers, of all functions
  std::uint32_t register_count = 0;
  std::vector<std::uint8_t> words;  // by register: of 32 bits; 0: a predicate, a constant
};

}  // namespace cudalab::vgpu
