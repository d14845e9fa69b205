// Each name that is gone gets its sentence, and others none; then real files, through NVRTC.
#include "compile/diagnosis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/compile_kernels.h"
#include "compile/nvcc.h"

namespace cudalab::compile {

namespace {

using testing::HasSubstr;

TEST(RemovedApis, AreExplainedByWhatReplacedThem) {
  EXPECT_THAT(advice_on_removed("a.cu:1: error: texture is not a template"),
              HasSubstr("cudaTextureObject_t"));
  EXPECT_THAT(advice_on_removed("error: identifier \"cudaBindTextureToArray\" is undefined"),
              HasSubstr("cudaTextureObject_t"));
  EXPECT_THAT(advice_on_removed("error: identifier \"__shfl_xor\" is undefined"), HasSubstr("_sync"));
  EXPECT_THAT(advice_on_removed("error: namespace \"cub\" has no member \"Max\""),
              HasSubstr("cuda::maximum"));
  EXPECT_THAT(advice_on_removed("error: class \"cudaDeviceProp\" has no member \"clockRate\""),
              HasSubstr("cudaDeviceGetAttribute"));
}

TEST(RemovedApis, OtherNamesAreLeftAlone) {
  EXPECT_EQ(advice_on_removed("texture.cu:1: error: identifier \"x\" is undefined"), "");
  EXPECT_EQ(advice_on_removed("a.cu:1: error: identifier \"my_texture\" is undefined"), "");
  EXPECT_EQ(advice_on_removed("a.cu:1: error: identifier \"Max\" is undefined"), "");
  EXPECT_EQ(advice_on_removed("a.cu:1: error: identifier \"__shfl_sync2\" is undefined"), "");
}

struct Old {
  const char *name, *source, *says;
};
void PrintTo(const Old& old, std::ostream* out) { *out << old.name; }

constexpr Old kOld[] = {
    {"Texture",
     "texture<float, 1, cudaReadModeElementType> tex;\n"
     "__global__ void k(float* x) { x[0] = tex1Dfetch(tex, 1); }\n",
     "give the kernel a cudaTextureObject_t"},
    {"StaticTexture2D",
     "#include <cuda_runtime.h>\nstatic texture<float, 2> tex;\n"
     "__global__ void k(float* x) { x[0] = tex2D(tex, 1.0f, 2.0f); }\nint main() { return 0; }\n",
     "give the kernel a cudaTextureObject_t"},
    {"Surface", "surface<void, 2> s;\n__global__ void k() { surf2Dwrite(1, s, 0, 0); }\n",
     "give the kernel a cudaSurfaceObject_t"},
    {"Shuffle", "__global__ void k(int* x) { x[0] = __shfl_down(x[0], 1); }\n", "__shfl_down_sync"},
    {"DeviceSynchronize",
     "__global__ void c() {}\n__global__ void k() { c<<<1, 1>>>(); cudaDeviceSynchronize(); }\n"
     "int main() { k<<<1, 1>>>(); }\n",
     "cudaStreamTailLaunch"},
};

// A parameter that says its name.
struct CompilerName {
  Compiler compiler;
};
void PrintTo(const CompilerName& name, std::ostream* out) { *out << name_in(kCompilerNames, name.compiler); }

class OldFiles : public testing::TestWithParam<std::tuple<Old, CompilerName>> {};

TEST_P(OldFiles, SayWhatToWriteInstead) {
  const auto& [old, name] = GetParam();
  const Compiler compiler = name.compiler;
  if (!compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  if (compiler == Compiler::kNvcc && !find_nvcc()) GTEST_SKIP() << "nvcc is not installed";
  CompileRequest request{.source = old.source, .file_name = "old.cu"};
  request.compiler = compiler;
  try {
    compile_kernels(request);
    ADD_FAILURE() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr(old.says));
    EXPECT_THAT(error.what(), testing::StartsWith("old.cu:"));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, OldFiles,
                         testing::Combine(testing::ValuesIn(kOld),
                                          testing::Values(CompilerName{Compiler::kNvrtc},
                                                          CompilerName{Compiler::kNvcc})),
                         [](const auto& test) {
                           return fmt::format("{}_{}", std::get<0>(test.param).name,
                                              name_in(kCompilerNames, std::get<1>(test.param).compiler));
                         });

}  // namespace
}  // namespace cudalab::compile
