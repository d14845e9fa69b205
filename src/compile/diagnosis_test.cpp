// Tests the advice on each removed API, and on names that were not removed; then on real files, through
// NVRTC.
#include "compile/diagnosis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/compile_kernels.h"
#include "compile/diagnosis_testing.h"
#include "compile/nvcc.h"

namespace cudalab::compile {

namespace {

TEST(RemovedApis, AreExplainedByWhatReplacedThem) {
  EXPECT_THAT(advice_on_removed("texture is not a template"), IsMessage("advice_texture_objects"));
  EXPECT_THAT(advice_on_removed("identifier \"cudaBindTextureToArray\" is undefined"),
              IsMessage("advice_texture_objects"));
  EXPECT_THAT(advice_on_removed("identifier \"__shfl_xor\" is undefined"), IsMessage("advice_shuffle_sync"));
  EXPECT_THAT(advice_on_removed("namespace \"cub\" has no member \"Max\""),
              IsMessage("advice_cuda_functional"));
  EXPECT_THAT(advice_on_removed("class \"cudaDeviceProp\" has no member \"clockRate\""),
              IsMessage("advice_device_attribute"));
  EXPECT_THAT(
      advice_on_removed("no suitable constructor exists to convert from \"int\" to \"cudaMemLocation\""),
      IsMessage("advice_memory_location"));
  EXPECT_THAT(advice_on_removed("identifier \"CUSPARSE_MV_ALG_DEFAULT\" is undefined"),
              IsMessage("advice_cusparse_algorithms"));
}

TEST(RemovedApis, OtherNamesAreLeftAlone) {
  EXPECT_TRUE(advice_on_removed("identifier \"x\" is undefined").empty());
  EXPECT_TRUE(advice_on_removed("identifier \"my_texture\" is undefined").empty());
  EXPECT_TRUE(advice_on_removed("identifier \"Max\" is undefined").empty());
  EXPECT_TRUE(advice_on_removed("identifier \"__shfl_sync2\" is undefined").empty());
  EXPECT_TRUE(first_error("texture.cu(1): error: identifier \"x\" is undefined\n", "a.cu").advice.empty());
}

TEST(Diagnosis, IsAMessageWithItsPlaceAndAdvice) {
  Diagnosis error{.where = {"a.cu", 12}, .said = "identifier \"N\" is undefined"};
  EXPECT_EQ(error.message().text(), "a.cu:12: error: identifier \"N\" is undefined");
  error.add_advice(Message::verbatim("define it"));
  error.add_advice(Message::verbatim("or leave it out"));
  EXPECT_EQ(error.text().text(), "identifier \"N\" is undefined; define it; or leave it out");
  EXPECT_EQ(error.with_kind().text(), "error: identifier \"N\" is undefined; define it; or leave it out");
  error.where.line = 0;
  EXPECT_THAT(error.message(), IsMessage("compiler_message_in"));
}

// The compiler's words are an argument, which is never translated; the rest are messages.
TEST(Diagnosis, KeepsTheCompilersWords) {
  const Diagnosis error = first_error("my_error.cu(3): error #20: identifier \"N\" is undefined\n", "b.cu");
  EXPECT_EQ(error.where, (SourceLine{"my_error.cu", 3}));
  EXPECT_EQ(error.kind, "error #20");
  EXPECT_EQ(error.said, "identifier \"N\" is undefined");
  EXPECT_EQ(error.undefined_name, "N");
  EXPECT_THAT(error.message(), HasArgument("problem", "identifier \"N\" is undefined"));
}

TEST(Diagnosis, OfWhatPtxasRejectsHasTheLineOfTheWarning) {
  const std::string rejected =
      "ptxas /tmp/k.ptx, line 31; error   : Instruction 'vote' without '.sync' is not supported\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n";
  const Diagnosis unplaced = first_error(rejected, "a.cu");
  EXPECT_EQ(unplaced.where, SourceLine{"a.cu"});
  EXPECT_EQ(unplaced.said, "Instruction 'vote' without '.sync' is not supported");
  const std::string warning =
      "a.cu(2): warning #1444-D: function \"__ballot\" was declared deprecated (\"x\")\n";
  const Diagnosis placed = first_error(warning + rejected, "a.cu");
  EXPECT_EQ(placed.said, "function \"__ballot\" was declared deprecated");
  EXPECT_EQ(placed.where, (SourceLine{"a.cu", 2}));
  EXPECT_THAT(placed.advice, IsMessage("advice_vote_sync"));
  EXPECT_THAT(errors_in(warning + rejected, "a.cu"), testing::SizeIs(1));
}

struct Old {
  const char *name, *source, *advice;  // an id
};
void PrintTo(const Old& old, std::ostream* out) { *out << old.name; }

constexpr Old kOld[] = {
    {"Texture",
     "texture<float, 1, cudaReadModeElementType> tex;\n"
     "__global__ void k(float* x) { x[0] = tex1Dfetch(tex, 1); }\n",
     "advice_texture_objects"},
    {"StaticTexture2D",
     "#include <cuda_runtime.h>\nstatic texture<float, 2> tex;\n"
     "__global__ void k(float* x) { x[0] = tex2D(tex, 1.0f, 2.0f); }\nint main() { return 0; }\n",
     "advice_texture_objects"},
    {"Surface", "surface<void, 2> s;\n__global__ void k() { surf2Dwrite(1, s, 0, 0); }\n",
     "advice_surface_objects"},
    {"Shuffle", "__global__ void k(int* x) { x[0] = __shfl_down(x[0], 1); }\n", "advice_shuffle_sync"},
    {"DeviceSynchronize",
     "__global__ void c() {}\n__global__ void k() { c<<<1, 1>>>(); cudaDeviceSynchronize(); }\n"
     "int main() { k<<<1, 1>>>(); }\n",
     "advice_tail_launch_stream"},
};

// A test parameter that prints its name.
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
  const Diagnosis error = diagnosis_of([&] { compile_kernels(request); });
  EXPECT_THAT(error.advice, IsMessage(old.advice));
  EXPECT_EQ(error.where.file, "old.cu");
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
