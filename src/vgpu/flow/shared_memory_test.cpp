// Tests accesses to another shared variable than the one whose address they were computed from.
#include "vgpu/flow/shared_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/diagnostics/message_testing.h"
#include "messages/vgpu.h"
#include "ptx/parser.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {

namespace {

using testing::AllOf;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kVariables = R"(
.shared .align 4 .b8 a[128];
.shared .align 4 .b8 b[128];
)";
constexpr const char* kDynamic = ".extern .shared .align 16 .b8 pool[];\n";

// Both variables are written; then %r2 is the address of a[tid] and %r3 of b[tid]; %r1 = tid.
std::vector<Hazard> hazards_of(const std::string& body, bool check_memory = true) {
  KernelHarness harness(KernelHarness::kernel(std::string(kVariables) + R"(
    mov.u32 %r1, %tid.x;
    shl.b32 %r4, %r1, 2;
    mov.u32 %r5, a;
    mov.u32 %r6, b;
    add.s32 %r2, %r5, %r4;
    mad.lo.s32 %r3, %r1, 4, %r6;
    st.shared.u32 [%r2], 1;
    st.shared.u32 [%r3], 2;
    bar.sync 0;
    ld.param.u64 %rd9, [p0];
    )" + body,
                                              2, kDynamic));
  harness.check_memory = check_memory;
  harness.dynamic_shared = 256;
  const auto data = harness.buffer(std::vector<std::uint32_t>{0, 4, 32, 128});
  const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, data);
  EXPECT_TRUE(result.completed) << body;
  return result.hazards;
}

void expect_overrun(const std::string& body, const Message& what) {
  const std::vector<Hazard> hazards = hazards_of(body);
  ASSERT_THAT(hazards, SizeIs(1)) << body;
  EXPECT_EQ(hazards[0].kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(with_ids(hazards[0].what), with_ids(what));
}

TEST(SharedBases, AnAccessBehindItsVariableIsNamedThoughMemoryGoesOn) {
  expect_overrun("ld.shared.u32 %r9, [%r2+4];",
                 msg::access_one_past_end(msg::verb_reads(), cudalab::Element{"a", {32}},
                                          msg::byte_of_shared_taken(128, cudalab::Element{"b", {0}}), 32, 4));
  expect_overrun("ld.shared.u32 %r9, [a+132];",
                 msg::access_past_end(msg::verb_reads(), cudalab::Element{"a", {33}},
                                      msg::byte_of_shared_taken(132, cudalab::Element{"b", {1}}), 2, 32, 4));
  expect_overrun("setp.eq.u32 %p1, %r1, 0;\n@%p1 ld.shared.u32 %r9, [%r3+-8];",
                 msg::access_before_start(msg::verb_reads(), cudalab::Element{"b", {-2}},
                                          msg::byte_of_shared_taken(120, cudalab::Element{"a", {30}}), 2));
}

TEST(SharedBases, StoresAtomicsAndCopiesAreLookedAtToo) {
  for (const char* access : {"st.shared.u32 [%r2+4], 5;", "st.shared.v2.u32 [%r5+128], {5, 5};",
                             "atom.shared.add.u32 %r9, [%r2+4], 1;", "red.shared.add.u32 [%r2+4], 1;",
                             "cp.async.ca.shared.global [%r2+4], [%rd9], 4;\ncp.async.wait_all;"}) {
    const std::vector<Hazard> hazards =
        hazards_of(std::string("setp.eq.u32 %p1, %r1, 31;\n@!%p1 bra END;\n") + access + "\nEND:");
    const auto is_overrun = [](const Hazard& hazard) { return hazard.kind == HazardKind::kOutOfBounds; };
    EXPECT_TRUE(std::ranges::any_of(hazards, is_overrun)) << access;
  }
}

TEST(SharedBases, GenericAddressesLoopsAndSelectionsKeepTheVariable) {
  for (const char* body :
       {"cvt.u64.u32 %rd1, %r2;\ncvta.shared.u64 %rd2, %rd1;\nld.u32 %r9, [%rd2+4];",
        "mov.u64 %rd1, a;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd1, %rd3;\nld.shared.u32 %r9, "
        "[%rd2+4];",
        "setp.eq.u32 %p1, %r1, 3;\nadd.s32 %r7, %r5, 128;\nselp.b32 %r8, %r7, %r2, %p1;\nld.shared.u32 %r9, "
        "[%r8];",
        "mov.u32 %r7, %r5;\nmov.u32 %r8, 0;\nAGAIN:\nld.shared.u32 %r9, [%r7];\nadd.s32 %r7, %r7, 4;\n"
        "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 33;\n@%p1 bra AGAIN;",
        "ld.global.u32 %r7, [%rd9+12];\nadd.s32 %r8, %r7, %r5;\nld.shared.u32 %r9, [%r8];"}) {
    const std::vector<Hazard> hazards = hazards_of(body);
    ASSERT_THAT(hazards, SizeIs(1)) << body;
    EXPECT_THAT(hazards[0].what,
                AllOf(MentionsMessage("verb_reads"), HasArgument("element", cudalab::Element{"a", {32}})))
        << body;
  }
}

TEST(SharedBases, WhatIsNotCertainIsNotSaid) {
  for (const char* body :
       {// One of two variables; from one to the other; a negative index that is compensated.
        "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r8, %r5, %r6, %p1;\nld.shared.u32 %r9, [%r8+64];",
        "sub.s32 %r7, %r6, %r5;\nadd.s32 %r8, %r2, %r7;\nld.shared.u32 %r9, [%r8];",
        "sub.s32 %r7, %r2, 256;\nadd.s32 %r8, %r7, 128;\nld.shared.u32 %r9, [%r8+128];",
        "mov.u32 %r8, %r5;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r8, %r6;\nld.shared.u32 %r9, [%r8];",
        // A part of the dynamic shared memory, which begins after both variables.
        "mov.u32 %r7, pool;\nadd.s32 %r8, %r7, %r4;\nst.shared.u32 [%r8+64], 1;",
        // Bits of an address.
        "xor.b32 %r8, %r2, 128;\nld.shared.u32 %r9, [%r8];",
        "and.b32 %r8, %r3, -256;\nld.shared.u32 %r9, [%r8];",
        // A loop whose pointer is set to the other variable by name.
        "mov.u32 %r7, %r5;\nmov.u32 %r8, 0;\nAGAIN:\nld.shared.u32 %r9, [%r7];\nmov.u32 %r7, %r6;\n"
        "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 3;\n@%p1 bra AGAIN;"})
    EXPECT_THAT(hazards_of(body), IsEmpty()) << body;
}

TEST(SharedBases, ARegisterThatMayBeOfEitherTakesNothingFromOthers) {
  const std::vector<Hazard> hazards = hazards_of(
      "mov.u32 %r8, %r5;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r8, %r6;\n"
      "ld.shared.u32 %r9, [%r8];\nld.shared.u32 %r9, [%r2+4];");
  ASSERT_THAT(hazards, SizeIs(1));
  EXPECT_THAT(hazards[0].what,
              AllOf(MentionsMessage("verb_reads"), HasArgument("element", cudalab::Element{"a", {32}})));
}

TEST(SharedBases, WithoutMemoryChecksNothingIsSaid) {
  EXPECT_THAT(hazards_of("ld.shared.u32 %r9, [%r2+4];", false), IsEmpty());
}

// Tests which kernels use which of a module's shared variables, and their offsets.

using Kernels = std::vector<int>;

struct Laid {
  ptx::Module module;
  SharedLayout layout;
  explicit Laid(const std::string& text) : module(ptx::parse(text, "test.ptx")) {
    std::vector<const ptx::Function*> functions;
    for (const ptx::Function& function : module.functions) functions.push_back(&function);
    layout = lay_out_shared(module, functions);
  }
};

std::string text_of(const std::string& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".shared .align 4 .b8 left[100];\n.shared .align 16 .b8 right[200];\n.shared .align 8 .b8 "
         "both[40];\n" +
         body;
}

std::string naming(const std::string& variable) {
  return "{ .reg .b32 %r<3>; mov.u32 %r1, " + variable + "; ld.shared.u32 %r2, [both+4]; ret; }\n";
}

TEST(SharedLayout, AKernelHasRoomForWhatItNames) {
  const Laid laid(text_of(".entry one()" + naming("left") + ".entry two()" + naming("right") +
                          ".entry none() { ret; }\n"));
  const auto& places = laid.layout.variables;
  EXPECT_EQ(places[0].offset, 0u);
  EXPECT_EQ(places[1].offset, 0u);
  EXPECT_EQ(places[2].offset, 200u);  // after both of them
  EXPECT_EQ(places[0].kernels, Kernels{0});
  EXPECT_EQ(places[1].kernels, Kernels{1});
  EXPECT_EQ(places[2].kernels, (Kernels{0, 1}));
  EXPECT_EQ(laid.layout.ends, (std::vector<std::uint64_t>{240, 240, 0}));
}

TEST(SharedLayout, WhatACalledFunctionNamesCountsToo) {
  const Laid laid(text_of(".func inner()" + naming("right") + ".func outer() { call inner; ret; }\n" +
                          ".entry calls() { call outer; ret; }\n.entry does_not()" + naming("left")));
  EXPECT_EQ(laid.layout.variables[1].kernels, Kernels{2});
  EXPECT_EQ(laid.layout.variables[0].kernels, Kernels{3});
  EXPECT_EQ(laid.layout.variables[2].kernels, (Kernels{2, 3}));
}

TEST(SharedLayout, ACallThroughARegisterMayGoToAnyFunction) {
  const Laid laid(
      text_of(".func inner()" + naming("right") +
              ".entry calls() { .reg .b64 %rd<2>; p: .callprototype _ (); call %rd1, p; ret; }\n" +
              ".entry other()" + naming("left")));
  EXPECT_EQ(laid.layout.variables[1].kernels, Kernels{1});
  EXPECT_EQ(laid.layout.variables[0].kernels, Kernels{2});
}

}  // namespace
}  // namespace cudalab::vgpu
