// Tests traces of a warp: addresses, values, paths, barriers, hazards; and that tracing changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "core/error.h"
#include "vgpu/memory/memory.h"
#include "vgpu/vgpu_testing.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {
namespace {

// A kernel with one pointer, run on one buffer of words.
struct Traced {
  explicit Traced(const std::string& body, std::size_t words = 64, const std::string& before = "")
      : text(KernelHarness::kernel(body, 1, before)), harness(text) {
    buffer = harness.buffer(std::vector<std::uint32_t>(words), "data");
  }
  LaunchRequest request(Dim3 grid, Dim3 block) const {
    LaunchRequest request;
    request.options.predict = false;
    request.spec = {grid, block};
    request.options.max_steps = 100'000;
    request.parameters.resize(8);
    std::memcpy(request.parameters.data(), &buffer, sizeof buffer);
    return request;
  }
  WarpTrace trace(Dim3 grid, Dim3 block, const TraceRequest& wanted = {}) {
    return harness.gpu().trace(harness.module(), ptx::parse(text, "test.ptx"), request(grid, block), wanted);
  }

  std::string text;
  KernelHarness harness;
  std::uint64_t buffer = 0;
};

const WarpStep* step_of(const WarpTrace& trace, const std::string& text, std::size_t nth = 0) {
  for (const WarpStep& step : trace.steps)
    if (trace.instruction_of(step).text.starts_with(text) && nth-- == 0) return &step;
  return nullptr;
}
const TracedAccess& access_of(const WarpTrace& trace, const std::string& text) {
  return trace.accesses.at(step_of(trace, text)->first_access);
}
const std::array<std::uint64_t, kWarpSize>& values_of(const WarpTrace& trace, const std::string& text) {
  return trace.values.at(step_of(trace, text)->first_value);
}

// %rd1: the buffer; %r1: the thread; %rd3: the thread's word.
const std::string kThreadsWord = all_of_text({"ld.param.u64 %rd1, [p0];\n", "mov.u32 %r1, %tid.x;\n",
                                              "mul.wide.u32 %rd2, %r1, 4;\n", "add.s64 %rd3, %rd1, %rd2;\n"});

TEST(WarpTracer, NotesAddressesAndValuesOfAStore) {
  Traced traced(kThreadsWord + "add.u32 %r2, %r1, 100;\nst.global.u32 [%rd3+8], %r2;");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  const TracedAccess& store = access_of(trace, "st.global");
  EXPECT_EQ(store.kind, AccessKind::kStore);
  EXPECT_EQ(store.space, MemorySpace::kGlobal);
  EXPECT_EQ(store.bytes, 4u);
  EXPECT_EQ(store.lanes, kAllLanes);
  EXPECT_EQ(store.buffer, "data");
  EXPECT_EQ(store.begin, traced.buffer);
  EXPECT_EQ(store.transactions, 5u);  // 128 bytes starting at byte 8
  EXPECT_EQ(store.fewest, 4u);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    EXPECT_EQ(store.address[lane], traced.buffer + 8 + 4 * lane);
    EXPECT_EQ(values_of(trace, "st.global")[lane], 100 + lane);
  }
  EXPECT_TRUE(trace.ended);
}

TEST(WarpTracer, NotesWhatALoadBringsBack) {
  Traced traced(kThreadsWord + "ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd3], %r4;");
  std::vector<std::uint32_t> words(64);
  for (std::uint32_t i = 0; i < 64; ++i) words[i] = 7 * i;
  traced.harness.gpu().write(traced.buffer, std::as_bytes(std::span(words)));
  const WarpTrace trace = traced.trace({1, 1, 1}, {64, 1, 1}, {.warp = 1});
  EXPECT_EQ(values_of(trace, "ld.global")[3], 7u * 35);
  EXPECT_EQ(trace.instruction_of(*step_of(trace, "ld.global")).values[0].name, "%r4");
}

TEST(WarpTracer, NumbersThatAreStoredStandInTheText) {
  Traced traced(kThreadsWord + "st.global.u32 [%rd3], 7;");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(values_of(trace, "st.global")[31], 7u);
  EXPECT_TRUE(trace.instruction_of(*step_of(trace, "st.global")).values[0].is_number);
}

TEST(WarpTracer, BitsAreFloatsWhereTheFunctionAddsThem) {
  Traced traced(kThreadsWord +
                all_of_text({"ld.global.b32 %r4, [%rd3];\n", "mov.b32 %r5, %r4;\n",
                             "add.f32 %r6, %r5, 0f3f800000;\n", "st.global.b32 [%rd3], %r6;"}));
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  for (const char* text : {"ld.global", "mov.b32 %r5", "st.global"})
    EXPECT_EQ(trace.instruction_of(*step_of(trace, text)).values[0].type, ptx::Type::kF32) << text;
}

TEST(WarpTracer, LanesPartAndMeet) {
  Traced traced(kThreadsWord + all_of_text({"setp.lt.u32 %p1, %r1, 8;\n", "@%p1 bra LESS;\n",
                                            "st.global.u32 [%rd3], 1;\n", "bra.uni DONE;\n", "LESS:\n",
                                            "st.global.u32 [%rd3], 2;\n", "DONE:\n", "mov.u32 %r9, 3;"}));
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(step_of(trace, "@%p1 bra")->parts);
  EXPECT_EQ(step_of(trace, "st.global.u32 [%rd3], 1")->active, 0xffffff00u);
  EXPECT_EQ(step_of(trace, "st.global.u32 [%rd3], 2")->active, 0xffu);
  EXPECT_FALSE(step_of(trace, "st.global.u32 [%rd3], 2")->meets);
  EXPECT_EQ(step_of(trace, "mov.u32 %r9")->active, kAllLanes);
  EXPECT_TRUE(step_of(trace, "mov.u32 %r9")->meets);
}

TEST(WarpTracer, ABranchThatAllTakePartsNobody) {
  Traced traced(kThreadsWord + "setp.lt.u32 %p1, %r1, 99;\n@%p1 bra ON;\nst.global.u32 [%rd3], 1;\nON:\n");
  EXPECT_FALSE(step_of(traced.trace({1, 1, 1}, {32, 1, 1}), "@%p1 bra")->parts);
}

TEST(WarpTracer, AGuardChoosesTheLanesThatExecute) {
  Traced traced(kThreadsWord + "setp.lt.u32 %p1, %r1, 4;\n@!%p1 st.global.u32 [%rd3], %r1;");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  const WarpStep& store = *step_of(trace, "@!%p1 st.global");
  EXPECT_EQ(store.active, kAllLanes);
  EXPECT_EQ(store.executing, 0xfffffff0u);
  EXPECT_EQ(trace.accesses.at(store.first_access).lanes, 0xfffffff0u);
}

TEST(WarpTracer, SharedMemoryHasOffsetsBanksAndContents) {
  Traced traced(
      kThreadsWord + all_of_text({"shl.b32 %r2, %r1, 3;\n", "mov.u32 %r3, tile;\n",
                                  "add.u32 %r4, %r3, %r2;\n", "st.shared.u32 [%r4], %r1;\n", "bar.sync 0;\n",
                                  "ld.shared.u32 %r5, [tile+8];\n", "st.global.u32 [%rd3], %r5;"}),
      64, ".shared .align 4 .b8 tile[256];");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  const TracedAccess& store = access_of(trace, "st.shared");
  EXPECT_EQ(store.space, MemorySpace::kShared);
  EXPECT_EQ(store.buffer, "tile");
  EXPECT_EQ(store.address[5], 40u);
  EXPECT_EQ(store.transactions, 2u);  // every second word
  EXPECT_EQ(store.fewest, 1u);
  EXPECT_EQ(access_of(trace, "ld.shared").address[31], 8u);
  EXPECT_EQ(values_of(trace, "ld.shared")[31], 1u);
  ASSERT_EQ(trace.shared.size(), 256u);
  EXPECT_EQ(trace.shared[8 * 9], std::byte{9});
  EXPECT_EQ(trace.shared_variables.at(0).name, "tile");
}

TEST(WarpTracer, AGenericAddressIsOfTheMemoryThatItReaches) {
  Traced traced(kThreadsWord + all_of_text({"cvta.shared.u64 %rd5, tile;\n", "st.u32 [%rd5+4], 9;\n",
                                            "st.u32 [%rd3], 1;"}),
                64, ".shared .align 4 .b8 tile[256];");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(access_of(trace, "st.u32 [%rd5").space, MemorySpace::kShared);
  EXPECT_EQ(access_of(trace, "st.u32 [%rd5").address[0], 4u);
  EXPECT_EQ(access_of(trace, "st.u32 [%rd3").space, MemorySpace::kGlobal);
}

TEST(WarpTracer, WarpsWaitAtTheBarrier) {
  Traced traced(kThreadsWord + "bar.sync 0;\nst.global.u32 [%rd3], 1;", 96);
  const WarpTrace trace = traced.trace({1, 1, 1}, {96, 1, 1}, {.warp = 1});
  const WarpStep& barrier = *step_of(trace, "bar.sync");
  EXPECT_TRUE(barrier.is_barrier);
  const std::vector<WarpState>& then = trace.states.at(barrier.state);
  ASSERT_EQ(then.size(), 3u);
  EXPECT_EQ(then[0].kind, WarpState::kAtBarrier);
  EXPECT_EQ(then[1].kind, WarpState::kAtBarrier);
  EXPECT_EQ(then[2].kind, WarpState::kReady);
  EXPECT_EQ(trace.states.at(step_of(trace, "st.global")->state)[0].kind, WarpState::kEnded);
}

TEST(WarpTracer, AFaultIsTheLastStep) {
  Traced traced(kThreadsWord + "st.global.u32 [%rd3+4096], 1;");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(trace.steps.back().hazards, 1u);
  EXPECT_EQ(trace.hazards.at(trace.steps.back().first_hazard).kind, HazardKind::kOutOfBounds);
  EXPECT_TRUE(trace.ended);
  EXPECT_FALSE(trace.stopped_by);
}

TEST(WarpTracer, ARaceIsFoundWhereItHappens) {
  Traced traced(kThreadsWord + all_of_text({"shl.b32 %r2, %r1, 2;\n", "mov.u32 %r3, tile;\n",
                                            "add.u32 %r4, %r3, %r2;\n", "st.shared.u32 [%r4], %r1;\n",
                                            "ld.shared.u32 %r5, [tile];\n", "st.global.u32 [%rd3], %r5;"}),
                64, ".shared .align 4 .b8 tile[256];");
  const WarpTrace trace = traced.trace({1, 1, 1}, {64, 1, 1}, {.warp = 1});
  const WarpStep& load = *step_of(trace, "ld.shared");
  ASSERT_EQ(load.hazards, 1u);
  EXPECT_EQ(trace.hazards.at(load.first_hazard).kind, HazardKind::kSharedRace);
  EXPECT_EQ(step_of(trace, "st.shared")->hazards, 0u);
}

TEST(WarpTracer, AWarpThatNobodyCanHelpIsStopped) {
  Traced traced(kThreadsWord + "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\nbar.sync 0;");
  const WarpTrace trace = traced.trace({1, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(trace.stopped_by);
  EXPECT_EQ(trace.stopped_by->kind, HazardKind::kDeadlock);
  EXPECT_TRUE(trace.ended);
}

TEST(WarpTracer, AnyPartOfALoopCanBeHad) {
  Traced traced(kThreadsWord + all_of_text({"mov.u32 %r7, 0;\n", "LOOP:\n", "add.u32 %r7, %r7, 1;\n",
                                            "setp.lt.u32 %p1, %r7, 1000;\n", "@%p1 bra LOOP;\n",
                                            "st.global.u32 [%rd3], %r7;"}));
  const WarpTrace all = traced.trace({1, 1, 1}, {32, 1, 1});
  const WarpTrace part = traced.trace({1, 1, 1}, {32, 1, 1}, {.first = 1500, .most = 10});
  ASSERT_EQ(part.steps.size(), 10u);
  EXPECT_FALSE(part.ended);
  for (std::size_t i = 0; i < part.steps.size(); ++i) {
    const WarpStep &one = part.steps[i], &same = all.steps.at(1500 + i);
    EXPECT_EQ(one.number, same.number);
    EXPECT_EQ(part.instruction_of(one).text, all.instruction_of(same).text);
    if (!part.instruction_of(one).values.empty()) {
      EXPECT_EQ(part.values[one.first_value], all.values[same.first_value]);
    }
  }
}

TEST(WarpTracer, LeavesMemoryAsItWas) {
  Traced traced(kThreadsWord +
                "ld.global.u32 %r4, [%rd3];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd3], %r4;");
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(values_of(traced.trace({1, 1, 1}, {32, 1, 1}), "st.global")[4], 1u);
  EXPECT_EQ(traced.harness.read<std::uint32_t>(traced.buffer, 64), std::vector<std::uint32_t>(64));
  traced.harness.gpu().rehearse(traced.harness.module(), traced.request({1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(traced.harness.read<std::uint32_t>(traced.buffer, 64), std::vector<std::uint32_t>(64));
}

TEST(WarpTracer, LeavesUnwrittenMemoryUnwritten) {
  Traced traced(kThreadsWord + "ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd3], %r4;");
  traced.harness.gpu().fill(traced.buffer, 256, 0xaa, true);
  for (int again = 0; again < 2; ++again) {
    const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
    ASSERT_EQ(step_of(trace, "ld.global")->hazards, 1u);
    EXPECT_EQ(trace.hazards.front().kind, HazardKind::kUninitialisedRead);
  }
}

// Only the traced block is run, unless blocks wait for other blocks.
TEST(WarpTracer, RunsOneBlockOfMany) {
  Traced traced(kThreadsWord + "mov.u32 %r2, %ctaid.x;\nst.global.u32 [%rd3], %r2;");
  const WarpTrace trace = traced.trace({1'000'000'000, 1, 1}, {32, 1, 1}, {.block = {999'999'999, 0, 0}});
  EXPECT_EQ(values_of(trace, "st.global")[0], 999'999'999u);
}

TEST(WarpTracer, BlocksThatTakeTurnsRunInOrder) {
  Traced traced(kThreadsWord + "atom.global.add.u32 %r4, [%rd1], 1;\nst.global.u32 [%rd3+128], %r4;");
  const WarpTrace trace = traced.trace({5, 1, 1}, {32, 1, 1}, {.block = {3, 0, 0}});
  EXPECT_EQ(values_of(trace, "atom.global")[0], 96u);
}

TEST(WarpTracer, AVectorHasAllItsElements) {
  Traced traced(kThreadsWord +
                "mul.wide.u32 %rd4, %r1, 8;\nadd.s64 %rd5, %rd1, %rd4;\n"
                "st.global.v2.u32 [%rd5], {%r1, 5};");
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(access_of(trace, "st.global.v2").bytes, 8u);
  EXPECT_EQ(access_of(trace, "st.global.v2").elements, 2u);
  EXPECT_EQ(trace.values.at(step_of(trace, "st.global.v2")->first_value + 1)[0], 5u);
}

TEST(WarpTracer, RefusesWhatTheLaunchHasNot) {
  Traced traced(kThreadsWord);
  EXPECT_THROW(traced.trace({1, 1, 1}, {32, 1, 1}, {.warp = 1}), Error);
  EXPECT_THROW(traced.trace({2, 1, 1}, {32, 1, 1}, {.block = {2, 0, 0}}), Error);
  EXPECT_THROW(traced.trace({1, 1, 1}, {2048, 1, 1}), Error);
}

// A kernel in which each of two warps reads what the other has stored in shared memory.
const std::string kExchange =
    kThreadsWord + all_of_text({"shl.b32 %r3, %r1, 2;\n", "mov.u32 %r4, tile;\n", "add.u32 %r5, %r4, %r3;\n",
                                "st.shared.u32 [%r5], %r1;\n", "bar.sync 0;\n", "xor.b32 %r6, %r1, 32;\n",
                                "shl.b32 %r7, %r6, 2;\n", "add.u32 %r8, %r4, %r7;\n",
                                "ld.shared.u32 %r9, [%r8];\n", "st.global.u32 [%rd3], %r9;"});
const std::string kTile = ".shared .align 4 .b8 tile[256];";

std::vector<std::byte> word(std::uint32_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
std::uint64_t number_of_step(const WarpTrace& trace, const std::string& text) {
  return step_of(trace, text)->number;
}

TEST(WarpTracer, ChangesARegisterInOneLaneBeforeAStep) {
  Traced traced(kExchange, 64, kTile);
  const std::uint64_t step = number_of_step(traced.trace({1, 1, 1}, {64, 1, 1}), "st.global");
  TraceRequest wanted;
  wanted.changes.push_back({.step = step, .lane = 4, .in_register = "%r9", .bytes = word(77)});
  wanted.changes.push_back(
      {.block = {1, 0, 0}, .step = step, .lane = 5, .in_register = "%r9", .bytes = word(78)});
  const WarpTrace trace = traced.trace({2, 1, 1}, {64, 1, 1}, wanted);
  EXPECT_EQ(values_of(trace, "st.global")[3], 35u);
  EXPECT_EQ(values_of(trace, "st.global")[4], 77u);
  EXPECT_EQ(values_of(trace, "st.global")[5], 37u);  // the change is of another block
}

TEST(WarpTracer, MakesTheChangesOfOtherWarps) {
  Traced traced(kExchange, 64, kTile);
  const WarpTrace other = traced.trace({1, 1, 1}, {64, 1, 1}, {.warp = 1});
  TraceRequest wanted;
  wanted.changes.push_back({.warp = 1, .step = number_of_step(other, "bar.sync")});
  wanted.changes.back().address = kSharedWindow + 4 * 40;
  wanted.changes.back().bytes = word(99);
  const WarpTrace trace = traced.trace({1, 1, 1}, {64, 1, 1}, wanted);
  EXPECT_EQ(values_of(trace, "ld.shared")[8], 99u);
  EXPECT_EQ(values_of(trace, "ld.shared")[9], 41u);
}

TEST(WarpTracer, ViewsMemoryBeforeAStepAndRestoresIt) {
  Traced traced(kExchange, 64, kTile);
  const WarpTrace whole = traced.trace({1, 1, 1}, {64, 1, 1});
  TraceRequest wanted{.first = number_of_step(whole, "ld.shared"), .most = 1};
  wanted.view_at = wanted.first;
  wanted.view_ranges = {{kSharedWindow + 252, 8}, {traced.buffer, 4}, {16, 4}};
  wanted.changes.push_back({.step = wanted.first, .address = traced.buffer, .bytes = word(5)});
  const WarpTrace trace = traced.trace({1, 1, 1}, {64, 1, 1}, wanted);
  ASSERT_TRUE(trace.view);
  EXPECT_EQ(trace.view->memory.at(0), word(63));  // of the other warp, which ran at the barrier
  EXPECT_EQ(trace.view->memory.at(1), word(5));
  EXPECT_TRUE(trace.view->memory.at(2).empty());
  EXPECT_EQ(trace.view->shared.size(), 256u);
  EXPECT_EQ(trace.view->buffers.at(0).name, "data");
  EXPECT_FALSE(whole.view);
  std::uint32_t left = 1;
  traced.harness.gpu().read(traced.buffer, std::as_writable_bytes(std::span(&left, 1)));
  EXPECT_EQ(left, 0u);
}

TEST(WarpTracer, ListsTheModule) {
  Traced traced(kThreadsWord + "bra DONE;\nst.global.u32 [%rd3], 1;\nDONE:\nst.global.u32 [%rd3], 2;");
  TraceRequest wanted;
  wanted.lists_module = true;
  const WarpTrace trace = traced.trace({1, 1, 1}, {32, 1, 1}, wanted);
  const auto skipped = std::ranges::find_if(trace.listing, [](const ListedInstruction& each) {
    return each.code.text == "st.global.u32 [%rd3], 1;";
  });
  ASSERT_NE(skipped, trace.listing.end());
  EXPECT_TRUE((skipped + 1)->label.starts_with("DONE"));
  EXPECT_EQ((skipped + 1)->code.statement, trace.instruction_of(*step_of(trace, "st.global")).statement);
}

}  // namespace
}  // namespace cudalab::vgpu
