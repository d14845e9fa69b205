// Tests rows that the recorded results do not cover: comparisons combined with a predicate, packing, and
// `set`.
#include <gtest/gtest.h>

#include <cstring>

#include "vgpu/opcodes/row_runner_testing.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {
namespace {

// Registers of 256 bytes each, for rows that need more than plain operands.
struct Registers {
  alignas(64) std::array<std::byte, 16 * 256> memory{};
  Warp warp;
  Registers() {
    warp.operand_file.fill(memory.data());
    warp.exec = kAllLanes;
  }
  static Slot slot(std::uint32_t number) { return make_slot(kRegisters, kFirstRegister + 256 * number); }
  template <class T>
  T* lanes(std::uint32_t number) {
    return reinterpret_cast<T*>(memory.data() + kFirstRegister + 256 * number);
  }
};

std::uint32_t combined(const char* opcode, std::uint64_t how, std::uint32_t c,
                       std::uint32_t* other = nullptr) {
  Registers registers;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    registers.lanes<std::int32_t>(0)[lane] = lane;
    registers.lanes<std::int32_t>(1)[lane] = 16;
  }
  registers.lanes<std::uint32_t>(2)[0] = c;
  Inst inst;
  inst.a = Registers::slot(0), inst.b = Registers::slot(1), inst.c = Registers::slot(2);
  inst.d = Registers::slot(3), inst.d2 = Registers::slot(4);
  inst.imm = how;
  opcode_table().find(opcode)->run(&inst, registers.warp);
  if (other) *other = registers.lanes<std::uint32_t>(4)[0];
  return registers.lanes<std::uint32_t>(3)[0];
}

TEST(Setp, CombinesWithAPredicate) {
  constexpr std::uint32_t kLess = 0x0000'ffff, kC = 0x00ff'00ff;
  std::uint32_t other = 0;
  EXPECT_EQ(combined("setp.lt.s32", 0, kC, &other), kLess);
  EXPECT_EQ(other, ~kLess);
  EXPECT_EQ(combined("setp.lt.s32", kAnd, kC, &other), kLess & kC);
  EXPECT_EQ(other, ~kLess & kC);
  EXPECT_EQ(combined("setp.lt.s32", kOr, kC, &other), kLess | kC);
  EXPECT_EQ(other, ~kLess | kC);
  EXPECT_EQ(combined("setp.lt.s32", kXor, kC, &other), kLess ^ kC);
  EXPECT_EQ(other, ~kLess ^ kC);
  EXPECT_EQ(combined("setp.lt.s32", kAnd | kNegateC, kC, &other), kLess & ~kC);
  EXPECT_EQ(other, ~kLess & ~kC);
}

TEST(Pack, PutsTheFirstPartLowest) {
  Registers registers;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    registers.lanes<std::uint16_t>(0)[lane] = static_cast<std::uint16_t>(0x1100 + lane);
    registers.lanes<std::uint16_t>(1)[lane] = static_cast<std::uint16_t>(0x2200 + lane);
  }
  const Slot parts[] = {Registers::slot(0), Registers::slot(1)};
  Inst inst;
  inst.d = Registers::slot(2);
  inst.slots = parts;
  opcode_table().find("pack.b32.v2")->run(&inst, registers.warp);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
    EXPECT_EQ(registers.lanes<std::uint32_t>(2)[lane], 0x2200'1100 + lane * 0x0001'0001);
}

TEST(Pack, IsUndoneByUnpack) {
  for (const auto& [whole, count] :
       std::initializer_list<std::pair<int, int>>{{64, 2}, {64, 4}, {32, 2}, {32, 4}, {16, 2}}) {
    Registers registers;
    for (std::size_t i = 0; i < 256; ++i)
      registers.memory[kFirstRegister + i] = static_cast<std::byte>(37 * i + 11);
    Slot parts[4];
    for (int part = 0; part < count; ++part)
      parts[part] = Registers::slot(static_cast<std::uint32_t>(part + 2));
    Inst inst;
    inst.a = Registers::slot(0), inst.d = Registers::slot(1);
    inst.slots = parts;
    const std::string form = ".b" + std::to_string(whole) + ".v" + std::to_string(count);
    opcode_table().find("unpack" + form)->run(&inst, registers.warp);
    opcode_table().find("pack" + form)->run(&inst, registers.warp);
    EXPECT_EQ(
        std::memcmp(registers.lanes<char>(0), registers.lanes<char>(1), static_cast<std::size_t>(whole) * 4),
        0)
        << form;
  }
}

TEST(Pack, KeepsLanesThatDoNotExecute) {
  Registers registers;
  registers.warp.exec = 0xffff;
  const Slot parts[] = {Registers::slot(0), Registers::slot(1)};
  Inst inst;
  inst.d = Registers::slot(2);
  inst.slots = parts;
  std::memset(registers.lanes<char>(2), 0x77, 128);
  opcode_table().find("pack.b32.v2")->run(&inst, registers.warp);
  EXPECT_EQ(registers.lanes<std::uint32_t>(2)[15], 0u);
  EXPECT_EQ(registers.lanes<std::uint32_t>(2)[16], 0x7777'7777u);
}

}  // namespace
}  // namespace cudalab::vgpu
