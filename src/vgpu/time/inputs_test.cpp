// Tests the inputs of the time model on small kernels whose amounts can be computed by hand.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "vgpu/time/longest_chain.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using Inputs = std::map<std::string, double>;

constexpr std::uint64_t kBufferBytes = 1 << 20;

// Launches a kernel whose parameters are two buffers of kBufferBytes. `resources` are the assumed results of
// ptxas.
Inputs inputs_of(const std::string& body, Dim3 grid = {1, 1, 1}, Dim3 block = {32, 1, 1},
                 const KernelResources& resources = {.registers = 32}, std::uint64_t most_blocks = 0,
                 unsigned host_threads = 2) {
  VirtualGpu gpu(
      Options{.card = find_card("h200"), .host_threads = host_threads, .memory_bytes = 4 * kBufferBytes});
  const std::string shared = ".shared .align 4 .b8 s[4096];";
  const std::string begin =
      "ld.param.u64 %rd1, [p0];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n";
  const auto module = gpu.load(ptx::parse(KernelHarness::kernel(begin + body, 2, shared), "test.ptx"),
                               "test.cu", {{"test", resources}});
  const std::array buffers{gpu.allocate("data", kBufferBytes), gpu.allocate("more", kBufferBytes)};
  for (const std::uint64_t buffer : buffers) gpu.fill(buffer, kBufferBytes, 0, false);
  LaunchRequest request;
  request.spec = {grid, block};
  request.options.predict = true;
  request.options.most_blocks = most_blocks;
  request.parameters.resize(module->kernels()[0].parameter_bytes);
  std::memcpy(request.parameters.data(), buffers.data(), sizeof buffers);
  const LaunchResult result = gpu.launch(*module, request);
  if (!result.prediction) return {};
  return {result.prediction->inputs.begin(), result.prediction->inputs.end()};
}

std::string load_of_lanes(int bytes_apart) {
  return "mul.wide.u32 %rd2, %r1, " + std::to_string(bytes_apart) +
         ";\nadd.s64 %rd2, %rd1, %rd2;\nld.global.f32 %f1, [%rd2];\nst.global.f32 [%rd2], %f1;";
}

TEST(TimeInputs, ARequestTouchesALineOrOneForEachLane) {
  const Inputs row = inputs_of(load_of_lanes(4)), column = inputs_of(load_of_lanes(128));
  EXPECT_EQ(row.at("load_requests"), 1);
  EXPECT_EQ(row.at("load_lines"), 1);
  EXPECT_EQ(column.at("load_requests"), 1);
  EXPECT_EQ(column.at("load_lines"), 32);
  EXPECT_EQ(column.at("store_lines"), 32);
}

TEST(TimeInputs, LanesInDifferentBuffersTouchLinesAsAnyOthers) {
  const std::string two =
      "ld.param.u64 %rd3, [p1];\nsetp.lt.u32 %p1, %r1, 16;\nselp.b64 %rd2, %rd1, %rd3, %p1;\n"
      "cvta.to.global.u64 %rd2, %rd2;\nmul.wide.u32 %rd4, %r1, 128;\nadd.s64 %rd2, %rd2, %rd4;\n";
  const Inputs inputs = inputs_of(two +
                                  "ld.global.u32 %r4, [%rd2];\nst.global.u32 [%rd2], %r4;\n"
                                  "atom.global.add.u32 %r5, [%rd2], 1;\n");
  EXPECT_EQ(inputs.at("load_lines"), 32);
  EXPECT_EQ(inputs.at("store_lines"), 32);
  EXPECT_EQ(inputs.at("update_pieces"), 16);
}

// Each lane loads the first word of its own sector and stores it. Then it loads again with another base
// register, so the compiler cannot hoist this load above the store.
TEST(TimeInputs, OfASectorThatIsStoredInPartTheL1HasThisPart) {
  const std::string at = "mul.wide.u32 %rd2, %r1, 32;\nadd.s64 %rd2, %rd1, %rd2;\nadd.s64 %rd3, %rd2, 4;\n"
                         "add.s64 %rd4, %rd2, 0;\nld.global.u32 %r4, [%rd2];\n",
                    store = "st.global.u32 [%rd2], %r4;\n";
  const auto l2_reads = [&](const std::string& behind) {
    return inputs_of(at + behind).at("l2_read_sectors");
  };
  EXPECT_EQ(l2_reads("ld.global.u32 %r5, [%rd3];\n"), 32);
  EXPECT_EQ(l2_reads(store + "ld.global.u32 %r5, [%rd4];\n"), 32);
  EXPECT_EQ(l2_reads(store + "ld.global.u32 %r5, [%rd3];\n"), 32 + 32);
  EXPECT_EQ(l2_reads(store + "ld.global.u32 %r5, [%rd2+4];\n"), 32) << "goes ahead of the store";
  EXPECT_EQ(l2_reads(store + "st.global.u32 [%rd3], %r4;\nld.global.u32 %r5, [%rd4];\n"), 32) << "both words";
  EXPECT_EQ(l2_reads("@%p1 st.global.u32 [%rd2], %r4;\nld.global.u32 %r5, [%rd3];\n"), 32);
}

TEST(TimeInputs, OfSectorsThatAreStoredWholeTheL1HasAll) {
  const std::string row =
      "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nadd.s64 %rd4, %rd2, 0;\n"
      "ld.global.u32 %r4, [%rd2];\nst.global.u32 [%rd2], %r4;\nld.global.u32 %r5, [%rd4];\n";
  EXPECT_EQ(inputs_of(row).at("l2_read_sectors"), 4);
}

// Local memory is write-through, too.
TEST(TimeInputs, StoresToLocalMemoryGoOnToTheL2) {
  const std::string body =
      "cvt.u64.u32 %rd2, %r1;\nand.b64 %rd2, %rd2, 4;\nmov.u64 %rd3, place;\n"
      "add.s64 %rd3, %rd3, %rd2;\nst.local.u32 [%rd3], %r1;\nst.local.u32 [%rd3], %r1;\n";
  EXPECT_EQ(inputs_of(".local .align 4 .b8 place[8];\n" + body).at("l2_write_sectors"), 2 * 8);
}

// Half a warp accesses 16 lines, the other half accesses the same lines again.
TEST(TimeInputs, LinesOfARequestAreNoMoreThanItsSectors) {
  const Inputs inputs = inputs_of(
      "and.b32 %r4, %r1, 15;\nshl.b32 %r4, %r4, 7;\nshr.u32 %r5, %r1, 4;\nshl.b32 %r5, %r5, 2;\n"
      "add.u32 %r4, %r4, %r5;\ncvt.u64.u32 %rd2, %r4;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], "
      "%r1;");
  EXPECT_EQ(inputs.at("store_lines"), 16);
  EXPECT_EQ(inputs.at("partial_lines"), 16);
}

// Groups of lanes load one word each.
TEST(TimeInputs, LanesThatLoadTheSameTouchItsLineOnce) {
  const auto of = [](int lanes_shift, int bytes_apart) {
    const Inputs inputs =
        inputs_of("shr.u32 %r1, %r1, " + std::to_string(lanes_shift) + ";\n" + load_of_lanes(bytes_apart));
    return std::pair(inputs.at("load_lines"), inputs.at("load_pieces"));
  };
  EXPECT_EQ(of(5, 4), std::pair(1.0, 1.0));
  EXPECT_EQ(of(4, 4), std::pair(1.0, 1.0));
  EXPECT_EQ(of(4, 128), std::pair(2.0, 1.0));
  EXPECT_EQ(of(3, 128), std::pair(4.0, 2.0));
  EXPECT_EQ(of(3, 256), std::pair(4.0, 4.0));
  EXPECT_EQ(inputs_of("shr.u32 %r1, %r1, 3;\n" + load_of_lanes(256)).at("slice_writes"), 2)
      << "of four, two in 512 bytes";
}

TEST(TimeInputs, ARowThatBeginsWithinALineGoesOnInTheNextOfItsPiece) {
  const Inputs inputs = inputs_of("add.s64 %rd1, %rd1, 64;\n" + load_of_lanes(4));
  EXPECT_EQ(inputs.at("load_lines"), 2);
  EXPECT_EQ(inputs.at("load_pieces"), 1);
}

TEST(TimeInputs, PiecesAndBanksTellStridesApart) {
  const auto of = [](int bytes_apart) {
    const Inputs inputs = inputs_of(load_of_lanes(bytes_apart));
    return std::pair(inputs.at("load_pieces"), inputs.at("l1_wavefronts"));
  };
  EXPECT_EQ(of(4), std::pair(1.0, 1.0 + 1));  // a wavefront of the store, too
  EXPECT_EQ(of(32), std::pair(4.0, 8.0 + 8));
  EXPECT_EQ(of(128), std::pair(16.0, 32.0 + 8));
  EXPECT_EQ(of(132), std::pair(16.0, 1.0 + 8));  // each lane in another bank
  EXPECT_EQ(of(256), std::pair(32.0, 32.0 + 8));
}

TEST(TimeInputs, SectorsThatStoresAndAtomicsTouchFirstAreCounted) {
  const Inputs stored = inputs_of(
      "mul.wide.u32 %rd2, %r1, 32;\nadd.s64 %rd2, %rd1, %rd2;\n"
      "st.global.u32 [%rd2], %r1;\nst.global.u32 [%rd2+4], %r1;");
  EXPECT_EQ(stored.at("filled_sectors"), 32);
  EXPECT_EQ(stored.at("partial_writes"), 64);
  EXPECT_EQ(stored.at("partial_bytes"), 256);
  EXPECT_EQ(stored.at("slice_writes"), 8);  // four lines in one L2 slice, the other four in another
  const Inputs updated = inputs_of(
      "mul.wide.u32 %rd2, %r1, 64;\nadd.s64 %rd2, %rd1, %rd2;\n"
      "red.global.add.u32 [%rd2], %r1;\nred.global.add.u32 [%rd2], %r1;");
  EXPECT_EQ(updated.at("updated_sectors"), 32);
  EXPECT_EQ(updated.at("update_requests"), 2);
  EXPECT_EQ(updated.at("update_pieces"), 2 * 8);
}

// The unit waits for a sum before it adds to the same word again; additions to other words overlap.
TEST(TimeInputs, FloatsAddedToOneWordTakeLongerThanIntegersAndThanOnSeveralWords) {
  const auto updates = [](const std::string& type, const std::string& value, const std::string& apart) {
    return inputs_of(
               "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nmov.u32 %r5, %ctaid.x;\nand.b32 %r5, %r5, " + apart +
                   ";\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd2, %rd1, %rd2;\nmov.f32 %f1, 0f3F800000;\n"
                   "red.global.add." +
                   type + " [%rd2], " + value + ";\nEND:",
               {640, 1, 1})
        .at("most_updates");
  };
  EXPECT_EQ(updates("u32", "1", "0"), 640);
  EXPECT_NEAR(updates("f32", "%f1", "0"), 2.4 * 640, 1);
  EXPECT_NEAR(updates("f32", "%f1", "1"), 2.4 * 640, 2);  // two words in turn
  EXPECT_NEAR(updates("f32", "%f1", "31"), 640, 30);
}

// Each block has one thread, which loads its own line. The last block's thread then loads 8,000 contiguous
// words. The sample must represent these few lines, too.
TEST(TimeInputs, WhatOneBlockTouchesAloneIsInTheSample) {
  const std::string body =
      "mov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd2, %r5, 128;\nadd.s64 %rd2, %rd1, %rd2;\n"
      "ld.global.f32 %f1, [%rd2];\nmov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p1, %r5, "
      "%r6;\n"
      "@%p1 bra END;\nmov.u32 %r4, 0;\nLOOP:\nld.volatile.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n"
      "add.s64 %rd1, %rd1, 4;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 8000;\n@%p2 bra LOOP;\nEND:";
  const Inputs inputs = inputs_of(body, {8000, 1, 1}, {1, 1, 1});
  EXPECT_EQ(inputs.at("longest_block_l1"), 0);
  EXPECT_GT(inputs.at("longest_block_l2") + inputs.at("longest_block_dram"), 8000 / 20);
}

// All warps of all blocks load 16 times. Then one warp of the last block executes `more` 256 times.
Inputs inputs_of_one_that_goes_on(const std::string& more) {
  const std::string round = more + "add.u32 %r4, %r4, 1;\n",
                    load =
                        "ld.volatile.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\ncvt.rzi.s64.f32 %rd3, "
                        "%f2;\nadd.s64 %rd1, %rd1, %rd3;\nadd.u32 %r4, %r4, 1;\n";
  return inputs_of(
      "mov.u32 %r4, 0;\nEACH:\n" + load +
          "setp.lt.u32 %p2, %r4, 16;\n@%p2 bra EACH;\nmov.u32 %r5, %ctaid.x;\nsetp.ne.u32 %p1, %r5, "
          "99;\n@%p1 bra END;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra END;\nmov.u32 %r4, 0;\nLAST:\n" +
          round + "setp.lt.u32 %p2, %r4, 256;\n@%p2 bra LAST;\nEND:",
      {100, 1, 1}, {256, 1, 1});
}
TEST(TimeInputs, WhatTheLongestBlockDoesMoreItsLongestWarpDoesAlone) {
  const auto waits = [](const Inputs& inputs) {
    return inputs.at("longest_block_l2") + inputs.at("longest_block_dram");
  };
  EXPECT_NEAR(waits(inputs_of_one_that_goes_on("ld.volatile.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n"
                                               "cvt.rzi.s64.f32 %rd3, %f2;\nadd.s64 %rd1, %rd1, %rd3;\n")),
              16 + 256, 10);
  EXPECT_NEAR(waits(inputs_of_one_that_goes_on("mul.f32 %f2, %f2, %f2;\n")), 16, 2);
}

TEST(TimeInputs, BlockPlacesAreSlotsAndSharedMemory) {
  EXPECT_EQ(inputs_of(load_of_lanes(4), {1, 1, 1}, {1024, 1, 1}).at("block_places"), 32);
  EXPECT_EQ(inputs_of(load_of_lanes(4), {1, 1, 1}, {32, 1, 1}, {.registers = 32, .shared_bytes = 31 << 10})
                .at("block_places"),
            7);
}

// The launch touches a small table repeatedly, so the sample has few different lines. It must give the hit
// rates of all lines.
TEST(TimeInputs, ASampleOfLinesHasTheSharesOfAll) {
  const std::string body =
      "mov.u32 %r5, %ctaid.x;\nand.b32 %r5, %r5, 255;\nmul.wide.u32 %rd2, %r5, 4096;\nadd.s64 %rd1, %rd1, "
      "%rd2;\n" +
      load_of_lanes(128);
  const Inputs few = inputs_of(body, {256, 1, 1}), many = inputs_of(body, {8448, 1, 1});
  EXPECT_NEAR(few.at("dram_read_sectors"), 256 * 32 * 2, 1);
  EXPECT_NEAR(many.at("dram_read_sectors"), 256 * 32 * 2, 0.1 * 256 * 32 * 2);
}

TEST(TimeInputs, TheSampleIsTheSameHoweverManyHostThreadsThereAre) {
  const std::string body =
      "mov.u32 %r5, %ctaid.x;\nand.b32 %r5, %r5, 127;\nmul.wide.u32 %rd2, %r5, 4096;\nadd.s64 %rd1, %rd1, "
      "%rd2;\n" +
      load_of_lanes(128);
  const auto of = [&](unsigned host_threads) {
    return inputs_of(body, {4000, 1, 1}, {32, 1, 1}, {.registers = 32}, 0, host_threads);
  };
  const Inputs alone = of(1);
  for (const unsigned host_threads : {2u, 3u, 8u}) EXPECT_EQ(of(host_threads), alone) << host_threads;
}

// Each block's only warp loads its own line and adds to a word that all blocks share. That word's line either
// is not in the sample, or represents many lines.
TEST(TimeInputs, WhatAtomicsReadIsCountedWhetherTheirLineIsInTheSampleOrNot) {
  constexpr int kBlocks = 8000, kSectorsOfLine = 4;
  for (int line = 0; line < 8; ++line) {
    const std::string word = "[%rd1+" + std::to_string(line * 128) + "]";
    const Inputs inputs = inputs_of(
        "mov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd2, %r5, 128;\nadd.s64 %rd2, %rd1, %rd2;\n"
        "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd2, %rd3;\nld.global.u32 %r4, [%rd2];\n"
        "red.global.add.u32 " +
            word + ", %r4;",
        {kBlocks, 1, 1});
    EXPECT_EQ(inputs.at("l2_read_sectors"), kBlocks * (kSectorsOfLine + 1)) << line;
  }
}

// Four lines, touched more often than can be replayed. A smaller sample would contain none of them.
TEST(TimeInputs, AFewLinesAreReplayedHoweverOftenTheyAreTouched) {
  const std::string body =
      "mov.u32 %r4, 0;\nLOOP:\nand.b32 %r5, %r4, 3;\nmul.wide.u32 %rd2, %r5, 128;\nadd.s64 %rd2, %rd1, "
      "%rd2;\n"
      "ld.global.f32 %f1, [%rd2];\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 8;\n@%p2 bra LOOP;";
  EXPECT_EQ(inputs_of(body, {4096, 1, 1}).at("dram_read_sectors"), 4 * 2);  // 64 bytes of each line
}

TEST(TimeInputs, FloatsOnOneWordOfSharedMemorySwapInTurn) {
  const Inputs one =
      inputs_of("mov.f32 %f1, 0f3F800000;\nst.shared.f32 [%r2], %f1;\natom.shared.add.f32 %f2, [%r2], %f1;");
  EXPECT_EQ(one.at("swap_rounds"), 32);
  EXPECT_EQ(one.at("swap_passes"), 32 * 33 / 2);
  const Inputs own = inputs_of(
      "mov.f32 %f1, 0f3F800000;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r3, %r2;\nst.shared.f32 [%r3], %f1;\n"
      "atom.shared.add.f32 %f2, [%r3], %f1;");
  EXPECT_EQ(own.at("swap_rounds"), 1);
  EXPECT_EQ(own.at("swap_passes"), 1);
  EXPECT_GT(one.at("wait_shared"), own.at("wait_shared") + 60);
}

TEST(TimeInputs, IntegersOnSharedWordsNeedNoLoop) {
  EXPECT_EQ(inputs_of("st.shared.u32 [%r2], 0;\natom.shared.add.u32 %r3, [%r2], %r1;").at("swap_rounds"), 0);
}

TEST(TimeInputs, FmasThatReadThreeRegistersAreToldFromOthers) {
  const auto reads = [](const std::string& operands, const char* type = "f32") {
    const Inputs inputs =
        inputs_of(std::string("ld.param.f32 %f9, [p0];\nfma.rn.") + type + " " + operands + ";");
    return std::pair(inputs.at("use_three_reads"), inputs.at("use_three_reads64"));
  };
  EXPECT_EQ(reads("%f1, %f2, %f3, %f4"), std::pair(1.0, 0.0));
  EXPECT_EQ(reads("%fd1, %fd1, %fd2, %fd3", "f64"), std::pair(0.0, 1.0));
  EXPECT_EQ(reads("%f1, %f2, %f2, %f3"), std::pair(0.0, 0.0));
  EXPECT_EQ(reads("%f1, %f2, %f3, 0f3E800000"), std::pair(0.0, 0.0));
  EXPECT_EQ(reads("%f1, %f2, %f3, %f9"), std::pair(0.0, 0.0));
}

TEST(TimeInputs, SpillsAreSpreadOverWhatRuns) {
  KernelResources spilling{
      .registers = 32, .stack_bytes = 512, .spill_store_bytes = 80, .spill_load_bytes = 40};
  const Inputs inputs = inputs_of(load_of_lanes(4), {264, 1, 1}, {1024, 1, 1}, spilling);
  EXPECT_NEAR(inputs.at("spill_loads"), 10 * 264 * 32, 1);
  EXPECT_NEAR(inputs.at("spill_stores"), 20 * 264 * 32, 1);
  EXPECT_EQ(inputs.at("spill_misses"), 1);  // 2 blocks of 512 KB each, and an L1 of 248 KB
  spilling.stack_bytes = 16;
  EXPECT_EQ(inputs_of(load_of_lanes(4), {264, 1, 1}, {1024, 1, 1}, spilling).at("spill_misses"), 0);
}

TEST(TimeInputs, BlocksThatAskForTheSameAtOnceAllWaitForDram) {
  EXPECT_NEAR(inputs_of(load_of_lanes(4), {64, 1, 1}).at("wait_dram"), 1, 1e-6);
  EXPECT_EQ(inputs_of(load_of_lanes(4), {64, 1, 1}).at("dram_read_sectors"), 4);
}

TEST(TimeInputs, TheWarpThatAlwaysLoadsIsToldFromOneThatSometimesDoes) {
  const std::string body =
      "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra END;\nmov.u32 %r4, 0;\nLOOP:\nld.global.f32 %f1, [%rd1];\n"
      "add.s64 %rd1, %rd1, 4096;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 64;\n@%p2 bra LOOP;\nEND:";
  EXPECT_GT(inputs_of(body, {8, 1, 1}, {128, 1, 1}).at("dram_warp"), 3);
}

TEST(TimeInputs, ASampleOfBlocksStandsForAll) {
  const std::string body =
      "mov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd2, %r5, 128;\nadd.s64 %rd1, %rd1, %rd2;\n" + load_of_lanes(4);
  const Inputs all = inputs_of(body, {1320, 1, 1});
  const Inputs sampled = inputs_of(body, {1320, 1, 1}, {32, 1, 1}, {.registers = 32}, 264);
  for (const char* name : {"blocks", "use_issue", "l1_sectors", "load_lines", "dram_read_sectors",
                           "l2_write_sectors", "wait_dram", "longest_warp", "busiest_multiprocessor"})
    EXPECT_NEAR(sampled.at(name), all.at(name), 1e-5 * all.at(name)) << name;
}

// The block that counts last walks through 64 lines, one after the other; the other blocks do not.
TEST(TimeInputs, TheLongestBlockWaitsForWhatItAsksForItself) {
  const std::string body =
      "mov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\natom.global.add.u32 %r3, [%rd1], 1;\n"
      "setp.ne.u32 %p1, %r3, %r6;\n@%p1 bra END;\nmov.u32 %r4, 0;\n"
      "LOOP:\nadd.s64 %rd1, %rd1, 4096;\nld.volatile.global.u32 %r5, [%rd1];\nadd.u32 %r4, %r4, %r5;\n"
      "and.b32 %r5, %r5, 0;\ncvt.u64.u32 %rd3, %r5;\nadd.s64 %rd1, %rd1, %rd3;\n"
      "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 64;\n@%p2 bra LOOP;\nEND:\n";
  const std::string start = "mov.u32 %r7, 0;\n";
  const Inputs inputs = inputs_of(start + body, {200, 1, 1}, {1, 1, 1});
  EXPECT_GT(inputs.at("longest_block"), 10);
  EXPECT_NEAR(inputs.at("longest_block_l2") + inputs.at("longest_block_dram"), 64, 2);
  EXPECT_FALSE(inputs_of(load_of_lanes(4), {200, 1, 1}).contains("longest_block_dram"));  // all blocks alike
}

// ---- the critical path -------------------------------------------------------------------------------
constexpr std::uint32_t kNoSite = ~0u;

class Code {
 public:
  void basic_block() {
    code_.basic_blocks.push_back({.first_op = static_cast<std::uint32_t>(code_.ops.size())});
  }
  void op(Source source, float latency, float slots, std::uint32_t site, std::vector<std::uint32_t> results,
          std::vector<std::uint32_t> inputs) {
    TimedOp op{.source = source, .latency = latency, .slots = slots, .site = site};
    op.first_operand = static_cast<std::uint32_t>(code_.registers.size());
    op.results = static_cast<std::uint8_t>(results.size());
    op.inputs = static_cast<std::uint8_t>(inputs.size());
    code_.registers.insert(code_.registers.end(), results.begin(), results.end());
    code_.registers.insert(code_.registers.end(), inputs.begin(), inputs.end());
    code_.register_count = 100;
    code_.words.assign(code_.register_count, 1);
    code_.ops.push_back(op);
    ++code_.basic_blocks.back().ops;
  }
  void load(std::uint32_t result, std::uint32_t address) { op(Source::kL1, 0, 1, 0, {result}, {address}); }
  void add(std::uint32_t result, std::uint32_t a) { op(Source::kArithmetic, 4, 1, kNoSite, {result}, {a}); }
  double dram_waits(const std::vector<double>& executions, int registers) const {
    const std::vector<SiteShares> sites{{.l1 = 0, .dram = 1}};
    return longest_chain(code_, executions, sites, registers, {})
        .waits[static_cast<std::size_t>(Source::kDram)];
  }

 private:
  TimedCode code_;
};

TEST(LongestChain, LoadsAreOnTheirWayTogetherAsFarAsThereAreRegisters) {
  Code code;
  code.basic_block();
  for (std::uint32_t i = 0; i < 16; ++i) code.load(10 + i, 0);
  for (std::uint32_t i = 0; i < 16; ++i) code.add(30 + i, 10 + i);
  EXPECT_EQ(code.dram_waits({1}, 255), 1);
  EXPECT_EQ(code.dram_waits({1}, 0), 1);  // register count unknown
  EXPECT_EQ(code.dram_waits({1}, 16), 2);
}

TEST(LongestChain, AFenceWaitsLongerAfterAStore) {
  const auto chain_of = [](const std::string& before) {
    const Inputs inputs =
        inputs_of("mov.u32 %r4, 0;\n" + before + "membar.gl;\nst.global.u32 [%rd1+4], %r4;");
    return std::pair(inputs.at("wait_arithmetic"), inputs.at("wait_l2"));
  };
  const auto [idle, nothing] = chain_of("");
  EXPECT_NEAR(idle, 273, 30);
  EXPECT_EQ(nothing, 0);
  EXPECT_EQ(chain_of("st.global.u32 [%rd1], %r4;\n").second, 1);
  EXPECT_EQ(chain_of("st.global.u32 [%rd1], %r4;\nmembar.gl;\n").second, 1);  // the first of two fences
  EXPECT_EQ(chain_of("st.shared.u32 [%r2], %r4;\n").second, 0);
}

TEST(LongestChain, WhatAllWarpsExecuteInARowIsOneBlock) {
  Code code;
  for (std::uint32_t i = 0; i < 2; ++i) {  // the first value is used before the second load is issued
    code.basic_block();
    code.load(10 + i, 0);
    code.add(20 + i, 10 + i);
  }
  EXPECT_EQ(code.dram_waits({1, 1}, 0), 1);
  EXPECT_EQ(code.dram_waits({1, 0.5}, 0), 1.5);
}

// Waits for DRAM of a loop with 64 rounds and one load per round. `condition` sets %p2; `more` is executed in
// each round.
double waits_of_a_loop(const std::string& condition, const std::string& more = "") {
  const std::string body =
      "mov.u32 %r4, 0;\nmov.u32 %r5, 1;\nLOOP:\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n" + more +
      "add.s64 %rd1, %rd1, 4096;\n" + condition + "@%p2 bra LOOP;\nst.global.f32 [%rd1], %f2;";
  return inputs_of(body).at("wait_dram");
}
TEST(LongestChain, ALoopIsUnrolledOnlyIfItsRoundsCanBeCounted) {
  EXPECT_NEAR(waits_of_a_loop("add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 64;\n"), 16, 1);
  EXPECT_NEAR(waits_of_a_loop("add.u32 %r4, %r4, %r5;\nsetp.lt.u32 %p2, %r4, 64;\n"), 64, 1);
  EXPECT_NEAR(waits_of_a_loop("add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 64;\nadd.u32 %r5, %r5, 1;\n"
                              "setp.lt.u32 %p3, %r5, 99;\nand.pred %p2, %p2, %p3;\n"),
              64, 1);
}
TEST(LongestChain, ALongLoopOrOneWithABarrierIsNotUnrolled) {
  const std::string counted = "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 64;\n";
  std::string much;
  for (int i = 0; i < 48; ++i) much += "add.f32 %f3, %f3, %f3;\n";
  EXPECT_NEAR(waits_of_a_loop(counted, much), 64, 1);
  EXPECT_NEAR(waits_of_a_loop(counted, "bar.sync 0;\n"), 64, 1);
}

// Two independent loads, and between them a store of the first one's value.
double waits_around_a_store(const std::string& store, const std::string& load) {
  return inputs_of("add.s64 %rd2, %rd1, 65536;\nadd.s64 %rd3, %rd1, 131072;\nld.global.f32 %f1, [%rd1];\n" +
                   store + load + "st.shared.f32 [%r2], %f2;")
      .at("wait_dram");
}
TEST(LongestChain, ALoadStaysBehindAStoreThatMayBeToTheSamePlace) {
  const std::string load = "ld.global.f32 %f2, [%rd3];\n";
  EXPECT_EQ(waits_around_a_store("st.global.f32 [%rd2], %f1;\n", load), 2);
  EXPECT_EQ(waits_around_a_store("", load), 1);
  EXPECT_EQ(waits_around_a_store("st.global.f32 [%rd3+65536], %f1;\n", load),
            1);  // certainly another address
  EXPECT_EQ(waits_around_a_store("st.shared.f32 [%r2+4], %f1;\n", load), 1);
  EXPECT_EQ(waits_around_a_store("st.global.f32 [%rd2], %f1;\n", "ld.global.nc.f32 %f2, [%rd3];\n"), 1);
}

// Some loads must stay below the stores, so loads with the stores' own base register are not hoisted either.
TEST(LongestChain, LoadsStayBetweenStoresThatOthersStayBehind) {
  const auto waits = [](const std::string& load) {
    return inputs_of(
               "add.s64 %rd2, %rd1, 65536;\nadd.s64 %rd3, %rd1, 131072;\nld.global.f32 %f1, [%rd1];\n"
               "st.global.f32 [%rd2], %f1;\n" +
               load +
               " %f2, [%rd3];\nst.global.f32 [%rd2+4096], %f2;\n"
               "ld.global.f32 %f3, [%rd2+262144];\nst.shared.f32 [%r2], %f3;")
        .at("wait_dram");
  };
  EXPECT_EQ(waits("ld.global.f32"), 3);
  EXPECT_EQ(waits("ld.global.nc.f32"), 1);
}

// Each lane loads its own line; the request waits for the slowest.
TEST(LongestChain, ARequestWaitsForTheLastOfItsLines) {
  const auto waits = [](int bytes_apart) { return inputs_of(load_of_lanes(bytes_apart)).at("wait_dram"); };
  EXPECT_NEAR(waits(4), 1, 1e-6);
  EXPECT_NEAR(waits(256), 1 + 5 * 0.12, 1e-6);
  EXPECT_NEAR(waits(4096), waits(256), 1e-6);
  EXPECT_NEAR(waits(128), 1 + 4 * 0.12, 1e-6) << "two in a piece";
}

// Each lane walks through its own row: every 16th load fetches 64 bytes for each lane. Only a sample of these
// many touches is replayed. In it, requests for which all lanes miss must not be confused with requests for
// which some lanes miss.
TEST(LongestChain, LanesThatWaitTogetherWaitOnce) {
  const std::string body =
      "mul.wide.u32 %rd2, %r1, 8192;\nadd.s64 %rd1, %rd1, %rd2;\nmov.u32 %r4, 0;\nLOOP:\n"
      "ld.global.u32 %r5, [%rd1];\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r2], %r6;\nadd.s64 %rd1, %rd1, "
      "4;\n"
      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 2048;\n@%p2 bra LOOP;";
  const Inputs inputs = inputs_of(body);
  EXPECT_NEAR(inputs.at("wait_dram") + inputs.at("wait_l2"), 2048 / 8 * 1.6, 2048 / 8 * 0.2);
}

// 57 cycles for 32 sectors in 32 lines; stores of full rows do not delay each other.
TEST(LongestChain, AnAccessWaitsForTheStoresBeforeIt) {
  const auto clocks = [](int bytes_apart) {
    return inputs_of("mul.wide.u32 %rd2, %r1, " + std::to_string(bytes_apart) +
                     ";\nadd.s64 %rd3, %rd1, 524288;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r1;\n"
                     "ld.global.u32 %r4, [%rd3];\nst.shared.u32 [%r2], %r4;")
        .at("wait_arithmetic");
  };
  EXPECT_NEAR(clocks(128) - clocks(4), 56, 1);
}

// Each copied word needs a register for its destination address.
TEST(LongestChain, FewLoadsThatCopyToSharedMemoryGoTogether) {
  const auto waits = [](int copies, int registers) {
    std::string body;
    for (int i = 0; i < copies; ++i)
      body += "add.s64 %rd2, %rd1, " + std::to_string(4096 * i) + ";\nadd.u32 %r4, %r2, " +
              std::to_string(4 * i) + ";\nld.global.f32 %f1, [%rd2];\nst.shared.f32 [%r4], %f1;\n";
    return inputs_of(body, {1, 1, 1}, {32, 1, 1}, {.registers = registers}).at("wait_dram");
  };
  EXPECT_EQ(waits(4, 64), 1);
  EXPECT_EQ(waits(8, 64), 2);
  EXPECT_EQ(waits(4, 8), 4);
  EXPECT_EQ(waits(8, 8), 4);
}

// A loop of eight rounds copies four words each, while 24 values are live across the loop.
TEST(LongestChain, ValuesThatALoopDoesNotUseLeaveFewerRegistersToItsLoads) {
  const auto waits_of_a_round = [](const std::string& value) {
    std::string body, after;
    for (int i = 0; i < 24; ++i) {
      const std::string name = "%r" + std::to_string(20 + i);
      body += value + name + (value.starts_with("mov") ? ", 5;\n" : ", %r1, 5;\n");
      after += "st.shared.u32 [%r2], " + name + ";\n";
    }
    body += "mov.u32 %r4, 0;\nLOOP:\n";
    for (int i = 0; i < 4; ++i)
      body += "add.s64 %rd2, %rd1, " + std::to_string(4096 * i) + ";\nadd.u32 %r5, %r2, " +
              std::to_string(4 * i) + ";\nld.global.f32 %f1, [%rd2];\nst.shared.f32 [%r5], %f1;\n";
    body += "add.s64 %rd1, %rd1, 65536;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 8;\n@%p2 bra LOOP;\n" +
            after;
    return inputs_of(body, {1, 1, 1}, {32, 1, 1}, {.registers = 40}).at("wait_dram") / 8;
  };
  EXPECT_EQ(waits_of_a_round("add.u32 "), 4);
  EXPECT_EQ(waits_of_a_round("mov.u32 "), 1) << "numbers need none";
}

// Two chains of two loads each; the second load of a chain needs the first.
TEST(LongestChain, LoadsStayBehindNoLoads) {
  const std::string ways =
      "add.s64 %rd2, %rd1, 65536;\nld.global.u64 %rd3, [%rd1];\nadd.s64 %rd3, %rd3, %rd1;\n"
      "ld.global.f32 %f1, [%rd3+131072];\nld.global.u64 %rd4, [%rd2];\nadd.s64 %rd4, %rd4, %rd2;\n"
      "ld.global.f32 %f2, [%rd4+262144];\nadd.f32 %f1, %f1, %f2;\nst.shared.f32 [%r2], %f1;";
  EXPECT_EQ(inputs_of(ways).at("wait_dram"), 2);
}

// One thread walks through contiguous floats in four rounds of four loads; each miss fetches 64 bytes.
TEST(LongestChain, LoadsSideBySideWaitForWhatAnyOfThemBrings) {
  const std::string body =
      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nmov.u32 %r4, 0;\nLOOP:\n"
      "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nld.global.f32 %f1, [%rd1+4];\n"
      "add.f32 %f2, %f2, %f1;\nld.global.f32 %f1, [%rd1+8];\nadd.f32 %f2, %f2, %f1;\n"
      "ld.global.f32 %f1, [%rd1+12];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %rd1, %rd1, 16;\n"
      "add.u32 %r4, %r4, 4;\nsetp.lt.u32 %p2, %r4, 4096;\n@%p2 bra LOOP;\nst.shared.f32 [%r2], %f2;\nEND:";
  EXPECT_NEAR(inputs_of(body).at("wait_dram"), 4096 / 16, 1);
  const Inputs in_turn = inputs_of(body, {1, 1, 1}, {32, 1, 1}, {.registers = 16});
  EXPECT_NEAR(in_turn.at("wait_dram"), 4096 / 16, 1);  // the later loads hit in the L1
  EXPECT_GT(in_turn.at("wait_l1"), 1);
}

TEST(LongestChain, DivisionsDoNotOverlap) {
  const auto clocks_of = [](int divisions, const std::string& opcode) {
    std::string body = "ld.global.f32 %f1, [%rd1];\n";
    for (int i = 2; i < 2 + divisions; ++i) body += opcode + " %f" + std::to_string(i) + ", %f1, %f1;\n";
    return inputs_of(body + "st.global.f32 [%rd1], %f2;").at("wait_arithmetic");
  };
  EXPECT_GT(clocks_of(4, "div.rn.f32"), 3.5 * clocks_of(1, "div.rn.f32"));
  EXPECT_LT(clocks_of(4, "div.full.f32"), 1.5 * clocks_of(1, "div.full.f32"));
}

}  // namespace
}  // namespace cudalab::vgpu
