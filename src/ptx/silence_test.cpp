// Tests that exchanges and shared loads get taps or are left out, and that other statements are unchanged.
#include "ptx/silence.h"

#include <gtest/gtest.h>

namespace cudalab::ptx {
namespace {

constexpr Carriers kExchanges{.exchanges = true}, kSharedLoads{.shared_loads = true};

TEST(Silence, PutsTapsBehindExchanges) {
  EXPECT_EQ(with_taps("\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, %r11;\n", kExchanges),
            "\ttap.b32 %r7, %r7, 15; shfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, %r11; "
            "tap.b32 %r12, %r12, 0; tap.pred %p1, %p1, 1;\n");
  EXPECT_EQ(
      with_taps("\tmatch.any.sync.b64 %r4, %rd12, %r11;\tvote.sync.any.pred %p9, %p8, %r11;", kExchanges),
      "\tmatch.any.sync.b64 %r4, %rd12, %r11; tap.b32 %r4, %r4, 0;"
      "\tvote.sync.any.pred %p9, %p8, %r11; tap.pred %p9, %p9, 16;");
  EXPECT_EQ(with_taps("\n@!%p3 shfl.sync.idx.b32 _|%p1, %r2, 0, 31, -1;", kExchanges),
            "\n@!%p3 shfl.sync.idx.b32 _|%p1, %r2, 0, 31, -1; @!%p3 tap.pred %p1, %p1, 1;");
}

TEST(Silence, PutsTapsBehindSharedLoads) {
  EXPECT_EQ(
      with_taps("\tld.shared.f32 %f1, [%r2];\n\t@%p1 ld.volatile.shared.u64 %rd4, [x+8];\n", kSharedLoads),
      "\tld.shared.f32 %f1, [%r2]; tap.b32 %f1, %f1, 0;\n\t@%p1 ld.volatile.shared.u64 %rd4, [x+8]; "
      "@%p1 tap.b64 %rd4, %rd4, 16;\n");
  EXPECT_EQ(with_taps("\tld.shared::cta.v2.f64 {%fd1, _}, [%r2];", kSharedLoads),
            "\tld.shared::cta.v2.f64 {%fd1, _}, [%r2]; tap.b64 %fd1, %fd1, 0;");
  EXPECT_EQ(with_taps("\tld.f32 %f1, [%rd2+4];", kSharedLoads),
            "\tld.f32 %f1, [%rd2+4]; tap.b32 %f1, %f1, 0, %rd2;")
      << "it may be shared memory";
  const char* const kOthers =
      "\tld.global.nc.f32 %f1, [%rd2];\n\tld.param.u64 %rd1, [k_param_0];\n\tst.shared.f32 [%r1], %f2;\n";
  EXPECT_EQ(with_taps(kOthers, kSharedLoads), kOthers);
}

TEST(Silence, NumbersExchangesBeforeSharedLoads) {
  EXPECT_EQ(with_taps("\tld.shared.u32 %r1, [%r2];\n\tredux.sync.add.u32 %r17, %r16, %r11;\n",
                      {.exchanges = true, .shared_loads = true}),
            "\tld.shared.u32 %r1, [%r2]; tap.b32 %r1, %r1, 16;\n"
            "\ttap.b32 %r16, %r16, 15; redux.sync.add.u32 %r17, %r16, %r11; tap.b32 %r17, %r17, 0;\n");
}

TEST(Silence, LeavesOutOneOfSeveralExchanges) {
  const std::string ptx =
      "\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, -1;\n\t@%p2 redux.sync.add.u32 %r17, %r16, %r11;\n"
      "\tvote.sync.any.pred %p9, %p8, %r11;\n\tmatch.all.sync.b32 %r4|%p3, %r5, -1;\n";
  EXPECT_EQ(count_statements(ptx, kExchanges), 4u);
  EXPECT_EQ(with_idle(ptx, kExchanges, {}), ptx);
  EXPECT_EQ(with_idle(ptx, kExchanges, {true, false, true}),
            "\tmov.b32 %r12, %r7; mov.pred %p1, 1; bar.warp.sync -1;\n"
            "\t@%p2 redux.sync.add.u32 %r17, %r16, %r11;\n\tmov.pred %p9, 0; bar.warp.sync %r11;\n"
            "\tmatch.all.sync.b32 %r4|%p3, %r5, -1;\n");
  EXPECT_EQ(with_idle(ptx, kExchanges, {false, true, false, true}),
            "\tshfl.sync.down.b32 \t%r12|%p1, %r7, %r10, %r9, -1;\n"
            "\t@%p2 mov.b32 %r17, %r16; @%p2 bar.warp.sync %r11;\n"
            "\tvote.sync.any.pred %p9, %p8, %r11;\n\tmov.b32 %r4, 0; mov.pred %p3, 0; bar.warp.sync -1;\n");
}

TEST(Silence, LeavesOutOneOfSeveralLoads) {
  const std::string ptx =
      "\tld.shared.f32 %f1, [%r2];\n\tld.global.f32 %f2, [%rd2];\n\t@%p1 ld.volatile.shared.v2.u64 {%rd4, "
      "%rd5}, "
      "[x+8];\n";
  EXPECT_EQ(count_statements(ptx, kSharedLoads), 2u);
  EXPECT_EQ(with_idle(ptx, kSharedLoads, {false, false}), ptx);
  EXPECT_EQ(with_idle(ptx, kSharedLoads, {false, true}),
            "\tld.shared.f32 %f1, [%r2];\n\tld.global.f32 %f2, [%rd2];\n\t @%p1 mov.b64 %rd4, 0; "
            "@%p1 mov.b64 %rd5, 0;\n");
}

TEST(Silence, KeepsAllOtherStatements) {
  const char* const kOthers =
      "\tactivemask.b32 %r5;\n\tadd.s32 %shfl, %r1, 1;\n\tld.shared.f32 %f1, [vote];\n\tbar.sync 0;\n";
  EXPECT_EQ(with_taps(kOthers, kExchanges), kOthers);
}

}  // namespace
}  // namespace cudalab::ptx
