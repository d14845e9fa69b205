// Tests which blocks wait for which, on small kernels whose hand-overs can be counted by hand.
#include <gtest/gtest.h>

#include <map>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using Inputs = std::map<std::string, double>;

// Blocks of one or more threads; %rd1: a buffer of zeros; %r1: the block's number.
Inputs inputs_of(const std::string& body, std::uint32_t blocks, std::uint32_t threads = 1) {
  constexpr std::uint64_t kBytes = 1 << 17;
  VirtualGpu gpu(Options{.card = find_card("h200"), .host_threads = 2, .memory_bytes = 4 * kBytes});
  const std::string begin =
      "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %ctaid.x;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n";
  const auto module = gpu.load(ptx::parse(KernelHarness::kernel(begin + body, 1), "test.ptx"), "test.cu",
                               {{"test", KernelResources{.registers = 32}}});
  const std::uint64_t buffer = gpu.allocate("data", kBytes);
  gpu.fill(buffer, kBytes, 0, false);
  LaunchRequest request;
  request.spec = {{blocks}, {threads}};
  request.options.predict = true;
  request.parameters.resize(module->kernels()[0].parameter_bytes);
  std::memcpy(request.parameters.data(), &buffer, sizeof buffer);
  const LaunchResult result = gpu.launch(*module, request);
  if (!result.prediction) return {};
  return {result.prediction->inputs.begin(), result.prediction->inputs.end()};
}

double of(const Inputs& inputs, const std::string& name) {
  const auto found = inputs.find(name);
  return found == inputs.end() ? 0 : found->second;
}

bool is_followed(const Inputs& inputs) { return inputs.contains("path_hand_overs"); }

// Each block waits until the previous block has stored 1, and then stores 1 itself.
const std::string kChain =
    "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
    "WAIT:\nld.volatile.global.u32 %r2, [%rd2+-4];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\n"
    "DONE:\nmembar.gl;\nst.volatile.global.u32 [%rd2], 1;";

TEST(HandOvers, AChainTakesOneForEachBlockButTheFirst) {
  const Inputs chain = inputs_of(kChain, 100);
  EXPECT_EQ(of(chain, "path_hand_overs"), 99);
  EXPECT_EQ(of(chain, "path_swaps"), 0);
}

// DRAM loads issued before a wait complete during the wait.
TEST(HandOvers, LoadsComeWhileABlockWaits) {
  const std::string uses = "add.u32 %r9, %r9, 1;\nst.global.u32 [%rd2+8192], %r9;\n";
  std::string chain = kChain;
  chain.insert(chain.find("membar"), uses);
  const Inputs loaded = inputs_of("ld.global.u32 %r9, [%rd2+8192];\n" + chain, 100);
  EXPECT_EQ(of(loaded, "path_hand_overs"), 99);
  EXPECT_LE(of(loaded, "path_dram"), 1.01);
}

// 20,000 blocks, of which at most 16,384 are traced.
TEST(HandOvers, OfBlocksThatAreNotFollowedAreAsManyAsOfTheOthers) {
  EXPECT_NEAR(of(inputs_of(kChain, 20000), "path_hand_overs"), 19999, 20);
}

std::string lock(const std::string& word) {
  return "WAIT:\natom.global.cas.b32 %r2, [" + word + "], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\n" +
         "membar.gl;\nld.volatile.global.u32 %r3, [%rd1+64];\nadd.u32 %r3, %r3, 1;\n"
         "st.volatile.global.u32 [%rd1+64], %r3;\nmembar.gl;\natom.global.exch.b32 %r4, [" +
         word + "], 0;";
}

TEST(HandOvers, ALockGoesFromBlockToBlock) {
  EXPECT_EQ(of(inputs_of(lock("%rd1"), 50), "path_swaps"), 49);
  EXPECT_EQ(of(inputs_of(lock("%rd2+1024"), 50), "path_swaps"), 0);  // a separate lock for each block
}

// The interpreter lets each block take the lock twice in a row; a GPU takes them in any order.
TEST(HandOvers, WhoTakesALockTwiceDoesNotHoldItInBetween) {
  const std::string pause =
      "mov.u32 %r6, 2000;\nPAUSE:\nsub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p3, %r6, 0;\n@%p3 bra PAUSE;\n";
  const std::string twice = "mov.u32 %r5, 2;\nAGAIN:\n" + lock("%rd1") + "\n" + pause +
                            "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra AGAIN;";
  const Inputs one = inputs_of(twice, 1), three = inputs_of(twice, 3);
  EXPECT_LT(of(three, "path_arithmetic"), 1.5 * of(one, "path_arithmetic"));
}

// The first compare-and-swap comes before the loop, which begins with a pause.
TEST(HandOvers, ALockMayBeAskedForBeforeTheLoop) {
  std::string paused = lock("%rd1");
  paused.replace(0, paused.find("membar"),
                 "atom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra HELD;\n"
                 "WAIT:\nnanosleep.u32 100;\natom.global.cas.b32 %r2, [%rd1], 0, 1;\n"
                 "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nHELD:\n");
  EXPECT_EQ(of(inputs_of(paused, 50), "path_swaps"), 49);
}

// Each block changes the word `times` times: it multiplies it and adds 1. `stores`: code executed in each
// round.
std::string change(int times, const std::string& stores = "") {
  return "mov.u32 %r5, " + std::to_string(times) +
         ";\nAGAIN:\nld.global.u32 %r2, [%rd1];\n"
         "TRY:\nmov.u32 %r3, %r2;\nmad.lo.u32 %r4, %r3, 3, 1;\n" +
         stores +
         "atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p1, %r2, %r3;\n@%p1 bra TRY;\n"
         "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra AGAIN;";
}

TEST(HandOvers, AWordThatAllChangeGoesFromOneToTheNext) {
  EXPECT_EQ(of(inputs_of(change(1), 100), "path_retries"), 99);
  EXPECT_NEAR(of(inputs_of(change(4), 100), "path_retries"), 399, 4);  // each block has changed it four times
  EXPECT_EQ(of(inputs_of(change(1), 100), "path_swaps"), 0);           // no block holds it
}

// A maximum: most blocks leave the word unchanged, so no other block has to retry.
TEST(HandOvers, AWordThatStaysWhatItIsSendsNobodyBack) {
  const std::string greatest =
      "mov.u32 %r5, %ctaid.x;\nsetp.ne.u32 %p3, %r5, 7;\n@%p3 mov.u32 %r5, 3;\nld.global.u32 %r2, [%rd1];\n"
      "TRY:\nmov.u32 %r3, %r2;\nmax.u32 %r4, %r3, %r5;\n"
      "atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p1, %r2, %r3;\n@%p1 bra TRY;\n";
  EXPECT_LE(of(inputs_of(greatest, 100), "path_retries"), 2);  // the first block and the eighth
}

// As when pushing to the head of a list: the element must be visible before the head is changed, in each
// round.
TEST(HandOvers, WhoTriesAgainStoresAgain) {
  const Inputs list = inputs_of(change(1, "st.global.u32 [%rd2+64], %r3;\nmembar.gl;\n"), 100);
  EXPECT_EQ(of(list, "path_retries"), 99);
  EXPECT_GT(of(list, "path_arithmetic"), 99 * 273);
}

// 3,000 blocks send many more requests than 30 during one retry.
TEST(HandOvers, WhoTriesAgainComesBehindTheOthers) {
  EXPECT_EQ(of(inputs_of(change(1), 30), "path_queue"), 0);
  EXPECT_GT(of(inputs_of(change(1), 3000), "path_queue"), 1e5);
}

// A grid barrier by a counter, in each of four rounds.
const std::string kBarriers =
    "mov.u32 %r7, %nctaid.x;\nmov.u32 %r6, 0;\n"
    "ROUND:\nadd.u32 %r6, %r6, %r7;\natom.global.add.u32 %r2, [%rd1], 1;\n"
    "WAIT:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.lt.u32 %p1, %r3, %r6;\n@%p1 bra WAIT;\n"
    "mul.lo.u32 %r8, %r7, 4;\nsetp.lt.u32 %p2, %r6, %r8;\n@%p2 bra ROUND;";

TEST(HandOvers, RoundsThatFoundNothingAreNoWork) {
  const Inputs alone = inputs_of(kBarriers, 1), many = inputs_of(kBarriers, 64);
  EXPECT_NEAR(of(many, "use_issue"), 64 * of(alone, "use_issue"), 1);
  EXPECT_NEAR(of(many, "l1_sectors"), 64 * of(alone, "l1_sectors"), 1);
  EXPECT_NEAR(of(many, "longest_block"), 1, 0.01);
  EXPECT_NEAR(of(many, "busiest_multiprocessor"), 1, 0.01);
}

TEST(HandOvers, ABarrierOfTheGridWaitsForTheLastBlockInEachRound) {
  const Inputs many = inputs_of(kBarriers, 64);
  ASSERT_TRUE(is_followed(many));
  EXPECT_LE(of(many, "path_hand_overs") + of(many, "path_atomic"), 4 + 4);
}

// A warp that has changed the word retries after the others, so the contention stays the same until the end.
TEST(HandOvers, WhoChangesAWordAgainMakesOthersWaitAgain) {
  EXPECT_GT(of(inputs_of(change(4), 3000), "path_queue"), 5 * of(inputs_of(change(1), 3000), "path_queue"));
}

// The second warp works; the first publishes after a barrier. Each block's work is on the critical path.
TEST(HandOvers, BehindABarrierAWarpGoesOnWhenTheLastHasCome) {
  const auto chain = [](int rounds) {
    return "mov.u32 %r7, %tid.x;\nsetp.eq.u32 %p3, %r7, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WORK;\n"
           "setp.ne.u32 %p4, %r7, 32;\n@%p4 bra WORK;\n"
           "WAIT:\nld.volatile.global.u32 %r2, [%rd2+-4];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\n"
           "WORK:\nmov.u32 %r6, " +
           std::to_string(rounds) +
           ";\n@%p3 mov.u32 %r6, 1;\n"
           "PAUSE:\nsub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p5, %r6, 0;\n@%p5 bra PAUSE;\nbar.sync 0;\n"
           "@!%p3 bra END;\nmembar.gl;\nst.volatile.global.u32 [%rd2], 1;\nEND:\n";
  };
  const Inputs many = inputs_of(chain(1000), 40, 64);
  EXPECT_EQ(of(many, "path_hand_overs"), 39);
}

// The code before the rounds is executed as often as one round between two barriers, but must not be counted
// with it.
TEST(HandOvers, ARoundIsNotTakenForWhatStandsBeforeIt) {
  std::string rounds = kBarriers;
  rounds.insert(rounds.find("ROUND:\n") + std::string("ROUND:\n").size(),
                "div.rn.f32 %f1, %f1, %f2;\ndiv.rn.f32 %f1, %f1, %f2;\ndiv.rn.f32 %f1, %f1, %f2;\n");
  const double more =
      of(inputs_of(rounds, 64), "path_arithmetic") - of(inputs_of(kBarriers, 64), "path_arithmetic");
  EXPECT_NEAR(more, 4 * 3 * 56, 50);
}

// A register that may be undefined must not turn a barrier into a look-back.
TEST(HandOvers, ABarrierAsksForTheSameWordUntilItIsFull) {
  const std::string maybe = "setp.eq.u32 %p4, %r1, 99999;\n@%p4 mov.u32 %r9, 7;\n";
  const std::string use = "\nadd.u32 %r9, %r9, 1;\nst.global.u32 [%rd2+4096], %r9;";
  const Inputs defined = inputs_of(kBarriers, 64), undefined = inputs_of(maybe + kBarriers + use, 64);
  EXPECT_GE(of(undefined, "path_hand_overs"), of(defined, "path_hand_overs"));
  EXPECT_EQ(of(undefined, "path_hops"), 0);
}

// A pipeline: each block does a step when the previous block has done it. The path has blocks + steps
// hand-overs, not their product, although the interpreter runs the first block through all its steps before
// the second block polls.
TEST(HandOvers, APipelineWaitsForTheFirstValueThatWouldDo) {
  const std::string steps =
      "mov.u32 %r5, 0;\n"
      "STEP:\nadd.u32 %r5, %r5, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra WORK;\n"
      "WAIT:\nld.volatile.global.u32 %r2, [%rd2+-4];\nsetp.lt.u32 %p2, %r2, %r5;\n@%p2 bra WAIT;\n"
      "WORK:\nmov.u32 %r6, 4000;\nPAUSE:\nsub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p3, %r6, 0;\n@%p3 bra PAUSE;\n"
      "membar.gl;\nst.volatile.global.u32 [%rd2], %r5;\nsetp.lt.u32 %p4, %r5, 30;\n@%p4 bra STEP;";
  const Inputs one = inputs_of(steps, 1), many = inputs_of(steps, 30);
  EXPECT_LT(of(many, "path_arithmetic"), 2.5 * of(one, "wait_arithmetic"));
  EXPECT_GE(of(many, "path_hand_overs"), 29);
}

// A block stores 1, looks back until it finds a 2, and stores 2.
TEST(HandOvers, WhoLooksBackDoesNotWaitForTheBlockBefore) {
  const std::string look_back =
      "st.volatile.global.u32 [%rd2], 1;\nmov.u64 %rd3, %rd2;\n"
      "WAIT:\nsetp.eq.u64 %p1, %rd3, %rd1;\n@%p1 bra DONE;\n"
      "atom.global.add.u32 %r2, [%rd3+-4], 0;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\n"
      "add.s64 %rd3, %rd3, -4;\nsetp.eq.u32 %p3, %r2, 1;\n@%p3 bra WAIT;\n"
      "DONE:\nmembar.gl;\nst.volatile.global.u32 [%rd2], 2;";
  const Inputs many = inputs_of(look_back, 1000);
  EXPECT_GT(of(many, "path_hops"), 4);
  EXPECT_LT(of(many, "path_hops") + of(many, "path_swaps"), 500);
}

TEST(HandOvers, WhoCountsOrFetchesWorkWaitsForNobody) {
  EXPECT_FALSE(
      is_followed(inputs_of("atom.global.add.u32 %r2, [%rd1], 1;\nst.global.u32 [%rd2+64], %r2;", 50)));
  EXPECT_FALSE(is_followed(inputs_of(
      "NEXT:\natom.global.add.u32 %r2, [%rd1], 1;\nsetp.lt.u32 %p1, %r2, 500;\n@%p1 bra NEXT;", 50)));
  EXPECT_FALSE(
      is_followed(inputs_of("NEXT:\nld.volatile.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;\n"
                            "st.global.u32 [%rd1], %r2;\nsetp.lt.u32 %p1, %r2, 500;\n@%p1 bra NEXT;",
                            5)));
}

// The interpreter's first block fetches all of the work.
TEST(Drawings, BlocksThatFetchTheirWorkDoAboutAsMuch) {
  const auto work = [](const std::string& atomic) {
    return inputs_of(
        "mov.u32 %r3, 0;\nNEXT:\nadd.u32 %r3, %r3, 1;\n" + atomic +
            " %r2, [%rd1], 1;\nadd.u32 %r4, %r2, %r3;\nsetp.lt.u32 %p1, %r2, 500;\n@%p1 bra NEXT;\n"
            "st.global.u32 [%rd2+4096], %r4;",
        50);
  };
  EXPECT_EQ(of(work("atom.global.add.u32"), "longest_block"), 1);
  EXPECT_EQ(of(work("atom.global.add.u32"), "busiest_multiprocessor"), 1);
}

}  // namespace
}  // namespace cudalab::vgpu
