// Tests names of memory and pointers from a program's source, and the lines of call sites.
#include "device/programs/program_names.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/core.h"
#include "messages/runtime.h"
#include "messages/vgpu.h"

namespace cudalab::device {
namespace {

using Allocations = std::vector<std::pair<std::string, std::string>>;
using Arguments = std::vector<std::string>;

TEST(ProgramNames, FindsTheVariablesThatALineAllocates) {
  EXPECT_EQ(allocations_in("  CHECK(cudaMalloc((void**)&d_a, n * sizeof(int)));"),
            (Allocations{{"cudaMalloc", "d_a"}}));
  EXPECT_EQ(allocations_in("cudaMallocManaged(&m, 4); cudaHostAlloc(&list->x[0], 8, 0);"),
            (Allocations{{"cudaMallocManaged", "m"}, {"cudaHostAlloc", "list->x[0]"}}));
  EXPECT_EQ(allocations_in("cudaMalloc(p, 4); f(&q);"), Allocations{});
  EXPECT_EQ(allocations_in("CHECK(cuMemAlloc(&d, 4)); cuMemHostAlloc((void**)&p, 8, 0);"),
            (Allocations{{"cuMemAlloc", "d"}, {"cuMemHostAlloc", "p"}}));
}

TEST(ProgramNames, FindsTheArgumentsOfALaunch) {
  EXPECT_EQ(arguments_in("add<<<grid, block>>>(h, f(1, 2), x[i, j]);", "add"),
            (Arguments{"h", "f(1, 2)", "x[i, j]"}));
  EXPECT_EQ(arguments_in("k<<<1, 1>>>(a); mul<float, 4><<<1,\n 32>>>(\n  b,\n  c);", "mul<float, 4>"),
            (Arguments{"b", "c"}));
  EXPECT_EQ(arguments_in("k<<<1, 1>>>(a);", "other"), Arguments{});
  EXPECT_EQ(arguments_in("<<<", "k"), Arguments{});
}

ProgramKernel kernel_with(const Message& what) {
  ProgramKernel kernel;
  kernel.kernel = "add";
  kernel.from = {"a.out", {3}};
  Hazard hazard;
  hazard.what = what;
  kernel.result.hazards.push_back(hazard);
  return kernel;
}

// A hazard about element 4 of `buffer`, which lies in `other`.
Message overrun(const std::string& buffer, const std::string& other) {
  return msg::read_unwritten(msg::verb_reads(), Element{buffer, {4}}, msg::byte_of(0, other));
}

Message read_of(const std::string& buffer) {
  return msg::read_unwritten(msg::verb_reads(), Element{buffer, {4}}, Address{0x10});
}

TEST(ProgramNames, TellsTwoAllocationsInALineApart) {
  ProgramLog log;
  log.named = {{"cudaMalloc #1", {"a.out", {1}}}, {"cudaMalloc #2", {"a.out", {2}}}};
  log.lines = {{{"a.out", {1}}, {"p.cu", 7}}, {{"a.out", {2}}, {"p.cu", 7}}};
  log.kernels.push_back(kernel_with(overrun("cudaMalloc #2", "cudaMalloc #1")));
  name_memory(log, [](const SourceLine&) { return "cudaMalloc(&a, 4); cudaMalloc(&b, 4);"; });
  const Message& what = log.kernels[0].result.hazards[0].what;
  EXPECT_THAT(what, HasArgument("element", msg::element_of(4, "b")));
  EXPECT_THAT(what, HasArgument("address", msg::byte_of(0, "a")));
  EXPECT_FALSE(mentions(log, "cudaMalloc #1") || mentions(log, "cudaMalloc #2"));
}

// Otherwise, a mentioned allocation would look like the only one of its line.
TEST(ProgramNames, LooksUpAllMemoryIfAnyIsMentioned) {
  ProgramLog log;
  log.named = {{"cudaMalloc #1", {"a.out", {1}}}, {"cudaMalloc #2", {"a.out", {2}}}};
  EXPECT_TRUE(call_sites(log).empty());
  log.kernels.push_back(kernel_with(read_of("cudaMalloc #2")));
  EXPECT_EQ(call_sites(log).size(), 3u);  // the two allocations and the launch
}

TEST(ProgramNames, GivesNoNameIfItIsAmbiguous) {
  ProgramLog log;
  log.named = {{"cudaMalloc #1", {"a.out", {1}}}};
  log.lines = {{{"a.out", {1}}, {"p.cu", 7}}};
  log.kernels.push_back(kernel_with(read_of("cudaMalloc #1")));
  name_memory(log, [](const SourceLine&) { return "if (few) cudaMalloc(&a, 4); else cudaMalloc(&b, 4);"; });
  EXPECT_EQ(log.kernels[0].result.hazards[0].what, read_of("cudaMalloc #1"));
}

TEST(ProgramNames, NamesAHostPointerByTheLaunch) {
  ProgramLog log;
  log.lines = {{{"a.out", {3}}, {"p.cu", 2}}};
  const Message access = msg::access_no_buffer(msg::verb_writes(), 4, Address{0x7ff0});
  log.kernels.push_back(kernel_with(msg::access_to_host_argument(access, 2, Address{0x7ff0})));
  const std::vector<std::string> lines{"add<<<1, 2>>>(other, first);", "add<<<1, 1>>>(d,", "  values);",
                                       "add<<<1, 3>>>(x, y);"};
  name_memory(log, [&](const SourceLine& line) {
    return line.line <= 4 ? lines[static_cast<std::size_t>(line.line - 1)] : std::string();
  });
  const Message& what = log.kernels[0].result.hazards[0].what;
  EXPECT_THAT(what, IsMessage("access_to_host_expression"));
  EXPECT_THAT(what, HasArgument("access", access));
  EXPECT_THAT(what, HasArgument("expression", Code{"values"}));
  EXPECT_THAT(what, HasArgument("argument", 2));
  EXPECT_THAT(what, HasArgument("line", 2));
}

TEST(ProgramNames, NamesASizeByTheLaunch) {
  ProgramLog log;
  log.lines = {{{"a.out", {3}}, {"p.cu", 1}}};
  log.kernels.push_back(kernel_with(read_of("d")));
  log.kernels[0].result.hazards[0].fix = msg::advice_size_argument(2, 1000, Code{"d"}, 4);
  name_memory(log, [](const SourceLine&) { return "add<<<1, 1>>>(d, 10 * n);"; });
  EXPECT_EQ(log.kernels[0].result.hazards[0].fix,
            msg::advice_size_expression(1, Code{"10 * n"}, 1000, Code{"d"}, 4));
}

}  // namespace
}  // namespace cudalab::device
