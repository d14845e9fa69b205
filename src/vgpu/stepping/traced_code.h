// Describes the instructions of a program for traces: what they read and write, and the types of the values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "ptx/module.h"
#include "vgpu/block.h"
#include "vgpu/warp_shape.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

// The reads and writes of an instruction of the text, as displayed to a user: memory accesses with their
// operands, and displayed values.

struct AddressUse {
  std::size_t operand = 0;  // index of a ptx::Address
  ptx::Space space{};       // kNone: decided by the generic address
  AccessKind kind{};
  std::uint32_t bytes = 0, elements = 1;  // bytes per lane; elements in registers
  std::uint32_t lanes = kAllLanes;        // lanes whose addresses are used
};
// Empty for accesses to parameters, which every kernel makes.
std::vector<AddressUse> address_uses(const ptx::Instruction& instruction);

// The registers that it writes; for a store, the registers and constants that it stores.
std::vector<const ptx::Operand*> shown_operands(const ptx::Instruction& instruction);

bool is_block_barrier(const ptx::Instruction& instruction);  // also of a cluster

// The type that the instruction specifies for a non-address operand; kNone if it does not.
ptx::Type type_of_operand(const ptx::Instruction& instruction, std::size_t operand);

// The types of a function's registers: PTX declares many registers as untyped bits, but their use shows
// whether they hold a float, a signed or an unsigned number.

bool is_mere_bits(ptx::Type type);  // of up to 64 bits, or no type

class ValueTypes {
 public:
  explicit ValueTypes(const ptx::Function& function);
  // kNone if unknown.
  ptx::Type of(const std::string& name) const;

 private:
  bool learn(const ptx::Instruction& instruction);
  bool note(const std::string& name, ptx::Type type);

  std::unordered_map<std::string, ptx::Type> types_;
};

// The instructions of a program as described in a trace, each described once, and the locations of their
// operands.

using LaneBits = std::array<std::uint64_t, kWarpSize>;

// The location in the function's frame of a register's 32 values.
struct RegisterPlace {
  ptx::Type type{};
  std::uint32_t lane_bytes = 0;  // 0: a predicate
  std::uint32_t offset = 0;
};
std::optional<RegisterPlace> place_of_register(const FunctionCode& function, const std::string& name);
LaneBits read_lanes(const std::byte* frame, const RegisterPlace& place);
void write_lane(std::byte* frame, const RegisterPlace& place, std::uint32_t lane, std::uint64_t bits);

// All instructions of a module.
std::vector<ListedInstruction> listing_of(const ptx::Module& text);

class TracedCode {
 public:
  struct Entry {
    const ptx::Instruction* instruction = nullptr;
    std::vector<AddressUse> uses;
    std::vector<RegisterPlace> places;   // of TracedInstruction::values
    std::vector<std::uint64_t> numbers;  // values of those that are constants
    bool is_barrier = false;
  };

  explicit TracedCode(const ptx::Module& text) : text_(text) {}
  // Returns the index of the description.
  std::uint32_t describe(const FunctionCode& function, std::uint32_t statement);
  const Entry& operator[](std::uint32_t index) const { return entries_[index]; }
  const TracedInstruction& described(std::uint32_t index) const { return instructions_[index]; }
  const ptx::Module& text() const { return text_; }
  std::vector<TracedInstruction> take() { return std::move(instructions_); }

 private:
  struct KnownFunction {
    const ptx::Function* source = nullptr;
    std::unique_ptr<ValueTypes> types;
  };
  const KnownFunction& known(const FunctionCode& function);
  void add_value(const ptx::Operand& operand, const FunctionCode& function, const ValueTypes& types,
                 TracedInstruction& traced, Entry& entry) const;

  const ptx::Module& text_;
  std::map<const FunctionCode*, KnownFunction> functions_;
  std::map<std::pair<const FunctionCode*, std::uint32_t>, std::uint32_t> index_;
  std::vector<TracedInstruction> instructions_;
  std::vector<Entry> entries_;
};

}  // namespace cudalab::vgpu
