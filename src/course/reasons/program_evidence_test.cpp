// Tests the reasons that are found for the wrong output of a program.
#include "course/reasons/program_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

using device::ProgramLog;
using testing::IsEmpty;
using testing::SizeIs;

CallSite site(std::uint64_t offset) { return {"a.out", {offset}}; }

BufferUse use(const std::string& name, std::vector<std::uint32_t> loads, std::vector<std::uint32_t> stores) {
  BufferUse use{.name = name, .space = MemorySpace::kGlobal, .element_bytes = 4};
  use.loads = std::move(loads);
  use.stores = std::move(stores);
  return use;
}

// c = a + b for four elements: launches add(a, b, c), and copies c back in line 7.
ProgramLog addition() {
  ProgramLog log;
  log.start = ProgramStart{};
  log.kernels.push_back({.kernel = "add"});
  log.uses = {{"add", 0, use("a", {1, 1, 1, 1}, {})},
              {"add", 1, use("b", {1, 1, 1, 1}, {})},
              {"add", 2, use("c", {}, {1, 1, 1, 1})}};
  ProgramCopy back{"cudaMemcpy", CopyDirection::kFromDevice, 16};
  back.memory = "c";
  back.from = site(1);
  log.each_copy = {back};
  log.lines[site(1)] = {"add.cu", 7};
  return log;
}

KernelAlone not_asked() { return {}; }

std::vector<Reason> reasons_for(const ProgramLog& log, std::size_t output_bytes = 8) {
  return reasons_of_program({log, output_bytes}, addition(), not_asked, {});
}

TEST(ProgramEvidence, IsNothingForTheSameProgram) { EXPECT_THAT(reasons_for(addition()), IsEmpty()); }

TEST(ProgramEvidence, IsAMissingLaunch) {
  ProgramLog log = addition();
  log.kernels.clear();
  log.uses.clear();
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_no_kernel());
}

TEST(ProgramEvidence, IsAnArrayCopiedBackThatNoKernelWrote) {
  ProgramLog log = addition();
  log.each_copy[0].memory = "a";
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_other_copied_back(Code{"a"}, Code{"add"}, Code{"c"}));
  EXPECT_EQ(reasons_for(log)[0].where->line, 7);
}

TEST(ProgramEvidence, IsACopyOfAPart) {
  ProgramLog log = addition();
  log.each_copy[0].bytes = 4;
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what,
            msg::evidence_part_copied_back(std::uint64_t{4}, std::uint64_t{16}, Code{"c"}));
  log.each_copy.push_back(log.each_copy[0]);
  log.each_copy.back().bytes = 12;  // the same part again, and 8 bytes more
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what,
            msg::evidence_part_copied_back(std::uint64_t{12}, std::uint64_t{16}, Code{"c"}));
  log.each_copy.back().source = log.each_copy.back().target = 4;  // the rest
  EXPECT_THAT(reasons_for(log), IsEmpty());
}

TEST(ProgramEvidence, IsOutputBeforeTheCopy) {
  ProgramLog log = addition();
  log.each_copy[0].printed = 8;
  ASSERT_THAT(reasons_for(log, 8), SizeIs(1));
  EXPECT_EQ(reasons_for(log, 8)[0].what, msg::evidence_printed_before_copy());
  EXPECT_THAT(reasons_for(log, 4096 + 8), SizeIs(1));  // a block was flushed before the copy
  EXPECT_THAT(reasons_for(log, 20), IsEmpty());        // the results follow a heading
}

// Reasons use the learner's names, whatever the solution calls its arrays.
TEST(ProgramEvidence, IsHowTheKernelUsesItsParameters) {
  ProgramLog log = addition();
  log.uses[1].use = use("second", {}, {});
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_never_read(Argument::List{Code{"second"}}));
}

TEST(ProgramEvidence, IsWhatIsWrongWithTheKernelAlone) {
  ProgramLog log = addition();
  log.uses[1].use = use("b", {0, 0, 0, 0}, {});
  const auto wrong = [] { return KernelAlone{KernelAlone::kWrong, {{Message::verbatim("here")}}}; };
  const auto reasons = reasons_of_program({log, 8}, addition(), wrong, {});
  ASSERT_THAT(reasons, SizeIs(1));
  EXPECT_EQ(reasons[0].what, Message::verbatim("here"));
}

TEST(ProgramEvidence, SaysThatTheKernelAloneIsRight) {
  const auto right = [] { return KernelAlone{KernelAlone::kRight}; };
  const auto reasons = reasons_of_program({addition(), 8}, addition(), right, {});
  ASSERT_THAT(reasons, SizeIs(1));
  EXPECT_EQ(reasons[0].what, msg::reason_kernel_is_right());
}

TEST(ProgramEvidence, IsTheOlderOfTwoArrays) {
  ProgramLog log = addition();
  log.uses.push_back({"add", 2, use("d", {}, {1, 1, 1, 1})});
  log.uses[2].last_launch = 1;
  log.uses[3].last_launch = 2;
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_older_copied_back(Code{"c"}, Code{"add"}, Code{"d"}));
  EXPECT_EQ(reasons_for(log)[0].where->line, 7);
  log.uses[2].last_launch = 3;
  EXPECT_THAT(reasons_for(log), IsEmpty());
}

TEST(ProgramEvidence, IsACopyThatWaitsOrTheOnlyStream) {
  ProgramLog log = addition();
  ASSERT_THAT(reasons_without_overlap(log), SizeIs(1));
  EXPECT_EQ(reasons_without_overlap(log)[0].what, msg::evidence_copy_waits(Code{"cudaMemcpy"}));
  EXPECT_EQ(reasons_without_overlap(log)[0].where->line, 7);
  log.each_copy[0].call = "cudaMemcpyAsync";
  EXPECT_EQ(reasons_without_overlap(log)[0].what, msg::evidence_one_stream());
  log.each_copy[0].is_pageable = true;
  EXPECT_EQ(reasons_without_overlap(log)[0].what, msg::evidence_copy_pageable(Code{"cudaMemcpyAsync"}));
}

TEST(ProgramEvidence, IsACopyWithoutAnOffset) {
  ProgramLog log = addition();
  ProgramCopy& first = log.each_copy[0];
  first.source = 100;
  first.target = 500;
  log.each_copy.push_back(first);
  log.each_copy[1].source = 200;
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_same_target(std::uint64_t{2}));
  EXPECT_EQ(reasons_for(log)[0].where->line, 7);
  log.each_copy[1].target = 600;
  EXPECT_THAT(reasons_for(log), IsEmpty());
  log.each_copy[1].source = 100;
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_same_source(std::uint64_t{2}));
  log.each_copy[1].launches_before = 1;  // which may have changed the source
  EXPECT_THAT(reasons_for(log), IsEmpty());
}

TEST(ProgramEvidence, IsMemoryThatNoKernelGets) {
  ProgramLog log = addition();
  ProgramCopy fill{"cudaMemcpy", CopyDirection::kToDevice, 16};
  fill.memory = "weights";
  fill.from = site(1);
  log.each_copy.insert(log.each_copy.begin(), fill);
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_not_passed(Code{"weights"}));
  log.others.push_back({.kernel = "add", .use = {.name = "weights"}});
  EXPECT_THAT(reasons_for(log), IsEmpty());
}

TEST(ProgramEvidence, IsACopyBackBeforeTheLastLaunch) {
  ProgramLog log = addition();
  log.uses[2].copies_before = 1;
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].what, msg::evidence_copied_too_early(Code{"c"}, Code{"add"}));
  EXPECT_EQ(reasons_for(log)[0].where->line, 7);
  log.each_copy.push_back(log.each_copy[0]);
  EXPECT_THAT(reasons_for(log), IsEmpty());
}

TEST(RunFacts, AreVariablesThatCopiesFillOnlyInPart) {
  ProgramLog log = addition();
  ProgramCopy fill{"cudaMemcpyToSymbol", CopyDirection::kToDevice, 4};
  fill.memory = "weights";
  fill.variable_bytes = 20;
  fill.from = site(1);
  log.each_copy.push_back(fill);
  const std::vector<Reason> facts = facts_of_run({log, 8});
  ASSERT_THAT(facts, SizeIs(1));
  EXPECT_EQ(facts[0].what, msg::fact_part_of_variable(Code{"weights"}, std::uint64_t{4}, std::uint64_t{20}));
  EXPECT_EQ(facts[0].where->line, 7);
  log.each_copy.back().bytes = 20;
  EXPECT_THAT(facts_of_run({log, 8}), IsEmpty());
}

TEST(RunFacts, AreElementsOfSharedArraysAndVariablesThatAreNeverRead) {
  ProgramLog log = addition();
  BufferUse cache = use("cache", {1, 0, 1, 1}, {1, 1, 1, 1});
  cache.space = MemorySpace::kShared;
  log.others.push_back({.kernel = "add", .use = cache});
  ASSERT_THAT(facts_of_run({log, 8}), SizeIs(1));
  EXPECT_EQ(facts_of_run({log, 8})[0].what,
            msg::fact_shared_unread(Code{"add"}, msg::elements_one(std::size_t{1}), Code{"cache"}));
  log.others[0].use.loads = {0, 0, 0, 0};
  EXPECT_EQ(facts_of_run({log, 8})[0].what, msg::fact_shared_never_read(Code{"add"}, Code{"cache"}));
  log.others[0].use = use("mask", {4, 4, 0}, {});
  EXPECT_EQ(facts_of_run({log, 8})[0].what, msg::fact_unread(msg::elements_one(std::size_t{2}), Code{"mask"},
                                                             std::size_t{1}, std::size_t{3}));
  log.others[0].use.loads = {4, 4, 4};
  EXPECT_THAT(facts_of_run({log, 8}), IsEmpty());
}

TEST(RunFacts, AreNoneForACompleteRun) { EXPECT_THAT(facts_of_run({addition(), 8}), IsEmpty()); }

TEST(RunFacts, NameElementsThatNoKernelTouchesResultsFirst) {
  ProgramLog log = addition();
  log.uses[0].use = use("a", {1, 1, 1, 0}, {});
  log.uses[2].use = use("c", {}, {1, 1, 1, 0});
  ASSERT_THAT(facts_of_run({log, 8}), SizeIs(2));
  log.each_copy[0].bytes = 12;  // only what the kernel wrote
  const std::vector<Reason> facts = facts_of_run({log, 8});
  ASSERT_THAT(facts, SizeIs(1));
  EXPECT_EQ(facts[0].what,
            msg::fact_unread(msg::elements_one(std::size_t{3}), Code{"a"}, std::size_t{1}, std::size_t{4}));
  log.each_copy[0].bytes = 16;
  EXPECT_EQ(facts_of_run({log, 8})[0].what, msg::fact_unwritten(msg::elements_one(std::size_t{3}), Code{"c"},
                                                                std::size_t{1}, std::size_t{4}));
}

TEST(RunFacts, CountAllKernelsTogether) {
  ProgramLog log = addition();
  log.uses[2].use = use("c", {}, {1, 1, 0, 0});
  log.uses.push_back({"rest", 0, use("c", {}, {0, 0, 1, 1})});
  EXPECT_THAT(facts_of_run({log, 8}), IsEmpty());
}

TEST(RunFacts, NameArgumentsThatNoKernelUses) {
  ProgramLog log = addition();
  log.uses[1].use = use("b", {}, {});
  ASSERT_THAT(facts_of_run({log, 8}), SizeIs(1));
  EXPECT_EQ(facts_of_run({log, 8})[0].what, msg::fact_never_used(Code{"b"}, Code{"add"}, std::uint64_t{2}));
}

TEST(ProgramEvidence, NamesFailedCallsWithTheirReason) {
  ProgramLog log = addition();
  log.failures.push_back({.call = "cudaMemcpy",
                          .error = "cudaErrorInvalidValue",
                          .why = Message::verbatim("too long"),
                          .from = site(1)});
  log.failures.push_back({.call = "cudaFree", .error = "cudaErrorIllegalAddress", .from = site(1)});
  const std::vector<Reason> reasons = notes_of(log, {});
  ASSERT_THAT(reasons, SizeIs(1));
  EXPECT_EQ(reasons[0].what, msg::reason_failed_call(Code{"cudaMemcpy"}, Code{"cudaErrorInvalidValue"},
                                                     Message::verbatim("too long")));
  EXPECT_EQ(reasons[0].where->line, 7);
}

TEST(ProgramEvidence, EndsWithWhatTheRuntimeNoted) {
  ProgramLog log = addition();
  log.mistakes.push_back({MistakeKind::kUnwrittenCopied, Message::verbatim("copies nothing"),
                          Message::verbatim("fill it"), site(1), 1});
  log.mistakes.push_back({MistakeKind::kHostClock, Message::verbatim("a clock"), {}, site(1), 1});
  ASSERT_THAT(reasons_for(log), SizeIs(1));
  EXPECT_EQ(reasons_for(log)[0].where->line, 7);
  EXPECT_THAT(reasons_of_program({log, 8}, addition(), not_asked, Message::verbatim("copies nothing")),
              IsEmpty());
}

}  // namespace
}  // namespace cudalab::course
