// Reports about programs that use the driver API, NVRTC and NVML, built and run by `cudalab run` without
// options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "compile/nvcc.h"
#include "compile/toolkit.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

class DriverReport : public testing::Test {
 protected:
  void SetUp() override {
    if (!compile::find_nvcc() || !fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcuda.so.1"))
      GTEST_SKIP() << "nvcc is not installed, or the runtime was not built";
    const std::string header = "driver_check.h";
    write_file(folder_ / header, read_file(fs::path(CUDALAB_SOURCE_DIR) / "tests" / "programs" / header));
  }
  // The outcome of a program; `body` is in main, after the checks of driver_check.h.
  Outcome run(const std::string& body, const std::vector<std::string>& options = {}) {
    write_file(folder_ / "p.cu", "#include \"driver_check.h\"\n" + body);
    std::vector<std::string> words{"run", "p.cu"};
    words.insert(words.end(), options.begin(), options.end());
    Outcome outcome = by_ids(words, {.folder = folder_.path()});
    outcome.err = unwrapped(outcome.err);
    return outcome;
  }
  Folder folder_;
};

constexpr const char* kAddsInDriver =
    "int main() {\n"
    "  CUcontext context; CUmodule module; CUfunction add; CUdeviceptr x, unused; int n = 32;\n"
    "  CHECK(cuInit(0)); CHECK(cuCtxCreate(&context, nullptr, 0, 0));\n"
    "  CHECK(cuModuleLoadData(&module, kAddPtx)); CHECK(cuModuleGetFunction(&add, module, \"add\"));\n"
    "  CHECK(cuMemAlloc(&x, 128)); CHECK(cuMemsetD32(x, 0, 32));\n"
    "  CHECK(cuMemAlloc(&unused, 64));\n"
    "  void* arguments[] = {&x, &x, &x, &n};\n"
    "  CHECK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));\n"
    "  CHECK(cuCtxSynchronize());\n"
    "  CHECK(cuMemFree(x));\n"
    "}\n";

TEST_F(DriverReport, ShowsLaunchesAndMemoryAsOfTheRuntimeApi) {
  const Outcome outcome = run(kAddsInDriver, {"--json=p.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(read_file(folder_ / "p.json"));
  EXPECT_EQ(document.at("verdict"), "pass");
  EXPECT_EQ(document.at("launches").at(0).at("kernel"), "add");
  EXPECT_THAT(outcome.err, testing::Not(Says("note_answered")));
  EXPECT_THAT(run(kAddsInDriver).err, Says("note_never_freed", {{"call", "cuMemAlloc"}, {"allocations", 1}}));
}

// NVRTC compiles the kernel, whose source exists only in the program.
constexpr const char* kShiftsByNvrtc =
    "#include <nvrtc.h>\n"
    "const char* const kSource = \"__global__ void shift(int* x) {\\n  x[threadIdx.x + 1] = 1;\\n}\\n\";\n"
    "int main() {\n"
    "  nvrtcProgram program; static char ptx[1 << 16];\n"
    "  const char* options[] = {\"--gpu-architecture=compute_90\", \"-lineinfo\"};\n"
    "  nvrtcCreateProgram(&program, kSource, \"shift.cu\", 0, nullptr, nullptr);\n"
    "  nvrtcCompileProgram(program, 2, options); nvrtcGetPTX(program, ptx);\n"
    "  CUcontext context; CUmodule module; CUfunction shift; CUdeviceptr numbers;\n"
    "  CHECK(cuInit(0)); CHECK(cuCtxCreate(&context, nullptr, 0, 0));\n"
    "  CHECK(cuModuleLoadData(&module, ptx)); CHECK(cuModuleGetFunction(&shift, module, \"_Z5shiftPi\"));\n"
    "  CHECK(cuMemAlloc(&numbers, 128));\n"
    "  void* arguments[] = {&numbers};\n"
    "  CHECK(cuLaunchKernel(shift, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));\n"
    "  std::printf(\"%d\\n\", cuCtxSynchronize());\n"
    "}\n";

TEST_F(DriverReport, NamesTheLineOfAKernelThatNvrtcCompiled) {
  if (!compile::find_library_file("libnvrtc.so.13")) GTEST_SKIP() << "NVRTC is not installed";
  const Outcome outcome = run(kShiftsByNvrtc);
  EXPECT_EQ(outcome.out, "700\n") << outcome.err;
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, testing::HasSubstr("shift.cu:2"));
  EXPECT_THAT(outcome.err,
              Says("access_one_past_end", {{"element", "element_of(index=32, buffer=numbers)"}}));
  EXPECT_THAT(outcome.err, testing::Not(Says("host_clock_measures"))) << "NVRTC reads its own clock";
}

constexpr const char* kCallsWhatIsMissing =
    "extern CUresult create(unsigned long long*, size_t, void*, unsigned long long) "
    "__asm__(\"cuMemCreate\");\n"
    "int main() {\n"
    "  CUdeviceptr x; CUcontext context; unsigned long long handle;\n"
    "  std::printf(\"%d \", cuMemAlloc(&x, 4));\n"
    "  CHECK(cuInit(0)); CHECK(cuCtxCreate(&context, nullptr, 0, 0));\n"
    "  std::printf(\"%d\\n\", create(&handle, 4, nullptr, 0));\n"
    "}\n";

TEST_F(DriverReport, SaysWhyACallFailed) {
  const Outcome outcome = run(kCallsWhatIsMissing);
  EXPECT_EQ(outcome.out, "3 801\n");
  EXPECT_THAT(outcome.err, Says("note_answered_why", {{"call", "cuMemAlloc"},
                                                      {"error", "CUDA_ERROR_NOT_INITIALIZED"},
                                                      {"why", "driver_not_initialized()"}}));
  EXPECT_THAT(outcome.err, Says("program_calls_missing", {{"call", "cuMemCreate"}}));
  EXPECT_EQ(outcome.code, 1);
}

constexpr const char* kAsksForTheTemperature =
    "#include <nvml.h>\n"
    "int main() {\n"
    "  nvmlDevice_t device; unsigned value;\n"
    "  nvmlInit(); nvmlDeviceGetHandleByIndex(0, &device);\n"
    "  std::printf(\"%d \", nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value));\n"
    "  std::printf(\"%d \", nvmlDeviceGetPowerUsage(device, &value));\n"
    "  std::printf(\"%d\\n\", nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &value));\n"
    "}\n";

TEST_F(DriverReport, LeavesOpenWhatNvmlCannotKnow) {
  const Outcome outcome = run(kAsksForTheTemperature);
  EXPECT_EQ(outcome.out, "3 3 3\n") << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(DriverReport, CudalabTakesTheVirtualGpusDriverForNoGpu) {
  const Outcome outcome = by_ids({"exec", "--", CUDALAB_PROGRAM, "transpose", "--device", "gpu"});
  EXPECT_THAT(outcome.err, Says("library_not_found", {{"library", "libcuda.so.1"}}));
}

}  // namespace
}  // namespace cudalab::e2e
