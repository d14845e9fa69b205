// Tests which edits are generated for a source.
#include "course/repair/edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace cudalab::course {
namespace {

using testing::Contains;
using testing::Not;

std::vector<std::string> texts(const std::string& source) {
  std::vector<std::string> all;
  for (const Edit& edit : edits_of(source)) all.push_back(edited(source, edit));
  return all;
}
std::string kernel(const std::string& body) {
  return "__global__ void k(float* out, const float* in, int n) {\n  __shared__ float s[32];\n  int i = "
         "threadIdx.x, j = 2;\n  " +
         body + "\n}\n";
}

TEST(Edits, UndoTypicalMistakes) {
  const auto undoes = [](const std::string& wrong, const std::string& right) {
    EXPECT_THAT(texts(kernel(wrong)), Contains(kernel(right))) << wrong;
  };
  undoes("if (i <= n) out[i] = 1;", "if (i < n) out[i] = 1;");
  undoes("if (i < n) out[i] = 1;", "if (i < n - 1) out[i] = 1;");
  undoes("out[i] = in[j];", "out[i] = in[i];");
  undoes("out[i] = in[i];", "out[i] = in[i - 1];");
  undoes("out[i] = in[i] - in[j];", "out[i] = in[i] + in[j];");
  undoes("out[0] += in[i];", "atomicAdd(&out[0], in[i]);");
  undoes("out[i] = in[i];", "out[i] += in[i];");
  undoes("out[i] = in[i] * 3;", "out[i] = in[i] * 2;");
  undoes("out[i] = in[i];", "if (i < n) out[i] = in[i];");
  undoes("s[i] = 1; out[i] = s[j];", "s[i] = 1; __syncthreads(); out[i] = s[j];");
  undoes("__syncthreads(); s[i] = 1; out[i] = s[j];", "; s[i] = 1; __syncthreads();  out[i] = s[j];");
  undoes("out[i] = min(i, n);", "out[i] = max(i, n);");
  undoes("out[threadIdx.y] = 1;", "out[threadIdx.x] = 1;");
  undoes("out[threadIdx.x] = 1;", "out[(blockIdx.x * blockDim.x + threadIdx.x)] = 1;");
}

TEST(Edits, UndoRarerMistakes) {
  const auto undoes = [](const std::string& wrong, const std::string& right) {
    EXPECT_THAT(texts(kernel(wrong)), Contains(kernel(right))) << wrong;
  };
  undoes("out[i] = in[i] * in[j];", "out[i] = in[i] ;");
  undoes("out[i] = i == 0 ? 1 : 2;", "out[i] = i == 0 ? 0.5 : 2;");
  undoes("out[i] = 1 / 3 * i;", "out[i] = 1.0 / 3 * i;");
  undoes("out[i] = j - i;", "out[i] = i - j;");
  undoes("out[i] = f(in[i], j);", "out[i] = f(j, in[i]);");
  undoes("out[i] = i == 0 ? 2 : 1;", "out[i] = i == 0 || i == n ? 2 : 1;");
  undoes("bool b = i == j; if (i < n) out[i] = 1;", "bool b = i == j; if (b && i < n) out[i] = 1;");
  undoes("out[threadIdx.x] = 1;", "out[threadIdx.x / 32] = 1;");
  undoes("if (threadIdx.x == 0) out[0] = 1;", "if (threadIdx.x == blockDim.x - 1) out[0] = 1;");
  undoes("for (; i < n; i += blockDim.x) out[i] = 1;", "for (; i < n; i += j) out[i] = 1;");
  undoes("out[i] = in[0] / n;", "out[i] = in[0] / (2 * n);");
  undoes("out[i] = s[i - 1];", "out[i] = s[i - j];");
  undoes("atomicAdd(&out[i], 1);", "atomicAdd(&out[i], s[i]);");
  undoes("float a = in[0]; out[i] = f(i * 2);", "float a = in[0]; out[i] = f(a + i * 2);");
  undoes("int m = __ballot_sync(~0u, i); atomicAdd(&out[0], 1);",
         "int m = __ballot_sync(~0u, i); atomicAdd(&out[0], __popc(m));");
  undoes("out[i] = f(j);", "out[i] = f(j) - 1;");
  undoes("out[i] = f(in[i], 1);", "out[i] = f(in[i], j);");
  undoes("out[i] += in[i];", "out[i] += in[i] * in[i];");
  undoes("out[i] = in[0] + j;", "out[i] = in[0] + j * j;");
  undoes("atomicAdd(&out[i], in[i]);", "atomicAdd(&out[i], 1);");
  undoes("int a, b, c, d, e, g; out[i] = in[i];", "int a, b, c, d, e, g; out[i] = in[i] / n;");
}

TEST(Edits, MakeParametersOfDeviceFunctionsReferences) {
  const std::string begin = "__device__ float next(unsigned ",
                    end = "state, int n) { state = 5 * state + n; }";
  EXPECT_THAT(texts(begin + end), Contains(begin + "&" + end));
  EXPECT_THAT(texts("__global__ void k(int n) { n += 1; }"),
              Not(Contains("__global__ void k(int &n) { n += 1; }")));
}

TEST(Edits, AddWhatIsMissing) {
  const auto undoes = [](const std::string& wrong, const std::string& right) {
    EXPECT_THAT(texts(kernel(wrong)), Contains(kernel(right))) << wrong;
  };
  undoes("out[i] = in[i];", "out[i] = in[j + i];");
  undoes("for (; i < n; ++i) out[i] = 1;", "for (; i < n + 2 * j; ++i) out[i] = 1;");
  undoes("float x = 2, y = 3; out[i] = 2 * x;", "float x = 2, y = 3; out[i] = 2 * y;");
  undoes("float x = 2; x = x * n;", "float x = 2; x = -x * n;");
  undoes("float x = 2; x = -x * n;", "float x = 2; x = x * n;");
  undoes("float x = 2; x = n - x;", "float x = 2; x = 2 * n - x;");
  undoes("out[i] = n == 3 || n == 2;", "out[i] = n == 3 || j && n == 2;");
  undoes("out[i] = n >= 'a' || n <= 'z';", "out[i] = n >= 'a' && n <= 'z';");
  undoes("out[i] = in[i];", "out[i] = in[i * j];");
  undoes("out[i] = f(in[i]);", "out[i] = f(in[i] - j);");
  undoes("float m = 0; out[i] = m;", "float m = (-3.402823466e+38f); out[i] = m;");
  undoes("int m = INT_MAX; out[i] = m;", "int m = (-2147483647 - 1); out[i] = m;");
  undoes("out[i] = j / n;", "out[i] = j / (double) n;");
  undoes("int sum = 0; out[i] = sum;", "long long sum = 0; out[i] = sum;");
  undoes("if (i == 0) out[0] = 1;", "if (i == n - 1) out[0] = 1;");
  undoes("atomicAdd(out, in[i]);", "if (j == 0) atomicAdd(out, in[i]);");
  undoes("int k = threadIdx.x; out[k] = 1;", "int k = threadIdx.x + j; out[k] = 1;");
  undoes("p.y[i] = q.x[i]; out[i] = p.y[i];", "p.y[i] = q.y[i]; out[i] = p.y[i];");
}

TEST(Edits, UseConstantsOfThePreprocessorAndOfTemplates) {
  const std::string head = "#define TILE 16\ntemplate <int BLOCK>\n__global__ void k(float* a, int n) { a[";
  EXPECT_THAT(texts(head + "n] = 1; }"),
              testing::AllOf(Contains(head + "TILE] = 1; }"), Contains(head + "BLOCK] = 1; }")));
}

TEST(Edits, OnlyUseVariablesInTheirScope) {
  const std::string head = "__global__ void a(int* x, int first) {}\n__global__ void b(int* y, int n) { y[";
  EXPECT_THAT(texts(head + "n] = 1; }"), Not(Contains(head + "first] = 1; }")));
}

TEST(Edits, NameTheLine) {
  const std::string source = "__global__ void k(int* x, int n) {\n  if (n < 3)\n    x[0] = 1;\n}\n";
  for (const Edit& edit : edits_of(source))
    EXPECT_TRUE(edit.line == 2 || edit.line == 3) << edited(source, edit);
}

TEST(Edits, LeaveDirectivesAndDeclarationsAlone) {
  const std::string source = "#define A (1 < 2)\nint g = 3;\n__global__ void k() {}\n";
  EXPECT_THAT(edits_of(source), testing::IsEmpty());
}

TEST(Edits, EndForAnyText) {
  for (const std::string text :
       {"", "{", "}}}}", "((((", "__global__ void k(", "{ if (", "{ a[", "{ x += ; }", "{;;;}"})
    for (const Edit& edit : edits_of(text)) EXPECT_LE(edit.end, text.size());
}

TEST(Edits, AreOrderedByPlausibility) {
  const auto edits = edits_of(kernel("if (i < n) out[i] = in[i] + 1;"));
  EXPECT_TRUE(std::ranges::is_sorted(edits, {}, &Edit::rank));
  EXPECT_GT(edits.size(), 20u);
}

}  // namespace
}  // namespace cudalab::course
