// Tests clang's options and its PTX.
#include "compile/clang/clang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/compile_kernels.h"
#include "compile/diagnosis_testing.h"

namespace cudalab::compile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Clang : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_clang()) GTEST_SKIP() << "clang 17 or later is not installed";
  }
  static CompiledSource compiled(const std::string& source, const std::vector<std::string>& options = {}) {
    return compile_kernels(
        {.source = source, .file_name = "a.cu", .options = options, .compiler = Compiler::kClang});
  }
  static Diagnosis error_of(const std::string& source) {
    return diagnosis_of([&] { compiled(source); });
  }
};

TEST_F(Clang, CompilesAKernelWithItsLines) {
  const CompiledSource made = compiled(
      "extern \"C\" __global__ void k(float* x) {\n  x[threadIdx.x] = __sinf(x[blockIdx.x * "
      "blockDim.x]);\n}\n");
  EXPECT_EQ(made.made_by, Compiler::kClang);
  EXPECT_THAT(made.ptx, HasSubstr(".visible .entry k("));
  EXPECT_THAT(made.ptx, HasSubstr("sin.approx.f32"));
  EXPECT_THAT(made.ptx, HasSubstr("\"a.cu\""));
  EXPECT_THAT(made.ptx, HasSubstr(".loc\t1 2 "));
  EXPECT_THAT(made.ptx, Not(HasSubstr(".loc\t1 0 ")));
}

TEST_F(Clang, LeavesHostCodeToTheHost) {
  const CompiledSource made = compiled(
      "#include <cstdio>\n#include <vector>\n"
      "__global__ void k(int* x) { *x = 1; }\n"
      "int main() { int* x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); std::vector<int> v(1); printf(\"%d\", v[0]); "
      "}\n");
  EXPECT_THAT(made.ptx, HasSubstr(".entry _Z1kPi("));
  EXPECT_THAT(made.ptx, Not(HasSubstr("main")));
}

TEST_F(Clang, MovesVectorsInOnePiece) {
  const std::string kernel =
      "__global__ void k(const float4* a, float4* b) { b[threadIdx.x] = a[threadIdx.x]; }";
  EXPECT_THAT(compiled(kernel).ptx, HasSubstr("ld.global.v4.u32"));
}

TEST_F(Clang, CallsTheVirtualGpusMathematicsUnlessFastOnesAreAskedFor) {
  const std::string kernel = "__global__ void k(float* x) { *x = sinf(*x) / x[1]; }";
  EXPECT_THAT(compiled(kernel).ptx, AllOf(HasSubstr("__nv_sinf"), HasSubstr("div.rn.f32")));
  EXPECT_THAT(
      compiled(kernel, {"-use_fast_math"}).ptx,
      AllOf(HasSubstr("sin.approx.ftz.f32"), HasSubstr("div.approx.ftz.f32"), Not(HasSubstr("__nv_"))));
}

TEST_F(Clang, MakesInstancesOfTemplates) {
  const CompiledSource made =
      compile_kernels({.source = "template <class T, int N> __global__ void k(T* x) { *x = N; }",
                       .file_name = "a.cu",
                       .name_expressions = {"k<float, 3>"},
                       .compiler = Compiler::kClang});
  EXPECT_THAT(made.ptx, HasSubstr(".entry _Z1kIfLi3EEvPT_("));
}

TEST_F(Clang, SaysWhereASourceIsWrong) {
  const Diagnosis undeclared = error_of("__global__ void k(int* x) {\n  *x = y;\n}\n");
  EXPECT_EQ(undeclared.where, (SourceLine{"a.cu", 2}));
  EXPECT_EQ(undeclared.said, "use of undeclared identifier 'y'");
  const Diagnosis lacking = error_of("#include <thrust/sort.h>\n");
  EXPECT_EQ(lacking.where, (SourceLine{"a.cu", 1}));
  EXPECT_TRUE(lacking.lacks_header);
}

TEST(ClangOptions, AreThoseOfNvccAndNvrtcByOtherNames) {
  EXPECT_THAT(clang_options({"--std=c++20", "-DN=3", "-lineinfo", "--include-path=x", "-rdc=true"}),
              ElementsAre("-std=c++20", "-DN=3", "-Ix", "-fgpu-rdc"));
}

TEST(ClangOptions, ThatClangLacksAreRefusedByName) {
  EXPECT_THAT(refused([] { clang_options({"--no-such-option"}); }),
              AllOf(IsMessage("clang_option_unknown"), HasArgument("option", "--no-such-option")));
}

}  // namespace
}  // namespace cudalab::compile
