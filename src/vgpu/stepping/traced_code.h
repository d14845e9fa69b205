// The instructions of a program as a trace names them, each described once, and where their operands lie.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/block.h"
#include "vgpu/stepping/instruction_shape.h"
#include "vgpu/stepping/value_types.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

using LaneBits = std::array<std::uint64_t, kWarpSize>;

// Where the 32 values of a register lie in its function's frame.
struct RegisterPlace {
  ptx::Type type{};
  std::uint32_t lane_bytes = 0;  // 0: a predicate
  std::uint32_t offset = 0;
};
std::optional<RegisterPlace> place_of_register(const FunctionCode& function, const std::string& name);
LaneBits read_lanes(const std::byte* frame, const RegisterPlace& place);

class TracedCode {
 public:
  struct Entry {
    const ptx::Instruction* instruction = nullptr;
    std::vector<AddressUse> uses;
    std::vector<RegisterPlace> places;   // of TracedInstruction::values
    std::vector<std::uint64_t> numbers;  // of those that are numbers
    bool is_barrier = false;
  };

  explicit TracedCode(const ptx::Module& text) : text_(text) {}
  // Its index in `instructions()`.
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
