// Tests that results, counters and printed text are the same with 1, 2 and 8 host threads and in every run,
// also for kernels whose blocks add to the same words, take tickets or wait for each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "device/device.h"

namespace cudalab::device {
namespace {

struct DeterminismCase {
  const char *file, *kernel;
  Dim3 grid, block;
  enum class Values { kIntegers, kFloats } values = Values::kIntegers;
  enum class Arguments {
    kInOutCount,
    kInOut,
    kInInOutCount,
    kInOutFlags,
    kIn
  } arguments = Arguments::kInOutCount;
  std::size_t shared_bytes = 0;
};
void PrintTo(const DeterminismCase& one, std::ostream* out) { *out << one.kernel; }

using enum DeterminismCase::Values;
using enum DeterminismCase::Arguments;

constexpr int kCount = 4096;

const DeterminismCase kDeterminismCases[] = {
    {"kernels/atomics.cu", "atomic_integers", {32, 1, 1}, {128, 1, 1}},
    {"kernels/atomics.cu", "atomic_wide", {16, 1, 1}, {128, 1, 1}},
    {"kernels/atomics.cu", "atomic_max_float", {32, 1, 1}, {128, 1, 1}, kFloats},
    {"kernels/dot.cu", "dot_float", {32, 1, 1}, {128, 1, 1}, kFloats, kInInOutCount},
    {"kernels/histogram.cu", "histogram", {16, 1, 1}, {96, 1, 1}},
    {"kernels/shuffle.cu", "warp_sums", {16, 1, 1}, {256, 1, 1}, kFloats, kInOut},
    {"kernels/print.cu", "greet", {12, 1, 1}, {40, 1, 1}, kFloats, kIn},
    {"hazards/clean.cu", "tree_reduction", {8, 1, 1}, {128, 1, 1}, kIntegers, kInOutCount, 512},
    {"hazards/clean.cu", "thread_fence_reduction", {8, 1, 1}, {128, 1, 1}},
    {"hazards/clean.cu", "locked_sum", {16, 1, 1}, {64, 1, 1}},
    {"hazards/clean.cu", "compare_and_swap_loop", {8, 1, 1}, {128, 1, 1}},
    {"hazards/clean.cu", "shared_histogram", {8, 1, 1}, {128, 1, 1}},
    {"hazards/clean.cu", "chained_sum", {8, 1, 1}, {32, 1, 1}, kIntegers, kInOutFlags},
};

compile::CompiledSource compiled_test_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(CUDALAB_SOURCE_DIR "/tests/" + file).rdbuf();
  compile::CompileRequest request;
  request.source = text.str();
  request.file_name = file;
  return compile::compile(request);
}

// Small fractions, so the rounding of sums depends on the order of additions.
std::vector<std::byte> input(DeterminismCase::Values values) {
  std::vector<std::byte> bytes(2 * kCount * sizeof(int));
  for (int i = 0; i < 2 * kCount; ++i) {
    const int whole = i * 7919 % 61;
    const float part = 0.1f + static_cast<float>(whole) / 7;
    std::memcpy(bytes.data() + i * sizeof(int), values == kFloats ? static_cast<const void*>(&part) : &whole,
                sizeof(int));
  }
  return bytes;
}

struct Outcome {
  std::vector<std::byte> out;
  LaunchResult result;
};

Outcome run(const compile::CompiledSource& source, const DeterminismCase& test, unsigned host_threads,
            Checks checks) {
  const auto gpu = open_virtual_device({.host_threads = host_threads});
  const auto program = gpu->load(source);
  const std::vector<std::byte> numbers = input(test.values);
  const Buffer in = gpu->allocate("in", numbers.size()), out = gpu->allocate("out", numbers.size()),
               flags = gpu->allocate("flags", numbers.size());
  gpu->upload(in.address(), numbers);
  gpu->fill(out.address(), numbers.size(), 0);
  gpu->fill(flags.address(), numbers.size(), 0);
  Launch launch;
  launch.kernel = &program->kernel(test.kernel);
  launch.spec = {test.grid, test.block, test.shared_bytes};
  launch.options.checks = checks;
  launch.arguments = {in};
  if (test.arguments == kInInOutCount) launch.arguments.emplace_back(in);
  if (test.arguments != kIn) launch.arguments.emplace_back(out);
  if (test.arguments == kInOutFlags) launch.arguments.emplace_back(flags);
  if (test.arguments == kInOutCount || test.arguments == kInInOutCount)
    launch.arguments.emplace_back(kCount / 4);
  launch.options.max_steps = 10'000'000;
  Outcome outcome{std::vector<std::byte>(numbers.size()), gpu->launch(launch)};
  gpu->download(out.address(), outcome.out);
  return outcome;
}

// Every counter of every line.
std::string lines(const LaunchResult& result) {
  std::string text;
  for (const LineAccess& a : result.accesses)
    text += fmt::format("{} {} {} {}: {} {} {} {} {} {}\n", a.where.line, static_cast<int>(a.space),
                        static_cast<int>(a.kind), a.bytes_per_lane, a.requests, a.transactions,
                        a.fewest_transactions, a.distinct_bytes, a.lanes, a.lane_stride_bytes.value_or(-1));
  for (const LineExecution& e : result.executions)
    text += fmt::format("{}: {} {} {} {} {}\n", e.where.line, e.warp_instructions, e.thread_instructions,
                        e.branches, e.divergent_branches, e.barriers);
  return text;
}

class Determinism : public testing::TestWithParam<DeterminismCase> {};

TEST_P(Determinism, HostThreadsAndRepetitionChangeNothing) {
  if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  const compile::CompiledSource source = compiled_test_file(GetParam().file);
  const Outcome first = run(source, GetParam(), 1, Checks::kAll);
  ASSERT_TRUE(first.result.completed);
  EXPECT_TRUE(first.result.hazards.empty()) << first.result.hazards[0].what.text();
  EXPECT_FALSE(lines(first.result).empty());
  for (const Checks checks : {Checks::kAll, Checks::kNone})
    for (const unsigned host_threads : {1u, 2u, 8u, 8u}) {
      SCOPED_TRACE(fmt::format("{} host threads, checks {}", host_threads, static_cast<int>(checks)));
      const Outcome again = run(source, GetParam(), host_threads, checks);
      EXPECT_EQ(again.out, first.out);
      EXPECT_EQ(again.result.counters, first.result.counters);
      EXPECT_EQ(lines(again.result), lines(first.result));
      EXPECT_EQ(again.result.printed, first.result.printed);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::ValuesIn(kDeterminismCases),
                         [](const auto& test) { return std::string(test.param.kernel); });

}  // namespace
}  // namespace cudalab::device
