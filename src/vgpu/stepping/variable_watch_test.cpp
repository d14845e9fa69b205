// Tests the values of source variables while a warp runs, in code compiled with -G.
#include "vgpu/stepping/variable_watch.h"

#include <gtest/gtest.h>

#include <map>

#include "ptx/debug/debug_sample_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

class TracedSample {
 public:
  explicit TracedSample(const std::string& text = ptx::kVariablesSample)
      : text_(text), harness_(text), variables_(ptx::debug_functions(text)) {
    const std::uint64_t out = harness_.buffer(std::vector<std::uint32_t>(64), "out");
    const std::uint32_t n = 3;
    request_.spec.block = {32};
    request_.options.max_steps = 100'000;
    request_.parameters.resize(12);
    std::memcpy(request_.parameters.data(), &out, sizeof out);
    std::memcpy(request_.parameters.data() + 8, &n, sizeof n);
  }
  WarpTrace trace(std::uint64_t first = 0) {
    const TraceRequest wanted{.first = first, .variables = &variables_};
    return harness_.gpu().trace(harness_.module(), ptx::parse(text_, "sample.ptx"), request_, wanted);
  }

 private:
  std::string text_;
  KernelHarness harness_;
  std::vector<ptx::DebugFunction> variables_;
  LaunchRequest request_{.options = {.predict = false}};
};

using Seen = std::map<std::string, std::uint64_t>;  // values in lane 5

// By name and type, after the trace's step with this index.
Seen seen_at(const WarpTrace& trace, std::size_t step) {
  Seen seen;
  for (std::size_t i = 0; i <= step; ++i)
    for (std::uint32_t k = 0; k < trace.steps[i].changes; ++k) {
      const LocalChange& change = trace.changes[trace.steps[i].first_change + k];
      const TracedLocal& local = trace.locals[change.local];
      const std::string name = local.type + " " + local.name;
      if (change.lanes >> 5 & 1)
        seen[name] = trace.values[change.value][5];
      else
        seen.erase(name);
    }
  seen.erase("int* out");
  return seen;
}

std::size_t index_of_step(const WarpTrace& trace, const std::string& text, std::size_t nth = 0) {
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    if (trace.instruction_of(trace.steps[i]).text.starts_with(text) && nth-- == 0) return i;
  ADD_FAILURE() << text;
  return 0;
}

TEST(VariableWatch, FollowsVariablesThroughRegistersAndMemory) {
  TracedSample sample;
  const WarpTrace trace = sample.trace();
  const std::uint64_t half = 0x3fc00000;  // 1.5f
  EXPECT_EQ(seen_at(trace, 0), (Seen{{"int n", 3}}));
  EXPECT_EQ(seen_at(trace, index_of_step(trace, "st.f32")), (Seen{{"int n", 3}, {"Pair pair.x", half}}));
  EXPECT_EQ(seen_at(trace, index_of_step(trace, "mov.b32 %r2")),
            (Seen{{"int n", 3}, {"Pair pair.x", half}, {"Pair pair.n[1]", 7}, {"int sum", 5}, {"int i", 0}}));
  EXPECT_EQ(seen_at(trace, index_of_step(trace, "st.u32 [%rd8]", 1)), (Seen{{"int n", 3},
                                                                            {"Pair pair.x", half},
                                                                            {"Pair pair.n[1]", 7},
                                                                            {"int sum", 5},
                                                                            {"int i", 1},
                                                                            {"unsigned char sum", 4}}));
  EXPECT_EQ(seen_at(trace, index_of_step(trace, "add.s32 %r4")),  // the inner scope has ended
            (Seen{{"int n", 3}, {"Pair pair.x", half}, {"Pair pair.n[1]", 7}, {"int sum", 5}, {"int i", 1}}));
  EXPECT_EQ(seen_at(trace, index_of_step(trace, "st.u32 [%rd1+128]")),
            (Seen{{"int n", 3}, {"Pair pair.x", half}, {"Pair pair.n[1]", 7}, {"int sum", 5}}));
}

// A trace that begins in the middle first lists all current values.
TEST(VariableWatch, KnowsWhatWasWrittenBefore) {
  TracedSample sample;
  const WarpTrace whole = sample.trace();
  const std::size_t middle = index_of_step(whole, "st.u32 [%rd8]");
  EXPECT_EQ(seen_at(sample.trace(middle), 0), seen_at(whole, middle));
}

TEST(VariableWatch, TellsOnlyWhatHasChanged) {
  TracedSample sample;
  const WarpTrace trace = sample.trace();
  EXPECT_EQ(trace.steps[index_of_step(trace, "st.u32 [%rd8]")].changes, 0u);
  EXPECT_EQ(trace.steps[index_of_step(trace, "add.s32 %r8", 1)].changes, 1u);
  EXPECT_EQ(trace.changes.size(),
            13u);  // out, n, x, n[1], sum, i, sum, its end, i, sum, its end … i and its end
}

// The parser renames labels of inner scopes.
TEST(VariableWatch, FindsLabelsOfInnerScopes) {
  std::string text = ptx::kVariablesSample;
  text.replace(text.find("$L__tmp6:"), 9, "{\n$L__tmp6:");
  text.replace(text.find("$L__tmp7:"), 9, "$L__tmp7:\n}");
  TracedSample sample(text);
  const WarpTrace trace = sample.trace();
  EXPECT_EQ(seen_at(trace, index_of_step(trace, "add.s32 %r4")).count("unsigned char sum"), 0u);
}

TEST(VariableWatch, HasNothingToTellWithoutNames) {
  const std::string text = ptx::kVariablesSample;
  TracedSample sample(text.substr(0, text.find(".section")));
  const WarpTrace trace = sample.trace();
  EXPECT_TRUE(trace.locals.empty());
  EXPECT_TRUE(trace.changes.empty());
}

}  // namespace
}  // namespace cudalab::vgpu
