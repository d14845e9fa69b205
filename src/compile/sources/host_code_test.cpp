// Tests which parts of a source are host code, on small examples and on typical course files
// (tests/host_code).
#include "compile/sources/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/compile_kernels.h"
#include "compile/diagnosis_testing.h"
#include "compile/sources/source_parts.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::compile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

DeviceCode device_code(std::string_view source) {
  return device_code_of(source, [](const IncludedHeader& header) {
    return header.in_quotes ? std::nullopt : std::optional<std::string>("");
  });
}

std::vector<std::string> left_out(std::string_view source) {
  std::vector<std::string> names;
  for (const SourcePart& part : device_code(source).left_out) names.push_back(part.name);
  return names;
}

// Removes blanks and line ends for comparisons.
std::string dense(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

std::vector<std::string> words(std::string_view source) {
  std::vector<std::string> texts;
  for (const SourceToken& token : tokens_of(source)) texts.emplace_back(token.text);
  return texts;
}

TEST(SourceTokens, SkipCommentsAndKeepStringsWhole) {
  EXPECT_THAT(words("a/* b { */c // }\n\"d\\\"}\" '}'"), ElementsAre("a", "c", "\"d\\\"}\"", "'}'"));
  EXPECT_THAT(words("R\"x(a)\" })x\" b"), ElementsAre("R\"x(a)\" })x\"", "b"));
  EXPECT_THAT(words("1'000 0x1p-3f 1e+5 x-1"), ElementsAre("1'000", "0x1p-3f", "1e+5", "x", "-", "1"));
}

TEST(SourceTokens, TakeADirectiveWithItsContinuations) {
  EXPECT_THAT(words("#define A \\\n {\n#if 0\nit's {\n#if 1\n#endif\n#else\nb\n#endif"),
              ElementsAre("#define A \\\n {", "#if 0", "#else", "b", "#endif"));
}

TEST(SourceTokens, EndWhatIsNotClosed) {
  EXPECT_THAT(words("'a\nb /* c"), ElementsAre("'a", "b"));
  EXPECT_THAT(words("\"\\"), ElementsAre("\"\\"));
  EXPECT_THAT(words("R\"(("), ElementsAre("R\"(("));
}

TEST(HostCode, EveryLineKeepsItsNumber) {
  const std::string source = "int main() {\n  return 0;\n}\n__global__ void k() {}\n";
  const DeviceCode code = device_code(source);
  EXPECT_EQ(code.text, "            \n           \n \n__global__ void k() {}\n");
  ASSERT_EQ(code.left_out.size(), 1u);
  EXPECT_EQ(code.left_out[0].first_line, 1);
  EXPECT_EQ(code.left_out[0].last_line, 3);
}

TEST(HostCode, NothingIsTouchedWhereThereIsNone) {
  const std::string source = R"(
#define HD __host__ __device__
template <class T> struct Pair { T a, b; HD Pair(T x) : a{x}, b(x) {}
  __device__ T operator()(int) const { return a; } };
enum Kind { kOne, kTwo };
typedef float (*operation)(float, float);
using Real = float;
const int kCount = 16;
static const float kTable[2] = {1, 2};
constexpr float kHalf = 0.5f;
__constant__ float weights[4];
extern __shared__ int pool[];
__device__ operation table[1] = {nullptr};
struct Forward;
namespace inner { HD float twice(float x) { return 2 * x; } }
extern "C" __global__ void __launch_bounds__(256) k(float* a) { a[0] = 1; }
)";
  EXPECT_EQ(device_code(source).text, source);
  EXPECT_THAT(left_out(source), IsEmpty());
}

struct Sample {
  const char* source;
  std::vector<std::string> names;
};

TEST(HostCode, IsFoundByItsMissingAnnotation) {
  const Sample samples[] = {
      {"int main(int argc, char** argv) { f<<<1, 2>>>(); }", {"main"}},
      {"void prototype(float*, int);", {"prototype"}},
      {"template <class T> T largest(T a, T b) { return a < b ? b : a; }", {"largest"}},
      {"struct A *make(int n) { return 0; }", {"make"}},
      {"int counter; float *h_a = 0, *h_b;", {"counter", "h_a"}},
      {"const char* names[] = {\"a\", \"b\"};", {"names"}},
      {"std::vector<float> v(10, {1});", {"v"}},
      {"dim3 grid(16, 16);", {"grid"}},
      {"struct T { int a; T(int x) : a{x} {} void print() const; ~T(); T& operator=(const T& o) { return "
       "*this; } };",
       {"T::T", "T::print", "T::T", "T::operator"}},
      {"class V { std::vector<int> data; int plain; };", {"V::data"}},
      {"namespace a { namespace b { void f() {} } }", {"a::b::f"}},
      {"extern \"C\" { void f() {} }", {"f"}},
      {"#define RUN(x) x\nRUN(int)\nint main() {}", {"main"}},
  };
  for (const Sample& sample : samples) EXPECT_EQ(left_out(sample.source), sample.names) << sample.source;
}

TEST(HostCode, ConstexprFunctionsBecomeTheDevices) {
  EXPECT_EQ(device_code("static constexpr int up(int a) { return a; }").text,
            "static __device__ constexpr int up(int a) { return a; }");
}

TEST(HostCode, AVariableGoesAndItsTypeStays) {
  EXPECT_EQ(dense(device_code("static struct P { int a; } origin = {1};").text), "structP{inta;};");
  EXPECT_EQ(dense(device_code("typedef struct { int a; } P;").text), "typedefstruct{inta;}P;");
}

TEST(HostCode, PreprocessorLinesStay) {
  EXPECT_EQ(
      device_code("int main() {\n#define N 4\n#ifdef A\n}\n#else\n}\n#endif\n__device__ int a[N];").text,
      "            \n#define N 4\n#ifdef A\n \n#else\n \n#endif\n__device__ int a[N];");
}

TEST(HostCode, HeadersOfTheHostGoAndWhatKernelsExpectOfThemComes) {
  const DeviceCode code =
      device_code("#include <cstdio>\n#include <cuda_fp16.h>\n#include \"missing.h\"\nint x;");
  EXPECT_THAT(code.text,
              testing::EndsWith(
                  "\n#line 1\n                 \n#include <cuda_fp16.h>\n                    \n      "));
  EXPECT_THAT(code.text, HasSubstr("#define FLT_MAX"));
  const DeviceCode beside =
      device_code_of("#include \"there.h\"\n", [](const IncludedHeader&) { return ""; });
  EXPECT_EQ(beside.text, "#include \"there.h\"\n");
}

TEST(HostCode, BracesThatDoNotMatchAreLeftToTheCompiler) {
  for (const char* source : {"int main() { ", "}", "void f( {", "template <class T", "namespace a {",
                             "int main() {\n#if A\n}", "#if A\nint main() {\n#else\n"})
    EXPECT_EQ(device_code(source).text, source);
}

TEST(HostCode, HostileSourcesEndSoon) {
  std::string deep, wide;
  for (int i = 0; i < 100'000; ++i)
    deep += "namespace a { struct b {", wide += "constexpr int f(int) { return 0; }\n";
  EXPECT_EQ(device_code(deep).text, deep);
  EXPECT_EQ(device_code(wide).kept.size(), 100'000u);
  EXPECT_EQ(device_code(std::string(100'000, '(')).text, std::string(100'000, '('));
}

TEST(HostCode, KernelsAreListedWithTheirParameters) {
  const DeviceCode code = device_code(
      "namespace n {\n"
      "template <class T, int N>\n"
      "__global__ void __launch_bounds__(N, 2)\n"
      "  k(const T* __restrict__ in, std::pair<int, int> range, float table[4], void (*f)(int, int), "
      "unsigned, int n = 3) {}\n"
      "}\n"
      "__global__ void declared(int);\n"
      "__global__ void empty() {}");
  ASSERT_EQ(code.kernels.size(), 2u);
  const KernelDeclaration& kernel = code.kernels[0];
  EXPECT_EQ(kernel.name, "n::k");
  EXPECT_EQ(kernel.template_parameters, "class T, int N");
  EXPECT_EQ(kernel.line, 4);
  EXPECT_EQ(kernel.last_line, 4);
  std::vector<std::string> names, texts;
  for (const DeclaredParameter& parameter : kernel.parameters) {
    names.push_back(parameter.name);
    texts.push_back(parameter.text);
  }
  EXPECT_THAT(texts, ElementsAre("const T* __restrict__ in", "std::pair<int, int> range", "float table[4]",
                                 "void (*f)(int, int)", "unsigned", "int n = 3"));
  EXPECT_THAT(names, ElementsAre("in", "range", "table", "", "", "n"));
  EXPECT_EQ(code.kernels[1].name, "empty");
  EXPECT_THAT(code.kernels[1].parameters, IsEmpty());
}

TEST(HostCode, AdviceNamesWhatIsMissing) {
  const DeviceCode code =
      device_code("\nfloat half_of(float x) {\nreturn x; }\nint size;\nstruct S {\nFile f; };");
  EXPECT_THAT(advice_on(code, "identifier \"half_of\" is undefined", "", 9),
              AllOf(IsMessage("host_function_left_out"), HasArgument("function", Code{"half_of"}),
                    HasArgument("first", 2), HasArgument("last", 3)));
  EXPECT_THAT(advice_on(code, "identifier \"size\" is undefined", "", 9),
              AllOf(IsMessage("host_variable_left_out"), HasArgument("variable", Code{"size"}),
                    HasArgument("line", 4)));
  EXPECT_THAT(advice_on(code, "identifier \"File\" is undefined", "", 6),
              AllOf(IsMessage("host_part_kept"), HasArgument("name", Code{"S::f"}), HasArgument("line", 6)));
  EXPECT_TRUE(advice_on(code, "something else", "", 9).empty());
}

TEST(HostCode, InstantiationsAndSpecializationsOfHostTemplatesGo) {
  EXPECT_THAT(left_out("template <class T> void launch(T* p) { k<<<1, 1>>>(p); }\n"
                       "template void launch<float>(float*);\n"
                       "template <> void launch<int>(int* p) { p = nullptr; }\n"
                       "template class Matrix<float>;\n"
                       "__device__ int behind;"),
              ElementsAre("launch", "launch", "launch", "float"));
}

TEST(HostCode, InstancesOfKernelsAndDeviceSpecializationsStay) {
  const std::string source =
      "template <class T> __global__ void k(T* p) { *p = 1; }\n"
      "template void k<float>(float*);\n"
      "template __global__ void k<int>(int*);\n"
      "template <> __device__ int f<2>(int x) { return x; }\n"
      "__device__ bool g(int x) { return x > (2); }\n";
  const DeviceCode code = device_code(source);
  EXPECT_THAT(code.left_out, IsEmpty());
  EXPECT_EQ(code.text, source);
}

TEST(HostCode, ALiteralEndsBeforeAnAnnotation) {
  EXPECT_EQ(device_code("extern \"C\"__global__ void k();").text, "extern \"C\" __global__ void k();");
}

TEST(HostCode, EditsDoNotMoveEachOther) {
  const DeviceCode code = device_code_of("constexpr int f(int x) { return x; }\n#include \"a.h\"\nint x;",
                                         [](const IncludedHeader&) { return "/users/a.h"; });
  EXPECT_EQ(code.text, "__device__ constexpr int f(int x) { return x; }\n#include \"/users/a.h\"\n      ");
}

// ---- whole files, compiled ---------------------------------------------------------------------------

CompileRequest request_for_file(const std::string& name) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/tests/host_code/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  CompileRequest request;
  request.source = text.str();
  request.file_name = CUDALAB_SOURCE_DIR "/tests/host_code/" + name;
  return request;
}

Diagnosis error_of(const CompileRequest& request) {
  return diagnosis_of([&] { compile_kernels(request); });
}

class TextbookFiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  }
};

// Uses NVRTC, because nvcc does not need the scan.
CompileRequest nvrtc_request(const std::string& file) {
  CompileRequest request = request_for_file(file);
  request.compiler = Compiler::kNvrtc;
  return request;
}

TEST_P(TextbookFiles, CompileWithTheirHostCode) {
  EXPECT_NO_THROW(compile_kernels(nvrtc_request(GetParam())));
  EXPECT_THROW(compile(request_for_file(GetParam())), CompileError);  // without the scan, they do not compile
}

INSTANTIATE_TEST_SUITE_P(All, TextbookFiles, testing::Values("saxpy.cu", "modern.cu", "constants.cu"),
                         [](const auto& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find('.'));
                         });

class FailingFiles : public TextbookFiles {};

TEST_F(FailingFiles, AFunctionWithoutDeviceIsNamed) {
  const Diagnosis error = error_of(nvrtc_request("missing_annotation.cu"));
  EXPECT_THAT(error.where.file, testing::EndsWith("missing_annotation.cu"));
  EXPECT_EQ(error.where.line, 6);
  EXPECT_EQ(error.undefined_name, "half_of");
  EXPECT_THAT(error.advice, AllOf(IsMessage("host_function_left_out"), HasArgument("line", 4)));
}

TEST_F(FailingFiles, TheLineTableSpeaksOfTheFilesOwnLines) {
  const CompiledSource compiled = compile_kernels(nvrtc_request("saxpy.cu"));
  EXPECT_THAT(compiled.ptx, HasSubstr(".loc\t1 18"));
  EXPECT_THAT(compiled.ptx, Not(HasSubstr(".loc\t1 60")));
  EXPECT_THAT(compiled.ptx, HasSubstr("tests/host_code/saxpy.cu"));
}

// ---- included files ----------------------------------------------------------------------------------

class IncludedFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  CompiledSource by_nvrtc(const std::string& source) const {
    CompileRequest request{.source = source, .file_name = (folder_ / "main.cu").string()};
    request.include_directories = {(folder_ / "inc").string()};
    request.compiler = Compiler::kNvrtc;
    return compile_kernels(request);
  }
  Diagnosis error_of(const std::string& source) const {
    return diagnosis_of([&] { by_nvrtc(source); });
  }
  TemporaryFolder folder_;
};

TEST_F(IncludedFiles, LoseTheirHostCodeToo) {
  write("inc/book.h",
        "#pragma once\n#include <stdio.h>\n#include <nowhere/to_be_found.h>\n"
        "static void check(cudaError_t e, const char* f) { if (e) printf(\"%s\", f); }\n"
        "#define HD __host__ __device__\n#include \"deep/twice.h\"\n");
  write("inc/deep/twice.h",
        "#include \"../book.h\"\n#include <vector>\n"
        "HD inline float twice(float* x) {\n  return 2 * x[1]; }\n"
        "std::vector<float> numbers;\n");
  const CompiledSource compiled = by_nvrtc(
      "#include \"book.h\"\nHD float thrice(float x) { return 3 * x; }\n"
      "__global__ void k(float* x) { *x = twice(x) + thrice(*x) + FLT_MAX; }\nint main() { check(0, 0); "
      "}\n");
  EXPECT_THAT(compiled.ptx, HasSubstr(".entry _Z1kPf"));
  EXPECT_THAT(compiled.ptx, HasSubstr((folder_ / "inc/deep/twice.h").string()));  // the line table
}

TEST_F(IncludedFiles, BesideTheIncludingFileComeFirst) {
  write("value.h", "#define VALUE 1111\n");
  write("inc/value.h", "#define VALUE 2222\n");
  write("inc/uses.h", "#include \"value.h\"\n");
  EXPECT_THAT(by_nvrtc("#include \"value.h\"\n__global__ void k(int* x) { *x = VALUE; }").ptx,
              HasSubstr("1111"));
  EXPECT_THAT(by_nvrtc("#include <uses.h>\n__global__ void k(int* x) { *x = VALUE; }").ptx,
              HasSubstr("2222"));
}

TEST_F(IncludedFiles, AreNamedWithTheLineOfAMistake) {
  write("inc/host.h", "\nfloat half_of(float x) { return x / 2; }\n");
  write("inc/wrong.h", "\n\n__device__ int f() { return nothing; }\n");
  EXPECT_EQ(error_of("#include \"wrong.h\"\n").where, (SourceLine{(folder_ / "inc/wrong.h").string(), 3}));
  EXPECT_THAT(error_of("#include \"host.h\"\n__global__ void k(float* x) { *x = half_of(*x); }").advice,
              AllOf(IsMessage("host_function_left_out"), HasArgument("function", Code{"half_of"}),
                    HasArgument("line", 2), HasArgument("file", "host.h")));
}

TEST_F(IncludedFiles, AreCompiledAnewWhenTheyChange) {
  write("inc/value.h", "#define VALUE 1111\n");
  const std::string source = "#include \"value.h\"\n__global__ void k(int* x) { *x = VALUE; }";
  EXPECT_THAT(by_nvrtc(source).ptx, HasSubstr("1111"));
  write("inc/value.h", "#define VALUE 2222\n");
  EXPECT_THAT(by_nvrtc(source).ptx, HasSubstr("2222"));
}

}  // namespace
}  // namespace cudalab::compile
