// Tests each kind of hazard with a small kernel and its corrected twin (tests/hazards), and textbook kernels
// without hazards.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "device/device.h"

namespace cudalab::device {
namespace {

struct HazardCase {
  const char* name;
  HazardKind kind;
  const char* buffer;
  Dim3 grid, block;
  int length = 1024;      // also the argument n
  bool completes = true;  // despite the hazard
  const char* cuda_error = "";
  bool clears_output = true;
  const char* kernel = "kernel";  // the one with the hazard
};
void PrintTo(const HazardCase& one, std::ostream* out) { *out << one.name; }

constexpr const char* kIllegal = "CUDA_ERROR_ILLEGAL_ADDRESS";

const HazardCase kHazardCases[] = {
    {"out_of_bounds", HazardKind::kOutOfBounds, "in", {4, 1, 1}, {256, 1, 1}, 1000, false, kIllegal},
    {"misaligned",
     HazardKind::kMisaligned,
     "in",
     {1, 1, 1},
     {64, 1, 1},
     256,
     false,
     "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {"unwritten_global",
     HazardKind::kUninitialisedRead,
     "out",
     {4, 1, 1},
     {256, 1, 1},
     1000,
     true,
     "",
     false},
    {"unwritten_shared", HazardKind::kUninitialisedRead, "tile", {4, 1, 1}, {64, 1, 1}},
    {"unwritten_local", HazardKind::kUninitialisedRead, "its local memory", {4, 1, 1}, {64, 1, 1}},
    {"missing_barrier", HazardKind::kSharedRace, "tile", {4, 1, 1}, {256, 1, 1}},
    {"bulk_copy", HazardKind::kSharedRace, "tile", {4, 1, 1}, {64, 1, 1}, 256},
    {"proxy_fence", HazardKind::kSharedRace, "tile", {4, 1, 1}, {64, 1, 1}, 256},
    {"async_arrive", HazardKind::kSharedRace, "tile", {4, 1, 1}, {64, 1, 1}, 256},
    {"parent_reads", HazardKind::kGlobalRace, "out", {1, 1, 1}, {64, 1, 1}, 256, true, "", true, "doubled"},
    {"sibling_kernels",
     HazardKind::kGlobalRace,
     "out",
     {1, 1, 1},
     {64, 1, 1},
     256,
     true,
     "",
     true,
     "mirrored"},
    {"overrun", HazardKind::kOutOfBounds, "left", {4, 1, 1}, {64, 1, 1}, 256},
    {"cluster", HazardKind::kSharedRace, "tile", {4, 1, 1}, {64, 1, 1}, 256},
    {"second_barrier", HazardKind::kSharedRace, "tile", {4, 1, 1}, {128, 1, 1}},
    {"write_write", HazardKind::kSharedRace, "largest", {4, 1, 1}, {128, 1, 1}},
    {"one_instruction", HazardKind::kSharedRace, "tile", {1, 1, 1}, {32, 1, 1}},
    {"warp_synchronous", HazardKind::kSharedRace, "sums", {4, 1, 1}, {64, 1, 1}},
    {"atomic_then_read", HazardKind::kSharedRace, "bins", {4, 1, 1}, {256, 1, 1}},
    {"sum_of_blocks", HazardKind::kGlobalRace, "out", {16, 1, 1}, {64, 1, 1}},
    {"in_place", HazardKind::kGlobalRace, "out", {16, 1, 1}, {64, 1, 1}},
    {"within_block", HazardKind::kGlobalRace, "out", {8, 1, 1}, {128, 1, 1}},
    {"last_block", HazardKind::kGlobalRace, "out", {16, 1, 1}, {64, 1, 1}},
    {"divergent_barrier", HazardKind::kBarrierDivergence, "", {4, 1, 1}, {64, 1, 1}},
    {"deadlock", HazardKind::kDeadlock, "", {4, 1, 1}, {64, 1, 1}, 1024, false},
    {"endless", HazardKind::kStepLimit, "", {1, 1, 1}, {64, 1, 1}, 1023, false},
    {"stack_overflow",
     HazardKind::kStackOverflow,
     "",
     {1, 1, 1},
     {64, 1, 1},
     1024,
     false,
     "CUDA_ERROR_HARDWARE_STACK_ERROR"},
    {"trap", HazardKind::kTrap, "", {1, 1, 1}, {64, 1, 1}, 1024, false, "CUDA_ERROR_LAUNCH_FAILED"},
    {"assertion", HazardKind::kAssertion, "", {1, 1, 1}, {64, 1, 1}, 1024, false, "CUDA_ERROR_ASSERT"},
};

std::string text_of(const std::string& name) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/tests/hazards/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

// The line with `// here` or `// other`; 0 if there is none.
int marked_line(const std::string& source, const std::string& marker) {
  std::istringstream lines(source);
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number)
    if (line.find("// " + marker) != std::string::npos) return number;
  return 0;
}

compile::CompiledSource compiled_hazard(const std::string& file) {
  compile::CompileRequest request;
  request.source = text_of(file);
  request.file_name = file;
  return compile::compile(request);
}

std::string sentences(const LaunchResult& result) {
  std::string text;
  for (const Hazard& hazard : result.hazards)
    text += fmt::format("line {} block {} thread {} [{}]: {}; {} ({} times)\n", hazard.where.line,
                        hazard.block.x, hazard.thread.x, hazard.buffer, hazard.what.text(), hazard.fix.text(),
                        hazard.occurrences);
  return text;
}

// Either of two racing accesses may be reported as the first one.
bool lines_are(const Hazard& hazard, const SourceLine& here, const SourceLine& other) {
  if (here.line == 0) return true;
  if (other.line == 0) return hazard.where == here;
  return (hazard.where == here && hazard.other == other) || (hazard.where == other && hazard.other == here);
}

class Bench {
 public:
  explicit Bench(const compile::CompiledSource& source, unsigned host_threads = 2)
      : gpu_(open_virtual_device({.host_threads = host_threads})), program_(gpu_->load(source)) {}

  LaunchResult run(const HazardCase& test) {
    std::vector<int> numbers(test.length);
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::size_t bytes = numbers.size() * sizeof(int);
    Buffer in = gpu_->allocate("in", bytes), out = gpu_->allocate("out", bytes);
    gpu_->upload(in.address(), std::as_bytes(std::span(numbers)));
    if (test.clears_output) gpu_->fill(out.address(), bytes, 0);
    Launch launch;
    launch.kernel = &program_->kernel("kernel");
    launch.spec = {test.grid, test.block};
    launch.arguments = {in, out, test.length};
    launch.options.max_steps = 200'000;
    return gpu_->launch(launch);
  }
  Device& gpu() { return *gpu_; }
  Program& program() { return *program_; }

 private:
  std::unique_ptr<Device> gpu_;
  std::unique_ptr<Program> program_;
};

class HazardKernels : public testing::TestWithParam<HazardCase> {
 protected:
  void SetUp() override {
    if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  }
};

TEST_P(HazardKernels, TheBadKernelIsCaught) {
  const HazardCase& test = GetParam();
  const std::string file = test.name + std::string("_bad.cu"), source = text_of(file);
  const LaunchResult result = Bench(compiled_hazard(file)).run(test);
  EXPECT_EQ(result.completed, test.completes);
  const int here = marked_line(source, "here"), other = marked_line(source, "other");
  bool found = false;
  for (const Hazard& hazard : result.hazards)
    found = found || (hazard.kind == test.kind && hazard.buffer == test.buffer &&
                      hazard.kernel == test.kernel && lines_are(hazard, {file, here}, {file, other}) &&
                      hazard.cuda_error == test.cuda_error && !hazard.what.empty() && !hazard.fix.empty());
  EXPECT_TRUE(found) << sentences(result);
  const bool is_race =
      test.kind == HazardKind::kSharedRace;  // a thread that reads too early may also read unwritten memory
  for (const Hazard& hazard : result.hazards)
    EXPECT_TRUE(hazard.kind == test.kind || (is_race && hazard.kind == HazardKind::kUninitialisedRead))
        << sentences(result);
}

TEST_P(HazardKernels, TheRepairedKernelIsClean) {
  const LaunchResult result =
      Bench(compiled_hazard(GetParam().name + std::string("_good.cu"))).run(GetParam());
  EXPECT_TRUE(result.completed);
  EXPECT_EQ(sentences(result), "");
}

TEST_P(HazardKernels, TheReportDoesNotDependOnHostThreads) {
  const compile::CompiledSource source = compiled_hazard(GetParam().name + std::string("_bad.cu"));
  const std::string expected = sentences(Bench(source, 1).run(GetParam()));
  for (const unsigned host_threads : {2u, 8u})
    for (int run = 0; run < 3; ++run)
      EXPECT_EQ(sentences(Bench(source, host_threads).run(GetParam())), expected);
}

INSTANTIATE_TEST_SUITE_P(All, HazardKernels, testing::ValuesIn(kHazardCases),
                         [](const auto& test) { return std::string(test.param.name); });

// ---- textbook kernels --------------------------------------------------------------------------------
struct Textbook {
  const char* kernel;
  Dim3 grid, block;
  int n = 1024;
  std::size_t shared_bytes = 0;
};
void PrintTo(const Textbook& one, std::ostream* out) { *out << one.kernel; }

const Textbook kTextbook[] = {
    {"tree_reduction", {8, 1, 1}, {128, 1, 1}, 1024, 512},
    {"shuffle_reduction", {8, 1, 1}, {128, 1, 1}},
    {"warp_reduction", {8, 1, 1}, {64, 1, 1}},
    {"tiled_matmul", {2, 2, 1}, {16, 16, 1}, 32},
    {"transpose", {1, 1, 1}, {32, 8, 1}, 32},
    {"shared_histogram", {4, 1, 1}, {128, 1, 1}},
    {"byte_histogram", {4, 1, 1}, {256, 1, 1}},
    {"bytes", {5, 1, 1}, {200, 1, 1}, 999},
    {"hillis_steele_scan", {8, 1, 1}, {128, 1, 1}},
    {"blelloch_scan", {4, 1, 1}, {128, 1, 1}},
    {"double_buffering", {4, 1, 1}, {64, 1, 1}},
    {"thread_fence_reduction", {8, 1, 1}, {128, 1, 1}},
    {"locked_sum", {16, 1, 1}, {64, 1, 1}},
    {"compare_and_swap_loop", {8, 1, 1}, {128, 1, 1}},
    {"same_value", {8, 1, 1}, {128, 1, 1}},
    {"tile_groups", {8, 1, 1}, {128, 1, 1}},
    {"producer_and_consumer", {4, 1, 1}, {128, 1, 1}},
    {"structures", {2, 1, 1}, {64, 1, 1}},
    {"bitonic_step", {8, 1, 1}, {128, 1, 1}},
    {"block_scan_in_global", {8, 1, 1}, {128, 1, 1}},
    {"chained_sum", {8, 1, 1}, {32, 1, 1}, 0},
};

class TextbookKernels : public testing::TestWithParam<Textbook> {};

TEST_P(TextbookKernels, AreClean) {
  if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  const Textbook& test = GetParam();
  const compile::CompiledSource source = compiled_hazard("clean.cu");
  for (const unsigned host_threads : {1u, 2u, 8u}) {
    Bench bench(source, host_threads);
    std::vector<int> numbers(1024);
    std::iota(numbers.begin(), numbers.end(), 0);
    constexpr std::size_t kBytes = 8192;
    Buffer in = bench.gpu().allocate("in", kBytes), out = bench.gpu().allocate("out", kBytes),
           flags = bench.gpu().allocate("flags", kBytes);
    bench.gpu().fill(in.address(), kBytes, 1);
    bench.gpu().upload(in.address(), std::as_bytes(std::span(numbers)));
    bench.gpu().fill(out.address(), kBytes, 0);
    bench.gpu().fill(flags.address(), kBytes, 0);
    Launch launch;
    launch.kernel = &bench.program().kernel(test.kernel);
    launch.spec = {test.grid, test.block, test.shared_bytes};
    launch.arguments = {in, out};
    if (test.n)
      launch.arguments.emplace_back(test.n);
    else
      launch.arguments.emplace_back(flags);
    launch.options.max_steps = 10'000'000;
    const LaunchResult result = bench.gpu().launch(launch);
    EXPECT_TRUE(result.completed);
    EXPECT_EQ(sentences(result), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, TextbookKernels, testing::ValuesIn(kTextbook),
                         [](const auto& test) { return std::string(test.param.kernel); });

}  // namespace
}  // namespace cudalab::device
