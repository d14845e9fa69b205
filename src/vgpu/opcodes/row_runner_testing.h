// Runs one row of the opcode table on values, with a warp that has only a few registers. For tests.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vgpu/opcodes/table.h"

namespace cudalab::vgpu {

class RowRunner {
 public:
  static constexpr std::uint64_t kOldValue = 0x5a5a'a5a5'c3c3'3c3c;  // initial content of every result

  struct Results {
    std::vector<std::uint64_t> d, d2;
    std::uint32_t carry = 0;
  };

  // `operands[i]` holds up to 32 lanes of source i; missing lanes are zero.
  static Results run(const Row& row, const std::vector<std::vector<std::uint64_t>>& operands,
                     std::uint32_t exec = kAllLanes, std::uint32_t carry = 0) {
    RowRunner runner;
    Inst inst;
    inst.d = register_slot(0), inst.d2 = register_slot(1);
    Slot* const sources[] = {&inst.a, &inst.b, &inst.c, &inst.e};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      *sources[i] = register_slot(i + 2);
      runner.write(*sources[i], row.sources[i], operands[i]);
    }
    runner.write(inst.d, row.result, std::vector<std::uint64_t>(kWarpSize, old_value(row.result)));
    runner.write(inst.d2, row.result, std::vector<std::uint64_t>(kWarpSize, old_value(row.result)));
    runner.warp_.exec = exec;
    runner.warp_.carry = carry;
    row.run(&inst, runner.warp_);
    return {runner.read(inst.d, row.result), runner.read(inst.d2, row.result), runner.warp_.carry};
  }

  static std::uint64_t old_value(ptx::Type type) {
    const std::size_t bytes = ptx::info(type).bytes;
    return bytes == 0 ? 1 : bytes == 8 ? kOldValue : kOldValue & ((1ull << (8 * bytes)) - 1);
  }

 private:
  static constexpr std::size_t kRegisterBytes = 8 * kWarpSize;
  static Slot register_slot(std::size_t number) {
    return make_slot(kRegisters, static_cast<std::uint32_t>(kFirstRegister + number * kRegisterBytes));
  }

  RowRunner() { warp_.operand_file.fill(memory_.data()); }
  std::byte* at(Slot slot) { return memory_.data() + (slot.bits >> 2); }

  void write(Slot slot, ptx::Type type, const std::vector<std::uint64_t>& values) {
    const std::size_t bytes = ptx::info(type).bytes;
    std::uint32_t mask = 0;
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
      mask |= static_cast<std::uint32_t>(values[lane] & 1) << lane;
      std::memcpy(at(slot) + lane * bytes, &values[lane], bytes);
    }
    if (bytes == 0) std::memcpy(at(slot), &mask, sizeof mask);
  }
  std::vector<std::uint64_t> read(Slot slot, ptx::Type type) {
    const std::size_t bytes = ptx::info(type).bytes;
    std::uint32_t mask = 0;
    std::memcpy(&mask, at(slot), sizeof mask);
    std::vector<std::uint64_t> values(kWarpSize);
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
      if (bytes == 0) values[lane] = mask >> lane & 1;
      std::memcpy(&values[lane], at(slot) + lane * bytes, bytes);
    }
    return values;
  }

  alignas(64) std::array<std::byte, kFirstRegister + 6 * kRegisterBytes> memory_{};
  Warp warp_;
};

}  // namespace cudalab::vgpu
