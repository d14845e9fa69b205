// Measures how many PTX thread instructions per second the virtual GPU executes with counters, with and
// without checks, and with and without predictions. Rates use the wall-clock time of all host threads.
// `per_core` divides by processor time instead, which is less sensitive to other programs on the machine.
// `cudalab_bench --mixture[=PART]` runs the mixture of kernels (mixture_bench.h), or those whose names
// contain PART.
#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "device/virtual/mixture_bench.h"

namespace cudalab::device {
namespace {

// 32 × 8 threads, a tile of 32 × 33 elements.
constexpr char kTranspose[] = R"(
extern "C" __global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[size_t(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < cols) out[size_t(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
)";

// 16 × 16 threads, double precision.
constexpr char kMatmul[] = R"(
extern "C" __global__ void matmul(const double* a, const double* b, double* c, int n) {
  __shared__ double tile_a[16][16], tile_b[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  double sum = 0;
  for (int m = 0; m < n / 16; m++) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + m * 16 + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(m * 16 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
)";

// A loaded kernel that can be launched repeatedly.
struct Workload {
  std::unique_ptr<Device> device = open_virtual_device();
  std::unique_ptr<Program> program;
  std::vector<Buffer> buffers;
  Launch launch;

  Workload(const char* source, const char* kernel) {
    compile::CompileRequest request;
    request.source = source;
    request.file_name = std::string(kernel) + ".cu";
    program = device->load(compile::compile(request));
    launch.kernel = &program->kernel(kernel);
  }
  const Buffer& buffer(const char* name, std::size_t bytes) {
    buffers.push_back(device->allocate(name, bytes));
    device->fill(buffers.back().address(), bytes, 1);
    return buffers.back();
  }
};

void run(benchmark::State& state, Workload& work) {
  work.launch.options.checks = state.range(0) ? Checks::kAll : Checks::kNone;
  work.launch.options.predict = state.range(1) != 0;
  double instructions = 0;
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    const LaunchResult result = work.device->launch(work.launch);
    if (!result.completed || !result.hazards.empty()) {
      state.SkipWithError(result.hazards.empty() ? "the kernel did not complete"
                                                 : result.hazards[0].what.text().c_str());
      return;
    }
    instructions += result.counters->value_or_zero(Counter::kThreadInstructions);
  }
  const double cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  state.counters["thread_instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
  state.counters["per_core"] = instructions / cpu_seconds;
}

void transpose_2048(benchmark::State& state) {
  constexpr int kSide = 2048;
  Workload work(kTranspose, "transpose");
  const std::size_t bytes = std::size_t{kSide} * kSide * sizeof(float);
  const std::uint64_t in = work.buffer("in", bytes).address(), out = work.buffer("out", bytes).address();
  work.launch.spec = {{kSide / 32, kSide / 32, 1}, {32, 8, 1}};
  work.launch.arguments = {in, out, kSide, kSide};
  run(state, work);
}

void matmul_256_f64(benchmark::State& state) {
  constexpr int kSide = 256;
  Workload work(kMatmul, "matmul");
  const std::size_t bytes = std::size_t{kSide} * kSide * sizeof(double);
  const std::uint64_t a = work.buffer("a", bytes).address(), b = work.buffer("b", bytes).address(),
                      c = work.buffer("c", bytes).address();
  work.launch.spec = {{kSide / 16, kSide / 16, 1}, {16, 16, 1}};
  work.launch.arguments = {a, b, c, kSide};
  run(state, work);
}

void with_and_without(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"checks", "predict"})->ArgsProduct({{0, 1}, {0, 1}})->UseRealTime();
  benchmark->Unit(benchmark::kMillisecond);
}
BENCHMARK(transpose_2048)->Apply(with_and_without);
BENCHMARK(matmul_256_f64)->Apply(with_and_without);

}  // namespace
}  // namespace cudalab::device

int main(int count, char** words) {
  constexpr std::string_view kMixture = "--mixture";
  const std::string_view word = count > 1 ? words[1] : "";
  if (word.starts_with(kMixture)) {
    const std::string_view part = word.substr(kMixture.size());
    cudalab::device::run_mixture(std::string(part.starts_with('=') ? part.substr(1) : part),
                                 count > 2 ? words[2] : "");
    return 0;
  }
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
