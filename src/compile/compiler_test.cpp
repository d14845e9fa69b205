// Compiles real kernels, if NVRTC is installed: results, messages, and how the cache affects both.
#include "compile/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compile/compile_cache.h"
#include "compile/diagnosis_testing.h"
#include "compile/nvcc.h"
#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::compile {

// ptxas's report is read, whether NVRTC or nvcc ran it, and stored with the PTX.

namespace {

namespace fs = std::filesystem;

// NVRTC's log for two kernels, one of which calls a function that is not inlined.
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

// CUDA 12 indents the line of properties, and reports less about barriers.
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

// A truncated log never gives numbers that the whole log does not give.
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
  EXPECT_EQ(fresh.resources.at("big").registers, 32);  // 65,536 registers for 2,048 threads
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
  EXPECT_FALSE(both.from_cache);  // the cached result has no resources
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

// PTX of a newer compute capability can be interpreted, but it does not give the older GPU's registers.
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

// ptxas reports the same for the same PTX, for GPUs of every generation.
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

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Sets an environment variable for the object's lifetime.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// A new directory with an empty cache.
class Compiling : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }
  std::vector<fs::path> entries() const {
    if (!fs::exists(directory_ / "cache/ptx")) return {};
    return {fs::directory_iterator(directory_ / "cache/ptx"), fs::directory_iterator()};
  }

  TemporaryFolder directory_;
  ScopedVariable cache_{"CUDALAB_CACHE_DIR", (directory_ / "cache").string()};
};

CompileRequest request_of(const std::string& source) {
  CompileRequest request;
  request.source = source;
  request.file_name = "labs/test/1_kernel.cu";
  return request;
}

const std::string kScale = "__global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }\n";

CompileRequest scale_by(const std::string& factor) {
  CompileRequest request = request_of(kScale);
  request.defines = {{"FACTOR", factor}};
  return request;
}

Diagnosis nvrtc_error(const CompileRequest& request) {
  const Diagnosis error = diagnosis_of([&] { compile(request); });
  EXPECT_THAT(error.message().text(), Not(HasSubstr("\n")));
  return error;
}

Message unavailable(const CompileRequest& request) {
  return refused([&] { compile(request); }, ExitCode::kUnavailable);
}

TEST_F(Compiling, WritesPtxWithLineTableUnderTheRequestedName) {
  CompileRequest request = scale_by("3.0f");
  request.compute_major = 8;
  request.compute_minor = 6;
  const CompiledSource compiled = compile(request);
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_86"));
  EXPECT_THAT(compiled.ptx, HasSubstr(".file\t1 \"labs/test/1_kernel.cu\""));
  EXPECT_THAT(compiled.ptx, HasSubstr(".loc\t1 1"));
  EXPECT_THAT(compiled.ptx, HasSubstr("0f40400000"));  // the value of FACTOR
}

TEST_F(Compiling, CompilesForTheHighestKnownCapabilityBelowAnUnknownOne) {
  CompileRequest request = scale_by("3.0f");
  request.compute_major = 99;
  EXPECT_THAT(compile(request).ptx, HasSubstr(".target sm_"));
  request.compute_major = 2;
  EXPECT_THAT(unavailable(request), AllOf(IsMessage("nvrtc_too_new"), HasArgument("capability", "2.0")));
}

TEST_F(Compiling, FindsTheToolkitsHeaders) {
  CompileRequest request = request_of(
      "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <cuda/std/cstdint>\n"
      "__global__ void k(__half* x) { cooperative_groups::this_thread_block().sync(); x[0] = __hadd(x[1], "
      "x[2]); }");
  EXPECT_THAT(compile(request).ptx, HasSubstr("add.f16"));
}

TEST_F(Compiling, NamesTheInstancesOfTemplates) {
  CompileRequest request = request_of("template <class T, int N> __global__ void mm(T* a) { a[0] = N; }");
  request.name_expressions = {"mm<float,16>", "mm<int,2>"};
  const CompiledSource compiled = compile(request);
  EXPECT_THAT(compiled.ptx, HasSubstr(".entry " + compiled.lowered_names.at("mm<float,16>")));
  EXPECT_NE(compiled.lowered_names.at("mm<float,16>"), compiled.lowered_names.at("mm<int,2>"));
  EXPECT_EQ(compile(request).lowered_names, compiled.lowered_names);  // also from the cache
}

TEST_F(Compiling, SaysWhereTheFirstErrorIsInOneLine) {
  const CompileRequest request = request_of("__global__ void k(int* a) {\n  a[i] = 1;\n  b = 2;\n}");
  const Diagnosis error = nvrtc_error(request);
  EXPECT_EQ(error.where, (SourceLine{"labs/test/1_kernel.cu", 2}));
  EXPECT_EQ(error.said, "identifier \"i\" is undefined");
}

TEST_F(Compiling, CompilesLaunchesFromKernels) {
  CompileRequest wanted = request_of(
      "__global__ void child(int* x) { *x = 1; }\n"
      "__global__ void parent(int* x) { child<<<1, 1>>>(x); }\n");
  EXPECT_THAT(compile(wanted).ptx, HasSubstr("__cudaCDP2LaunchDeviceV2"));
}

TEST_F(Compiling, KeepsTheWholeLog) {
  try {
    compile(request_of("__global__ void k(int* a) {\n  a[i] = 1;\n  b = 2;\n}"));
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.log(), HasSubstr("identifier \"b\" is undefined"));
  }
}

TEST_F(Compiling, ExplainsAMissingHeader) {
  const Diagnosis error = nvrtc_error(request_of("#include <stdio.h>\n"));
  EXPECT_EQ(error.where, (SourceLine{"labs/test/1_kernel.cu", 1}));
  EXPECT_EQ(error.said, "cannot open source file \"stdio.h\"");
  EXPECT_THAT(error.advice, IsMessage("advice_toolkit_headers_only"));
}

TEST_F(Compiling, ExplainsANameThatIsNoKernel) {
  CompileRequest request = request_of("template <class T, int N> __global__ void mm(T* a) { a[0] = N; }");
  request.name_expressions = {"mm<float>"};
  const Diagnosis error = nvrtc_error(request);
  EXPECT_EQ(error.where, (SourceLine{"labs/test/1_kernel.cu"}));
  EXPECT_THAT(error.said, StartsWith("cannot determine which instance"));
  EXPECT_THAT(error.instead,
              AllOf(IsMessage("kernel_name_unresolved"), HasArgument("kernel", Code{"mm<float>"})));
}

TEST_F(Compiling, ReportsAnUnknownOption) {
  CompileRequest request = scale_by("1");
  request.options = {"-bogus"};
  const Diagnosis error = nvrtc_error(request);
  EXPECT_EQ(error.where, (SourceLine{"labs/test/1_kernel.cu"}));
  EXPECT_EQ(error.said, "unrecognized option -bogus found");
}

TEST_F(Compiling, ReportsAMissingCompiler) {
  const ScopedVariable nowhere("CUDALAB_NVRTC", "/nonexistent");
  EXPECT_FALSE(compiler_version());
  EXPECT_THAT(unavailable(scale_by("1")),
              AllOf(IsMessage("nvrtc_place_unusable"), HasArgument("place", "/nonexistent")));
}

TEST_F(Compiling, NeedsTheToolkitsHeadersOnlyWhereTheyAreIncluded) {
  const ScopedVariable nowhere("CUDALAB_CUDA_INCLUDE", "/nonexistent");
  EXPECT_THAT(compile(scale_by("1")).ptx, HasSubstr(".entry"));
  EXPECT_THAT(unavailable(request_of("#include <cuda_fp16.h>\n")),
              MentionsMessage("advice_install_toolkit_headers"));
}

TEST_F(Compiling, TakesTheSameRequestFromTheCache) {
  const CompiledSource first = compile(scale_by("3.0f"));
  const CompiledSource second = compile(scale_by("3.0f"));
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.ptx, first.ptx);
  EXPECT_EQ(second.log, first.log);
  EXPECT_EQ(second.file_name, first.file_name);
}

TEST_F(Compiling, CompilesAnewWhenAnythingDiffers) {
  compile(scale_by("3.0f"));
  EXPECT_FALSE(compile(scale_by("4.0f")).from_cache);
  CompileRequest other = scale_by("3.0f");
  other.options = {"-use_fast_math"};
  EXPECT_FALSE(compile(other).from_cache);
  other = scale_by("3.0f");
  other.compute_major = 8;
  EXPECT_FALSE(compile(other).from_cache);
  other = scale_by("3.0f");
  other.source += "\n";
  EXPECT_FALSE(compile(other).from_cache);
}

TEST_F(Compiling, ReplacesADamagedEntry) {
  const std::string ptx = compile(scale_by("3.0f")).ptx;
  ASSERT_EQ(entries().size(), 1u);
  const fs::path entry = entries().front();
  fs::resize_file(entry, fs::file_size(entry) / 2);
  const CompiledSource again = compile(scale_by("3.0f"));
  EXPECT_FALSE(again.from_cache);
  EXPECT_EQ(again.ptx, ptx);
  EXPECT_TRUE(compile(scale_by("3.0f")).from_cache);
}

TEST_F(Compiling, WorksWithoutAUsableCache) {
  const ScopedVariable blocked("CUDALAB_CACHE_DIR", write("file", "not a directory").string());
  EXPECT_FALSE(compile(scale_by("3.0f")).from_cache);
  EXPECT_FALSE(compile(scale_by("3.0f")).from_cache);
}

TEST_F(Compiling, SeesThatAnIncludedFileChanged) {
  write("factor.h", "#include \"value.h\"\n");
  write("value.h", "#define FACTOR 3.0f\n");
  CompileRequest request = request_of("#include \"factor.h\"\n" + kScale);
  request.include_directories = {directory_.path().string()};
  compile(request);
  EXPECT_TRUE(compile(request).from_cache);
  write("value.h", "#define FACTOR 5.0f\n");
  const CompiledSource changed = compile(request);
  EXPECT_FALSE(changed.from_cache);
  EXPECT_THAT(changed.ptx, HasSubstr("0f40A00000"));
}

TEST_F(Compiling, DoesNotCacheWhatItsTextDoesNotDecide) {
  CompileRequest request =
      request_of("#define HEADER <cuda_fp16.h>\n#include HEADER\n__global__ void k() {}");
  compile(request);
  EXPECT_FALSE(compile(request).from_cache);
  EXPECT_TRUE(entries().empty());
}

}  // namespace
}  // namespace cudalab::compile
