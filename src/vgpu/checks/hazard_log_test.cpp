// Tests the advice if one mistake causes several hazards.
#include "vgpu/checks/hazard_log.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"

namespace cudalab::vgpu {

namespace {

Hazard hazard(HazardKind kind, RacePair pair, int line, int other, const std::string& fix) {
  Hazard made;
  made.kind = kind;
  made.pair = pair;
  made.where = {"k.cu", line};
  made.other = SourceLine{"k.cu", other};
  made.buffer = "s";
  made.fix = Message::verbatim(fix);
  return made;
}
Hazard race(RacePair pair, int line, int other, const std::string& fix) {
  return hazard(HazardKind::kSharedRace, pair, line, other, fix);
}

std::string first_fix(std::vector<Hazard> hazards) {
  agree(hazards);
  return shown_in_english(hazards[0].fix);
}

TEST(Agreement, ALostUpdateOfTwoLinesNeedsAnAtomicOperation) {
  const Hazard read = race(RacePair::kThreads, 5, 6, "barrier");
  EXPECT_EQ(first_fix({read, race(RacePair::kWriters, 6, 6, "atomic")}), "atomic");
  EXPECT_EQ(first_fix({read, race(RacePair::kWriters, 9, 9, "atomic")}), "barrier");
  Hazard elsewhere = race(RacePair::kWriters, 6, 6, "atomic");
  elsewhere.buffer = "t";
  EXPECT_EQ(first_fix({read, elsewhere}), "barrier");
}

TEST(Agreement, ABarrierOfTheBlockServesTheWarpToo) {
  const Hazard lanes = race(RacePair::kLanes, 5, 7, "syncwarp");
  Hazard threads = race(RacePair::kThreads, 6, 7, "syncthreads");
  threads.buffer = "t";
  EXPECT_EQ(first_fix({lanes, threads}), "syncthreads");
  EXPECT_EQ(first_fix({threads, lanes}), "syncthreads");
  EXPECT_EQ(first_fix({lanes, race(RacePair::kThreads, 8, 9, "syncthreads")}), "syncwarp");
}

TEST(Agreement, ReadingTooEarlyIsNotCuredByClearing) {
  const Hazard unwritten = hazard(HazardKind::kUninitialisedRead, RacePair::kNone, 7, 7, "cudaMemset");
  EXPECT_EQ(first_fix({unwritten, hazard(HazardKind::kGlobalRace, RacePair::kBlocks, 5, 7, "two launches")}),
            "two launches");
  EXPECT_EQ(first_fix({unwritten}), "cudaMemset");
}

TEST(Agreement, UnknownLinesAreNotTheSame) {
  Hazard a = race(RacePair::kLanes, 0, 0, "syncwarp"), b = race(RacePair::kThreads, 0, 0, "syncthreads");
  for (Hazard* one : {&a, &b}) one->where.file = one->other->file = "";
  EXPECT_EQ(first_fix({a, b}), "syncwarp");
}

}  // namespace
}  // namespace cudalab::vgpu
