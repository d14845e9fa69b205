// Tests the advice if one mistake causes several hazards.
#include "vgpu/checks/hazard_log.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "messages/vgpu.h"

namespace cudalab::vgpu {

namespace {

Hazard hazard(HazardKind kind, RacePair pair, int line, int other, const Message& fix) {
  Hazard made;
  made.kind = kind;
  made.pair = pair;
  made.where = {"k.cu", line};
  made.other = SourceLine{"k.cu", other};
  made.buffer = "s";
  made.fix = fix;
  return made;
}
Hazard race(RacePair pair, int line, int other, const Message& fix) {
  return hazard(HazardKind::kSharedRace, pair, line, other, fix);
}

std::string_view first_fix(std::vector<Hazard> hazards) {
  agree(hazards);
  return hazards[0].fix.id();
}

TEST(Agreement, ALostUpdateOfTwoLinesNeedsAnAtomicOperation) {
  const Hazard read = race(RacePair::kThreads, 5, 6, msg::advice_syncthreads());
  EXPECT_EQ(first_fix({read, race(RacePair::kWriters, 6, 6, msg::advice_atomic_update())}),
            "advice_atomic_update");
  EXPECT_EQ(first_fix({read, race(RacePair::kWriters, 9, 9, msg::advice_atomic_update())}),
            "advice_syncthreads");
  Hazard elsewhere = race(RacePair::kWriters, 6, 6, msg::advice_atomic_update());
  elsewhere.buffer = "t";
  EXPECT_EQ(first_fix({read, elsewhere}), "advice_syncthreads");
}

TEST(Agreement, ABarrierOfTheBlockServesTheWarpToo) {
  const Hazard lanes = race(RacePair::kLanes, 5, 7, msg::advice_syncwarp());
  Hazard threads = race(RacePair::kThreads, 6, 7, msg::advice_syncthreads());
  threads.buffer = "t";
  EXPECT_EQ(first_fix({lanes, threads}), "advice_syncthreads");
  EXPECT_EQ(first_fix({threads, lanes}), "advice_syncthreads");
  EXPECT_EQ(first_fix({lanes, race(RacePair::kThreads, 8, 9, msg::advice_syncthreads())}), "advice_syncwarp");
}

TEST(Agreement, ReadingTooEarlyIsNotCuredByClearing) {
  const Hazard unwritten =
      hazard(HazardKind::kUninitialisedRead, RacePair::kNone, 7, 7, msg::advice_kernel_writes_first());
  EXPECT_EQ(first_fix({unwritten, hazard(HazardKind::kGlobalRace, RacePair::kBlocks, 5, 7,
                                         msg::advice_blocks_run_freely())}),
            "advice_blocks_run_freely");
  EXPECT_EQ(first_fix({unwritten}), "advice_kernel_writes_first");
}

TEST(Agreement, UnknownLinesAreNotTheSame) {
  Hazard a = race(RacePair::kLanes, 0, 0, msg::advice_syncwarp()),
         b = race(RacePair::kThreads, 0, 0, msg::advice_syncthreads());
  for (Hazard* one : {&a, &b}) one->where.file = one->other->file = "";
  EXPECT_EQ(first_fix({a, b}), "advice_syncwarp");
}

// An index that is too large shows in what the line reads, too.
TEST(Hazards, BeginWithTheAccessOutOfBoundsOfTheirLine) {
  Hazard read, write;
  read.kind = HazardKind::kUninitialisedRead;
  write.kind = HazardKind::kOutOfBounds;
  write.buffer = "out";
  write.what = msg::access_past_window(msg::verb_writes(), 4, 128, "out", 128);
  read.where = write.where = {"k.cu", 7};
  std::vector<Hazard> hazards{read, write};
  put_out_of_bounds_first(hazards);
  EXPECT_EQ(hazards[0].kind, HazardKind::kOutOfBounds);
  read.where.line = 6;  // an index that was read there
  hazards = {read, write};
  put_out_of_bounds_first(hazards);
  EXPECT_EQ(hazards[0].kind, HazardKind::kUninitialisedRead);
  read.where.line = 7;  // a list whose next index was never written
  write.what = msg::access_before_window(msg::verb_reads(), 4, 4, "next");
  hazards = {read, write};
  put_out_of_bounds_first(hazards);
  EXPECT_EQ(hazards[0].kind, HazardKind::kUninitialisedRead);
}

}  // namespace
}  // namespace cudalab::vgpu
