// Tests that an instruction with a wrong number of operands is refused before its operands are accessed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/opcodes/table.h"
#include "vgpu/time/instruction_costs.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {
namespace {

ptx::Instruction instruction_named(std::string_view opcode) {
  ptx::Instruction instruction;
  set_opcode(instruction, ptx::words_of(opcode));
  return instruction;
}

// The error from loading a kernel with this instruction; empty if it loads.
Message refusal_of_instruction(const std::string& instruction) {
  static VirtualGpu gpu(Options{.host_threads = 1, .memory_bytes = std::size_t{64} << 20});
  const std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry test()\n{\n"
      "  .reg .pred %p<4>;\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n  .param .b32 blob;\n  " +
      instruction + "\n}\n";
  return refused([&] { gpu.load(ptx::parse(text, "test.ptx"), "test.cu"); });
}

std::string with_operands(std::string_view opcode, int count) {
  std::string text(opcode);
  for (int i = 0; i < count; ++i) text += i ? ", %r1" : " %r1";
  return text + ";";
}

auto names_wrong_operands() { return MentionsMessage("opcode_operands_unsupported"); }
auto names_wrong_operands_of(std::string_view opcode) {
  return testing::AllOf(names_wrong_operands(), HasArgument("opcode", Code{std::string(opcode)}));
}

TEST(OperandCount, OfEveryFormIsChecked) {
  for (const Form& form : all_forms()) {
    if (form.name == "call") continue;  // its operands are lists with their own grammar
    for (int count = 0; count <= form.operands.most + 2; ++count) {
      if (count >= form.operands.fewest && count <= form.operands.most) continue;
      EXPECT_THAT(refusal_of_instruction(with_operands(form.name, count)), names_wrong_operands_of(form.name))
          << count;
      EXPECT_THAT(refusal_of_instruction("@%p1 " + with_operands(form.name, count)),
                  names_wrong_operands_of(form.name));
    }
  }
}

TEST(OperandCount, OfEveryRowIsChecked) {
  for (const Row& row : opcode_table().rows()) {
    if (row.shape == Shape::kInternal || find_form(instruction_named(row.opcode))) continue;
    for (const int count : {0, row.source_count, row.source_count + 2})
      EXPECT_THAT(refusal_of_instruction(with_operands(row.opcode, count)),
                  names_wrong_operands_of(row.opcode))
          << count;
  }
}

// A new row or form needs a row in ptx/opcodes.cpp, which says what it does, and one in
// time/instruction_costs.cpp.
TEST(Opcodes, OfEveryRowAndFormAreDescribedAndHaveACost) {
  std::vector<std::string_view> names;
  for (const Row& row : opcode_table().rows())
    if (row.shape != Shape::kInternal) names.push_back(row.opcode);
  for (const Form& form : all_forms()) names.push_back(form.name);
  for (const std::string_view name : names) {
    const ptx::Instruction instruction = instruction_named(name);
    EXPECT_NE(instruction.facts->name, "") << name;
    EXPECT_TRUE(cost_of(instruction)) << name;
  }
}

TEST(Opcodes, ThatAreUnknownAreRefusedWithTheirNameAndLine) {
  EXPECT_THAT(
      refusal_of_instruction("frobnicate.b32 %r1, %r2;"),
      testing::AllOf(MentionsMessage("opcode_unsupported"), HasArgument("opcode", Code{"frobnicate.b32"})));
}

TEST(OperandCount, LeavesOutTheCachePolicy) {
  EXPECT_EQ(refusal_of_instruction("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;"), Message());
  EXPECT_THAT(refusal_of_instruction("ld.global.L2::cache_hint.u32 %r1, [%rd1];"), names_wrong_operands());
  EXPECT_THAT(refusal_of_instruction("ld.global.u32 %r1, [%rd1], %rd2;"), names_wrong_operands());
}

TEST(OperandCount, DependsOnTheForm) {
  EXPECT_EQ(refusal_of_instruction("bar.cta.sync 0;"), Message());
  EXPECT_EQ(refusal_of_instruction("cp.async.wait_group 0;"), Message());
  EXPECT_EQ(refusal_of_instruction("cp.async.wait_all;"), Message());
  EXPECT_EQ(refusal_of_instruction("setp.lt.and.s32 %p1, %r1, %r2, !%p2;"), Message());
  EXPECT_EQ(refusal_of_instruction("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"), Message());
  EXPECT_THAT(refusal_of_instruction("setp.lt.and.s32 %p1, %r1, %r2;"), names_wrong_operands());
  EXPECT_THAT(refusal_of_instruction("atom.global.cas.b32 %r1, [%rd1], %r2;"), names_wrong_operands());
  EXPECT_THAT(refusal_of_instruction("atom.global.add.u32 %r1, [%rd1], %r2, %r3;"), names_wrong_operands());
}

TEST(OperandKinds, ThatAnInstructionDoesNotTakeAreRefused) {
  EXPECT_THAT(refusal_of_instruction("st.param.b32 %r1, %r2;"), HasArgument("opcode", Code{"st.param.b32"}));
  EXPECT_THAT(refusal_of_instruction("tex.2d.v4.f32.f32 {%r1, %r1, %r1, %r1}, [%rd1, {%r1}];"),
              names_wrong_operands());
}

}  // namespace
}  // namespace cudalab::vgpu
