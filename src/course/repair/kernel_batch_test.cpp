// Tests which compilations a batch requests.
#include "course/repair/kernel_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace cudalab::course {
namespace {

using compile::Compiler;
using testing::Each;
using testing::ElementsAre;

// A compiler that reports an error in a variant for `wrong`, and, as NVRTC, an error outside of all variants
// for `unknown`. Records which compilers were requested.
struct FakeCompiler {
  std::vector<Compiler> asked;

  compile::CompiledSource operator()(const compile::CompileRequest& request) {
    asked.push_back(request.compiler);
    if (request.source.find("wrong") != std::string::npos)
      throw compile::CompileError({.where = {"variant-1", 1}, .said = "identifier \"wrong\" is undefined"},
                                  "variant-1(1): error: identifier \"wrong\" is undefined\n");
    if (request.source.find("unknown") != std::string::npos && request.compiler == Compiler::kNvrtc)
      throw compile::CompileError({.where = {"other.h", 1}, .said = "unknown"},
                                  "other.h(1): error: unknown\n");
    return {.ptx = ".visible .entry k_variant0(\n)\n{\n}\n"};
  }
};

std::string source_with(const std::string& body) {
  return "extern \"C\" __global__ void k() { " + body + " }\n";
}

TEST(KernelBatch, LeavesOutAVariantWithErrorsWithoutAskingNvcc) {
  FakeCompiler compiler;
  const std::vector<std::string> sources{source_with(""), source_with("wrong")};
  KernelBatch batch(sources, std::ref(compiler));
  const auto request = [&](std::size_t i) { return compile::CompileRequest{.source = sources[i]}; };
  EXPECT_EQ(batch.compiled(0, request(0))->ptx, ".visible .entry k(\n)\n{\n}\n");
  EXPECT_FALSE(batch.compiled(1, request(1)));
  EXPECT_THAT(compiler.asked, ElementsAre(Compiler::kNvrtc, Compiler::kNvrtc));
}

TEST(KernelBatch, UsesTheRequestedCompilerIfNvrtcFailsOutsideTheVariants) {
  FakeCompiler compiler;
  const std::vector<std::string> sources{source_with("unknown")};
  KernelBatch batch(sources, std::ref(compiler));
  EXPECT_TRUE(batch.compiled(0, {.source = sources[0]}));
  EXPECT_THAT(compiler.asked, ElementsAre(Compiler::kNvrtc, Compiler::kAuto));
}

TEST(KernelBatch, KeepsTheCompilerThatTheUserChose) {
  FakeCompiler compiler;
  const std::vector<std::string> sources{source_with("unknown"), source_with("wrong")};
  KernelBatch batch(sources, std::ref(compiler));
  EXPECT_TRUE(batch.compiled(0, {.source = sources[0], .compiler = Compiler::kClang}));
  EXPECT_THAT(compiler.asked, Each(Compiler::kClang));
}

TEST(KernelBatch, NamesInstancesInTheNamespaceOfTheVariant) {
  EXPECT_EQ(name_in_variant("step", "", 2), "variant2::step_variant2");
  EXPECT_EQ(name_in_variant("step<Plus, 4>", "struct Plus {};", 12),
            "variant12::step_variant12 <variant12::Plus , 4 >");
}

TEST(KernelBatch, KeepsTheKernelsOfOneVariantWithCppLinkage) {
  const std::string ptx =
      ".visible .entry _ZN8variant110k_variant1EPf(\n)\n{\n}\n"
      ".visible .entry _ZN9variant1211k_variant12EPf(\n)\n{\n}\n";
  EXPECT_EQ(ptx_of_variant(ptx, "_variant1"), ".visible .entry _ZN8variant110kEPf(\n)\n{\n}\n");
}

}  // namespace
}  // namespace cudalab::course
