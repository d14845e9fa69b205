// `cudalab cc`: programs are built with nvcc's command lines, without nvcc, and run with `cudalab exec`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compile/clang/clang.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kPart =
    "__device__ int factor = 5;\n__device__ int scaled(int x) { return factor * x; }\n";
constexpr const char* kUsesPart =
    "#include <cstdio>\nextern __device__ int factor;\n__device__ int scaled(int x);\nint answer();\n"
    "__global__ void k(int* x) { *x = scaled(SCALE) + factor; }\n"
    "int main() { int *d, h; cudaMalloc(&d, 4); k<<<1, 1>>>(d);\n"
    "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); std::printf(\"%d %d\\n\", h, answer()); cudaFree(d); }\n";

class Cc : public testing::Test {
 protected:
  void SetUp() override {
    if (!compile::find_clang() || !fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13"))
      GTEST_SKIP() << "clang 17 or later is not installed, or the runtime was not built";
    write_file(folder_ / "main.cu", kUsesPart);
    write_file(folder_ / "part.cu", kPart);
    write_file(folder_ / "host.cpp", "int answer() { return 42; }\n");
  }
  Outcome cc(std::vector<std::string> words) const {
    words.insert(words.begin(), "cc");
    return by_ids(words, {.folder = folder_.path()});
  }
  void make(const std::vector<std::string>& words) const {
    const Outcome outcome = cc(words);
    EXPECT_EQ(outcome.code, 0) << testing::PrintToString(words) << outcome.err;
  }
  std::string printed_by(const std::string& program) const {
    const Outcome outcome = cudalab({"exec", "--", "./" + program}, {.folder = folder_.path()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }

  Folder folder_;
};

TEST_F(Cc, BuildsAProgramInOneStep) {
  make({"-rdc=true", "-O2", "-std=c++17", "-arch=sm_90", "-DSCALE=4", "-Xptxas", "-v", "-lineinfo", "-o",
        "prog", "main.cu", "part.cu", "host.cpp", "-lcudart", "-lm"});
  EXPECT_EQ(printed_by("prog"), "25 42\n");
}

TEST_F(Cc, BuildsAProgramOfObjectsAndALibrary) {
  make({"-dc", "-D", "SCALE=2", "main.cu", "part.cu"});
  make({"-c", "host.cpp"});
  make({"-lib", "-o", "libpart.a", "part.o"});
  make({"-dlink", "-o", "linked.o", "main.o", "libpart.a"});
  make({"-o", "prog", "main.o", "host.o", "linked.o", "-L.", "-lpart"});
  EXPECT_EQ(printed_by("prog"), "15 42\n");
}

TEST_F(Cc, NamesTheFunctionOfAnotherFileThatNeedsRelocatableCode) {
  const Outcome outcome = cc({"-DSCALE=1", "-o", "prog", "main.cu", "part.cu", "host.cpp"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, Says("cc_needs_relocatable", {{"file", "main.cu"}}));
}

TEST_F(Cc, WritesPtx) {
  make({"--ptx", "part.cu"});
  EXPECT_THAT(read_file(folder_ / "part.ptx"), HasSubstr(".visible .global .align 4 .u32 factor"));
}

TEST_F(Cc, ShowsACompilersErrorAtItsLine) {
  write_file(folder_ / "main.cu", "__global__ void k(int* x) {\n  *x = y;\n}\n");
  const Outcome outcome = cc({"-c", "main.cu"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, Says("compiler_message_at", {{"file", "main.cu"}, {"line", 2}}));
  EXPECT_FALSE(fs::exists(folder_ / "main.o"));
}

TEST_F(Cc, ReportsALibraryThatIsMissing) {
  write_file(folder_ / "one.cpp", "int main() {}\n");
  const Outcome outcome = cc({"-o", "prog", "one.cpp", "-lmissing"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, Says("cc_link_failed"));
}

}  // namespace
}  // namespace cudalab::e2e
