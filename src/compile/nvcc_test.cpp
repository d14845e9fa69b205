// Compiles whole programs through nvcc, and tests which compiler compiles which file. Most tests are skipped
// if nvcc is not installed.
#include "compile/nvcc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "compile/compile_kernels.h"
#include "compile/diagnosis_testing.h"
#include "core/temporary_folder_testing.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kIncrement[] = "__global__ void k(float* x) { x[threadIdx.x] += 1; }\n";
constexpr char kMain[] = "int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }\n";

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvcc() || !compiler_version()) GTEST_SKIP() << "nvcc and NVRTC are not both installed";
    ::setenv("CUDALAB_CACHE_DIR", folder_.path().c_str(), 1);
  }
  void TearDown() override { ::unsetenv("CUDALAB_CACHE_DIR"); }

  CompileRequest request(const std::string& source) const {
    return {.source = source, .file_name = (folder_ / "program.cu").string()};
  }
  Diagnosis error_of(const CompileRequest& request) const {
    return diagnosis_of([&] { compile_kernels(request); });
  }

  TemporaryFolder folder_;
};

TEST_F(Nvcc, TakesFilesWithHostCode) {
  const CompiledSource compiled =
      compile_kernels(request(std::string("#include <vector>\n") + kIncrement + kMain));
  EXPECT_EQ(compiled.made_by, Compiler::kNvcc);
  EXPECT_THAT(compiled.ptx, HasSubstr(".entry _Z1kPf"));
  EXPECT_THAT(compiled.ptx, HasSubstr("\"" + (folder_ / "program.cu").string() + "\""));  // the line table
  EXPECT_THAT(compiled.ptx, HasSubstr("\t.loc\t1 2 "));
}

TEST_F(Nvcc, LeavesTheRestToNvrtc) {
  EXPECT_EQ(compile_kernels(request(kIncrement)).made_by, Compiler::kNvrtc);
  EXPECT_EQ(compile_kernels(request(std::string("#include <cstdio>\n") + kIncrement)).made_by,
            Compiler::kNvrtc);
}

TEST_F(Nvcc, IsUsedOrNotAsAsked) {
  CompileRequest program = request(std::string(kIncrement) + kMain), kernel = request(kIncrement);
  program.compiler = Compiler::kNvrtc;
  kernel.compiler = Compiler::kNvcc;
  EXPECT_EQ(compile_kernels(program).made_by, Compiler::kNvrtc);
  EXPECT_EQ(compile_kernels(kernel).made_by, Compiler::kNvcc);
}

TEST_F(Nvcc, KeepsWhatItMade) {
  const CompileRequest program = request(std::string(kIncrement) + kMain);
  EXPECT_FALSE(compile_kernels(program).from_cache);
  const CompiledSource again = compile_kernels(program);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.made_by, Compiler::kNvcc);
  CompileRequest other = program;
  other.defines = {{"N", "1"}};
  EXPECT_FALSE(compile_kernels(other).from_cache);
  other.compiler = Compiler::kNvrtc;
  EXPECT_FALSE(compile_kernels(other).from_cache);
}

TEST_F(Nvcc, IsAskedWhereAHeaderThatWasLeftOutMayBeMissed) {
  const std::string uses = "__global__ void k(CUmemorytype* x) { *x = CU_MEMORYTYPE_ARRAY; }\n";
  EXPECT_EQ(compile_kernels(request("#include <cuda.h>\n" + uses)).made_by, Compiler::kNvcc);
}

TEST_F(Nvcc, CompilesLaunchesFromKernels) {
  const CompiledSource compiled = compile_kernels(
      request(std::string(kIncrement) + "__global__ void parent(float* x) { k<<<1, 32>>>(x); }\n" + kMain));
  EXPECT_EQ(compiled.made_by, Compiler::kNvcc);
  EXPECT_THAT(compiled.ptx, HasSubstr("__cudaCDP2LaunchDeviceV2"));
}

TEST_F(Nvcc, CompilesAnewWhereItsEnvironmentDiffers) {
  const CompileRequest program = request(std::string(kIncrement) + kMain);
  compile_kernels(program);
  ::setenv("NVCC_APPEND_FLAGS", "-DN=1", 1);
  const bool was_kept = compile_kernels(program).from_cache;
  ::unsetenv("NVCC_APPEND_FLAGS");
  EXPECT_FALSE(was_kept);
  EXPECT_TRUE(compile_kernels(program).from_cache);
}

TEST_F(Nvcc, MakesInstancesThatNobodyLaunches) {
  CompileRequest program =
      request("template <class T, int N> __global__ void fill(T* x) { x[N] = 1; }\nint main() {}\n");
  EXPECT_THAT(compile_kernels(program).ptx, Not(HasSubstr(".entry")));
  program.name_expressions = {"fill<float, 3>", "fill<double, 4>"};
  const std::string ptx = compile_kernels(program).ptx;
  EXPECT_THAT(ptx, HasSubstr(".entry _Z4fillIfLi3EEvPT_"));
  EXPECT_THAT(ptx, HasSubstr(".entry _Z4fillIdLi4EEvPT_"));
}

TEST_F(Nvcc, TakesHeadersThatHoldHostCode) {
  std::ofstream(folder_ / "book.h") << "#include <stdio.h>\nstatic void help() { printf(\"usage\"); }\n"
                                       "__device__ float one() { return 1; }\n";
  const CompiledSource compiled =
      compile_kernels(request("#include \"book.h\"\n__global__ void k(float* x) { *x = one(); }\n"));
  EXPECT_EQ(compiled.made_by, Compiler::kNvcc);
  std::ofstream(folder_ / "book.h")
      << "__device__ float one() { return 2; }\n";  // another header gives another key
  EXPECT_FALSE(compile_kernels(request("#include \"book.h\"\n__global__ void k(float* x) { *x = one(); }\n"))
                   .from_cache);
}

TEST_F(Nvcc, FindsHeadersInFurtherFolders) {
  std::filesystem::create_directory(folder_ / "common");
  std::ofstream(folder_ / "common" / "size.h") << "#define SIZE 7\n";
  CompileRequest program =
      request("#include \"size.h\"\n__global__ void k(int* x) { *x = SIZE; }\nint main() {}\n");
  program.include_directories = {(folder_ / "common").string()};
  EXPECT_THAT(compile_kernels(program).ptx, HasSubstr(", 7;"));
}

TEST_F(Nvcc, GivesWayWhereAHostHeaderIsMissing) {
  const CompiledSource compiled =
      compile_kernels(request(std::string("#include <helper_that_nobody_has.h>\n") + kIncrement + kMain));
  EXPECT_EQ(compiled.made_by, Compiler::kNvrtc);
}

TEST_F(Nvcc, NamesThePlaceOfAMistake) {
  const std::string place = (folder_ / "program.cu").string();
  const Diagnosis own = error_of(request(std::string("__global__ void k(float* x) { x[0] = y; }\n") + kMain));
  EXPECT_EQ(own.where, (SourceLine{place, 1}));
  EXPECT_EQ(own.undefined_name, "y");
  CompileRequest only = request("#include \"nowhere.h\"\n" + std::string(kIncrement));
  only.compiler = Compiler::kNvcc;
  const Diagnosis lacking = error_of(only);
  EXPECT_EQ(lacking.where, (SourceLine{place, 1}));
  EXPECT_THAT(lacking.said, testing::StartsWith("nowhere.h: No such file"));
}

TEST_F(Nvcc, NamesAFunctionThatLacksItsAnnotation) {
  const Diagnosis error =
      error_of(request("float half_of(float x) { return x / 2; }\n"
                       "__global__ void k(float* x) { x[0] = half_of(x[0]); }\nint main() {}\n"));
  EXPECT_THAT(error.advice, testing::AllOf(IsMessage("host_function_left_out"),
                                           HasArgument("function", Code{"half_of"}), HasArgument("line", 1)));
}

TEST(Diagnosis, ReadsBothGrammars) {
  EXPECT_EQ(first_error("x\na.cu(12): error: expected a \";\"\n", "b.cu").where, (SourceLine{"a.cu", 12}));
  const Diagnosis gnu = first_error("a.cu:3:10: fatal error: x.h: No such file or directory\n", "b.cu");
  EXPECT_EQ(gnu.where, (SourceLine{"a.cu", 3}));
  EXPECT_EQ(gnu.kind, "error");
  EXPECT_TRUE(gnu.lacks_header);
  EXPECT_EQ(first_error("a.cu:3: error: #error text\n", "b.cu").where, (SourceLine{"a.cu", 3}));
  const Diagnosis fatal = first_error("nvcc fatal   : Unknown option '-x'\n", "b.cu");
  EXPECT_EQ(fatal.where, (SourceLine{"b.cu"}));
  EXPECT_EQ(fatal.said, "Unknown option '-x'");
  EXPECT_TRUE(
      first_error("a.cu(1): catastrophic error: cannot open source file \"x\"\n", "b.cu").lacks_header);
  EXPECT_FALSE(first_error("a.cu(1): error: no\n", "b.cu").lacks_header);
  EXPECT_THAT(first_error("nothing", "b.cu").instead, IsMessage("compiler_gave_no_reason"));
}

TEST(Diagnosis, NamesWhatTheLinkerMisses) {
  const auto problem = [](const char* words) {
    return first_error(std::string(words) + "\ncollect2: error: ld returned 1 exit status\n", "b.cu").instead;
  };
  const auto is_of = [](const char* function, const auto& library) {
    return testing::AllOf(IsMessage("function_of_library"), HasArgument("function", Code{function}),
                          HasArgument("library", library));
  };
  const auto is_undefined = [](const char* function) {
    return testing::AllOf(IsMessage("function_defined_nowhere"), HasArgument("function", Code{function}));
  };
  EXPECT_THAT(problem("b.cpp:(.text+0x3c): undefined reference to `cuInit'"),
              is_of("cuInit", msg::driver_api()));
  EXPECT_THAT(problem("undefined reference to `cublasCreate_v2'"), is_of("cublasCreate_v2", "cuBLAS"));
  EXPECT_THAT(problem("undefined reference to `glClear'"), is_of("glClear", "OpenGL"));
  EXPECT_THAT(problem("undefined reference to `cut(int)'"), is_undefined("cut(int)"));
  EXPECT_THAT(problem("nvlink error   : Undefined reference to '_Z1fi' in '/tmp/x.o'"),
              is_undefined("f(int)"));
}

TEST(Diagnosis, FindsAllWarnings) {
  const std::vector<Diagnosis> found = warnings_in(
      "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n      int x;\n          "
      "^\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
      "a.cu:9:5: warning: no return statement [-Wreturn-type]\n"
      "a.cu(7): error: expected a \";\"\n",
      "b.cu");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].where, (SourceLine{"a.cu", 3}));
  EXPECT_EQ(found[0].kind, "warning");
  EXPECT_EQ(found[0].said, "variable \"x\" was declared but never referenced");
  EXPECT_EQ(found[1].where, (SourceLine{"a.cu", 9}));
  EXPECT_TRUE(warnings_in("", "b.cu").empty());
}

}  // namespace
}  // namespace cudalab::compile
