#include "report/text/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::report {
namespace {

using device::ProgramLog;
using testing::HasSubstr;
using testing::Not;

ProgramLog log_of(std::vector<device::TimelineEntry> timeline) {
  ProgramLog log;
  log.arguments = {"./a.out"};
  log.start = ProgramStart{};
  log.start->program = "/tmp/a.out";
  log.timeline = std::move(timeline);
  return log;
}

TEST(ProgramTimeline, ListsWorkByStreamWithItsBeginAndEnd) {
  const ProgramLog log = log_of({{"add", std::nullopt, 0, 2, {0.002, 0.005}},
                                 {"cudaMemcpyAsync", CopyDirection::kToDevice, 0, 1, {0, 0.003}}});
  const std::string text = program_text(log, {});
  EXPECT_THAT(text, HasSubstr("GPU 0 stream 1"));
  EXPECT_THAT(text, testing::ContainsRegex("stream 1 .* to 3.00 us +cudaMemcpyAsync"));
  EXPECT_THAT(text, testing::ContainsRegex("stream 2 +2.00 us to 5.00 us +add"));
  EXPECT_LT(text.find(" cudaMemcpyAsync\n"), text.find(" add\n")) << "in the order in which they begin";
}

TEST(ProgramTimeline, ListsNothingWhereNothingCanOverlap) {
  EXPECT_THAT(program_text(log_of({{"add", std::nullopt, 0, 1, {0, 1}}}), {}), Not(HasSubstr("stream 1")));
}

TEST(ProgramTimeline, SaysHowManyItDoesNotList) {
  std::vector<device::TimelineEntry> many;
  for (int i = 0; i < 20; ++i) many.push_back({"add", std::nullopt, 0, i % 2, {0.1 * i, 0.1 * i + 0.1}});
  EXPECT_THAT(program_text(log_of(many), {}), HasSubstr("and 4 more; --json has all of them"));
}

}  // namespace
}  // namespace cudalab::report
