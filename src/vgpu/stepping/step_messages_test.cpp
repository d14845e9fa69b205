// Tests that messages between two processes are decoded unchanged.
#include "vgpu/stepping/step_messages.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "messages/vgpu.h"

namespace cudalab::vgpu {
namespace {

StepAnswer some_answer() {
  StepAnswer answer;
  answer.error = msg::warp_outside_block(5, 4);
  answer.trace.block = {1, 2, 3};
  answer.trace.instructions.push_back(
      {"mov.u32 %r1, 5;", "k", {"a.cu", 3}, {{"b.cu", 4}}, {{"%r1", ptx::Type::kU32, 4, false}}});
  answer.trace.steps.push_back({.number = 7, .active = 3, .changes = 1, .call = 2, .is_barrier = true});
  answer.trace.values.emplace_back()[31] = 9;
  answer.trace.accesses.push_back({.bytes = 4, .lanes = 1, .buffer = "in", .transactions = 2});
  answer.trace.locals.push_back({"acc[1]", "int[2]", ptx::Type::kS32, 6});
  answer.trace.changes.push_back({0, 2, 3, 0});
  answer.trace.states = {{{WarpState::kAtBarrier, 1, 5}}};
  answer.trace.stopped_by = {HazardKind::kOutOfBounds, Message::verbatim("what"), Message::verbatim("fix")};
  answer.trace.shared = {std::byte{8}};
  answer.trace.shared_variables.push_back({"tile", 16, 64});
  answer.trace.view = WarpView{.call = 1, .buffers = {{"in", 256, 8}}, .memory = {{std::byte{3}}}};
  answer.trace.view->places.push_back({0, 1, 3, "%r5"});
  answer.trace.listing.push_back({{.text = "ret;", .statement = 9}, "DONE"});
  answer.result.hazards.push_back({.kind = HazardKind::kOutOfBounds, .what = Message::verbatim("far")});
  return answer;
}

TEST(StepMessages, ReadBackAsTheyWere) {
  const std::string bytes = bytes_of(some_answer());
  const StepAnswer read = answer_in(bytes);
  EXPECT_EQ(bytes_of(read), bytes);
  EXPECT_EQ(read.error, some_answer().error);
  EXPECT_EQ(read.trace.block, (Dim3{1, 2, 3}));
  EXPECT_EQ(read.trace.instructions[0].inlined_at[0].line, 4);
  EXPECT_EQ(read.trace.steps[0].call, 2u);
  EXPECT_TRUE(read.trace.steps[0].is_barrier);
  EXPECT_EQ(read.trace.values[0][31], 9u);
  EXPECT_EQ(read.trace.accesses[0].buffer, "in");
  EXPECT_EQ(read.trace.locals[0].variable, 6u);
  EXPECT_EQ(read.trace.changes[0].lanes, 3u);
  EXPECT_EQ(read.trace.states[0][0].barrier, 1);
  EXPECT_EQ(read.trace.stopped_by->fix, Message::verbatim("fix"));
  EXPECT_EQ(read.trace.shared_variables[0].bytes, 64u);
  EXPECT_EQ(read.trace.view->buffers[0].bytes, 8u);
  EXPECT_EQ(read.trace.view->places[0].in_register, "%r5");
  EXPECT_EQ(read.trace.listing[0].code.statement, 9u);
  EXPECT_EQ(read.result.hazards[0].what, Message::verbatim("far"));
  const StepQuestion question =
      question_in(bytes_of(StepQuestion{StepQuestion::kRehearsal, {{4, 5, 6}, 7, 8, 9}, {"mm", true}}));
  EXPECT_EQ(question.kind, StepQuestion::kRehearsal);
  EXPECT_EQ(question.until.launch, "mm");
  EXPECT_TRUE(question.until.at_errors);
  EXPECT_EQ(question.trace.block.z, 6u);
  EXPECT_EQ(question.trace.most, 9u);
  StepQuestion changed;
  changed.trace.changes.push_back({.step = 5, .in_register = "%r1", .bytes = {std::byte{1}}});
  changed.trace.view_at = 7;
  changed.trace.view_ranges = {{16, 4, 2}};
  const TraceRequest request = question_in(bytes_of(changed)).trace;
  EXPECT_EQ(request.changes[0].in_register, "%r1");
  EXPECT_EQ(request.view_at, 7u);
  EXPECT_EQ(request.view_ranges[0].lane, 2u);
  const StepStop stop =
      stop_in(bytes_of(StepStop{.kernel = "k", .number = 3, .error = "bad", .offsets = {5, 7}}));
  EXPECT_EQ(stop.number, 3u);
  EXPECT_EQ(stop.error, "bad");
  EXPECT_EQ(stop.offsets, (std::vector<std::uint64_t>{5, 7}));
}

TEST(StepMessages, ThatAreDamagedAreRefused) {
  const std::string bytes = bytes_of(some_answer());
  for (std::size_t end = 0; end < bytes.size(); ++end)
    EXPECT_THROW(answer_in(std::string_view(bytes).substr(0, end)), Error);
  EXPECT_THROW(answer_in(bytes + "x"), Error);
}

TEST(StepMessages, MeanALaunchByItsNumberOrItsKernel) {
  EXPECT_TRUE(is_wanted("2", 2, "mm"));
  EXPECT_FALSE(is_wanted("2", 12, "mm"));
  EXPECT_TRUE(is_wanted("mm", 5, "mm"));
  EXPECT_TRUE(is_wanted("mm", 5, "void mm<float, 16>"));
  EXPECT_FALSE(is_wanted("m", 5, "mm"));
  EXPECT_TRUE(is_wanted(kAnyLaunch, 5, "mm"));
}

}  // namespace
}  // namespace cudalab::vgpu
