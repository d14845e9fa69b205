// Tests that exchanges and shared loads lose their effect, and that other statements are unchanged.
#include "ptx/silence.h"

#include <gtest/gtest.h>

namespace cudalab::ptx {
namespace {

TEST(Silence, ExchangesYieldZero) {
  EXPECT_EQ(without_exchanges("\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, %r11;\n"),
            "\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, %r11; mov.pred %p1, 0; mov.b32 %r12, 0;\n");
  EXPECT_EQ(without_exchanges("\tmatch.any.sync.b64 %r4, %rd12, %r11;"),
            "\tmatch.any.sync.b64 %r4, %rd12, %r11; mov.b32 %r4, 0;");
  EXPECT_EQ(without_exchanges("\tredux.sync.add.u32 %r17, %r16, %r11;"),
            "\tredux.sync.add.u32 %r17, %r16, %r11; mov.b32 %r17, 0;");
  EXPECT_EQ(without_exchanges("\tvote.sync.ballot.b32 %r2, %p6, %r11;"),
            "\tvote.sync.ballot.b32 %r2, %p6, %r11; mov.b32 %r2, 0;");
  EXPECT_EQ(without_exchanges("\tvote.sync.any.pred %p9, %p8, %r11;"),
            "\tvote.sync.any.pred %p9, %p8, %r11; mov.pred %p9, 0;");
}

TEST(Silence, HandlesGuardsAndNamesOfInlineAssembly) {
  EXPECT_EQ(without_exchanges("{ .reg .pred p; shfl.sync.up.b32 v|p, a, 1, 0, -1; @p add.f32 s, s, v; }"),
            "{ .reg .pred p; shfl.sync.up.b32 v|p, a, 1, 0, -1; mov.pred p, 0; mov.b32 v, 0; "
            "@p add.f32 s, s, v; }");
  EXPECT_EQ(without_exchanges("\n@!%p3 shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"),
            "\n@!%p3 shfl.sync.idx.b32 %r1, %r2, 0, 31, -1; @!%p3 mov.b32 %r1, 0;");
  EXPECT_EQ(without_exchanges("\nshfl.sync.idx.b32 _|%p1, %r2, 0, 31, -1;"),
            "\nshfl.sync.idx.b32 _|%p1, %r2, 0, 31, -1; mov.pred %p1, 0;");
}

TEST(Silence, SharedLoadsYieldZero) {
  EXPECT_EQ(without_shared_loads("\tld.shared.f32 %f1, [%r2];\n\t@%p1 ld.volatile.shared.u64 %rd4, [x+8];\n"),
            "\tld.shared.f32 %f1, [%r2]; mov.b32 %f1, 0;\n\t@%p1 ld.volatile.shared.u64 %rd4, [x+8]; "
            "@%p1 mov.b64 %rd4, 0;\n");
  EXPECT_EQ(without_shared_loads("\tld.shared::cta.v2.f64 {%fd1, _}, [%r2];"),
            "\tld.shared::cta.v2.f64 {%fd1, _}, [%r2]; mov.b64 %fd1, 0;");
  EXPECT_EQ(without_shared_loads("\tld.shared.u8 %rs3, [%r2]; ld.shared.u32 mine, [a];"),
            "\tld.shared.u8 %rs3, [%r2]; mov.b16 %rs3, 0; ld.shared.u32 mine, [a]; mov.b32 mine, 0;");
  EXPECT_EQ(without_shared_loads("\tld.f32 %f1, [%rd2];"), "\tld.f32 %f1, [%rd2]; mov.b32 %f1, 0;")
      << "it may be shared memory";
  const char* const kOthers =
      "\tld.global.nc.f32 %f1, [%rd2];\n\tld.param.u64 %rd1, [k_param_0];\n\tst.shared.f32 [%r1], %f2;\n";
  EXPECT_EQ(without_shared_loads(kOthers), kOthers);
}

TEST(Silence, LeavesOutOneOfSeveralExchanges) {
  const std::string ptx =
      "\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, -1;\n\t@%p2 redux.sync.add.u32 %r17, %r16, %r11;\n"
      "\tvote.sync.any.pred %p9, %p8, %r11;\n\tmatch.all.sync.b32 %r4|%p3, %r5, -1;\n";
  EXPECT_EQ(count_exchanges(ptx), 4u);
  EXPECT_EQ(with_idle_exchanges(ptx, {}), ptx);
  EXPECT_EQ(with_idle_exchanges(ptx, {true, false, true}),
            "\tmov.b32 %r12, %r7; mov.pred %p1, 1; bar.warp.sync -1;\n"
            "\t@%p2 redux.sync.add.u32 %r17, %r16, %r11;\n\tmov.pred %p9, 0; bar.warp.sync %r11;\n"
            "\tmatch.all.sync.b32 %r4|%p3, %r5, -1;\n");
  EXPECT_EQ(with_idle_exchanges(ptx, {false, true, false, true}),
            "\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, -1;\n"
            "\t@%p2 mov.b32 %r17, %r16; @%p2 bar.warp.sync %r11;\n"
            "\tvote.sync.any.pred %p9, %p8, %r11;\n\tmov.b32 %r4, 0; mov.pred %p3, 0; bar.warp.sync -1;\n");
}

TEST(Silence, LeavesOutOneOfSeveralLoads) {
  const std::string ptx =
      "\tld.shared.f32 %f1, [%r2];\n\tld.global.f32 %f2, [%rd2];\n\t@%p1 ld.volatile.shared.v2.u64 {%rd4, "
      "%rd5}, "
      "[x+8];\n";
  EXPECT_EQ(count_shared_loads(ptx), 2u);
  EXPECT_EQ(with_idle_shared_loads(ptx, {false, false}), ptx);
  EXPECT_EQ(with_idle_shared_loads(ptx, {false, true}),
            "\tld.shared.f32 %f1, [%r2];\n\tld.global.f32 %f2, [%rd2];\n\t @%p1 mov.b64 %rd4, 0; "
            "@%p1 mov.b64 %rd5, 0;\n");
}

TEST(Silence, KeepsAllOtherStatements) {
  const char* const kOthers =
      "\tactivemask.b32 %r5;\n\tadd.s32 %shfl, %r1, 1;\n\tld.shared.f32 %f1, [vote];\n\tbar.sync 0;\n";
  EXPECT_EQ(without_exchanges(kOthers), kOthers);
}

}  // namespace
}  // namespace cudalab::ptx
