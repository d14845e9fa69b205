// Checks that written text parses to the same module.
#include "ptx/text.h"

#include <gtest/gtest.h>

#include "ptx/sample_ptx_testing.h"

namespace cudalab::ptx {
namespace {

Instruction parsed_again(const std::string& statement) {
  const Module module =
      parse(".version 8.0\n.target sm_90\n.entry f() {\n" + statement + "\n}\n", "test.ptx");
  return std::get<Instruction>(module.functions.at(0).body.at(0));
}

TEST(PtxText, WritesInstructionsLikeCompilers) {
  for (const char* text : {
           "@!%p1 bra $L__BB0_2;",
           "ret;",
           "ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];",
           "shfl.sync.down.b32 %r1|%p2, %r2, 16, 31, -1;",
           "mov.f32 %f1, 0f3F800000;",
           "mov.f64 %fd1, 0d3FF0000000000000;",
           "mov.u64 %rd1, table+8;",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}];",
           "setp.lt.and.s32 %p1, %r1, 0, !%p2;",
           "call.uni (retval0), f, (param0, param1);",
           "call %rd1, (), prototype_1;",
           "call f;",
       })
    EXPECT_EQ(to_text(parsed_again(text)), text);
}

class Samples : public testing::TestWithParam<std::string_view> {};

TEST_P(Samples, SurviveWritingAndReading) {
  const Module once = parse(GetParam(), "sample.ptx");
  const std::string text = to_text(once);
  EXPECT_EQ(to_text(parse(text, "written.ptx")), text);
}

TEST_P(Samples, KeepAllStatements) {
  const Module module = parse(GetParam(), "sample.ptx");
  const Module again = parse(to_text(module), "written.ptx");
  ASSERT_EQ(again.functions.size(), module.functions.size());
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    EXPECT_EQ(again.functions[f].body.size(), module.functions[f].body.size());
    EXPECT_EQ(again.functions[f].registers.size(), module.functions[f].registers.size());
    EXPECT_EQ(again.functions[f].variables.size(), module.functions[f].variables.size());
  }
}

INSTANTIATE_TEST_SUITE_P(PtxText, Samples, testing::ValuesIn(kSamples));

}  // namespace
}  // namespace cudalab::ptx
