// An opcode that is not supported refuses the kernels that reach it, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kModuleHeader = ".version 8.7\n.target sm_90\n.address_size 64\n";

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "()\n{\n  .reg .b64 %rd<4>;\n" + body + "  ret;\n}\n";
}
std::string void_function(const std::string& name, const std::string& body) {
  return ".func " + name + "()\n{\n" + body + "  ret;\n}\n";
}

// By kernel, in the order of the text.
std::vector<std::string> refusals(const std::string& text) {
  KernelHarness harness(kModuleHeader + text);
  std::vector<std::string> all;
  for (const KernelInfo& kernel : harness.module().kernels()) all.push_back(kernel.refusal);
  return all;
}

TEST(Refusal, IsOfTheKernelThatHoldsTheOpcode) {
  const auto found = refusals(entry("bad", "frobnicate.b32;\n") + entry("good", ""));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0],
            "test.cu: the virtual GPU cannot run this: opcode `frobnicate.b32` is not supported (PTX:7)");
  EXPECT_THAT(found[1], IsEmpty());
}

TEST(Refusal, IsOfKernelsThatCallAFunctionWithTheOpcode) {
  const auto found =
      refusals(void_function("inner", "frobnicate.b32;\n") + void_function("outer", "call inner;\n") +
               entry("bad", "call outer;\n") + entry("good", ""));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], HasSubstr("`frobnicate.b32`"));
  EXPECT_THAT(found[1], IsEmpty());
}

TEST(Refusal, IsOfKernelsThatUseWhatAnotherFileDefines) {
  const auto found =
      refusals(".extern .func far();\n.extern .entry child();\n" + entry("calls", "call far;\n") +
               entry("launches", "mov.u64 %rd1, child;\n") + entry("good", ""));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0], HasSubstr("`far` is neither defined in this file nor built in"));
  EXPECT_THAT(found[1], HasSubstr("`child` is neither defined in this file nor built in"));
  EXPECT_THAT(found[2], IsEmpty());
}

constexpr const char* kCallThroughPointer = "ld.global.u64 %rd1, [table];\ncall %rd1, prototype;\n";
constexpr const char* kPrototype = "prototype: .callprototype _ ();\n";

TEST(Refusal, IsOfKernelsThatMayCallItThroughAPointer) {
  const std::string calls = std::string(kPrototype) + kCallThroughPointer;
  const std::string functions = void_function("taken", "frobnicate.b32;\n") + void_function("other", "");
  const auto found =
      refusals(functions + ".global .u64 table[1] = {taken};\n" + entry("bad", calls) + entry("good", ""));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], HasSubstr("`frobnicate.b32`"));
  EXPECT_THAT(found[1], IsEmpty());
}

TEST(Refusal, IsNotForFunctionsWhoseAddressNobodyTakes) {
  const std::string functions = void_function("taken", "") + void_function("other", "frobnicate.b32;\n");
  const std::string calls = std::string(kPrototype) + kCallThroughPointer;
  const auto found = refusals(functions + ".global .u64 table[1] = {taken};\n" + entry("good", calls));
  EXPECT_THAT(found, testing::ElementsAre(""));
}

TEST(Refusal, StopsALaunchBeforeItBegins) {
  KernelHarness harness(kModuleHeader + entry("bad", "frobnicate.b32;\n") + entry("good", ""));
  try {
    harness.run({1, 1, 1}, {32, 1, 1});
    FAIL() << "a kernel ran that cannot be decoded";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("opcode `frobnicate.b32` is not supported"));
  }
  harness.choose(1);
  EXPECT_TRUE(harness.run({1, 1, 1}, {32, 1, 1}).completed);
}

TEST(Refusal, IsAnErrorOfLoadingWhereNoKernelCanRun) {
  try {
    KernelHarness harness(kModuleHeader + entry("bad", "frobnicate.b32;\n") +
                          entry("worse", "defrobnicate.b32;\n"));
    FAIL() << "nothing in it can run";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("`frobnicate.b32`"), HasSubstr("`defrobnicate.b32`")));
  }
}

}  // namespace
}  // namespace cudalab::vgpu
