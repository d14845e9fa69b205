// What of a source belongs to the host, on small pieces and on typical files of courses (tests/host_code).
#include "compile/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "compile/compile_kernels.h"
#include "compile/source_tokens.h"

namespace cudalab::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

DeviceCode device_code(std::string_view source) {
  return device_code_of(source, [](const IncludedHeader& header) { return header.in_quotes; });
}

std::vector<std::string> left_out(std::string_view source) {
  std::vector<std::string> names;
  for (const SourcePart& part : device_code(source).left_out) names.push_back(part.name);
  return names;
}

// Without blanks, for comparing.
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
      device_code_of("#include \"there.h\"\n", [](const IncludedHeader&) { return false; });
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
  EXPECT_EQ(advice_on(code, "identifier \"half_of\" is undefined", 9),
            "; `half_of` (lines 2 to 3) has no __device__ in front of it, so it is the host's");
  EXPECT_THAT(advice_on(code, "identifier \"size\" is undefined", 9), HasSubstr("`size` (line 4)"));
  EXPECT_EQ(advice_on(code, "identifier \"File\" is undefined", 6),
            "; if it is there for the host, leave out `S::f` (line 6)");
  EXPECT_EQ(advice_on(code, "something else", 9), "");
}

// ---- whole files, compiled ---------------------------------------------------------------------------

CompileRequest request_for(const std::string& name) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/tests/host_code/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  CompileRequest request;
  request.source = text.str();
  request.file_name = CUDALAB_SOURCE_DIR "/tests/host_code/" + name;
  return request;
}

std::string error_of(const CompileRequest& request) {
  try {
    compile_kernels(request);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

class TextbookFiles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  }
};

// Not by nvcc, which needs no scan.
CompileRequest nvrtc_request(const std::string& file) {
  CompileRequest request = request_for(file);
  request.compiler = Compiler::kNvrtc;
  return request;
}

TEST_P(TextbookFiles, CompileWithTheirHostCode) {
  EXPECT_EQ(error_of(nvrtc_request(GetParam())), "");
  EXPECT_THROW(compile(request_for(GetParam())), CompileError);  // without the scan they do not
}

INSTANTIATE_TEST_SUITE_P(All, TextbookFiles, testing::Values("saxpy.cu", "modern.cu", "constants.cu"),
                         [](const auto& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find('.'));
                         });

class FailingFiles : public TextbookFiles {};

TEST_F(FailingFiles, AFunctionWithoutDeviceIsNamed) {
  EXPECT_THAT(
      error_of(nvrtc_request("missing_annotation.cu")),
      HasSubstr("missing_annotation.cu:6: error: identifier \"half_of\" is undefined; `half_of` (line 4) has "
                "no __device__"));
}

TEST_F(FailingFiles, TheLineTableSpeaksOfTheFilesOwnLines) {
  const CompiledSource compiled = compile_kernels(nvrtc_request("saxpy.cu"));
  EXPECT_THAT(compiled.ptx, HasSubstr(".loc\t1 18"));
  EXPECT_THAT(compiled.ptx, Not(HasSubstr(".loc\t1 60")));
  EXPECT_THAT(compiled.ptx, HasSubstr("tests/host_code/saxpy.cu"));
}

}  // namespace
}  // namespace cudalab::compile
