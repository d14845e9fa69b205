// Tests whole runs of small files on the virtual GPU: arguments, results, hazards, buffers.
#include "lab/any_kernel/any_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "compile/compile_kernels.h"
#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"
#include "lab/fake_device_testing.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSource = R"(#include <cstdio>
#define BY 2
template <class T> __global__ void twice(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = BY * in[i];
}
namespace { __global__ void shared_sum(const float* in, float* out) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 0; i < blockDim.x; ++i) out[0] = pool[i] + (i ? out[0] : 0);
} }
#ifdef BROKEN
__global__ void broken() { WIDTH; }
#endif
#define KERNEL(name) __global__ void name(float* out) { out[threadIdx.x] = 1; }
KERNEL(from_a_macro)
__global__ void endless(volatile int* flag) { while (*flag == 0) {} }
int main() { twice<float><<<1, 32>>>(nullptr, nullptr, 0); printf("done\n"); }
)";

class AnyKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
    std::ofstream(file_) << kSource;
  }

  KernelRequest request(std::string kernel, std::vector<std::string> arguments) {
    KernelRequest request;
    request.file = file_;
    request.kernel = std::move(kernel);
    request.spec.block = {32, 1, 1};
    for (const std::string& argument : arguments) request.arguments.push_back(parse_argument(argument));
    return request;
  }
  KernelOutcome run(const KernelRequest& request) {
    const auto gpu = device::open_virtual_device();
    return run_kernel(request,
                      Machine{*gpu, compile::compile_kernels, {}, {"a CPU", 1, std::size_t{1} << 34}});
  }
  Message error_of(const KernelRequest& request, ExitCode code = ExitCode::kUsage) {
    return refused([&] { run(request); }, code);
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_ / "any_kernel.cu";
};

TEST_F(AnyKernel, ReturnsOneRunWithEverything) {
  KernelRequest wanted = request("twice<int>", {"buf:i32:40:iota", "buf:i32:40", "i32:30"});
  wanted.prints = {{"out", 26, 99}};
  wanted.dumps = {"2", "in"};
  const KernelOutcome outcome = run(wanted);
  ASSERT_EQ(outcome.result.rows.size(), 1u);
  const lab::Row& made = outcome.result.rows[0];
  EXPECT_EQ(made.verdict, Verdict::kPass);
  EXPECT_EQ(made.kernel, "twice<int>");
  EXPECT_EQ(made.source, file_);
  EXPECT_EQ(made.counters->get(Counter::kGlobalStoreRequests), 1);
  EXPECT_FALSE(made.accesses.empty());
  EXPECT_EQ(made.accesses[0].where.line, 5);
  EXPECT_EQ(outcome.result.lab, "run");
  ASSERT_EQ(outcome.result.figures.size(), 1u);
  EXPECT_THAT(outcome.result.figures[0].title,
              IsMessage("title_printed_elements",
                        {{"buffer", "out"}, {"count", 14}, {"type", "i32"}, {"first", 26}}));
  EXPECT_THAT(
      outcome.result.figures[0].lines,
      ElementsAre(
          "[26]         52         54         56         58  unwritten  unwritten  unwritten  unwritten",
          "[34]  unwritten  unwritten  unwritten  unwritten  unwritten  unwritten"));
  ASSERT_EQ(outcome.dumps.size(), 2u);
  EXPECT_EQ(outcome.dumps[1].bytes, iota_values(ScalarType::kI32, 40));
  EXPECT_EQ(scalar_text(ScalarType::kI32, std::span(outcome.dumps[0].bytes).subspan(4 * 29)), "58");
  EXPECT_EQ(outcome.first_line, 3);
  EXPECT_EQ(outcome.last_line, 6);
  EXPECT_THAT(outcome.result.notes[0], IsMessage("note_ran_clean"));
  EXPECT_THAT(outcome.result.notes[1],
              AllOf(IsMessage("note_on_buffer", {{"buffer", "in"}, {"count", 40}, {"type", "i32"}}),
                    MentionsMessage("buffer_unchanged")));
  EXPECT_THAT(shown_in_english(*outcome.result.notes[1].argument("digest")),
              testing::MatchesRegex("[0-9a-f]{32}"));
  EXPECT_THAT(outcome.result.notes[2], AllOf(IsMessage("note_on_buffer", {{"buffer", "out"}}),
                                             MentionsMessage("buffer_partly_written", {{"count", 10}})));
}

TEST_F(AnyKernel, DefinesAndSharedMemoryReachIt) {
  KernelRequest wanted = request("shared_sum", {"buf:f32:32:iota", "buf:f32:1"});
  wanted.spec.dynamic_shared_bytes = 128;
  wanted.dumps = {"out"};
  EXPECT_EQ(scalar_text(ScalarType::kF32, run(wanted).dumps.at(0).bytes), "496");
  wanted.spec.dynamic_shared_bytes = 0;
  EXPECT_EQ(run(wanted).result.verdict, Verdict::kFail);
}

TEST_F(AnyKernel, AHazardFailsIt) {
  const Result result = run(request("twice<float>", {"buf:f32:16:zero", "buf:f32:32", "i32:32"})).result;
  EXPECT_EQ(result.verdict, Verdict::kFail);
  ASSERT_EQ(result.rows[0].hazards.size(), 1u);
  EXPECT_EQ(result.rows[0].hazards[0].buffer, "in");
  EXPECT_THAT(result.rows[0].reason.text(), HasSubstr("any_kernel.cu:5: "));
  EXPECT_FALSE(result.stopped);
}

// A compiler warning may explain a failure. A kernel that passes shows no warnings.
TEST_F(AnyKernel, WarningsAreThoseOfAFailure) {
  std::ofstream(file_) << "__global__ void one_off(int* out) {\n  int spare;\n  out[threadIdx.x] = 1;\n}\n";
  const KernelOutcome passed = run(request("one_off", {"buf:i32:32"}));
  EXPECT_THAT(passed.result.rows.at(0).warnings, ElementsAre());
  const KernelOutcome failed = run(request("one_off", {"buf:i32:31"}));
  EXPECT_EQ(failed.result.verdict, Verdict::kFail);
  EXPECT_THAT(
      failed.result.rows.at(0).warnings,
      ElementsAre(compile::Diagnosis{.where = {file_, 2},
                                     .kind = "warning",
                                     .said = "variable \"spare\" was declared but never referenced"}));
}

TEST_F(AnyKernel, ABufferWithoutAFillIsUnwritten) {
  const Result result = run(request("twice<float>", {"buf:f32:32", "buf:f32:32", "i32:32"})).result;
  ASSERT_EQ(result.rows[0].hazards.size(), 1u);
  EXPECT_EQ(result.rows[0].hazards[0].kind, HazardKind::kUninitialisedRead);
  EXPECT_THAT(result.notes[0], MentionsMessage("buffer_never_written"));
}

TEST_F(AnyKernel, AStepLimitStopsIt) {
  KernelRequest wanted = request("endless", {"buf:i32:1:zero"});
  wanted.settings.launch.max_steps = 10'000;
  const Result result = run(wanted).result;
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST_F(AnyKernel, MistakesAreOneLine) {
  EXPECT_EQ(error_of(request("twice", {})),
            msg::kernel_is_template("twice", "twice<class T>(const T* in, T* out, int n)", "twice<float>"));
  EXPECT_THAT(error_of(request("nothing", {})),
              IsMessage("kernel_not_in_source", {{"kernel", Code{"nothing"}}}));
  EXPECT_EQ(error_of(request("endless", {})),
            msg::arguments_wrong_count("endless", 1u, 0u, "endless(volatile int* flag)"));
  KernelRequest print = request("endless", {"buf:i32:1:zero"});
  print.prints = {{"out", 0, 1}};
  EXPECT_THAT(error_of(print),
              IsMessage("buffer_unknown", {{"option", "--print"}, {"name", "out"}, {"buffers", "flag (1)"}}));
  print.prints = {{"flag", 1, 1}};
  EXPECT_THAT(error_of(print),
              IsMessage("print_beyond_end", {{"argument", "flag"}, {"first", 1}, {"last", 0}}));
  KernelRequest broken = request("endless", {"buf:i32:1"});
  broken.defines = {{"BROKEN", ""}};
  const Message undefined = error_of(broken);
  EXPECT_THAT(undefined, IsMessage("macro_undefined", {{"macro", "WIDTH"}}));
  EXPECT_THAT(shown_in_english(*undefined.argument("what")),
              testing::EndsWith("any_kernel.cu:14: error: identifier \"WIDTH\" is undefined"));
  EXPECT_THAT(error_of(request("endless", {"buf:i32:999999999999"}), ExitCode::kUnavailable),
              IsMessage("buffers_too_large"));
}

TEST_F(AnyKernel, AConditionThatLeavesItOutIsNamed) {
  std::ofstream(file_) << "__global__ void shown(int* out) { *out = 1; }\n#if 1\n#ifdef TUNED\n\n"
                          "__global__ void tuned(int* out) { *out = 2; }\n#endif\n#endif\n";
  EXPECT_THAT(
      error_of(request("tuned", {"buf:i32:1"})),
      IsMessage("kernel_left_out",
                {{"kernel", Code{"tuned"}}, {"line", 5}, {"condition", Code{"#ifdef TUNED"}}, {"place", 3}}));
  KernelRequest wanted = request("tuned", {"buf:i32:1"});
  wanted.spec.block = {1, 1, 1};
  wanted.defines = {{"TUNED", "1"}};
  EXPECT_EQ(run(wanted).result.verdict, Verdict::kPass);
}

TEST_F(AnyKernel, ListsWhatTheFileHas) {
  const auto gpu = device::open_virtual_device();
  const Machine machine{*gpu, compile::compile_kernels, {}, {}};
  const auto is_line = [](const char* kernel, int line) {
    return IsMessage("kernels_line_of", {{"signature", kernel}, {"line", line}});
  };
  const std::vector<Message> lines = list_kernels(request("", {}), machine);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_THAT(lines[0], is_line("twice<class T>(const T* in, T* out, int n)", 3));
  EXPECT_THAT(lines[1], is_line("shared_sum(const float* in, float* out)", 7));
  EXPECT_THAT(lines[2], is_line("endless(volatile int* flag)", 18));
  EXPECT_EQ(lines[3].text(), "from_a_macro(8 bytes (u64))");
  EXPECT_TRUE(lines[4].empty());
  EXPECT_THAT(lines[5], IsMessage("kernels_how_to_run"));
  EXPECT_THAT(lines[6].text(), HasSubstr("--kernel 'twice<float>' --grid 4"));
  EXPECT_THAT(lines[7], IsMessage("kernels_how_to_instantiate", {{"instance", "'twice<float>'"}}));
}

TEST(AnyKernelOnAGpu, IsTimedWithTheBuffersFilledAgain) {
  FakeDevice gpu(true);
  gpu.kernels["count"] = [](FakeDevice&, const device::Launch&, LaunchResult&) {};
  const TemporaryFolder folder;
  const std::string file = folder / "count.cu";
  std::ofstream(file) << "count";
  KernelRequest request;
  request.file = file;
  request.kernel = "count";
  const Result result = run_kernel(request, Machine{gpu, FakeDevice::compile, {}, {}}).result;
  EXPECT_EQ(result.verdict, Verdict::kPass);
  ASSERT_TRUE(result.rows[0].time_ms);
  EXPECT_EQ(result.rows[0].time_ms->median, 2);
  EXPECT_THAT(result.notes[0], IsMessage("note_ran_to_end_on_gpu"));
  EXPECT_TRUE(gpu.all_freed());
}

// ---- what a kernel gets besides buffers and numbers ----------------------------------------------------

class KernelInputs : public AnyKernel {
 protected:
  KernelOutcome run_file(const std::string& source, std::vector<std::string> arguments, std::string print,
                         std::vector<std::string> symbols = {}) {
    std::ofstream(file_) << source;
    KernelRequest wanted = request("k", std::move(arguments));
    wanted.prints = {parse_print_range(print)};
    for (const std::string& symbol : symbols) wanted.symbols.push_back(parse_symbol(symbol));
    return run(wanted);
  }
  std::string printed(const KernelOutcome& outcome) {
    EXPECT_EQ(outcome.result.verdict, Verdict::kPass) << outcome.result.rows.front().reason;
    return outcome.result.figures.front().lines.front();
  }
};

TEST_F(KernelInputs, AStructureHoldsPointersAndAnArrayToo) {
  const char* source =
      "struct Vec { float* data; int n; double by; };\n"
      "__global__ void k(Vec v, const float* const* rows) {\n"
      "  if (threadIdx.x < v.n) v.data[threadIdx.x] = v.by * (rows[0][threadIdx.x] + rows[1][threadIdx.x]); "
      "}";
  const KernelOutcome outcome =
      run_file(source, {"{buf:f32:4,i32:4,f64:10}", "[2*buf:f32:4:iota]"}, "v.1:0:4");
  EXPECT_EQ(printed(outcome), "[0]   0  20  40  60");
  EXPECT_THAT(
      outcome.result.notes,
      testing::Contains(IsMessage("note_on_buffer", {{"buffer", "rows[1]"}, {"count", 4}, {"type", "f32"}})));
}

TEST_F(KernelInputs, SymbolsFillVariablesAndPointThem) {
  const char* source =
      "__constant__ float weights[4]; __constant__ int n;\n"
      "namespace sums { __device__ int total; __device__ float* table; }\n"
      "__global__ void k(float* out) {\n"
      "  if (threadIdx.x < n) out[threadIdx.x] = weights[threadIdx.x] + sums::table[threadIdx.x];\n"
      "  atomicAdd(&sums::total, 1); }";
  const KernelOutcome outcome =
      run_file(source, {"buf:f32:4"}, "out:0:4",
               {"weights=buf:f32:4:iota", "n=i32:4", "sums::table=buf:f32:32:iota", "sums::total=i32:5"});
  EXPECT_EQ(printed(outcome), "[0]  0  2  4  6");
  EXPECT_EQ(printed(run_file(
                source, {"buf:f32:4"}, "sums::total:0:1",
                {"weights=f32:1,2", "n=i32:4", "sums::table=buf:f32:32:zero", "sums::total=buf:i32:1:zero"})),
            "[0]  32");
}

TEST_F(KernelInputs, TexturesAndSurfacesAreHandles) {
  const char* source =
      "__global__ void k(cudaTextureObject_t image, cudaTextureObject_t row, cudaSurfaceObject_t to) {\n"
      "  const int x = threadIdx.x % 8, y = threadIdx.x / 8;\n"
      "  surf2Dwrite(tex2D<float>(image, x + 1.0f, y + 0.5f) + tex1Dfetch<int>(row, threadIdx.x), to, x * 4, "
      "y); }";
  EXPECT_EQ(
      printed(run_file(source, {"tex:f32:8x4:iota:linear", "tex:i32:32:iota", "surf:f32:8x4"}, "to:8:4")),
      "[ 8]  16.5  18.5  20.5  22.5");
}

TEST_F(KernelInputs, MisfitsAreNamed) {
  const char* source = "struct S { float* p; int n; };\n__global__ void k(S s) { s.p[0] = 1; }";
  const auto error = [&](const std::string& argument, std::vector<std::string> symbols = {}) {
    return refused([&] { run_file(source, {argument}, "1", std::move(symbols)); });
  };
  EXPECT_THAT(error("{buf:f32:4}"),
              AllOf(IsMessage("argument_does_not_fit", {{"parameter", "S s"}}),
                    MentionsMessage("misfit_size", {{"what", msg::given_structure(8u)}, {"bytes", 16}})));
  EXPECT_THAT(error("tex:f32:4"), MentionsMessage("given_texture"));
  EXPECT_THAT(error("{buf:f32:4,i32:1}", {"nothing=i32:1"}),
              IsMessage("variable_not_in_source", {{"variable", Code{"nothing"}}}));
}

TEST_F(KernelInputs, ChildrenHaveRowsOfTheirOwn) {
  const char* source =
      "__global__ void child(int* x) { atomicAdd(x, 1); }\n"
      "__global__ void k(int* x) { if (threadIdx.x < 3) child<<<2, 32>>>(x); }";
  const KernelOutcome outcome = run_file(source, {"buf:i32:1:zero"}, "x:0:1");
  EXPECT_EQ(printed(outcome), "[0]  192");
  ASSERT_EQ(outcome.result.rows.size(), 2u);
  const Row& child = outcome.result.rows[1];
  EXPECT_EQ(child.name, "child, launched 3 times");
  EXPECT_EQ(child.launches, 3u);
  EXPECT_EQ(child.spec.grid, (Dim3{2, 1, 1}));
  EXPECT_GT(child.counters->value_or_zero(Counter::kWarpInstructions), 0);
}

// ---- races that the compiler makes -------------------------------------------------------------------
// NVRTC makes one load for all lanes where the source lets a single lane load.

constexpr const char* kLoadsOfOneLane = R"(
__device__ int counter = 5;
#define STAGED __shared__ int s[64]; const int t = threadIdx.x; s[t] = t; __syncthreads();
extern "C" {
__global__ void branch(int* out) {
  STAGED int total = 0;
  if (t == 0) total = s[0];
  out[t] = total;
  if (t == 0) s[0] = total + 1;
}
__global__ void loop(int* out, int n) {
  STAGED
  for (int k = 0; k < n; ++k) {
    int total = 0;
    if (t == 0) total = s[0];
    out[t] = total;
    if (t == 0) s[0] = total + k;
  }
}
__global__ void either(int* out) {
  STAGED const bool is_set = t != 0 || s[1] > 3;
  out[t] = is_set;
  if (t == 0) s[1] = is_set ? 5 : 6;
}
__global__ void after(int* out) {
  STAGED if (t == 0) s[0] = 3;
  out[t] = t == 0 ? s[0] : 9;
}
__global__ void of_blocks(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = i == 0 ? counter : 1;
  out[i] = v;
  if (i == 0) counter = v + 1;
}
__global__ void war(int* out) {
  STAGED out[t] = s[0];
  if (t == 0) s[0] = 1;
}
__global__ void raw(int* out) {
  __shared__ int s[64]; const int t = threadIdx.x;
  s[t] = t;
  out[t] = t % 2 == 0 ? s[t + 1] : 0;
}
__global__ void waw(int* out) {
  __shared__ int s[64]; const int t = threadIdx.x;
  s[0] = t;
  __syncthreads();
  out[t] = s[0];
}
__global__ void across(int* out) {
  STAGED out[t] = s[63 - t];
  s[t] = t + 1;
}
__global__ void some_lanes(int* out) {
  STAGED int v = t < 3 ? s[5] : 7;
  out[t] = v;
  if (t == 1) s[5] = v;
}
__global__ void all_blocks(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = counter;
  if (i == 0) counter = 7;
}
__global__ void hidden(int* out) {
  STAGED out[t] = s[0];
#ifdef __CUDACC_DEBUG__
  __syncthreads();
#endif
  if (t == 0) s[0] = 1;
}
}
)";

class AnyKernelOfLoads : public AnyKernel, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AnyKernel::SetUp();
    std::ofstream(file_) << kLoadsOfOneLane;
  }
  KernelOutcome outcome_of(const std::string& kernel) {
    KernelRequest wanted = request(kernel, {"buf:i32:128"});
    if (kernel == "loop") wanted.arguments.push_back(parse_argument("i32:3"));
    wanted.spec = {{2, 1, 1}, {64, 1, 1}};
    wanted.compiler.compiler = compile::Compiler::kNvrtc;
    return run(wanted);
  }
};

class RacesOfTheCompilerAlone : public AnyKernelOfLoads {};
TEST_P(RacesOfTheCompilerAlone, AreToldAsANoteAndNoHazard) {
  const KernelOutcome outcome = outcome_of(GetParam());
  EXPECT_EQ(outcome.result.verdict, Verdict::kPass) << outcome.result.rows[0].reason;
  EXPECT_TRUE(outcome.result.rows[0].hazards.empty());
  EXPECT_THAT(outcome.result.notes[0], IsMessage("note_race_of_compiler"));
}
INSTANTIATE_TEST_SUITE_P(Kernels, RacesOfTheCompilerAlone,
                         testing::Values("branch", "loop", "either", "after", "of_blocks"));

class RacesOfTheSource : public AnyKernelOfLoads {};
TEST_P(RacesOfTheSource, AreToldAllTheSame) {
  const KernelOutcome outcome = outcome_of(GetParam());
  EXPECT_EQ(outcome.result.verdict, Verdict::kFail);
  EXPECT_FALSE(outcome.result.rows[0].hazards.empty());
}
INSTANTIATE_TEST_SUITE_P(Kernels, RacesOfTheSource,
                         testing::Values("war", "raw", "waw", "across", "some_lanes", "all_blocks",
                                         "hidden"));

}  // namespace
}  // namespace cudalab::lab
