// Tests mistakes that only the source shows, and that right programs show none.
#include "compile/explain/source_suspicions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/explain/suspicions.h"
#include "core/diagnostics/message_testing.h"

namespace cudalab::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Diagnosis> found_in(const std::string& source) { return suspicions_in(source, "", "a.cu"); }

std::vector<Message> messages_of(const std::string& source) {
  std::vector<Message> messages;
  for (const Diagnosis& one : found_in(source)) messages.push_back(one.instead);
  return messages;
}

TEST(SourceSuspicions, AKernelForSeveralBlocksNeedsTheBlock) {
  const std::string kernel = "__global__ void k(float* x) {\n  int i = threadIdx.x;\n  x[i] = 1;\n}\n";
  const std::vector<Diagnosis> found = found_in(kernel + "int main() { k<<<4, 64>>>(x); }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.line, 2);
  EXPECT_THAT(found[0].instead, IsMessage("cause_no_block_index", {{"kernel", Code{"k"}}}));
  EXPECT_THAT(messages_of(kernel + "int main() { k<<<1, 64>>>(x); }\n"), IsEmpty());
  EXPECT_THAT(messages_of("__device__ int index() { return blockIdx.x; }\n"
                          "__global__ void k(float* x) { x[threadIdx.x + index()] = 1; }\n"
                          "int main() { k<<<4, 64>>>(x); }\n"),
              IsEmpty());
}

TEST(SourceSuspicions, ReductionsThatGoWrong) {
  const auto kernel = [](const std::string& body) {
    return messages_of(
        "__global__ void k(const float* x, float* out) {\n  __shared__ float cache[256];\n"
        "  int i = threadIdx.x + blockIdx.x * blockDim.x;\n" +
        body + "\n}\n");
  };
  EXPECT_THAT(kernel("int sum = 0; for (int j = 0; j < 4; ++j) sum += x[j] * 2;"),
              ElementsAre(IsMessage("cause_integer_sum", {{"sum", Code{"sum"}}})));
  EXPECT_THAT(kernel("int n = 0; n += i;"), IsEmpty());
  EXPECT_THAT(messages_of("int count(float x) { return x > 1; }\n"
                          "int main() {\n  int n = 0;\n  float x = 2;\n  n += count(x);\n}\n"),
              IsEmpty());
  EXPECT_THAT(kernel("float v = x[i]; fmaxf(v, x[0]);"), ElementsAre(IsMessage("cause_lost_result")));
  EXPECT_THAT(kernel("float v = fmaxf(x[i], x[0]);"), IsEmpty());
  EXPECT_THAT(kernel("float v = (float)sqrt(x[i]);"), IsEmpty());
  EXPECT_THAT(kernel("float v = x[i]; if (v > 0) fmaxf(v, x[0]);"),
              ElementsAre(IsMessage("cause_lost_result")));
  EXPECT_THAT(kernel("float v = x[i]; for (int o = 32; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);"),
              ElementsAre(IsMessage("cause_shuffle_of_a_warp")));
  EXPECT_THAT(kernel("float v = x[i]; for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);"),
              IsEmpty());
  EXPECT_THAT(kernel("__syncthreads(); atomicAdd(out, cache[0]);"),
              ElementsAre(IsMessage("cause_atomic_of_all")));
  EXPECT_THAT(kernel("if (threadIdx.x == 0) atomicAdd(out, cache[0]);"), IsEmpty());
  EXPECT_THAT(kernel("float m = FLT_MIN; m = fmaxf(m, x[i]);"),
              ElementsAre(IsMessage("cause_smallest_positive")));
}

TEST(SourceSuspicions, ASumOfFractionsThatBeginsWithAnInteger) {
  EXPECT_THAT(
      messages_of(
          "int main() { std::vector<double> v(9); double s = std::accumulate(v.begin(), v.end(), 0); }\n"),
      ElementsAre(IsMessage("cause_integer_accumulation")));
  EXPECT_THAT(
      messages_of(
          "int main() { std::vector<double> v(9); double s = std::accumulate(v.begin(), v.end(), 0.0); }\n"),
      IsEmpty());
}

TEST(SourceSuspicions, AKernelThatIsNeverLaunched) {
  const std::string kernels =
      "__global__ void a(int* x) { x[0] = 1; }\n__global__ void b(int* x) { x[0] = 2; }\n";
  const auto found = messages_of(kernels + "int main() { a<<<1, 1>>>(x); }\n");
  EXPECT_THAT(found, ElementsAre(IsMessage("cause_never_launched", {{"kernel", Code{"b"}}})));
  EXPECT_THAT(messages_of(kernels + "int main() { a<<<1, 1>>>(x); b<<<1, 1>>>(x); }\n"), IsEmpty());
  EXPECT_THAT(messages_of(kernels), IsEmpty());
}

TEST(SourceSuspicions, RandomStatesAreSetForEachThread) {
  const auto kernel = [&](const std::string& init) {
    return messages_of(
        "__global__ void k(float* x) {\n  int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
        "  curandState s;\n  " +
        init + "\n  x[i] = curand_uniform(&s);\n}\n");
  };
  EXPECT_THAT(kernel(""), ElementsAre(IsMessage("cause_random_not_set", {{"call", Code{"curand_uniform"}}})));
  EXPECT_THAT(kernel("curand_init(1234, 0, 0, &s);"), ElementsAre(IsMessage("cause_random_same")));
  EXPECT_THAT(messages_of("__global__ void k(float* x, int seed) {\n  curandState s;\n"
                          "  curand_init(seed, 0, 0, &s);\n  x[blockIdx.x] = curand_uniform(&s);\n}\n"),
              ElementsAre(IsMessage("cause_random_same")));
  EXPECT_THAT(messages_of("__global__ void k(float* x, int seed) {\n  curandState s;\n"
                          "  curand_init(seed, 0, 0, &s);\n  x[0] = curand_uniform(&s);\n}\n"
                          "int main() {\n  k<<<1, 1>>>(x, 7);\n}\n"),
              IsEmpty());
  EXPECT_THAT(kernel("curand_init(1234, i, 0, &s);"), IsEmpty());
  EXPECT_THAT(kernel("curand_init(clock64() + i, 0, 0, &s);"), IsEmpty());
}

TEST(SourceSuspicions, ABlockThatIsHalvedIsAPowerOfTwo) {
  const std::string kernel =
      "__global__ void k(float* x) {\n  __shared__ float b[64];\n  int i = threadIdx.x + blockIdx.x;\n"
      "  for (int s = blockDim.x / 2; s > 0; s /= 2) b[i] += b[i + s];\n}\n";
  EXPECT_THAT(messages_of(kernel + "int main() { const int t = 48; k<<<4, t>>>(x); }\n"),
              ElementsAre(IsMessage("cause_halved_block", {{"line", 4}, {"size", 48}})));
  EXPECT_THAT(messages_of(kernel + "int main() { k<<<4, 64>>>(x); }\n"), IsEmpty());
}

TEST(SourceSuspicions, EventsInTheOrderOfTheirRecords) {
  const std::string records = "int main() { cudaEventRecord(a); k<<<1, 1>>>(); cudaEventRecord(b, 0); ";
  EXPECT_THAT(
      messages_of(records + "cudaEventElapsedTime(&ms, b, a); }\n"),
      ElementsAre(IsMessage("cause_exchanged_events", {{"first", Code{"a"}}, {"second", Code{"b"}}})));
  EXPECT_THAT(messages_of(records + "cudaEventElapsedTime(&ms, a, b); }\n"), IsEmpty());
}

TEST(SourceSuspicions, ASecondAllocationForAPointer) {
  const std::vector<Diagnosis> found =
      found_in("int main() {\n  CHECK(cudaMalloc(&a, 4));\n  CHECK(cudaMalloc((void**)&a, 4));\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.line, 3);
  EXPECT_THAT(found[0].instead, IsMessage("cause_allocated_twice", {{"pointer", Code{"a"}}, {"line", 2}}));
  EXPECT_THAT(messages_of("int main() { cudaMalloc(&a, 4); cudaFree(a); cudaMalloc(&a, 8); }\n"), IsEmpty());
  EXPECT_THAT(messages_of("int main() { cudaMalloc(&a, 4); cudaMalloc(&b, 8); }\n"), IsEmpty());
  EXPECT_THAT(messages_of("int main() { if (x) { cudaMalloc(&a, 4); } else { cudaMalloc(&a, 8); } }\n"),
              IsEmpty());
}

TEST(SourceSuspicions, ACharacterMayBeANegativeIndex) {
  const auto index = IsMessage("cause_character_index", {{"index", Code{"text[i]"}}});
  EXPECT_THAT(
      messages_of("__global__ void k(const char* text, int* n, int i) { atomicAdd(&n[text[i]], 1); }\n"),
      ElementsAre(index));
  EXPECT_THAT(
      messages_of("__global__ void k(const char* text, int* n, int i) { atomicAdd(n + text[i], 1); }\n"),
      ElementsAre(index));
  EXPECT_THAT(messages_of("__global__ void k(int* n, char c) { ++n[c]; }\n"),
              ElementsAre(IsMessage("cause_character_index", {{"index", Code{"c"}}})));
  EXPECT_THAT(messages_of("__global__ void k(const unsigned char* t, int* n, int i) { ++n[t[i]]; }\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("__global__ void k(const char* t, int* n, int i) { ++n[t[i] - 'a']; }\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("__global__ void k(char* t, int i) { t[i] = 0; }\n"), IsEmpty());
}

TEST(SourceSuspicions, ConstantMemoryIsFilledByTheHost) {
  const std::string kernel = "__constant__ float w[4];\n__global__ void k(float* x) { x[0] = w[0]; }\n";
  EXPECT_THAT(messages_of(kernel + "int main() { k<<<1, 1>>>(x); }\n"),
              ElementsAre(IsMessage("cause_constant_never_filled", {{"variable", Code{"w"}}})));
  EXPECT_THAT(messages_of(kernel + "int main() { w[0] = 1; }\n"),
              ElementsAre(IsMessage("cause_device_variable_on_host", {{"variable", Code{"w"}}})));
  EXPECT_THAT(messages_of(kernel + "int main() { cudaMemcpy(w, h, 16, cudaMemcpyHostToDevice); }\n"),
              ElementsAre(IsMessage("cause_device_variable_on_host")));
  EXPECT_THAT(messages_of(kernel + "int main() { CHECK(cudaMemcpyToSymbol(w, h, sizeof(w))); }\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("__constant__ float w[] = {1, 2};\n"
                          "__global__ void k(float* x) { x[0] = w[0]; }\n"),
              IsEmpty());
}

TEST(SourceSuspicions, AVariableOfTheGpuIsNoneOfTheHost) {
  EXPECT_THAT(messages_of("__device__ int total;\n__global__ void k() { atomicAdd(&total, 1); }\n"
                          "int main() { k<<<1, 1>>>(); printf(\"%d\", total); }\n"),
              ElementsAre(IsMessage("cause_device_variable_on_host", {{"variable", Code{"total"}}})));
  EXPECT_THAT(messages_of("__device__ int total;\n__global__ void k() { atomicAdd(&total, 1); }\n"
                          "int main() { int total = 0; printf(\"%d\", total); }\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("__device__ __managed__ int total;\nint main() { printf(\"%d\", total); }\n"),
              IsEmpty());
}

TEST(SourceSuspicions, TheSizeOfAPointerIsNoSizeOfData) {
  EXPECT_THAT(messages_of("int main() {\n  float *h = new float[n];\n  size_t bytes = sizeof(h);\n}\n"),
              ElementsAre(IsMessage("cause_size_of_pointer", {{"pointer", Code{"h"}}})));
  EXPECT_THAT(messages_of("int main() {\n  float h[8];\n  size_t bytes = sizeof(h);\n}\n"), IsEmpty());
  EXPECT_THAT(messages_of("int main() {\n  float* d;\n  cudaMemcpyToSymbol(p, &d, sizeof(d));\n}\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("int main() {\n  Node* node;\n  cudaMallocManaged(&node, sizeof(node));\n}\n"),
              ElementsAre(IsMessage("cause_size_of_pointer")));
  EXPECT_THAT(messages_of("int main() {\n  Node* node;\n  cudaMallocManaged(&node, sizeof(*node));\n}\n"),
              IsEmpty());
}

TEST(SourceSuspicions, ANumberOfElementsIsNoNumberOfBytes) {
  EXPECT_THAT(
      messages_of("int main() {\n  int n = 10;\n  float *a, *b;\n  cudaMalloc((void**)&b, n);\n}\n"),
      ElementsAre(IsMessage("cause_size_without_type", {{"size", Code{"n"}}, {"call", Code{"cudaMalloc"}}})));
  EXPECT_THAT(messages_of("__constant__ float w[5];\n__global__ void k() { w[0]; }\n"
                          "int main() { CHECK(cudaMemcpyToSymbol(w, h, 5)); }\n"),
              ElementsAre(IsMessage("cause_size_without_type", {{"size", Code{"5"}}})));
  EXPECT_THAT(messages_of("int main() {\n  int bytes = 10 * sizeof(float);\n  float* a;\n"
                          "  cudaMalloc(&a, bytes);\n}\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("int main() {\n  char* text;\n  cudaMalloc(&text, 100);\n}\n"), IsEmpty());
  EXPECT_THAT(messages_of("const size_t SIZE = 1024;\nconst size_t COUNT = SIZE / sizeof(int);\n"
                          "int main() {\n  int* a;\n  cudaMalloc(&a, SIZE);\n}\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("void clear(float* a, size_t size) {\n  cudaMemset(a, 0, size);\n}\n"), IsEmpty());
}

TEST(SourceSuspicions, AVectorIsCopiedByItsElements) {
  EXPECT_THAT(messages_of("int main() {\n  std::vector<float> v(8);\n"
                          "  cudaMemcpy(d, &v, 32, cudaMemcpyHostToDevice);\n}\n"),
              ElementsAre(IsMessage("cause_address_of_vector", {{"vector", Code{"v"}}})));
  EXPECT_THAT(messages_of("int main() {\n  std::vector<float> v(8);\n"
                          "  cudaMemcpy(d, &v[0], 32, cudaMemcpyHostToDevice);\n}\n"),
              IsEmpty());
}

TEST(SourceSuspicions, AQuotientOfIntegersLosesItsFraction) {
  EXPECT_THAT(messages_of("int main() {\n  int n = 10;\n  double h = 1 / n;\n}\n"),
              ElementsAre(IsMessage("cause_integer_division", {{"right", Code{"1.0 / n"}}})));
  EXPECT_THAT(
      messages_of("int main() {\n  int n = 10;\n  dim3 grid(n + 255 / 256);\n}\n"),
      ElementsAre(IsMessage("cause_rounding_without_parentheses", {{"right", Code{"(n + 255) / 256"}}})));
  EXPECT_THAT(messages_of("__global__ void k(float* x, int n) {\n  x[0] = (1 / n);\n}\n"),
              ElementsAre(IsMessage("cause_integer_division")));
  EXPECT_THAT(messages_of("__global__ void k(float* x) {\n  x[0] = 1 / 2 * x[1];\n}\n"),
              ElementsAre(IsMessage("cause_integer_division")));
  EXPECT_THAT(
      messages_of("__global__ void k(float* x, float n) {\n  x[0] = x[1] * 1 / n + 1 / n + 4 / 2;\n}\n"),
      IsEmpty());
}

TEST(SourceSuspicions, AQuotientOfIntegersIsNoFractionYet) {
  EXPECT_THAT(messages_of("int main() {\n  int hits = 7, n = 9;\n  double pi = 4 * hits / n;\n}\n"),
              ElementsAre(IsMessage("cause_truncated_quotient",
                                    {{"quotient", Code{"4 * hits / n"}}, {"name", Code{"pi"}}})));
  EXPECT_THAT(messages_of("int main() {\n  int hits = 7, n = 9;\n  double pi = 4.0 * hits / n;\n}\n"),
              IsEmpty());
  EXPECT_THAT(messages_of("int main() {\n  int hits = 7; float n = 9;\n  double pi = 4 * hits / n;\n}\n"),
              IsEmpty());
}

TEST(SourceSuspicions, ASumNeedsAFirstValue) {
  const auto kernel = [](const std::string& declared) {
    return messages_of("__global__ void k(float* x) {\n  " + declared +
                       "\n  for (int i = 0; i < 4; ++i)\n    sum += x[i];\n  x[0] = sum;\n}\n");
  };
  EXPECT_THAT(kernel("float sum;"),
              ElementsAre(IsMessage("cause_unset_sum", {{"name", Code{"sum"}}, {"line", 4}})));
  for (const char* right :
       {"float sum = 0;", "float sum; sum = x[1];", "__shared__ float sum;", "float sum; read(&sum);"})
    EXPECT_THAT(kernel(right), IsEmpty()) << right;
}

TEST(SourceSuspicions, AMacroMultipliesWholeArguments) {
  const std::string macro = "#define AT(y, x) y * 64 + x\n";
  const std::vector<Diagnosis> found =
      found_in(macro + "__global__ void k(float* a, int i) {\n  a[AT(i, 0)] = a[AT(i + 1, 0)];\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.line, 1);
  EXPECT_THAT(found[0].instead,
              IsMessage("cause_macro_parentheses", {{"argument", Code{"i + 1"}}, {"line", 3}}));
  EXPECT_THAT(messages_of("#define AT(y, x) (y) * 64 + (x)\n"
                          "__global__ void k(float* a, int i) { a[AT(i + 1, i - 1)] = 0; }\n"),
              IsEmpty());
  EXPECT_THAT(messages_of(macro + "__global__ void k(float* a, int i) { a[AT(i, i - 1)] = 0; }\n"),
              IsEmpty());
}

TEST(SourceSuspicions, CudaMemsetSetsBytes) {
  const auto fill = [](const std::string& type, const std::string& value) {
    return messages_of("int main() {\n  " + type + " *x;\n  cudaMemset(x, " + value +
                       ", 400);\n  k<<<1, 32>>>(x);\n}\n");
  };
  EXPECT_THAT(fill("int", "1"),
              ElementsAre(IsMessage("cause_memset_of_value", {{"value", 1}, {"becomes", "0x01010101"}})));
  for (const char* pattern : {"0", "-1", "255", "0xff", "0x7f"})
    EXPECT_THAT(fill("int", pattern), IsEmpty()) << pattern;
  EXPECT_THAT(fill("char", "1"), IsEmpty());
  const auto then = [](const std::string& use) {
    return messages_of("int main() {\n  int *x, *y;\n  cudaMemset(x, 1, 400);\n  " + use +
                       "\n  cudaFree(x);\n}\n");
  };
  EXPECT_THAT(then("cudaMemcpy(y, x, 400, cudaMemcpyDeviceToDevice);"), IsEmpty());
  EXPECT_THAT(then("cudaMemcpy(h, x, 400, cudaMemcpyDeviceToHost);"), SizeIs(1));
  EXPECT_THAT(then("check(x);"), SizeIs(1));
}

TEST(SourceSuspicions, ThePositionInTheGridHasOneFormula) {
  const auto formula = [](const std::string& text) {
    return messages_of("__global__ void k(float* x) {\n  int i = " + text + ";\n  x[i] = 1;\n}\n");
  };
  EXPECT_THAT(formula("threadIdx.x * blockDim.x + blockIdx.x"),
              ElementsAre(IsMessage("cause_index_formula",
                                    {{"right", Code{"blockIdx.x * blockDim.x + threadIdx.x"}}})));
  EXPECT_THAT(formula("blockIdx.y * blockDim.x + threadIdx.y"),
              ElementsAre(IsMessage("cause_index_formula",
                                    {{"right", Code{"blockIdx.y * blockDim.y + threadIdx.y"}}})));
  EXPECT_THAT(formula("threadIdx.x + gridDim.x * blockIdx.x"), ElementsAre(IsMessage("cause_index_formula")));
  EXPECT_THAT(formula("blockIdx.x * threadIdx.x + blockDim.x"),
              ElementsAre(IsMessage("cause_index_formula")));
  EXPECT_THAT(formula("blockIdx.x + blockDim.x + threadIdx.x"),
              ElementsAre(IsMessage("cause_index_formula")));
  EXPECT_THAT(formula("threadIdx.x * blockDim.x * blockIdx.x"),
              ElementsAre(IsMessage("cause_index_formula")));
  for (const char* right : {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.y + blockDim.y * blockIdx.y",
                            "blockIdx.y * blockDim.y + threadIdx.x", "blockIdx.y * blockDim.x + threadIdx.x",
                            "threadIdx.y * blockDim.x + threadIdx.x", "blockIdx.y * gridDim.x + blockIdx.x",
                            "threadIdx.x * gridDim.x + blockIdx.x"})
    EXPECT_THAT(formula(right), IsEmpty()) << right;
}

TEST(SourceSuspicions, ALoopOfTheGridGoesOnByTheGrid) {
  const auto loop = [](const std::string& step) {
    return messages_of(
        "__global__ void k(float* x, int n) {\n"
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += " +
        step + ")\n    x[i] = 1;\n}\n");
  };
  EXPECT_THAT(loop("blockDim.x"), ElementsAre(IsMessage("cause_stride_of_a_block")));
  EXPECT_THAT(loop("blockDim.x * gridDim.x"), IsEmpty());
  EXPECT_THAT(messages_of("__global__ void k(float* x, int n) {\n"
                          "  for (int i = threadIdx.x; i < n; i += blockDim.x) x[blockIdx.x] += i;\n}\n"),
              IsEmpty());
}

TEST(SourceSuspicions, SizesAreThoseOfTheElements) {
  const auto size = [](const std::string& type, const std::string& size) {
    return messages_of("int main() {\n  " + type + " *x;\n  size_t bytes = n * " + size +
                       ";\n  cudaMalloc(&x, bytes);\n}\n");
  };
  EXPECT_THAT(size("double", "sizeof(float)"),
              ElementsAre(IsMessage("cause_size_of_other_type",
                                    {{"own", 8}, {"size", Code{"sizeof(float)"}}, {"given", 4}})));
  EXPECT_THAT(size("double", "sizeof(double)"), IsEmpty());
  EXPECT_THAT(size("int", "sizeof(float)"), IsEmpty());
  EXPECT_THAT(size("unsigned char", "sizeof(float)"), IsEmpty());
}

TEST(SourceSuspicions, AllocationsWriteToAnAddress) {
  EXPECT_THAT(messages_of("int main() {\n  float *x;\n  cudaMalloc((void**)x, 400);\n}\n"),
              ElementsAre(IsMessage("cause_address_missing", {{"argument", Code{"(void**)&x"}}})));
  EXPECT_THAT(messages_of("int main() {\n  float *x;\n  cudaMalloc((void**)&x, 400);\n}\n"), IsEmpty());
  EXPECT_THAT(messages_of("void make(float **x) {\n  cudaMalloc((void**)x, 400);\n}\n"), IsEmpty());
}

TEST(SourceSuspicions, BlocksComeBeforeThreads) {
  EXPECT_THAT(messages_of("int main() {\n  k<<<threads, blocks>>>(x);\n}\n"),
              ElementsAre(IsMessage("cause_launch_exchanged", {{"right", Code{"<<<blocks, threads>>>"}}})));
  for (const char* right : {"<<<blocks, threads>>>", "<<<grid, block>>>", "<<<numBlocks, threadsPerBlock>>>"})
    EXPECT_THAT(messages_of("int main() {\n  k" + std::string(right) + "(x);\n}\n"), IsEmpty()) << right;
}

TEST(SourceSuspicions, ANumberOfBlocksIsRoundedUp) {
  const auto launch = [](const std::string& n, const std::string& blocks, const std::string& body = "") {
    return messages_of("#define THREADS 256\n__global__ void k(float* x) {\n  x[blockIdx.x] = 1;" + body +
                       "\n}\nint main() {\n  const int n = " + n + ";\n  const int blocks = " + blocks +
                       ";\n  k<<<blocks, THREADS>>>(x);\n}\n");
  };
  EXPECT_THAT(launch("1000", "n / THREADS"),
              ElementsAre(IsMessage("cause_grid_rounded_down", {{"blocks", 3}, {"rest", 232}})));
  EXPECT_THAT(launch("1 << 20", "n / THREADS"), IsEmpty());
  EXPECT_THAT(launch("4 * 256", "n / THREADS"), IsEmpty());
  EXPECT_THAT(launch("1000", "(n + THREADS - 1) / THREADS"), IsEmpty());
  EXPECT_THAT(launch("1000", "n / THREADS", " for (;;) {}"), IsEmpty());
}

TEST(SourceSuspicions, AKernelMayIgnoreTheBlockIfTheProgramEndsWell) {
  const std::string source =
      "__global__ void k() {\n  printf(\"%d\", threadIdx.x);\n}\nint main() {\n  k<<<2, 4>>>();\n"
      "  double h = 1 / 3;\n}\n";
  EXPECT_THAT(messages_of(source),
              ElementsAre(IsMessage("cause_integer_division"), IsMessage("cause_no_block_index")));
  const std::vector<Diagnosis> likely = likely_mistakes_in(source, "a.cu");
  ASSERT_EQ(likely.size(), 1u);
  EXPECT_THAT(likely[0].instead, IsMessage("cause_integer_division"));
  EXPECT_EQ(likely[0].source_text, "  double h = 1 / 3;");
}

// What is found here would be told of a right program that fails for another reason.
TEST(SourceSuspicions, RightProgramsHaveNone) {
  const std::filesystem::path root = CUDALAB_SOURCE_DIR;
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"tests/programs", "tests/mistakes/run"})
    if (std::filesystem::exists(root / folder))
      for (const auto& entry : std::filesystem::directory_iterator(root / folder))
        if (entry.path().extension() == ".cu") files.push_back(entry.path());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "labs"))
    if (entry.path().filename() == "solution.cu") files.push_back(entry.path());
  EXPECT_GT(files.size(), 150u);
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    for (const Diagnosis& one : found_in(text.str()))
      ADD_FAILURE() << file << ":" << one.where.line << ": " << one.instead.text();
  }
}

}  // namespace
}  // namespace cudalab::compile
