// The data that the time model keeps of each PTX instruction: the units that its machine code uses, its
// latency, and the registers that it waits for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace cudalab::vgpu {

// The pipes of an SM sub-partition; an SM has four.
enum class Unit : std::uint8_t {
  kIssue,     // issue slots, which every machine instruction takes
  kFp32,      // FMA, both halves
  kMultiply,  // integer multiplications, the heavy half of the FMA pipe
  kLogic,     // ALU: logic, comparisons, minima, shifts
  kFp64,
  kSpecial,       // MUFU, conversions, POPC
  kTensor,        // in 16x8x16 half-precision products
  kMemory,        // load/store unit, in addresses
  kThreeReads,    // of kFp32's instructions, those that read three registers
  kThreeReads64,  // of kFp64's
  kHalf,          // 16-bit floating point; counted as kFp32 at the GPU's rate (gather_features.cpp)
  kNumber,
};
inline constexpr std::size_t kUnits = static_cast<std::size_t>(Unit::kNumber);
using UnitUse = std::array<float, kUnits>;

// The source of a result, in the order of the names in launch_features.cpp.
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

// A fence: nothing after it begins before all earlier writes are visible (to the GPU or the system).
enum class TimedFence : std::uint8_t { kNone, kCard, kSystem };

// Memory spaces that an access may touch, one bit each. The compiler does not hoist a load above a store that
// may alias.
inline constexpr std::uint8_t kTimedGlobal = 1, kTimedLocal = 2, kTimedShared = 4,
                              kTimedAnywhere = kTimedGlobal | kTimedLocal | kTimedShared;

// For a load from global or local memory, the site tells the cache level.
struct TimedOp {
  Source source = Source::kArithmetic;
  float latency = 0;                // of arithmetic, in cycles
  float slots = 1;                  // issue slots
  std::uint32_t site = ~0u;         // of a memory access
  std::uint32_t first_operand = 0;  // index in TimedCode::registers: results first, then inputs
  std::uint8_t results = 0, inputs = 0;
  std::uint8_t space = 0;  // of an access; its first input is then its base register
  bool writes = false;     // to `space`
  bool walks = false;      // a load in a loop whose address moves by less than a line per round
  bool is_barrier = false;
  // Machine code with a branch around a slow path (such as a denormal quotient): code that uses loaded values
  // begins after it, when its result is available. (Measured: four independent divisions of a warp take four
  // times as long as one; loads are hoisted above all four.)
  bool is_apart = false;
  TimedFence fence = TimedFence::kNone;  // a fence before the instruction itself
};

struct TimedBasicBlock {
  std::uint32_t first_op = 0, ops = 0;
  UnitUse use{};
  bool draws = false;        // fetches work that all blocks share
  bool waits = false;        // for another thread: nothing after it begins before
  int unused_registers = 0;  // 32-bit registers that hold values across it
  bool is_counted = false;   // its branch tests a register that each round moves by a constant
};

// Waits of a warp for each source: their number, except for arithmetic, which is in cycles.
using Waits = std::array<double, kSources>;
// `latencies`: cycles per wait for each source; 1 for arithmetic.
inline double clocks_of(const Waits& waits, const Waits& latencies) {
  double clocks = 0;
  for (std::size_t source = 0; source < kSources; ++source) clocks += waits[source] * latencies[source];
  return clocks;
}

struct TimedCode {
  std::vector<TimedBasicBlock> basic_blocks;  // parallel to Program::basic_blocks
  std::vector<TimedOp> ops;
  std::vector<std::uint32_t> registers;  // numbers; functions do not share them
  std::uint32_t register_count = 0;
  std::vector<std::uint8_t> words;  // by register: size in 32-bit words; 0 for a predicate or a constant
};

}  // namespace cudalab::vgpu
