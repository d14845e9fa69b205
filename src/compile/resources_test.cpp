// What ptxas says of kernels is read back, whoever ran it, and kept beside the PTX.
#include "compile/resources.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compile/compile_cache.h"
#include "compile/nvcc.h"
#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

// NVRTC's log of two kernels, of which one calls a function that is not inlined.
constexpr const char* kLog =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z2k2IdEvPT_i' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z2k2IdEvPT_i\n"
    "ptxas         .     936 bytes stack frame, 2276 bytes spill stores, 2676 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 0 barriers, 936 bytes cumulative stack size\n"
    "ptxas info    : Compiling entry function 'k1' for 'sm_90'\n"
    "ptxas info    : Function properties for k1\n"
    "ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Function properties for _Z1ffi\n"
    "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 256 bytes cumulative stack size, 400 bytes smem\n";

const KernelResources kSpilling{
    .registers = 32, .stack_bytes = 936, .spill_store_bytes = 2276, .spill_load_bytes = 2676};
const KernelResources kCalling{.registers = 40, .shared_bytes = 400, .stack_bytes = 256};

TEST(PtxasLog, SaysWhatEachKernelTakes) {
  const ResourcesBySymbol found = resources_in(kLog);
  EXPECT_EQ(found, (ResourcesBySymbol{{"_Z2k2IdEvPT_i", kSpilling}, {"k1", kCalling}}));
}

// CUDA 12 indents the line of properties, and says less of barriers.
TEST(PtxasLog, IsReadAsOlderOnesWriteIt) {
  const ResourcesBySymbol found = resources_in(
      "ptxas info    : Compiling entry function 'k' for 'sm_75'\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 16 registers, 1024 bytes smem, 368 bytes cmem[0]\n");
  EXPECT_EQ(found, (ResourcesBySymbol{{"k", {.registers = 16, .shared_bytes = 1024}}}));
}

TEST(PtxasLog, LeavesOutWhatItDoesNotSayWhole) {
  const std::string log = kLog;
  EXPECT_EQ(resources_in("ptxas info    : Used 32 registers\n"), ResourcesBySymbol{});
  EXPECT_EQ(
      resources_in(
          "ptxas info    : Compiling entry function 'k' for 'sm_75'\nptxas info    : Used 9 registers\n"),
      ResourcesBySymbol{});
  EXPECT_EQ(
      resources_in("ptxas info    : Compiling entry function 'k' for 'sm_75'\n"
                   "ptxas info    : Function properties for k\n"
                   "    0 bytes stack frame, 0 bytes spill stores, 99999999999999999999 bytes spill loads\n"
                   "ptxas info    : Used 9 registers\n"),
      ResourcesBySymbol{});
}

// A log that is cut anywhere never gives figures that the whole does not give.
TEST(PtxasLog, CutAnywhereIsNeverMisread) {
  const std::string log = kLog;
  const ResourcesBySymbol whole = resources_in(log);
  for (std::size_t length = 0; length < log.size(); ++length)
    for (const auto& [symbol, of] : resources_in(log.substr(0, length))) {
      EXPECT_TRUE(whole.contains(symbol)) << length;
      EXPECT_EQ(of.registers, whole.at(symbol).registers) << length;
      EXPECT_EQ(of.spill_load_bytes, whole.at(symbol).spill_load_bytes) << length;
    }
}

TEST(PtxasLog, IsTakenOutOfTheFrontEndsWords) {
  EXPECT_EQ(without_ptxas(kLog), "");
  EXPECT_EQ(without_ptxas(std::string("k.cu(3): warning: x\n") + kLog + "\n"), "k.cu(3): warning: x\n\n");
  EXPECT_EQ(without_ptxas("k.cu(3): warning: x"), "k.cu(3): warning: x");
}

TEST(PtxasLog, KnowsWhatPtxAloneWouldNotCure) {
  EXPECT_TRUE(concerns_machine_code(std::string("k.cu(1): warning: x\n") + kLog));
  EXPECT_TRUE(concerns_machine_code("nvrtc: error: invalid value for --gpu-architecture (-arch)\n"));
  EXPECT_FALSE(concerns_machine_code("k.cu(1): error: identifier \"x\" is undefined\n"));
}

// ---- compilers -----------------------------------------------------------------------------------------

CompileRequest request_for(std::string source, int major = 9, int minor = 0) {
  CompileRequest request;
  request.source = std::move(source);
  request.file_name = "k.cu";
  request.compute_major = major;
  request.compute_minor = minor;
  request.wants_resources = true;
  return request;
}

constexpr const char* kTwo =
    "extern \"C\" __global__ void k(float* p) { __shared__ float s[64]; s[threadIdx.x] = p[threadIdx.x];\n"
    "__syncthreads(); p[threadIdx.x] = s[63 - threadIdx.x]; }\n"
    "extern \"C\" __global__ void __launch_bounds__(1024, 2) big(double* p, int n) { double a[40];\n"
    "for (int i = 0; i < 40; i++) a[i] = p[i * n];\n"
    "for (int j = 0; j < n; j++) for (int i = 0; i < 40; i++) a[i] = a[i] * a[(i * 7 + 3) % 40] + a[(i + 1) "
    "% 40];\n"
    "for (int i = 0; i < 40; i++) p[i * n] = a[i]; }\n";

class Resources : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
    setenv("CUDALAB_CACHE_DIR", folder_.path().c_str(), 1);
  }
  void TearDown() override { unsetenv("CUDALAB_CACHE_DIR"); }
  TemporaryFolder folder_;
};

TEST_F(Resources, ComeBesideThePtxAndStayInTheCache) {
  const CompiledSource fresh = compile(request_for(kTwo));
  ASSERT_EQ(fresh.resources.size(), 2u);
  EXPECT_EQ(fresh.resources.at("k").shared_bytes, 256u);
  EXPECT_GT(fresh.resources.at("k").registers, 0);
  EXPECT_EQ(fresh.resources.at("big").registers, 32);  // of 65,536 for 2,048 threads
  EXPECT_GT(fresh.resources.at("big").spill_store_bytes, 0u);
  EXPECT_EQ(fresh.log, "");
  const CompiledSource again = compile(request_for(kTwo));
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.resources, fresh.resources);
}

TEST_F(Resources, DoNotChangeThePtx) {
  CompileRequest without = request_for(kTwo);
  without.wants_resources = false;
  const CompiledSource ptx_alone = compile(without);
  EXPECT_TRUE(ptx_alone.resources.empty());
  const CompiledSource both = compile(request_for(kTwo));
  EXPECT_FALSE(both.from_cache);  // it was kept without them
  EXPECT_EQ(both.ptx, ptx_alone.ptx);
}

TEST_F(Resources, OfWhatPtxasRefusesAreUnknown) {
  const CompiledSource compiled =
      compile(request_for("__global__ void k(int* p) { __shared__ int s[20000]; s[threadIdx.x] = 1;\n"
                          "__syncthreads(); *p = s[*p]; }"));
  EXPECT_NE(compiled.ptx.find(".entry"), std::string::npos);
  EXPECT_TRUE(compiled.resources.empty());
}

TEST_F(Resources, OfKernelsThatLaunchKernelsAreUnknown) {
  const CompiledSource compiled = compile(request_for(
      "__global__ void child(int* p) { *p = 1; }\n__global__ void k(int* p) { child<<<1, 1>>>(p); }"));
  EXPECT_TRUE(compiled.resources.empty());
}

TEST_F(Resources, AMistakeInTheSourceIsStillOne) {
  EXPECT_THROW(compile(request_for("__global__ void k() { x = 1; }")), CompileError);
}

TEST_F(Resources, AWarningIsStillOne) {
  EXPECT_NE(compile(request_for("__global__ void k() { int unused; }")).log.find("unused"),
            std::string::npos);
}

// PTX of a newer capability will do for what is interpreted, but says nothing of the older card's registers.
TEST_F(Resources, OfACardThatTheCompilerNoLongerKnowsAreUnknown) {
  CompileRequest request = request_for(kTwo, 3, 0);
  EXPECT_THROW(compile(request), Error);
  request.is_interpreted = true;
  const CompiledSource compiled = compile(request);
  EXPECT_NE(compiled.ptx.find(".entry"), std::string::npos);
  EXPECT_TRUE(compiled.resources.empty());
}

TEST_F(Resources, NvccsAreThoseOfNvrtc) {
  const auto nvcc = find_nvcc();
  if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
  EXPECT_EQ(compile_with_nvcc(request_for(kTwo), *nvcc).resources, compile(request_for(kTwo)).resources);
  EXPECT_EQ(compile_with_nvcc(request_for(kTwo), *nvcc).resources, compile(request_for(kTwo)).resources);
}

// ptxas from the same PTX says the same, for the cards of every generation.
TEST_F(Resources, OfALabsKernelsAreThoseOfPtxas) {
  const auto nvcc = find_nvcc();
  if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
  std::size_t kernels = 0;
  for (const char* file : {"transpose/3_padded.cu", "dot/4_tree.cu", "matmul/2_tiled.cu"})
    for (const auto& [major, minor] :
         {std::pair{7, 5}, std::pair{8, 0}, std::pair{8, 6}, std::pair{8, 9}, std::pair{9, 0}}) {
      const std::string path = std::string(CUDALAB_SOURCE_DIR "/labs/") + file;
      CompileRequest request = request_for(read_text(path), major, minor);
      request.defines = {
          {"TYPE", "float"}, {"REAL", "float"}, {"TILE", "16"}, {"BLOCK", "256"}, {"PAD", "1"}};
      const CompiledSource compiled = compile(request);
      EXPECT_EQ(compiled.resources, resources_by_ptxas(request, compiled.ptx, *nvcc)) << file;
      kernels += compiled.resources.size();
    }
  EXPECT_GE(kernels, 15u);
}

}  // namespace
}  // namespace cudalab::compile
