#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// Every thread applies one atomic to the word at p0. %r2 = its number in the grid, %rd2 = the same in 64
// bits. The returned value, %r1, is stored at p1.
std::string each_thread(const std::string& atomic, bool store = true) {
  return KernelHarness::kernel(
      "ld.param.u64 %rd0, [p0];\nld.param.u64 %rd1, [p1];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n"
      "mov.u32 %r4, %ntid.x;\nmad.lo.s32 %r2, %r3, %r4, %r2;\ncvt.u64.u32 %rd2, %r2;\n" +
      atomic +
      (store ? "\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd1, %rd1, %rd5;\nst.global.u32 [%rd1], %r1;" : ""));
}

struct AfterAtomic {
  std::vector<std::uint32_t> words, seen;
  LaunchResult result;
};

AfterAtomic run_atomic(const std::string& atomic, std::vector<std::uint32_t> words, bool store = true,
                       unsigned host_threads = 2, Dim3 grid = {4, 1, 1}) {
  KernelHarness harness(each_thread(atomic, store), host_threads);
  const auto data = harness.buffer(words);
  const auto seen = harness.buffer(std::vector<std::uint32_t>(grid.x * 64));
  AfterAtomic after;
  after.result = harness.run(grid, {64, 1, 1}, data, seen);
  EXPECT_TRUE(after.result.completed) << after.result.hazards.back().what;
  after.words = harness.read<std::uint32_t>(data, words.size());
  after.seen = harness.read<std::uint32_t>(seen, grid.x * 64);
  return after;
}

struct AtomicCase {
  const char* name;
  const char* instruction;
  std::uint32_t before, after;
};

TEST(Atomics, EachOperationOn32Bits) {
  const AtomicCase cases[] = {
      {"add", "atom.global.add.u32 %r1, [%rd0], %r2;", 5, 5 + 255 * 256 / 2},
      {"min.s32", "sub.s32 %r5, %r2, 9;\natom.global.min.s32 %r1, [%rd0], %r5;", 5,
       static_cast<std::uint32_t>(-9)},
      {"max.s32", "neg.s32 %r5, %r2;\natom.global.max.s32 %r1, [%rd0], %r5;", static_cast<std::uint32_t>(-7),
       0},
      {"max.u32", "neg.s32 %r5, %r2;\natom.global.max.u32 %r1, [%rd0], %r5;", 3, 0xffffffff},
      {"and", "or.b32 %r5, %r2, 0xff00;\natom.global.and.b32 %r1, [%rd0], %r5;", 0xffffff, 0xff00},
      {"or", "atom.global.or.b32 %r1, [%rd0], %r2;", 0x100, 0x1ff},
      {"xor", "atom.global.xor.b32 %r1, [%rd0], %r2;", 1, 1},
      {"exch: the last in order stays", "atom.global.exch.b32 %r1, [%rd0], %r2;", 1, 255},
      {"cas", "add.u32 %r5, %r2, 1;\natom.global.cas.b32 %r1, [%rd0], %r2, %r5;", 0, 256},
      {"inc wraps after 9", "atom.global.inc.u32 %r1, [%rd0], 9;", 0, 6},
      {"dec wraps to 9", "atom.global.dec.u32 %r1, [%rd0], 9;", 0, 4},
      {"generic", "atom.add.release.gpu.u32 %r1, [%rd0], 1;", 0, 256},
  };
  for (const AtomicCase& one : cases) {
    EXPECT_EQ(run_atomic(one.instruction, {one.before}).words[0], one.after) << one.name;
    EXPECT_EQ(run_atomic(one.instruction, {one.before}, false).words[0], one.after)
        << one.name << ", result unused";
  }
}

TEST(Atomics, LanesGoInAscendingOrderAndSeeTheOldValue) {
  std::vector<std::uint32_t> numbers(256);
  std::iota(numbers.begin(), numbers.end(), 0u);
  EXPECT_EQ(run_atomic("atom.global.add.u32 %r1, [%rd0], 1;", {0}).seen, numbers);
}

TEST(Atomics, WideAndFloatingPoint) {
  const auto wide = run_atomic("atom.global.add.u64 %rd9, [%rd0], %rd2;", {0xffffffff, 0}).words;
  EXPECT_EQ(std::uint64_t{wide[1]} << 32 | wide[0], 0xffffffffull + 255 * 128);
  const auto single =
      run_atomic("cvt.rn.f32.u32 %f1, %r2;\natom.global.add.f32 %f2, [%rd0], %f1;", {0}).words;
  EXPECT_EQ(std::bit_cast<float>(single[0]), 255 * 128.0f);
  const auto pair = run_atomic("mov.b32 %r5, 0x3c004000;\natom.global.add.noftz.f16x2 %r6, [%rd0], %r5;", {0},
                               true, 2, {1, 1, 1});
  EXPECT_EQ(pair.words[0], 0x54005800u);  // 64 and 128
  const auto brain = run_atomic("mov.b32 %r5, 0x3f804000;\natom.global.add.noftz.bf16x2 %r6, [%rd0], %r5;",
                                {0}, true, 2, {1, 1, 1});
  EXPECT_EQ(brain.words[0], 0x42804300u);
}

TEST(Atomics, SinglePrecisionAdditionsInGlobalMemoryFlushDenormals) {
  EXPECT_EQ(run_atomic("mov.b32 %f1, 0x00000001;\natom.global.add.f32 %f2, [%rd0], %f1;", {0}).words[0], 0u);
}

TEST(Atomics, InSharedMemory) {
  const std::string shared = ".shared .align 4 .b8 words[8];\n";
  KernelHarness harness(KernelHarness::kernel(shared + R"(
    ld.param.u64 %rd0, [p0];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, words;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra GO;
    st.shared.u32 [words], 0;
  GO:
    bar.sync 0;
    atom.shared.add.u32 %r3, [%r2], %r1;
    red.shared.add.u32 [words], 1;
    bar.sync 0;
    ld.shared.u32 %r4, [words];
    st.global.u32 [%rd0], %r4;)",
                                              1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(1));
  const LaunchResult result = harness.run({1, 1, 1}, {64, 1, 1}, out);
  ASSERT_TRUE(result.completed);
  EXPECT_EQ(harness.read<std::uint32_t>(out, 1)[0], 64u * 63 / 2 + 64);
  // In each of two warps, one lane accumulates for all lanes; both updates are counted.
  EXPECT_EQ(result.counters->get(Counter::kSharedAtomicWavefronts), 2 * (1 + 1));
}

TEST(Atomics, OneWhoseResultIsUnusedCountsAsAReduction) {
  const auto used = run_atomic("atom.global.add.u32 %r1, [%rd0], 1;", {0}).result.counters;
  EXPECT_EQ(used->get(Counter::kGlobalAtomicRequests), 8);
  EXPECT_EQ(used->get(Counter::kGlobalAtomicSectors), 8);
  EXPECT_EQ(used->get(Counter::kGlobalReductionRequests), 0);
  const auto unused = run_atomic("atom.global.add.u32 %r1, [%rd0], 1;", {0}, false).result.counters;
  EXPECT_EQ(unused->get(Counter::kGlobalAtomicRequests), 0);
  EXPECT_EQ(unused->get(Counter::kGlobalReductionRequests), 8);
}

TEST(Atomics, TheNumberOfHostThreadsChangesNothing) {
  const char* instructions[] = {
      "atom.global.add.u32 %r1, [%rd0], 1;", "atom.global.exch.b32 %r1, [%rd0], %r2;",
      "cvt.rn.f32.u32 %f1, %r2;\nmul.f32 %f1, %f1, 0f3DCCCCCD;\natom.global.add.f32 %f2, [%rd0], %f1;"};
  for (const char* instruction : instructions)
    for (const bool store : {true, false}) {
      const auto one = run_atomic(instruction, {0}, store, 1, {100, 1, 1});
      for (unsigned threads : {2u, 8u}) {
        const auto many = run_atomic(instruction, {0}, store, threads, {100, 1, 1});
        EXPECT_EQ(one.words, many.words) << instruction;
        EXPECT_EQ(one.seen, many.seen) << instruction;
        EXPECT_EQ(one.result.counters, many.result.counters) << instruction;
      }
    }
}

TEST(Atomics, OutOfBoundsAndMisalignedAreCaught) {
  for (const auto& [address, kind] :
       {std::pair("[%rd0+4096]", HazardKind::kOutOfBounds), std::pair("[%rd0+2]", HazardKind::kMisaligned),
        std::pair("[4]", HazardKind::kOutOfBounds)}) {
    KernelHarness harness(each_thread("atom.global.add.u32 %r1, " + std::string(address) + ", 1;"));
    const auto data = harness.buffer(std::vector<std::uint32_t>(4));
    const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, data, data);
    ASSERT_FALSE(result.completed) << address;
    EXPECT_EQ(result.hazards.back().kind, kind) << address;
  }
}

// ---- vectors -----------------------------------------------------------------------------------------
struct VectorCase {
  const char* name;  // operation and type
  std::vector<std::uint32_t> operand, before, after;
};

// The vector instruction, executed by one thread. Its operand is loaded from p1, and the old value is stored
// there.
std::string vector_of_words(const VectorCase& one, bool wanted, const std::string& space) {
  std::string registers, loads, stores;
  for (std::size_t i = 0; i < one.operand.size(); ++i) {
    const std::string number = std::to_string(i), at = "[%rd1+" + std::to_string(4 * i) + "]";
    registers += (i ? ", %r" : "%r") + number;
    loads += "ld.global.b32 %r" + number + ", " + at + ";\n";
    if (wanted) stores += "st.global.b32 " + at + ", %r" + number + ";\n";
  }
  const std::string operand = "{" + registers + "}";
  return KernelHarness::kernel(
      "ld.param.u64 %rd0, [p0];\nld.param.u64 %rd1, [p1];\n" + loads +
      (wanted ? "atom" + space + one.name + " " + operand + ", " : "red" + space + one.name + " ") +
      "[%rd0], " + operand + ";\n" + stores);
}

const VectorCase kVectorCases[] = {
    {"add.v2.f32", {0x3f800000, 0x40000000}, {0x40000000, 0x41200000}, {0x40400000, 0x41400000}},
    // Denormals are flushed to zero.
    {"add.v2.f32", {0x00000001, 0x80000000}, {0, 0x80000001}, {0, 0x80000000}},
    {"add.v4.f32",
     {0x3f800000, 0x40000000, 0x40400000, 0x40800000},
     {0x3f800000, 0x3f800000, 0, 0xbf800000},
     {0x40000000, 0x40400000, 0x40400000, 0x40400000}},
    {"add.noftz.v2.f16x2", {0x40003c00, 0x3c000001}, {0x3c003c00, 0x3c000001}, {0x42004000, 0x40000002}},
    {"add.noftz.v2.bf16x2", {0x40003f80, 0x3f803f80}, {0x3f803f80, 0}, {0x40404000, 0x3f803f80}},
    {"min.noftz.v2.f16x2", {0x40003c00, 0xbc00bc00}, {0x3c004000, 0x3c00c000}, {0x3c003c00, 0xbc00c000}},
    {"max.noftz.v2.bf16x2", {0x40003f80, 0xbf80bf80}, {0x3f804000, 0x3f80c000}, {0x40004000, 0x3f80bf80}},
    {"max.noftz.v4.f16x2", {1, 2, 3, 4}, {4, 3, 2, 1}, {4, 3, 3, 4}},
};

TEST(VectorAtomics, UpdateEachElement) {
  for (const VectorCase& one : kVectorCases)
    for (const bool wanted : {false, true})
      for (const char* space : {".global.", ".", ".relaxed.gpu.global."}) {
        SCOPED_TRACE(std::string(one.name) + space + (wanted ? "used" : ""));
        KernelHarness harness(vector_of_words(one, wanted, space));
        const auto memory = harness.buffer(one.before), operand = harness.buffer(one.operand);
        const LaunchResult result = harness.run({1, 1, 1}, {1, 1, 1}, memory, operand);
        ASSERT_TRUE(result.hazards.empty()) << result.hazards.back().what;
        EXPECT_EQ(harness.read<std::uint32_t>(memory, one.after.size()), one.after);
        EXPECT_EQ(harness.read<std::uint32_t>(operand, one.operand.size()),
                  wanted ? one.before : one.operand);
        EXPECT_EQ(
            result.counters->get(wanted ? Counter::kGlobalAtomicRequests : Counter::kGlobalReductionRequests),
            1);
      }
}

TEST(VectorAtomics, OfHalvesHaveAsManyRegisters) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd0, [p0];
    mov.b16 %rs1, 0x3c00;
    mov.b16 %rs2, 0x4000;
    red.global.add.noftz.v2.f16 [%rd0], {%rs1, %rs2};
    red.global.max.noftz.v4.bf16 [%rd0+8], {%rs1, %rs2, %rs1, %rs2};
    atom.global.add.noftz.v8.f16 {%rs3, _, _, _, _, _, _, %rs4}, [%rd0+16],
        {%rs1, %rs2, %rs1, %rs2, %rs1, %rs2, %rs1, %rs2};
    st.global.b16 [%rd0+32], %rs4;)",
                                              1));
  const auto memory = harness.buffer(std::vector<std::uint32_t>{0x3c003c00, 0, 0x40003c01, 1, 0x3c003c00,
                                                                0x3c003c00, 0x3c003c00, 0x3c003c00, 0});
  ASSERT_TRUE(harness.run({1, 1, 1}, {1, 1, 1}, memory).hazards.empty());
  EXPECT_EQ(harness.read<std::uint32_t>(memory, 9),
            (std::vector<std::uint32_t>{0x42004000, 0, 0x40003c01, 0x40003c00, 0x42004000, 0x42004000,
                                        0x42004000, 0x42004000, 0x3c00}));
}

TEST(VectorAtomics, OfLanesAtOneAddressAddUp) {
  const auto sums =
      run_atomic("cvt.rn.f32.u32 %f1, %r2;\nred.global.add.v2.f32 [%rd0], {%f1, 0f3F800000};", {0, 0}, false)
          .words;
  EXPECT_EQ(std::bit_cast<float>(sums[0]), 255 * 128.0f);
  EXPECT_EQ(std::bit_cast<float>(sums[1]), 256.0f);
}

TEST(VectorAtomics, AreAlignedToTheirSizeAndInsideTheBuffer) {
  for (const auto& [address, kind] :
       {std::pair("[%rd0+4]", HazardKind::kMisaligned), std::pair("[%rd0+8]", HazardKind::kOutOfBounds)}) {
    KernelHarness harness(
        each_thread("red.global.add.v2.f32 " + std::string(address) + ", {%f1, %f1};", false));
    const auto data = harness.buffer(std::vector<std::uint32_t>(2));
    const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1}, data, data);
    ASSERT_FALSE(result.completed) << address;
    EXPECT_EQ(result.hazards.back().kind, kind) << address;
  }
}

TEST(VectorAtomics, WhatTheCardHasNotIsRefusedByName) {
  for (const std::string opcode :
       {"atom.shared.add.v2.f32", "atom.global.add.v8.f32", "atom.global.add.v2.f64",
        "atom.global.min.v2.f32", "atom.global.exch.v2.b32"}) {
    const Message refusal =
        refused([&] { KernelHarness harness(each_thread(opcode + " {%r3, %r4}, [%rd0], {%r3, %r4};")); });
    EXPECT_THAT(refusal, HasArgument("opcode", Code{opcode}));
  }
}

// ---- 128 bits ----------------------------------------------------------------------------------------
using FourWords = std::vector<std::uint32_t>;

// One thread executes the instruction on the 16 bytes at %rd0 (or in shared memory, at %r1), which hold 1, 2,
// 3, 4. %b and %c are loaded from p1; the returned value is stored at p1 + 32.
struct After128 {
  FourWords memory, seen;
};
After128 run_128(const std::string& instruction, const FourWords& b, const FourWords& c) {
  KernelHarness harness(KernelHarness::kernel(R"(
    .shared .align 16 .b8 s[16];
    .reg .b128 %b, %c, %q, %moved;
    ld.param.u64 %rd0, [p0];
    ld.param.u64 %rd1, [p1];
    mov.u32 %r1, s;
    ld.global.v2.b64 {%rd2, %rd3}, [%rd0];
    st.shared.v2.b64 [s], {%rd2, %rd3};
    ld.global.v2.b64 {%rd2, %rd3}, [%rd1];
    mov.b128 %b, {%rd2, %rd3};
    ld.global.v2.b64 {%rd2, %rd3}, [%rd1+16];
    mov.b128 %c, {%rd2, %rd3};)" + instruction +
                                              R"(
    mov.b128 %moved, %q;
    mov.b128 {%rd2, %rd3}, %moved;
    st.global.v2.b64 [%rd1+32], {%rd2, %rd3};
    ld.shared.v2.b64 {%rd2, %rd3}, [s];
    st.global.v2.b64 [%rd1+48], {%rd2, %rd3};)"));
  FourWords operands = b;
  operands.insert(operands.end(), c.begin(), c.end());
  operands.resize(16);
  const auto memory = harness.buffer(FourWords{1, 2, 3, 4}), other = harness.buffer(operands);
  const LaunchResult result = harness.run({1, 1, 1}, {1, 1, 1}, memory, other);
  EXPECT_TRUE(result.hazards.empty()) << result.hazards.back().what;
  const auto all = harness.read<std::uint32_t>(other, 16);
  const bool in_shared = instruction.find("shared") != std::string::npos;
  return {in_shared ? FourWords(all.begin() + 12, all.end()) : harness.read<std::uint32_t>(memory, 4),
          FourWords(all.begin() + 8, all.begin() + 12)};
}

TEST(Atomics128, AreExchangedAsAWhole) {
  for (const char* exchange :
       {"atom.global.exch.b128 %q, [%rd0], %b;", "atom.exch.acquire.gpu.b128 %q, [%rd0], %b;",
        "atom.shared.exch.b128 %q, [%r1], %b;"}) {
    const After128 after = run_128(exchange, {5, 6, 7, 8}, {});
    EXPECT_EQ(after.memory, (FourWords{5, 6, 7, 8})) << exchange;
    EXPECT_EQ(after.seen, (FourWords{1, 2, 3, 4})) << exchange;
  }
}

TEST(Atomics128, AreSwappedWhereAll16BytesAreEqual) {
  const FourWords before{1, 2, 3, 4}, other{5, 6, 7, 8};
  for (const char* swap :
       {"atom.global.cas.b128 %q, [%rd0], %b, %c;", "atom.shared.cas.b128 %q, [%r1], %b, %c;"}) {
    EXPECT_EQ(run_128(swap, before, other).memory, other) << swap;
    EXPECT_EQ(run_128(swap, before, other).seen, before) << swap;
    EXPECT_EQ(run_128(swap, {1, 2, 3, 5}, other).memory, before) << swap;
    EXPECT_EQ(run_128(swap, {0, 2, 3, 4}, other).memory, before) << swap;
  }
}

TEST(Atomics128, OtherOperandsThanRegistersOf128BitsAreRefused) {
  for (const char* wrong :
       {"mov.b128 %q, 5;", "mov.b128 %q, %rd1;", "mov.b64 %rd1, %q;", "mov.b128 %rd1, %q;",
        "mov.b128 %q, %tid.x;", "mov.b128 %q, s;", "mov.b128 %q, {%r1, %r2, %r3, %r4};"}) {
    const std::string body = std::string(".shared .b32 s;\n.reg .b128 %q;\n") + wrong;
    EXPECT_THROW(KernelHarness(KernelHarness::kernel(body)), Error) << wrong;
  }
}

// ---- blocks that wait for each other -----------------------------------------------------------------
TEST(Communication, ABlockCanWaitForALaterOne) {
  // Block 0 spins until the last block has set the flag.
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd0, [p0];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra SPIN;
    setp.ne.u32 %p2, %r1, 9;
    @%p2 bra DONE;
    st.volatile.global.u32 [%rd0], 77;
    bra DONE;
  SPIN:
    ld.volatile.global.u32 %r2, [%rd0];
    setp.eq.u32 %p3, %r2, 0;
    @%p3 bra SPIN;
    st.global.u32 [%rd0+4], %r2;
  DONE:)",
                                              1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(2));
  const LaunchResult result = harness.run({10, 1, 1}, {32, 1, 1}, out);
  ASSERT_TRUE(result.completed) << result.hazards.back().what;
  EXPECT_EQ(harness.read<std::uint32_t>(out, 2)[1], 77u);
  // A loop that polls in vain gives up its turn, which would have room for thousands of instructions.
  EXPECT_LT(result.counters->get(Counter::kWarpInstructions), 200);
}

// A grid barrier: the last block to arrive opens it.
const char* const kGridBarrier = R"(
    ld.param.u64 %rd0, [p0];
    ld.param.u64 %rd1, [p1];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r1;
    bar.sync 0;
    mov.u32 %r3, %tid.x;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra WAITED;
    atom.add.release.gpu.u32 %r4, [%rd0], 1;
  SPIN:
    ld.acquire.gpu.u32 %r5, [%rd0];
    setp.lt.u32 %p2, %r5, %r2;
    @%p2 bra SPIN;
  WAITED:
    bar.sync 0;
    sub.u32 %r6, %r2, 1;
    sub.u32 %r6, %r6, %r1;
    mul.wide.u32 %rd3, %r6, 4;
    add.u64 %rd3, %rd1, %rd3;
    ld.global.u32 %r7, [%rd3];
    mul.wide.u32 %rd4, %r2, 4;
    add.u64 %rd2, %rd2, %rd4;
    st.global.u32 [%rd2], %r7;)";

TEST(Communication, AllBlocksOfTheGridCanWaitForEachOther) {
  constexpr std::uint32_t kBlocks = 200;
  for (unsigned threads : {1u, 8u}) {
    KernelHarness harness(KernelHarness::kernel(kGridBarrier), threads);
    const auto counter = harness.buffer(std::vector<std::uint32_t>(1));
    const auto out = harness.buffer(std::vector<std::uint32_t>(2 * kBlocks));
    const LaunchResult result = harness.run({kBlocks, 1, 1}, {96, 1, 1}, counter, out);
    ASSERT_TRUE(result.completed) << result.hazards.back().what;
    const auto values = harness.read<std::uint32_t>(out, 2 * kBlocks);
    for (std::uint32_t b = 0; b < kBlocks; ++b) EXPECT_EQ(values[kBlocks + b], kBlocks - 1 - b);
  }
}

TEST(Communication, AGridThatTheCardCannotHoldNeverGetsThrough) {
  KernelHarness harness(KernelHarness::kernel(kGridBarrier));
  harness.max_steps = 5'000'000;
  harness.dynamic_shared = 200 * 1024;  // one block per SM
  const auto counter = harness.buffer(std::vector<std::uint32_t>(1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(400));
  const LaunchResult result = harness.run({200, 1, 1}, {32, 1, 1}, counter, out);
  ASSERT_FALSE(result.completed);
  EXPECT_EQ(result.hazards.front().kind, HazardKind::kStepLimit);
}

TEST(Communication, ALaunchThatAsksForTheGridsWorkspaceMustFitOnTheCard) {
  const std::string text = KernelHarness::kernel(
      "ld.param.u64 %rd0, [p0];\nmov.u32 %r1, %envreg1;\nst.global.u32 [%rd0], %r1;", 1);
  KernelHarness harness(text);
  const auto out = harness.buffer(std::vector<std::uint32_t>(1));
  const LaunchResult fits = harness.run({132, 1, 1}, {1024, 1, 1}, out);
  EXPECT_TRUE(fits.completed);
  EXPECT_NE(harness.read<std::uint32_t>(out, 1)[0], 0u);
  const LaunchResult refused = harness.run({265, 1, 1}, {1024, 1, 1}, out);
  ASSERT_FALSE(refused.completed);
  EXPECT_EQ(refused.hazards.back().cuda_error, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
}

// With 48 registers per thread, an SM holds one block of 1,024 threads, not two.
TEST(Communication, RegistersThatPtxasGaveLimitHowManyBlocksWaitForEachOther) {
  KernelHarness harness(KernelHarness::kernel("mov.u32 %r1, %envreg1;", 0), 2, nullptr,
                        {{"test", KernelResources{.registers = 48}}});
  EXPECT_TRUE(harness.run({132, 1, 1}, {1024, 1, 1}).completed);
  EXPECT_FALSE(harness.run({133, 1, 1}, {1024, 1, 1}).completed);
}

TEST(Communication, ALockThatThreadsOfAWarpTakeInTurn) {
  KernelHarness harness(KernelHarness::kernel(R"(
    ld.param.u64 %rd0, [p0];
  TRY:
    atom.global.cas.b32 %r1, [%rd0], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra TRY;
    ld.volatile.global.u32 %r2, [%rd0+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd0+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd0], 0;)",
                                              1));
  const auto out = harness.buffer(std::vector<std::uint32_t>(2));
  const LaunchResult result = harness.run({3, 1, 1}, {64, 1, 1}, out);
  ASSERT_TRUE(result.completed) << result.hazards.back().what;
  EXPECT_EQ(harness.read<std::uint32_t>(out, 2)[1], 192u);
}

}  // namespace
}  // namespace cudalab::vgpu
