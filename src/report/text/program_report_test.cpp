// Tests the report of a program: its notes and its timeline.
#include "report/text/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/languages/wording_testing.h"
#include "messages/runtime.h"

namespace cudalab::report {
namespace {

using device::ProgramLog;
using lab::Verdict;
using testing::HasSubstr;
using testing::Not;

// Shows ids instead of sentences, so they fit into one line.
const TableStyle kByIds{.width = 1000, .wording = Wording::of_ids()};

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
  EXPECT_THAT(program_text(log_of(many), kByIds), HasSubstr("\ntimeline_more(count=4)\n"));
}

TEST(ProgramReport, SpeaksTheLearnersLanguage) {
  constexpr const char* kMessages =
      "msgctxt \"note_copied\"\nmsgid \"Copied: {copies}.\"\nmsgstr \"复制：{copies}。\"\n\n"
      "msgctxt \"note_copy\"\n"
      "msgid \"{amount} {direction} ({copies} {copies:copy|copies}, ~{time})\"\n"
      "msgstr \"{amount} {direction} ({copies} 次复制, ~{time})\"\n\n"
      "msgctxt \"direction_to_device\"\nmsgid \"to the device\"\nmsgstr \"到设备\"\n\n"
      "msgctxt \"problem_with_advice\"\nmsgid \"{problem}; try: {advice}\"\n"
      "msgstr \"{problem}；试试：{advice}\"\n\n"
      "msgctxt \"advice_free_once\"\nmsgid \"free it once\"\nmsgstr \"只释放一次\"\n\n"
      "msgctxt \"stream_number\"\nmsgid \"stream {number}\"\nmsgstr \"流 {number}\"\n";
  const Wording zh = chinese_by(kMessages);
  ProgramLog log =
      log_of({{"add", std::nullopt, 0, 2, {0.002, 0.005}}, {"sub", std::nullopt, 0, 1, {0, 0.003}}});
  log.copies[CopyDirection::kToDevice] = {2, 8, 0.001};
  log.mistakes.push_back(
      {MistakeKind::kDoubleFree, Message::verbatim("`x` is freed"), msg::advice_free_once(), {}, 1});
  const std::string text = program_text(log, {.wording = zh});
  EXPECT_THAT(text, HasSubstr("复制：8 bytes 到设备 (2 次复制, ~1.00 us)。"));
  EXPECT_THAT(text, HasSubstr("`x` is freed；试试：只释放一次"));
  EXPECT_THAT(text, HasSubstr("GPU 0 流 1           #")) << "filled up by columns of the terminal";
  EXPECT_THAT(result_of(log).notes, testing::Contains(testing::AllOf(IsMessage("note_copied"),
                                                                     MentionsMessage("direction_to_device"),
                                                                     HasArgument("time", "1.00 us"))));
}

FailedCall failed_call(const std::string& call, const std::string& why, std::uint64_t place) {
  FailedCall failure;
  failure.call = call;
  failure.error = why.empty() ? "cudaErrorIllegalAddress" : "cudaErrorInvalidValue";
  failure.why = Message::verbatim(why);
  failure.from = {"a.out", {place}};
  return failure;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

HostMistake mistake_of(MistakeKind kind) { return {kind, Message::verbatim("what"), {}, {}, 1}; }

TEST(ProgramReport, FailsOnErrorsAndOnWarningsIfTheyAreToCount) {
  ProgramLog log = log_of({});
  log.kernels.push_back({.kernel = "add"});
  log.mistakes = {mistake_of(MistakeKind::kHostClock)};
  EXPECT_EQ(result_of(log).verdict, Verdict::kPass);
  log.mistakes = {mistake_of(MistakeKind::kClockWithoutWait)};
  EXPECT_EQ(result_of(log).verdict, Verdict::kPass);
  EXPECT_THAT(result_of(log).notes, testing::Contains(IsMessage("note_warning")));
  log.is_strict = true;
  EXPECT_EQ(result_of(log).verdict, Verdict::kFail);
  log.mistakes = {mistake_of(MistakeKind::kHostClock)};
  EXPECT_EQ(result_of(log).verdict, Verdict::kPass) << "a note is information";
  log.mistakes = {mistake_of(MistakeKind::kDoubleFree)};
  log.is_strict = false;
  EXPECT_EQ(result_of(log).verdict, Verdict::kFail);
  EXPECT_THAT(result_of(log).notes, testing::Contains(IsMessage("note_error")));
}

TEST(ProgramReport, OfNoLaunchHasNoVerdictUnlessACallFailed) {
  ProgramLog log = log_of({});
  EXPECT_EQ(result_of(log).verdict, Verdict::kNotAssessed);
  FailedCall failure;
  failure.call = "cudaMalloc";
  failure.is_asked_for = true;
  log.failures.push_back(failure);
  EXPECT_EQ(result_of(log).verdict, Verdict::kFail);
}

TEST(ProgramReport, NamesTheKernelAndTheLineThatTheEndInterrupted) {
  ProgramLog log = log_of({});
  device::add(log, ProgramAllocation{"cudaMalloc", "cudaMalloc #1", 8192, 1000, {}}, false);
  device::add(log, KernelBegin{"spin", 1}, false);
  EXPECT_THAT(program_text(log, kByIds), HasSubstr("reason_interrupted()"));
  device::add(log, KernelPace{.where = {"spin.cu", 7}}, false);
  device::add(log, KernelPace{.seconds = 100}, false);
  log.exit_code = 128 + 2;
  const std::string text = program_text(log, kByIds);
  EXPECT_THAT(text, HasSubstr("reason_interrupted_at(where=spin.cu:7)"));
  EXPECT_THAT(text, Not(HasSubstr("outcome_nothing_launched")));
  EXPECT_THAT(text, Not(HasSubstr("note_never_freed"))) << "it was not given the time";
}

TEST(ProgramNotes, SayWhichKernelRepeatsItsWorkInEveryThread) {
  const LineAccess load{.space = MemorySpace::kGlobal,
                        .kind = AccessKind::kLoad,
                        .bytes_per_lane = 4,
                        .requests = 8,
                        .distinct_bytes = 32,
                        .lanes = 256};
  LineAccess store = load;
  store.kind = AccessKind::kStore;
  ProgramLog log = log_of({});
  log.kernels.push_back({.kernel = "add", .spec = {.grid = {1, 1, 1}, .block = {256, 1, 1}}});
  std::vector<LineAccess>& accesses = log.kernels[0].result.accesses;
  accesses = {load, store};
  EXPECT_THAT(result_of(log).notes, testing::Contains(IsMessage("note_repeated_work")));
  accesses[1].lanes = 8;  // one thread of each warp
  EXPECT_THAT(result_of(log).notes, Not(testing::Contains(IsMessage("note_repeated_work"))));
  accesses[1] = store, accesses[0].distinct_bytes = 1024;  // each thread has its own element
  EXPECT_THAT(result_of(log).notes, Not(testing::Contains(IsMessage("note_repeated_work"))));
  accesses = {load};
  EXPECT_THAT(result_of(log).notes, Not(testing::Contains(IsMessage("note_repeated_work"))));
}

TEST(ProgramNotes, SayWhichKernelLoopsInOneThread) {
  ProgramLog log = log_of({});
  log.kernels.push_back({.kernel = "add", .spec = {.grid = {1, 1, 1}, .block = {1, 1, 1}}});
  Counters& counters = log.kernels[0].result.counters.emplace();
  counters.set(Counter::kWarpInstructions, 20'000);
  EXPECT_THAT(result_of(log).notes, testing::Contains(IsMessage("note_single_thread")));
  counters.set(Counter::kWarpInstructions, 20);
  EXPECT_THAT(result_of(log).notes, Not(testing::Contains(IsMessage("note_single_thread"))));
  counters.set(Counter::kWarpInstructions, 20'000);
  log.kernels[0].spec.block.x = 2;
  EXPECT_THAT(result_of(log).notes, Not(testing::Contains(IsMessage("note_single_thread"))));
}

TEST(ProgramNotes, SayThatPagesMoveInNoPredictedTime) {
  ProgramLog log = log_of({});
  device::add(log, ProgramAllocation{"cudaMallocManaged", "cudaMallocManaged #1", 256, 4096, {}}, false);
  device::add(log, ProgramAllocation{"cudaMalloc", "cudaMalloc #2", 8192, 1000, {}}, false);
  device::add(log, ProgramFree{256}, false);
  log.kernels.push_back({.kernel = "add"});
  EXPECT_THAT(program_text(log, kByIds), Not(HasSubstr("note_managed_memory"))) << "nothing is predicted";
  log.kernels[0].result.prediction.emplace();
  EXPECT_THAT(program_text(log, kByIds), HasSubstr("note_managed_memory(amount=4 KiB)"));
  log.managed_bytes = 0;
  EXPECT_THAT(program_text(log, kByIds), Not(HasSubstr("note_managed_memory")));
}

// Consequences of a fault are neither leaks nor mistakes of their own.
TEST(ProgramNotes, OfAFaultSayOnceWhatEveryCallAnswers) {
  ProgramLog log = log_of({});
  device::ProgramKernel kernel;
  kernel.kernel = "add";
  kernel.result.completed = false;
  kernel.result.hazards.push_back({.what = Message::verbatim("writes past the end")});
  log.kernels.push_back(kernel);
  for (const char* call : {"cudaDeviceSynchronize", "cudaMemcpy", "cudaFree", "cudaFree"})
    log.failures.push_back(failed_call(call, "", log.failures.size()));
  log.allocations[256] = {"cudaMalloc", "cudaMalloc #1", 256, 1000, {}};
  const std::string text = program_text(log, kByIds);
  EXPECT_THAT(text, HasSubstr("note_answered(call=cudaDeviceSynchronize, error=cudaErrorIllegalAddress)"));
  EXPECT_THAT(text, HasSubstr("note_echoes(count=3, error=cudaErrorIllegalAddress)"));
  EXPECT_THAT(text, Not(HasSubstr("cudaFree")));
  EXPECT_THAT(text, Not(HasSubstr("note_never_freed")));
  log.kernels[0].result.completed = true;
  EXPECT_THAT(program_text(log, kByIds),
              HasSubstr("note_never_freed(amount=count_bytes(bytes=1000), call=cudaMalloc, "));
  EXPECT_THAT(program_text(log, kByIds), HasSubstr("note_answered(call=cudaFree, "));
}

TEST(ProgramNotes, SayAMistakeAndItsAnswerOnce) {
  ProgramLog log = log_of({});
  log.failures.push_back(failed_call("cudaMemcpy", "a copy ends 4 bytes behind the end", 1));
  log.mistakes.push_back({MistakeKind::kBeyondTheEnd,
                          Message::verbatim("a copy ends 4 bytes behind the end"),
                          Message::verbatim("copy less"),
                          {"a.out", {1}},
                          1});
  const std::string text = program_text(log, kByIds);
  EXPECT_EQ(times(text, "ends 4 bytes behind the end"), 1u);
  EXPECT_THAT(text, HasSubstr("problem_with_advice(problem=note_never_asked(note=note_and_answer(note="));
  EXPECT_THAT(program_text(log, {.width = 400}),
              HasSubstr("; cudaMemcpy returned cudaErrorInvalidValue; the program did not check for the "
                        "error; try: copy less."));
  log.failures[0].from = {"a.out", {2}};  // a different call
  EXPECT_EQ(times(program_text(log, kByIds), "ends 4 bytes behind the end"), 2u);
}

TEST(ProgramNotes, AProgramThatASignalEndsIsNotAssessed) {
  ProgramLog log = log_of({});
  log.exit_code = 139;
  EXPECT_THAT(program_text(log, kByIds), HasSubstr("verdict_not_assessed_loud()"));
  EXPECT_THAT(program_text(log, kByIds), HasSubstr("\nnote_signal(signal=11)\n"));
  log.exit_code = 255;
  log.kernels.push_back({.kernel = "add"});
  EXPECT_THAT(program_text(log, kByIds), Not(HasSubstr("verdict_not_assessed_loud()")));
  EXPECT_THAT(program_text(log, kByIds), HasSubstr("\nnote_exit_code(code=255)\n"));
}

}  // namespace
}  // namespace cudalab::report
