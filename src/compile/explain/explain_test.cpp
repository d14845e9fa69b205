// Tests the explanations of the mistakes in tests/mistakes/compile, with recorded messages of nvcc and clang
// (scripts/record-compile-errors).
#include "compile/explain/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "compile/diagnosis.h"
#include "compile/explain/suspicions.h"
#include "core/diagnostics/message_testing.h"
#include "core/files.h"
#include "core/text.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

struct Mistake {
  std::string name;
  std::vector<std::string> ids;                            // accepted answers
  std::vector<std::pair<std::string, std::string>> edits;  // old and new lines, without their indentation
};

const fs::path kFolder = fs::path(CUDALAB_SOURCE_DIR) / "tests/mistakes/compile";

// Blocks of "= name", "! ids", "< old lines", "> new lines": the format of scripts/mistakes.
std::vector<Mistake> mistakes(const std::string& program) {
  std::vector<Mistake> found;
  char before = ' ';
  const std::string list = read_text(kFolder / (program + ".txt"));
  for (const std::string_view line : split(list, '\n')) {
    if (line.empty()) continue;
    const std::string text(line.substr(std::min<std::size_t>(2, line.size())));
    if (line[0] == '=') found.push_back({text, {}, {}});
    if (line[0] == '!')
      for (const std::string_view id : split(text, ' ')) found.back().ids.emplace_back(id);
    auto& edits = found.back().edits;
    if (line[0] == '<' && before != '<') edits.emplace_back();
    if (line[0] == '<') edits.back().first += text + "\n";
    if (line[0] == '>') edits.back().second += text + "\n";
    before = line[0];
  }
  return found;
}

std::map<std::string, std::string> logs_of(const std::string& program, const std::string& compiler) {
  std::map<std::string, std::string> logs;
  std::string* log = nullptr;
  const std::string text = read_text(kFolder / fmt::format("{}.{}.log", program, compiler));
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("= "))
      log = &logs[std::string(line.substr(2))];
    else if (log)
      *log += std::string(line.substr(std::min<std::size_t>(2, line.size()))) + "\n";
  }
  return logs;
}

struct Planted {
  std::string source;
  std::vector<int> lines;  // the lines that the mistake changes
};

std::vector<std::string_view> lines_of(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? std::vector<std::string_view>() : split(text, '\n');
}

// The offset and length of `old` in `source`: consecutive lines with any indentation.
std::pair<std::size_t, std::size_t> place_of(std::string_view source, const std::string& old) {
  const auto lines = lines_of(old);
  for (std::size_t at = source.find(lines[0]); at != std::string_view::npos;
       at = source.find(lines[0], at + 1)) {
    std::size_t end = at + lines[0].size();
    bool fits = true;
    for (std::size_t i = 1; fits && i < lines.size(); ++i) {
      end = source.find_first_not_of(" \n", end);
      fits = end != std::string_view::npos && source.substr(end).starts_with(lines[i]);
      end += lines[i].size();
    }
    if (fits) return {at, end - at};
  }
  return {std::string_view::npos, 0};
}

Planted planted(std::string source, const Mistake& mistake) {
  Planted planted;
  for (const auto& [old, with] : mistake.edits) {
    const auto [at, length] = place_of(source, old);
    EXPECT_NE(at, std::string::npos) << mistake.name;
    if (at == std::string::npos) break;
    std::string text = with;
    while (text.ends_with('\n')) text.pop_back();
    source.replace(at, length, text);
    const int first = 1 + static_cast<int>(std::count(
                              source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    for (int line = first; line <= first + std::count(text.begin(), text.end(), '\n'); ++line)
      planted.lines.push_back(line);
  }
  planted.source = std::move(source);
  return planted;
}

// Whether the answer is one of those accepted. A cause found in the source must also be near the mistake.
bool is_right(const Diagnosis& answer, const Mistake& mistake, const Planted& planted) {
  const std::string id(answer.instead.empty() ? answer.advice.id() : answer.instead.id());
  const bool is_opening =
      id == "cause_brace_open";  // where the block begins; the missing brace is at its end
  if (answer.said.find("did you mean '") != std::string::npos)
    return std::ranges::find(mistake.ids, "cause_did_you_mean") != mistake.ids.end();
  const auto is_near = [&](int line) { return std::abs(line - answer.where.line) <= 1; };
  return std::ranges::find(mistake.ids, id) != mistake.ids.end() &&
         (!answer.is_cause || is_opening || std::ranges::any_of(planted.lines, is_near));
}

// A program and a compiler.
class CompileMistakes : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(CompileMistakes, GetTheirCause) {
  const auto& [program, compiler] = GetParam();
  const std::string base = read_text(kFolder / (program + ".cu")), file = program + ".cu";
  const auto logs = logs_of(program, compiler);
  std::size_t all = 0, right = 0;
  for (const Mistake& mistake : mistakes(program)) {
    const auto log = logs.find(mistake.name);
    ASSERT_NE(log, logs.end()) << mistake.name << ": run scripts/record-compile-errors";
    if (log->second.empty()) continue;  // this compiler accepts it
    const Planted source = planted(base, mistake);
    const CompileError answer =
        explained(CompileError(first_error(log->second, file), log->second), source.source, file);
    ++all;
    const bool named = is_right(answer.diagnosis(), mistake, source);
    right += named;
    if (!named)
      fmt::print("{}: {}: line {}: {}\n", compiler, mistake.name, answer.diagnosis().where.line,
                 answer.diagnosis().text().text());
  }
  EXPECT_GE(all, 10u);
  EXPECT_GE(right, all * 95 / 100) << right << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Each, CompileMistakes,
                         testing::Combine(testing::Values("block-sums", "tiled-product", "blend", "block-max",
                                                          "random-walk"),
                                          testing::Values("nvcc", "clang")));

// One line of a program, what a compiler says about it, and the id of the explanation.
struct OneLine {
  std::string name, source, log, id;
};

class Lines : public testing::TestWithParam<OneLine> {};

TEST_P(Lines, AreExplained) {
  const OneLine& line = GetParam();
  const Diagnosis answer =
      explained(CompileError(first_error(line.log, "a.cu"), line.log), line.source, "a.cu").diagnosis();
  EXPECT_EQ(answer.instead.empty() ? answer.advice.id() : answer.instead.id(), line.id)
      << answer.text().text();
}

INSTANTIATE_TEST_SUITE_P(
    Calls, Lines,
    testing::Values(
        OneLine{"Vector", "void f() { float3 a = make_float3(0.0f); }",
                "a.cu(1): error: too few arguments in function call\n", "cause_call_arguments"},
        OneLine{"Texture", "float f(cudaTextureObject_t t) { return tex2D(t, 0.5f, 0.5f); }",
                "a.cu(1): error: no instance of overloaded function \"tex2D\" matches the argument list\n"
                "            argument types are: (cudaTextureObject_t, float, float)\n"
                "t.h(149): note #3327-D: candidate function template \"tex2D<T>(cudaTextureObject_t, float, "
                "float)\" failed deduction\n",
                "cause_template_argument"},
        OneLine{
            "Direction", "void f(float* d, float* h, cudaStream_t s) { cudaMemcpyAsync(d, h, 4, s); }",
            "a.cu(1): error: argument of type \"cudaStream_t\" (aka \"CUstream_st *\") is incompatible with "
            "parameter of type \"cudaMemcpyKind\"\n",
            "cause_call_arguments"},
        OneLine{"Pitch", "void f(float* d, size_t p) { cudaMallocPitch((void**)&d, p, 64, 8); }",
                "a.cu:1:3: error: no matching function for call to 'cudaMallocPitch'\n"
                "r.h:95:13: note: candidate function not viable: no known conversion from 'size_t' (aka "
                "'unsigned "
                "long') to 'size_t *' (aka 'unsigned long *') for 2nd argument; take the address of the "
                "argument\n",
                "cause_argument_write"},
        OneLine{"Parameters", "void f() { cudaMemcpy3DParms p; cudaMemcpy3D(p); }",
                "a.cu(1): error: no suitable conversion function from \"cudaMemcpy3DParms\" to \"const "
                "cudaMemcpy3DParms *\" exists\n",
                "cause_argument_write"},
        OneLine{"Function", "void f() { cudaError_t e = cudaGetLastError; }",
                "a.cu(1): error: a value of type \"cudaError_t (*)()\" (aka \"cudaError (*)()\") cannot be "
                "used to "
                "initialize an entity of type \"cudaError_t\" (aka \"cudaError\")\n",
                "cause_call_parentheses"},
        // The types leave open which variable is meant, and another order of the arguments fits as well.
        OneLine{"Order", "__global__ void k(int* x, int n) {}\nvoid f(int* x, int n) { k<<<1, 1>>>(n, x); }",
                "a.cu(2): error: argument of type \"int\" is incompatible with parameter of type \"int *\"\n",
                "cause_argument_mismatch"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Names, Lines,
    testing::Values(
        OneLine{"ShortestCompletion", "void f() { cudaStream s; }",
                "a.cu(1): error: identifier \"cudaStream\" is undefined\n", "cause_did_you_mean"},
        OneLine{"Book", "#include \"../common/cpu_bitmap.h\"",
                "a.cu:1:10: fatal error: ../common/cpu_bitmap.h: No such file or directory\n",
                "cause_book_header"},
        OneLine{"SharedTwice", "extern __shared__ float b[];\nextern __shared__ double b[];",
                "a.cu(2): error: declaration is incompatible with previous \"b\" (declared at line 1)\n",
                "cause_shared_types"},
        OneLine{
            "Operator", "struct C { C operator*(C o) { return o; } };\n__device__ C f(C a) { return a * a; }",
            "a.cu:2:32: error: reference to __host__ function 'operator*' in __host__ __device__ function\n",
            "cause_host_function_here"},
        OneLine{"UnknownTypeFirst", "__global__ void k(curandState *s, int n)\n{\n}",
                "a.cu(1): error: incomplete type \"void\" is not allowed\n"
                "a.cu(1): error: identifier \"curandState\" is undefined\n"
                "a.cu(1): error: expected a \")\"\na.cu(2): error: expected a \";\"\n",
                "cause_include"}),
    [](const auto& info) { return info.param.name; });

TEST(Explained, NamesTheShortestCompletion) {
  const std::string log = "a.cu(1): error: identifier \"cudaStream\" is undefined\n";
  const Diagnosis answer =
      explained(CompileError(first_error(log, "a.cu"), log), "cudaStream s;\n", "a.cu").diagnosis();
  EXPECT_THAT(answer.advice, IsMessage("cause_did_you_mean", {{"right", Code{"cudaStream_t"}}}));
}

TEST(Explained, NamesNoOtherOverload) {
  const std::string log =
      "a.cu:1:3: error: no matching function for call to 'curand_uniform'\n"
      "d.h:30:20: note: candidate function not viable: no known conversion from 'curandState' (aka "
      "'curandStateXORWOW') to 'curandStateMRG32k3a_t *' (aka 'curandStateMRG32k3a *') for 1st argument\n";
  const std::string source = "__device__ float f(curandState mine) { return curand_uniform(mine); }\n";
  const Diagnosis answer = explained(CompileError(first_error(log, "a.cu"), log), source, "a.cu").diagnosis();
  EXPECT_THAT(answer.advice, IsMessage("cause_argument_write",
                                       {{"wanted", Code{"curandState *"}}, {"right", Code{"&mine"}}}));
}

std::vector<Message> suspected(const std::string& source, const std::string& log) {
  std::vector<Message> found;
  for (const Diagnosis& one : suspicions_in(source, log, "a.cu"))
    found.push_back(one.instead.empty() ? one.advice : one.instead);
  return found;
}

TEST(Suspicions, ExplainWarningsThatMatter) {
  EXPECT_THAT(
      suspected("void f() { dim3 block = (16, 16, 1); }\n",
                "a.cu(1): warning #174-D: expression has no effect\n"),
      testing::ElementsAre(IsMessage("cause_comma_operator", {{"right", Code{"dim3 block(16, 16, 1)"}}})));
  EXPECT_THAT(suspected("__global__ void k() {\n  __syncthreads;\n}\n",
                        "a.cu(2): warning #174-D: expression has no effect\n"),
              testing::ElementsAre(IsMessage("cause_call_parentheses")));
  EXPECT_THAT(
      suspected("float g(float x) { return x; }\n__global__ void k(float* x) { *x = g(*x); }\n",
                "a.cu(2): warning #20014-D: calling a __host__ function from a __global__ function\n"
                "a.cu(2): warning #20011-D: calling a __host__ function(\"g(float)\") from a __global__ "
                "function(\"k\") is not allowed\n"),
      testing::ElementsAre(IsMessage("cause_host_function_here")));
}

TEST(Suspicions, AreAlsoFoundInTheSource) {
  EXPECT_THAT(suspected("__global__ void k(const int &n, float* x) { x[0] = n; }\n", ""),
              testing::ElementsAre(IsMessage("cause_reference_parameter", {{"right", Code{"const int n"}}})));
  EXPECT_THAT(suspected("__global__ void k(int &n) { n = 1; }\n"
                        "int main() { int* n; cudaMallocManaged(&n, 4); k<<<1, 1>>>(*n); }\n",
                        ""),
              testing::IsEmpty());
  EXPECT_THAT(suspected("struct T {\n  char data[4];\n  __host__ __device__ char& operator[](int i) { return "
                        "data[i]; }\n  void operator delete(void* p) { cudaFree(p); }\n};\n",
                        ""),
              testing::IsEmpty());
  EXPECT_THAT(
      suspected("__constant__ float c[2];\n__global__ void k() {\n  c[0] = 1;\n}\n",
                "warning: a.cu(3): Warning: Cannot store to pointer that points to constant memory\n"),
      testing::ElementsAre(IsMessage("cause_constant_store")));
  EXPECT_THAT(suspected("__global__ void k(float* x, int i) { if (i < 4) x[i] == 1; }\n", ""),
              testing::ElementsAre(IsMessage("cause_equals")));
}

TEST(Suspicions, LeaveOutWhatIsRight) {
  const std::string source =
      "__constant__ float c[2];\n__device__ void set(float& x) { x = c[0]; }\n"
      "__global__ void k(float* x, int i) {\n  bool first = i == 0;\n  for (int j = 0; j == i; ++j) "
      "set(x[j]);\n"
      "  while (i == 4) return;\n  assert(i == 2);\n  x[i == 1] = c[1];\n}\n";
  EXPECT_THAT(
      suspected(source, "a.cu(3): warning #177-D: variable \"y\" was declared but never referenced\n"),
      testing::IsEmpty());
}

TEST(Explained, ListsTheErrorsThatFollowOnce) {
  const std::string source = "__global__ void k(float* x) {\n  x[i] = 1;\n  x[i] = 2;\n  y[0] = 1;\n}\n";
  const std::string log =
      "a.cu(2): error: identifier \"i\" is undefined\na.cu(3): error: identifier \"i\" is undefined\n"
      "a.cu(4): error: identifier \"y\" is undefined\n";
  const Diagnosis answer = explained(CompileError(first_error(log, "a.cu"), log), source, "a.cu").diagnosis();
  EXPECT_EQ(answer.where, (SourceLine{"a.cu", 2}));
  EXPECT_EQ(answer.source_text, "  x[i] = 1;");
  ASSERT_EQ(answer.others.size(), 1u);
  EXPECT_EQ(answer.others[0].where.line, 4);
  EXPECT_EQ(answer.others[0].source_text, "  y[0] = 1;");
}

TEST(Explained, KeepsWhatIsNoTypicalMistake) {
  const std::string log = "a.cu(1): error: static assertion failed with \"N must be even\"\n";
  const Diagnosis answer =
      explained(CompileError(first_error(log, "a.cu"), log), "static_assert(false);\n", "a.cu").diagnosis();
  EXPECT_TRUE(answer.advice.empty());
  EXPECT_FALSE(answer.is_cause);
  EXPECT_TRUE(answer.others.empty());
}

TEST(Explained, FindsTheBraceThatIsNeverClosed) {
  const std::string source =
      "__global__ void a(int* x) {\n  if (x) {\n    x[0] = 1;\n}\n\n__global__ void b(int* x) {\n  x[0] = "
      "2;\n}\n";
  const std::string log = "a.cu(9): error: expected a \"}\"\n";
  const Diagnosis answer = explained(CompileError(first_error(log, "a.cu"), log), source, "a.cu").diagnosis();
  EXPECT_THAT(answer.instead, IsMessage("cause_brace_open"));
  EXPECT_EQ(answer.where.line, 2);
}

}  // namespace
}  // namespace cudalab::compile
