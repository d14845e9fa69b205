// Tests that an unsupported opcode refuses the kernels that reach it, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using testing::AllOf;

constexpr const char* kModuleHeader = ".version 8.7\n.target sm_90\n.address_size 64\n";

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "()\n{\n  .reg .b64 %rd<4>;\n" + body + "  ret;\n}\n";
}
std::string void_function(const std::string& name, const std::string& body) {
  return ".func " + name + "()\n{\n" + body + "  ret;\n}\n";
}

// By kernel, in the order of the text.
std::vector<Message> refusals(const std::string& text) {
  KernelHarness harness(kModuleHeader + text);
  std::vector<Message> all;
  for (const KernelInfo& kernel : harness.module().kernels()) all.push_back(kernel.refusal);
  return all;
}

TEST(Refusal, IsOfTheKernelThatHoldsTheOpcode) {
  const auto found = refusals(entry("bad", "frobnicate.b32;\n") + entry("good", ""));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], AllOf(IsMessage("kernel_unsupported"), HasArgument("file", "test.cu"),
                              HasArgument("opcode", Code{"frobnicate.b32"}), HasArgument("line", 7)));
  EXPECT_EQ(found[1], Message());
}

TEST(Refusal, IsOfKernelsThatCallAFunctionWithTheOpcode) {
  const auto found =
      refusals(void_function("inner", "frobnicate.b32;\n") + void_function("outer", "call inner;\n") +
               entry("bad", "call outer;\n") + entry("good", ""));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], HasArgument("opcode", Code{"frobnicate.b32"}));
  EXPECT_EQ(found[1], Message());
}

TEST(Refusal, IsOfKernelsThatUseWhatAnotherFileDefines) {
  const auto found =
      refusals(".extern .func far();\n.extern .entry child();\n" + entry("calls", "call far;\n") +
               entry("launches", "mov.u64 %rd1, child;\n") + entry("good", ""));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0], AllOf(MentionsMessage("name_defined_elsewhere"), HasArgument("name", Code{"far"})));
  EXPECT_THAT(found[1], AllOf(MentionsMessage("name_defined_elsewhere"), HasArgument("name", Code{"child"})));
  EXPECT_EQ(found[2], Message());
}

constexpr const char* kCallThroughPointer = "ld.global.u64 %rd1, [table];\ncall %rd1, prototype;\n";
constexpr const char* kPrototype = "prototype: .callprototype _ ();\n";

TEST(Refusal, IsOfKernelsThatMayCallItThroughAPointer) {
  const std::string calls = std::string(kPrototype) + kCallThroughPointer;
  const std::string functions = void_function("taken", "frobnicate.b32;\n") + void_function("other", "");
  const auto found =
      refusals(functions + ".global .u64 table[1] = {taken};\n" + entry("bad", calls) + entry("good", ""));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], HasArgument("opcode", Code{"frobnicate.b32"}));
  EXPECT_EQ(found[1], Message());
}

TEST(Refusal, IsNotForFunctionsWhoseAddressNobodyTakes) {
  const std::string functions = void_function("taken", "") + void_function("other", "frobnicate.b32;\n");
  const std::string calls = std::string(kPrototype) + kCallThroughPointer;
  const auto found = refusals(functions + ".global .u64 table[1] = {taken};\n" + entry("good", calls));
  EXPECT_THAT(found, testing::ElementsAre(Message()));
}

TEST(Refusal, StopsALaunchBeforeItBegins) {
  KernelHarness harness(kModuleHeader + entry("bad", "frobnicate.b32;\n") + entry("good", ""));
  EXPECT_THAT(refused([&] {
                harness.run({1, 1, 1}, {32, 1, 1});
              }),
              AllOf(MentionsMessage("opcode_unsupported"), HasArgument("opcode", Code{"frobnicate.b32"})));
  harness.choose(1);
  EXPECT_TRUE(harness.run({1, 1, 1}, {32, 1, 1}).completed);
}

TEST(Refusal, NamesTheFirstEightInTheOrderOfTheirLines) {
  std::string body;
  for (int i = 0; i < 11; ++i) body += "frobnicate.b" + std::to_string(i) + ";\n";
  const auto found = refusals(entry("bad", body) + entry("good", ""));
  EXPECT_THAT(found[0], AllOf(HasArgument("opcode", Code{"frobnicate.b0"}), HasArgument("line", 7),
                              MentionsMessage("refused_more"), HasArgument("count", 3)));
}

TEST(Refusal, IsAnErrorOfLoadingWhereNoKernelCanRun) {
  const Message refusal = refused([] {
    KernelHarness harness(kModuleHeader + entry("bad", "frobnicate.b32;\n") +
                          entry("worse", "defrobnicate.b32;\n"));
  });
  std::vector<std::string> opcodes;
  for_each_argument(refusal, [&](const Argument& argument) {
    if (const auto* code = argument.as<Code>()) opcodes.push_back(code->text);
  });
  EXPECT_THAT(opcodes, testing::ElementsAre("frobnicate.b32", "defrobnicate.b32"));
}

}  // namespace
}  // namespace cudalab::vgpu
