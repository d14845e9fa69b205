// Compiling real kernels where NVRTC is installed: results, messages, and what the cache does to both.
#include "compile/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/temporary_folder_testing.h"

namespace cudalab::compile {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Sets an environment variable for the life of the object.
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

// A fresh directory, in it an empty cache.
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

std::string message_of(const CompileRequest& request) {
  try {
    compile(request);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "it compiled";
}

TEST_F(Compiling, WritesPtxWithLineTableUnderTheRequestedName) {
  CompileRequest request = scale_by("3.0f");
  request.compute_major = 8;
  request.compute_minor = 6;
  const CompiledSource compiled = compile(request);
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_86"));
  EXPECT_THAT(compiled.ptx, HasSubstr(".file\t1 \"labs/test/1_kernel.cu\""));
  EXPECT_THAT(compiled.ptx, HasSubstr(".loc\t1 1"));
  EXPECT_THAT(compiled.ptx, HasSubstr("0f40400000"));  // FACTOR
}

TEST_F(Compiling, CompilesForTheHighestKnownCapabilityBelowAnUnknownOne) {
  CompileRequest request = scale_by("3.0f");
  request.compute_major = 99;
  EXPECT_THAT(compile(request).ptx, HasSubstr(".target sm_"));
  request.compute_major = 2;
  EXPECT_THAT(message_of(request), HasSubstr("no longer compiles for compute capability 2.0"));
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
  EXPECT_EQ(compile(request).lowered_names, compiled.lowered_names);  // from the cache too
}

TEST_F(Compiling, SaysWhereTheFirstErrorIsInOneLine) {
  const CompileRequest request = request_of("__global__ void k(int* a) {\n  a[i] = 1;\n  b = 2;\n}");
  EXPECT_EQ(message_of(request), "labs/test/1_kernel.cu:2: error: identifier \"i\" is undefined");
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
  EXPECT_THAT(
      message_of(request_of("#include <stdio.h>\n")),
      StartsWith("labs/test/1_kernel.cu:1: error: cannot open source file \"stdio.h\"; only the toolkit's"));
}

TEST_F(Compiling, ExplainsANameThatIsNoKernel) {
  CompileRequest request = request_of("template <class T, int N> __global__ void mm(T* a) { a[0] = N; }");
  request.name_expressions = {"mm<float>"};
  EXPECT_THAT(message_of(request),
              StartsWith("labs/test/1_kernel.cu: error: `mm<float>` names no kernel of this "
                         "file: cannot determine which instance"));
}

TEST_F(Compiling, ReportsAnUnknownOption) {
  CompileRequest request = scale_by("1");
  request.options = {"-bogus"};
  EXPECT_EQ(message_of(request), "labs/test/1_kernel.cu: error: unrecognized option -bogus found");
}

TEST_F(Compiling, ReportsAMissingCompiler) {
  const ScopedVariable nowhere("CUDALAB_NVRTC", "/nonexistent");
  EXPECT_FALSE(compiler_version());
  EXPECT_THAT(message_of(scale_by("1")),
              StartsWith("no CUDA compiler: CUDALAB_NVRTC=/nonexistent is no libnvrtc"));
}

TEST_F(Compiling, NeedsTheToolkitsHeadersOnlyWhereTheyAreIncluded) {
  const ScopedVariable nowhere("CUDALAB_CUDA_INCLUDE", "/nonexistent");
  EXPECT_THAT(compile(scale_by("1")).ptx, HasSubstr(".entry"));
  try {
    compile(request_of("#include <cuda_fp16.h>\n"));
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("headers were not found"));
  }
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
