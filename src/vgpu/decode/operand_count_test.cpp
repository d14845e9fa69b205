// An instruction with too few or too many operands is refused before anything looks at them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/refusal_testing.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/opcodes/table.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {
namespace {

using testing::HasSubstr;

// What loading a kernel of this one instruction says; empty when it loads.
std::string refusal(const std::string& instruction) {
  static VirtualGpu gpu(Options{.host_threads = 1, .memory_bytes = std::size_t{64} << 20});
  const std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry test()\n{\n"
      "  .reg .pred %p<4>;\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n  .param .b32 blob;\n  " +
      instruction + "\n}\n";
  return refusal_of([&] { gpu.load(ptx::parse(text, "test.ptx"), "test.cu"); });
}

std::string with_operands(std::string_view opcode, int count) {
  std::string text(opcode);
  for (int i = 0; i < count; ++i) text += i ? ", %r1" : " %r1";
  return text + ";";
}

std::string wrong_count(std::string_view opcode) {
  return "opcode `" + std::string(opcode) + "` is not supported with these operands";
}

TEST(OperandCount, OfEveryFormIsChecked) {
  for (const Form& form : all_forms()) {
    if (form.name == "call") continue;  // its operands are lists, with a grammar of their own
    for (int count = 0; count <= form.operands.most + 2; ++count) {
      if (count >= form.operands.fewest && count <= form.operands.most) continue;
      EXPECT_THAT(refusal(with_operands(form.name, count)), HasSubstr(wrong_count(form.name))) << count;
      EXPECT_THAT(refusal("@%p1 " + with_operands(form.name, count)), HasSubstr(wrong_count(form.name)));
    }
  }
}

TEST(OperandCount, OfEveryRowIsChecked) {
  for (const Row& row : opcode_table().rows()) {
    if (row.shape == Shape::kInternal || find_form({.opcode = row.opcode, .parts = {row.opcode}})) continue;
    for (const int count : {0, row.source_count, row.source_count + 2})
      EXPECT_THAT(refusal(with_operands(row.opcode, count)), HasSubstr(wrong_count(row.opcode))) << count;
  }
}

TEST(OperandCount, LeavesOutTheCachePolicy) {
  EXPECT_EQ(refusal("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;"), "");
  EXPECT_THAT(refusal("ld.global.L2::cache_hint.u32 %r1, [%rd1];"), HasSubstr("with these operands"));
  EXPECT_THAT(refusal("ld.global.u32 %r1, [%rd1], %rd2;"), HasSubstr("with these operands"));
}

TEST(OperandCount, DependsOnTheForm) {
  EXPECT_EQ(refusal("bar.cta.sync 0;"), "");
  EXPECT_EQ(refusal("cp.async.wait_group 0;"), "");
  EXPECT_EQ(refusal("cp.async.wait_all;"), "");
  EXPECT_EQ(refusal("setp.lt.and.s32 %p1, %r1, %r2, !%p2;"), "");
  EXPECT_EQ(refusal("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"), "");
  EXPECT_THAT(refusal("setp.lt.and.s32 %p1, %r1, %r2;"), HasSubstr("with these operands"));
  EXPECT_THAT(refusal("atom.global.cas.b32 %r1, [%rd1], %r2;"), HasSubstr("with these operands"));
  EXPECT_THAT(refusal("atom.global.add.u32 %r1, [%rd1], %r2, %r3;"), HasSubstr("with these operands"));
}

TEST(OperandKinds, ThatAnInstructionDoesNotTakeAreRefused) {
  EXPECT_THAT(refusal("st.param.b32 %r1, %r2;"), HasSubstr("`st.param.b32` is not supported"));
  EXPECT_THAT(refusal("tex.2d.v4.f32.f32 {%r1, %r1, %r1, %r1}, [%rd1, {%r1}];"),
              HasSubstr("with these operands"));
}

}  // namespace
}  // namespace cudalab::vgpu
