// Tests how a program's log is built from its records.
#include "device/programs/program_log.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/vgpu.h"

namespace cudalab::device {
namespace {

ProgramLaunch launch_with(const Message& what, int line) {
  ProgramLaunch launch;
  launch.kernel = "add";
  Hazard hazard;
  hazard.kind = HazardKind::kUninitialisedRead;
  hazard.where = {"add.cu", line};
  hazard.what = what;
  hazard.occurrences = 2;
  launch.result.hazards.push_back(hazard);
  return launch;
}

std::vector<Hazard> hazards_of(const std::vector<ProgramLaunch>& launches) {
  ProgramLog log;
  for (const ProgramLaunch& launch : launches) add(log, launch, false);
  return log.kernels.at(0).result.hazards;
}

TEST(ProgramLog, AnErrorOfEveryLaunchIsReportedOnce) {
  const auto read_of = [](const std::string& buffer, int index) {
    return msg::read_unwritten(msg::verb_reads(), Element{buffer, {index}}, Address{0x10});
  };
  const auto told =
      hazards_of({launch_with(read_of("cudaMalloc #1", 7), 3), launch_with(read_of("cudaMalloc #2", 9), 3)});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].what, read_of("cudaMalloc #1", 7));
  EXPECT_EQ(told[0].occurrences, 4u);
}

TEST(ProgramLog, ErrorsWithOtherLinesOrOtherTextAreDistinct) {
  const Message a = Message::verbatim("reads a"), b = Message::verbatim("reads b");
  EXPECT_EQ(hazards_of({launch_with(a, 3), launch_with(a, 4)}).size(), 2u);
  EXPECT_EQ(hazards_of({launch_with(a, 3), launch_with(b, 3)}).size(), 2u);
}

TEST(ProgramLog, ChildKernelsHaveTheirOwnRows) {
  ProgramLaunch parent;
  parent.kernel = "parent";
  ChildLaunch child;
  child.kernel = "child";
  child.launches = 3;
  parent.result.children = {child};
  ProgramLog log;
  add(log, parent, false);
  add(log, parent, false);
  ASSERT_EQ(log.kernels.size(), 2u);
  EXPECT_EQ(log.kernels[0].launches, 2u);
  EXPECT_EQ(log.kernels[1].kernel, "child");
  EXPECT_EQ(log.kernels[1].launches, 6u);
}

TEST(ProgramLog, ExitCodesBeyondTheSignalsAreNoSignals) {
  EXPECT_EQ(signal_in(139), 11);
  EXPECT_EQ(signal_in(188), std::nullopt);  // exit(cudaErrorIllegalAddress)
  EXPECT_EQ(signal_in(255), std::nullopt);
  EXPECT_EQ(signal_in(128), std::nullopt);
  EXPECT_EQ(signal_in(1), std::nullopt);
}

}  // namespace
}  // namespace cudalab::device
