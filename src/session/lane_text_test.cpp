// Tests the values known at a step, with hand-made traces.
#include "session/lane_text.h"

#include <gtest/gtest.h>

namespace cudalab::session {

namespace {

using Names = std::vector<std::string>;

vgpu::WarpTrace trace_of_steps(std::size_t steps) {
  vgpu::WarpTrace trace;
  trace.instructions.push_back({.text = "add.s32 %r1, %r1, 1;", .function = "k", .where = {"a.cu", 1}});
  for (std::size_t i = 0; i < steps; ++i)
    trace.steps.push_back({.number = i, .active = 0xf, .executing = 0xf});
  return trace;
}

void change(vgpu::WarpTrace& trace, std::size_t step, std::uint32_t local, std::uint32_t lanes,
            std::uint64_t value) {
  vgpu::WarpStep& at = trace.steps[step];
  if (at.changes == 0) at.first_change = static_cast<std::uint32_t>(trace.changes.size());
  ++at.changes;
  trace.changes.push_back({local, at.call, lanes, static_cast<std::uint32_t>(trace.values.size())});
  trace.values.emplace_back().fill(value);
}

Names described(const std::vector<KnownValue>& values) {
  Names names;
  for (const KnownValue& value : values) names.push_back(value.name + "=" + std::to_string((*value.bits)[0]));
  return names;
}

TEST(KnownVariables, AreThoseOfTheirScope) {
  vgpu::WarpTrace trace = trace_of_steps(4);
  trace.locals = {{"i", "int", ptx::Type::kS32, 0}, {"s", "int", ptx::Type::kS32, 1}};
  change(trace, 0, 0, 0xf, 1);
  change(trace, 1, 1, 0xf, 2);
  change(trace, 2, 0, 0xf, 3);
  change(trace, 3, 1, 0, 0);
  Variables variables(trace);
  EXPECT_EQ(described(variables.at(0)), (Names{"i=1"}));
  EXPECT_EQ(described(variables.at(1)), (Names{"i=1", "s=2"}));
  EXPECT_EQ(described(variables.at(2)), (Names{"i=3", "s=2"}));
  EXPECT_EQ(described(variables.at(3)), (Names{"i=3"}));
  EXPECT_EQ(described(Variables(trace).changed_by({.first = 1, .last = 2})), (Names{"i=3", "s=2"}));
}

TEST(KnownVariables, OfAnInnerBlockHideThoseOfItsName) {
  vgpu::WarpTrace trace = trace_of_steps(2);
  trace.locals = {{"sum", "int", ptx::Type::kS32, 0}, {"sum", "char", ptx::Type::kS8, 1}};
  change(trace, 0, 0, 0xf, 1);
  change(trace, 0, 1, 0xf, 2);
  change(trace, 1, 1, 0, 0);
  Variables variables(trace);
  EXPECT_EQ(described(variables.at(0)), (Names{"sum=2"}));
  EXPECT_EQ(described(variables.at(1)), (Names{"sum=1"}));
}

// A called function has its own variables; after the return, the caller's are known again.
TEST(KnownVariables, AreThoseOfTheCall) {
  vgpu::WarpTrace trace = trace_of_steps(3);
  trace.steps[1].call = 1;
  trace.locals = {{"a", "int", ptx::Type::kS32, 0}, {"b", "int", ptx::Type::kS32, 1}};
  change(trace, 0, 0, 0xf, 1);
  change(trace, 1, 1, 0xf, 2);
  Variables variables(trace);
  EXPECT_EQ(described(variables.at(1)), (Names{"b=2"}));
  EXPECT_EQ(described(variables.at(2)), (Names{"a=1"}));
}

TEST(KnownRegisters, HaveTheLineThatWroteThemAndTheLastFirst) {
  vgpu::WarpTrace trace = trace_of_steps(3);
  trace.instructions[0].values = {{"%r1", ptx::Type::kS32, 4, false}};
  trace.instructions.push_back({.text = "mov.u32 %r2, 5;", .function = "k", .where = {"a.cu", 2}});
  trace.instructions[1].values = {{"%r2", ptx::Type::kU32, 4, false}, {"5", ptx::Type::kU32, 4, true}};
  trace.steps[1].instruction = 1;
  for (std::uint32_t i = 0; i < 3; ++i) {
    trace.steps[i].first_value = static_cast<std::uint32_t>(trace.values.size());
    trace.values.emplace_back().fill(i);
    trace.values.emplace_back().fill(5);
  }
  EXPECT_EQ(described(registers_at(trace, 1, "a.cu")), (Names{"%r2=1", "%r1=0"}));
  EXPECT_EQ(described(registers_at(trace, 2, "a.cu")), (Names{"%r1=2", "%r2=1"}));
  EXPECT_EQ(registers_at(trace, 2, "a.cu").at(1).where.line, 2);
}

}  // namespace
}  // namespace cudalab::session
