#include "device/programs/program_names.h"

#include <gtest/gtest.h>

namespace cudalab::device {
namespace {

using Allocations = std::vector<std::pair<std::string, std::string>>;
using Arguments = std::vector<std::string>;

TEST(ProgramNames, VariablesThatALineAllocates) {
  EXPECT_EQ(allocations_in("  CHECK(cudaMalloc((void**)&d_a, n * sizeof(int)));"),
            (Allocations{{"cudaMalloc", "d_a"}}));
  EXPECT_EQ(allocations_in("cudaMallocManaged(&m, 4); cudaHostAlloc(&list->x[0], 8, 0);"),
            (Allocations{{"cudaMallocManaged", "m"}, {"cudaHostAlloc", "list->x[0]"}}));
  EXPECT_EQ(allocations_in("cudaMalloc(p, 4); f(&q);"), Allocations{});
}

TEST(ProgramNames, ArgumentsOfALaunch) {
  EXPECT_EQ(arguments_in("add<<<grid, block>>>(h, f(1, 2), x[i, j]);", "add"),
            (Arguments{"h", "f(1, 2)", "x[i, j]"}));
  EXPECT_EQ(arguments_in("k<<<1, 1>>>(a); mul<float, 4><<<1,\n 32>>>(\n  b,\n  c);", "mul<float, 4>"),
            (Arguments{"b", "c"}));
  EXPECT_EQ(arguments_in("k<<<1, 1>>>(a);", "other"), Arguments{});
  EXPECT_EQ(arguments_in("<<<", "k"), Arguments{});
}

ProgramKernel kernel_with(const std::string& what) {
  ProgramKernel kernel;
  kernel.kernel = "add";
  kernel.from = {"a.out", {3}};
  Hazard hazard;
  hazard.what = what;
  kernel.result.hazards.push_back(hazard);
  return kernel;
}

TEST(ProgramNames, OfTwoAllocationsInALineEachHasItsOwn) {
  ProgramLog log;
  log.named = {{"cudaMalloc #1", {"a.out", {1}}}, {"cudaMalloc #2", {"a.out", {2}}}};
  log.lines = {{{"a.out", {1}}, {"p.cu", 7}}, {{"a.out", {2}}, {"p.cu", 7}}};
  log.kernels.push_back(kernel_with("reads element 4 of cudaMalloc #2, not of cudaMalloc #1"));
  name_memory(log, [](const SourceLine&) { return "cudaMalloc(&a, 4); cudaMalloc(&b, 4);"; });
  EXPECT_EQ(log.kernels[0].result.hazards[0].what, "reads element 4 of b, not of a");
}

// Else the one that a hazard mentions would look like the line's only one.
TEST(ProgramNames, AreLookedUpForAllMemoryWhereSomeIsMentioned) {
  ProgramLog log;
  log.named = {{"cudaMalloc #1", {"a.out", {1}}}, {"cudaMalloc #2", {"a.out", {2}}}};
  EXPECT_TRUE(call_sites(log).empty());
  log.kernels.push_back(kernel_with("reads element 4 of cudaMalloc #2"));
  EXPECT_EQ(call_sites(log).size(), 3u);  // and the launch
}

TEST(ProgramNames, NoneWhereItCannotBeTold) {
  ProgramLog log;
  log.named = {{"cudaMalloc #1", {"a.out", {1}}}};
  log.lines = {{{"a.out", {1}}, {"p.cu", 7}}};
  log.kernels.push_back(kernel_with("reads element 4 of cudaMalloc #1"));
  name_memory(log, [](const SourceLine&) { return "if (few) cudaMalloc(&a, 4); else cudaMalloc(&b, 4);"; });
  EXPECT_EQ(log.kernels[0].result.hazards[0].what, "reads element 4 of cudaMalloc #1");
}

TEST(ProgramNames, APointerOfTheHostByItsNameInTheLaunch) {
  ProgramLog log;
  log.lines = {{{"a.out", {3}}, {"p.cu", 2}}};
  log.kernels.push_back(
      kernel_with("writes 0x7ff0; argument 2 of the launch, 0x7ff0, is a pointer of the host"));
  const std::vector<std::string> lines{"add<<<1, 2>>>(other, first);", "add<<<1, 1>>>(d,", "  values);",
                                       "add<<<1, 3>>>(x, y);"};
  name_memory(log, [&](const SourceLine& line) {
    return line.line <= 4 ? lines[static_cast<std::size_t>(line.line - 1)] : std::string();
  });
  EXPECT_EQ(log.kernels[0].result.hazards[0].what,
            "writes 0x7ff0; `values`, argument 2 of the launch in line 2, is a pointer of the host");
}

}  // namespace
}  // namespace cudalab::device
