#include "report/text/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/languages/wording_testing.h"

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

TEST(ProgramReport, SpeaksTheLearnersLanguage) {
  constexpr const char* kMessages =
      "msgid \"Copied: {1}.\"\nmsgstr \"复制：{1}。\"\n"
      "msgid \"{1} copy\"\nmsgid_plural \"{1} copies\"\nmsgstr[0] \"{1} 次复制\"\n"
      "#: sentences.json\nmsgid \"to the device\"\nmsgstr \"到设备\"\n"
      "msgid \"; try: {1}\"\nmsgstr \"；试试：{1}\"\n"
      "#: sentences.json\nmsgid \"free it once\"\nmsgstr \"只释放一次\"\n"
      "msgid \"stream {1}\"\nmsgstr \"流 {1}\"\n";
  const Wording zh = chinese_by(kMessages);
  ProgramLog log =
      log_of({{"add", std::nullopt, 0, 2, {0.002, 0.005}}, {"sub", std::nullopt, 0, 1, {0, 0.003}}});
  log.copies[CopyDirection::kToDevice] = {2, 8, 0.001};
  log.mistakes.push_back({MistakeKind::kDoubleFree, "`x` is freed", "free it once", {}, 1});
  const std::string text = program_text(log, {.wording = zh});
  EXPECT_THAT(text, HasSubstr("复制：8 bytes 到设备 (2 次复制, ~1.00 us)。"));
  EXPECT_THAT(text, HasSubstr("`x` is freed；试试：只释放一次"));
  EXPECT_THAT(text, HasSubstr("GPU 0 流 1           #")) << "filled up by columns of the terminal";
  EXPECT_THAT(result_of(log).notes, testing::Contains(HasSubstr("Copied: 8 bytes to the device (2 copies")));
}

FailedCall failed_call(const std::string& call, const std::string& why, std::uint64_t place) {
  FailedCall failure;
  failure.call = call;
  failure.error = why.empty() ? "cudaErrorIllegalAddress" : "cudaErrorInvalidValue";
  failure.why = why;
  failure.from = {"a.out", {place}};
  return failure;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

const TableStyle kWide{.width = 400};

TEST(ProgramNotes, SayThatPagesMoveInNoPredictedTime) {
  ProgramLog log = log_of({});
  device::add(log, ProgramAllocation{"cudaMallocManaged", "cudaMallocManaged #1", 256, 4096, {}}, false);
  device::add(log, ProgramAllocation{"cudaMalloc", "cudaMalloc #2", 8192, 1000, {}}, false);
  device::add(log, ProgramFree{256}, false);
  log.kernels.push_back({.kernel = "add"});
  EXPECT_THAT(program_text(log, kWide), Not(HasSubstr("Managed memory"))) << "nothing is predicted";
  log.kernels[0].result.prediction.emplace();
  EXPECT_THAT(program_text(log, kWide), HasSubstr("Managed memory, 4 KiB: what moving its pages"));
  log.managed_bytes = 0;
  EXPECT_THAT(program_text(log, kWide), Not(HasSubstr("Managed memory")));
}

// What follows from a fault is neither a leak nor a mistake of its own.
TEST(ProgramNotes, OfAFaultSayOnceWhatEveryCallAnswers) {
  ProgramLog log = log_of({});
  device::ProgramKernel kernel;
  kernel.kernel = "add";
  kernel.result.completed = false;
  kernel.result.hazards.push_back({.what = "writes past the end"});
  log.kernels.push_back(kernel);
  for (const char* call : {"cudaDeviceSynchronize", "cudaMemcpy", "cudaFree", "cudaFree"})
    log.failures.push_back(failed_call(call, "", log.failures.size()));
  log.allocations[256] = {"cudaMalloc", "cudaMalloc #1", 256, 1000, {}};
  const std::string text = program_text(log, kWide);
  EXPECT_THAT(text, HasSubstr("cudaDeviceSynchronize answered cudaErrorIllegalAddress"));
  EXPECT_THAT(text, HasSubstr("3 calls behind that answered cudaErrorIllegalAddress, too."));
  EXPECT_THAT(text, Not(HasSubstr("cudaFree")));
  EXPECT_THAT(text, Not(HasSubstr("never freed")));
  log.kernels[0].result.completed = true;
  EXPECT_THAT(program_text(log, kWide), HasSubstr("1000 bytes of cudaMalloc were never freed"));
  EXPECT_THAT(program_text(log, kWide), HasSubstr("cudaFree answered"));
}

TEST(ProgramNotes, SayAMistakeAndItsAnswerOnce) {
  ProgramLog log = log_of({});
  log.failures.push_back(failed_call("cudaMemcpy", "a copy ends 4 bytes behind the end", 1));
  log.mistakes.push_back(
      {MistakeKind::kBeyondTheEnd, "a copy ends 4 bytes behind the end", "copy less", {"a.out", {1}}, 1});
  const std::string text = program_text(log, kWide);
  EXPECT_EQ(times(text, "ends 4 bytes behind the end"), 1u);
  EXPECT_THAT(text, HasSubstr("; cudaMemcpy answered cudaErrorInvalidValue; the program never asked for the "
                              "error; try: copy less."));
  log.failures[0].from = {"a.out", {2}};  // another call
  EXPECT_EQ(times(program_text(log, kWide), "ends 4 bytes behind the end"), 2u);
}

TEST(ProgramNotes, AProgramThatASignalEndsIsNotAssessed) {
  ProgramLog log = log_of({});
  log.exit_code = 139;
  EXPECT_THAT(program_text(log, kWide), HasSubstr("NOT ASSESSED"));
  EXPECT_THAT(program_text(log, kWide), HasSubstr("The program was ended by signal 11."));
  log.exit_code = 255;
  EXPECT_THAT(program_text(log, kWide), HasSubstr("PASS"));
  EXPECT_THAT(program_text(log, kWide), HasSubstr("The program ended with exit code 255."));
}

}  // namespace
}  // namespace cudalab::report
