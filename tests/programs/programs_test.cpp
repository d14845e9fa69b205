// Whole programs, built by nvcc with both runtimes and run on the virtual GPU unchanged: their output equals
// that on an H200 (expected/), and their mistakes are reported with their lines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "compile/clang/clang.h"
#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"
#include "tests/e2e/terminal_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kPrograms = fs::path(CUDALAB_SOURCE_DIR) / "tests" / "programs";
const fs::path kBuilt = fs::path(CUDALAB_BINARY_DIR) / "tests" / "programs";

// Programs that make mistakes on purpose, or that launch nothing and make a call that fails.
const std::set<std::string> kWrong{"illegal_access",      "assertion",   "launch_error",
                                   "driver_entry_points", "blas_errors", "grid_sync_plain"};

std::optional<fs::path> nvcc() { return compile::find_nvcc(); }

// Requirements of programs: nvcc, and the runtime, which is not built with sanitizers.
bool can_run() { return nvcc() && fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13"); }
constexpr const char* kWhyNot = "nvcc is not installed, or the runtime was not built";

bool can_run_clang() {
  return compile::find_clang() && fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13");
}
constexpr const char* kWhyNotClang = "clang 17 or later is not installed, or the runtime was not built";

bool is_newer(const fs::path& made, const fs::path& source) {
  return fs::exists(made) && fs::last_write_time(made) > fs::last_write_time(source);
}

// The additional options of nvcc in a line "// nvcc: -rdc=true" of the program.
std::vector<std::string> own_options(const fs::path& source) {
  constexpr std::string_view kBegins = "// nvcc: ";
  std::istringstream text(read_file(source));
  std::vector<std::string> options;
  for (std::string line, word; std::getline(text, line);) {
    if (!line.starts_with(kBegins)) continue;
    std::istringstream words(line.substr(kBegins.size()));
    while (words >> word) options.push_back(word);
  }
  return options;
}

void run_nvcc(const fs::path& source, std::vector<std::string> words) {
  words.insert(words.begin(),
               {nvcc()->string(), "-gencode", "arch=compute_90,code=compute_90",
                "-I" CUDALAB_SOURCE_DIR "/include/cudalab/nvml", "-L" CUDALAB_BINARY_DIR "/runtime"});
  for (const std::string& option : own_options(source)) words.push_back(option);
  const Outcome outcome = run_command(words);
  EXPECT_EQ(outcome.code, 0) << source << "\n" << outcome.err;
}

// Compiled once, linked in both ways, and kept in the build folder.
std::string built(const fs::path& source, const std::string& link) {
  fs::create_directories(kBuilt);
  const fs::path object = kBuilt / (source.stem().string() + ".o");
  const fs::path program = kBuilt / (source.stem().string() + "_" + link);
  if (!is_newer(object, source))
    run_nvcc(source, {"-g", "-lineinfo", "--std=c++17", "-c", source.string(), "-o", object.string()});
  if (!is_newer(program, object))
    run_nvcc(source, {"--cudart", link, "-o", program.string(), object.string()});
  return program.string();
}

std::vector<fs::path> programs() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kPrograms))
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

void expect_as_on_a_card(const fs::path& source) {
  const std::string name = source.stem().string();
  for (const std::string link : {"shared", "static"}) {
    const Outcome outcome = cudalab({"exec", "--", built(source, link)});
    EXPECT_EQ(outcome.out, read_file(kPrograms / "expected" / (name + ".txt"))) << name << ", " << link;
    EXPECT_EQ(outcome.code, kWrong.contains(name) ? 1 : 0) << name << ", " << link << "\n" << outcome.err;
  }
}

TEST(Programs, PrintWhatTheyPrintOnACardInBothLinks) {
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const std::vector<fs::path> all = programs();
  const auto every_second = [&all](std::size_t first) {
    for (std::size_t i = first; i < all.size(); i += 2) expect_as_on_a_card(all[i]);
  };
  const std::future<void> half = std::async(std::launch::async, every_second, 0);
  every_second(1);
}

// Programs that use a feature that clang or our headers for it lack, and the name of the feature in the
// message.
const std::map<std::string, std::string> kLackWithClang{{"block_scan", "CUB"},
                                                        {"child_launches", "a launch from a kernel"},
                                                        {"device_algorithms", "CUB"},
                                                        {"managed_variable", "__managed__"},
                                                        {"thrust_sort", "Thrust"}};

void expect_as_on_a_card_with_clang(const fs::path& source) {
  const std::string name = source.stem().string();
  const Outcome outcome = by_ids({"run", source.string(), "--compiler", "clang"});
  if (const auto lack = kLackWithClang.find(name); lack != kLackWithClang.end()) {
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_THAT(outcome.err, Says("clang_lacks_feature", {{"feature", lack->second}})) << name;
    return;
  }
  EXPECT_EQ(outcome.out, read_file(kPrograms / "expected" / (name + ".txt"))) << name << "\n" << outcome.err;
  EXPECT_EQ(outcome.code, kWrong.contains(name) ? 1 : 0) << name << "\n" << outcome.err;
}

TEST(Programs, PrintTheSameWhenClangBuiltThem) {
  if (!can_run_clang()) GTEST_SKIP() << kWhyNotClang;
  const std::vector<fs::path> all = programs();
  const auto every_second = [&all](std::size_t first) {
    for (std::size_t i = first; i < all.size(); i += 2) expect_as_on_a_card_with_clang(all[i]);
  };
  const std::future<void> half = std::async(std::launch::async, every_second, 0);
  every_second(1);
}

// A function and a variable of the device that another file defines, and a file without device code.
TEST(Programs, OfSeveralFilesAreLinkedByClang) {
  if (!can_run_clang()) GTEST_SKIP() << kWhyNotClang;
  const Folder folder;
  write_file(folder / "main.cu",
             "extern __device__ int factor;\n__device__ int twice(int x);\nvoid show(int value);\n"
             "void set_factor(int value);\n"
             "__global__ void k(int* x) { *x = twice(21) + factor; }\n"
             "int main() { int *d, h; cudaMalloc(&d, 4); set_factor(3); k<<<1, 1>>>(d);\n"
             "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); show(h); cudaFree(d); }\n");
  write_file(folder / "b.cu",
             "__device__ int factor = 5;\n__device__ int twice(int x) { return 2 * x; }\n"
             "void set_factor(int value) { cudaMemcpyToSymbol(factor, &value, 4); }\n");
  write_file(folder / "host.cpp",
             "#include <cstdio>\n#include <cuda_runtime.h>\n"
             "void show(int value) { std::printf(\"%d %d\\n\", value, cudaGetLastError()); }\n");
  const Outcome outcome =
      cudalab({"run", "main.cu", "b.cu", "host.cpp", "--compiler", "clang"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.out, "45 0\n") << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

// A program that also contains machine code for the GPU reports the registers that ptxas assigned to its
// kernels.
TEST(Programs, LearnHowManyRegistersTheirKernelsHave) {
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const Folder folder;
  const std::string source = (folder / "registers.cu").string(), program = (folder / "registers").string();
  write_file(source, R"(
    #include <cstdio>
    __global__ void mix(float* x, int n) {
      float held[40];
      for (int i = 0; i < 40; ++i) held[i] = x[i * n];
      for (int k = 0; k < n; ++k)
        for (int i = 0; i < 40; ++i) held[i] = held[i] * held[(i + 7) % 40] + x[k];
      for (int i = 0; i < 40; ++i) x[i] = held[i];
    }
    int main() {
      cudaFuncAttributes attributes;
      cudaFuncGetAttributes(&attributes, mix);
      std::printf("%d\n", attributes.numRegs);
    })");
  const Outcome compiled =
      run_command({nvcc()->string(), "-gencode", "arch=compute_90,code=[compute_90,sm_90]", "-Xptxas", "-v",
                   "--cudart", "shared", "-o", program, source});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const std::string said = compiled.out + compiled.err;
  std::smatch used;
  ASSERT_TRUE(std::regex_search(said, used, std::regex("Used ([0-9]+) registers"))) << said;
  EXPECT_NE(used[1], "32");  // the value for a kernel whose registers are unknown
  EXPECT_EQ(cudalab({"exec", "--", program}).out, used[1].str() + "\n");
}

TEST(Programs, AnswerMisuseAsACardDoes) {
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  for (const std::string name :
       {"misuse", "managed_memory", "graph_conditions", "call_errors", "array_fetches", "driver_misuse"}) {
    const Outcome outcome = cudalab({"exec", "--", built(kPrograms / "misuse" / (name + ".cu"), "static")});
    EXPECT_EQ(outcome.out, read_file(kPrograms / "misuse" / (name + ".txt"))) << name;
  }
}

// Copies within the device run in pieces. The sizes here are no multiples of the pieces.
TEST(Programs, CopyWithinTheDeviceWhatIsLarge) {
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const Folder folder;
  const std::string source = (folder / "large.cu").string(), program = (folder / "large").string();
  write_file(source, R"(
    #include <cstdio>
    #include <vector>
    int main() {
      const int n = 300'001;
      std::vector<int> from(n), to(n);
      for (int i = 0; i < n; ++i) from[i] = i;
      int *a, *b;
      cudaMalloc(&a, n * sizeof(int)), cudaMalloc(&b, n * sizeof(int));
      cudaMemcpy(a, from.data(), n * sizeof(int), cudaMemcpyHostToDevice);
      cudaMemcpy(b + 1, a + 1, (n - 1) * sizeof(int), cudaMemcpyDeviceToDevice);
      cudaMemcpy(to.data() + 1, b + 1, (n - 1) * sizeof(int), cudaMemcpyDeviceToHost);
      cudaFree(a), cudaFree(b);
      std::printf("%d\n", from == to);
    })");
  run_nvcc(source, {"-o", program, source});
  EXPECT_EQ(cudalab({"exec", "--", program}).out, "1\n");
}

// A graph that contains another graph twice, nodes connected against the order of the list, events, and its
// own memory.
TEST(Programs, RunGraphsOfAllKindsOfNodes) {
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const Folder folder;
  const std::string source = (folder / "graph.cu").string(), program = (folder / "graph").string();
  write_file(source, R"(
    #include <cstdio>
    __global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }
    __global__ void add(float* x, float one) { x[threadIdx.x] += one; }
    cudaGraphNode_t kernel(cudaGraph_t graph, void* function, float* x, float by) {
      void* arguments[] = {&x, &by};
      cudaKernelNodeParams params{};
      params.func = function, params.gridDim = 1, params.blockDim = 4, params.kernelParams = arguments;
      cudaGraphNode_t node;
      cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
      return node;
    }
    int main() {
      float h[4] = {1, 2, 3, 4}, out[4], *x;
      cudaMalloc(&x, sizeof h);
      cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
      cudaGraph_t outer, inner;
      cudaGraphCreate(&outer, 0), cudaGraphCreate(&inner, 0);
      const cudaGraphNode_t later = kernel(inner, (void*)add, x, 1);
      const cudaGraphNode_t first = kernel(inner, (void*)scale, x, 2);
      cudaGraphAddDependencies(inner, &first, &later, nullptr, 1);  // twice as much, and one more
      cudaGraphNode_t a, b, recorded, memory, copied, back, freed;
      cudaGraphAddChildGraphNode(&a, outer, nullptr, 0, inner);
      cudaGraphAddChildGraphNode(&b, outer, &a, 1, inner);
      cudaEvent_t event;
      cudaEventCreate(&event);
      cudaGraphAddEventRecordNode(&recorded, outer, &b, 1, event);
      cudaMemAllocNodeParams wanted{};
      wanted.poolProps.allocType = cudaMemAllocationTypePinned;
      wanted.poolProps.location = {cudaMemLocationTypeDevice, 0};
      wanted.bytesize = sizeof h;
      cudaGraphAddMemAllocNode(&memory, outer, &recorded, 1, &wanted);
      cudaGraphAddMemcpyNode1D(&copied, outer, &memory, 1, wanted.dptr, x, sizeof h,
                               cudaMemcpyDeviceToDevice);
      cudaGraphAddMemcpyNode1D(&back, outer, &copied, 1, out, wanted.dptr, sizeof h, cudaMemcpyDeviceToHost);
      cudaGraphAddMemFreeNode(&freed, outer, &back, 1, wanted.dptr);
      cudaGraphExec_t exec;
      cudaGraphInstantiate(&exec, outer, 0);
      for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, 0);
      cudaEventSynchronize(event);
      std::printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
      std::printf("%g %g\n", out[0], out[3]);
      cudaGraphExecDestroy(exec), cudaGraphDestroy(outer), cudaGraphDestroy(inner);
      cudaEventDestroy(event), cudaFree(x);
    })");
  run_nvcc(source, {"-o", program, source});
  const Outcome outcome = by_ids({"exec", "--", program});
  EXPECT_EQ(outcome.out, "no error 31 79\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::Not(Says("note_never_freed")));
}

// ---- reports -------------------------------------------------------------------------------------------

class ProgramReport : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_run()) GTEST_SKIP() << kWhyNot;
  }
  Outcome run(const std::string& body, const std::vector<std::string>& options = {}) {
    write_file(folder_ / "p.cu", "#include <cstdio>\n" + body);
    std::vector<std::string> words{"run", "p.cu"};
    words.insert(words.end(), options.begin(), options.end());
    Outcome outcome = by_ids(words, {.folder = folder_.path()});
    outcome.err = unwrapped(outcome.err);
    return outcome;
  }
  Folder folder_;
};

TEST_F(ProgramReport, OwnOutputStaysApart) {
  const Outcome outcome =
      run("__global__ void k() {}\nint main() { k<<<1, 1>>>(); puts(\"hi\"); return "
          "cudaDeviceSynchronize() ? 9 : 7; }\n");
  EXPECT_EQ(outcome.out, "hi\n");
  EXPECT_EQ(outcome.code, 7) << "the program's own";
  EXPECT_THAT(outcome.err, Says("header_virtual_gpu", {{"name", "H200"}}));
  EXPECT_THAT(outcome.err, Says("outcome_no_errors", {{"count", 1}}));
}

TEST_F(ProgramReport, OfSeveralFilesWhoseDeviceCodeIsLinked) {
  write_file(folder_ / "own.h", "extern __device__ int factor;\n__device__ int twice(int x);\n");
  write_file(
      folder_ / "b.cu",
      "#include \"own.h\"\n__device__ int factor = 5;\n__device__ int twice(int x) { return 2 * x; }\n");
  write_file(folder_ / "host.cpp",
             "#include <cstdio>\nvoid show(int value) { std::printf(\"%d\\n\", value); }\n");
  const std::string main =
      "#include \"own.h\"\nvoid show(int value);\n__global__ void k(int* x) { *x = twice(21) + factor; }\n"
      "int main() { int *d, h; cudaMalloc(&d, 4); k<<<1, 1>>>(d); "
      "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); show(h); cudaFree(d); }\n";
  const Outcome linked = run(main, {"b.cu", "host.cpp"});
  EXPECT_EQ(linked.out, "47\n") << linked.err;
  EXPECT_EQ(linked.code, 0);
  write_file(
      folder_ / "b.cu",
      "#include \"own.h\"\n__device__ int factor = 6;\n__device__ int twice(int x) { return 2 * x; }\n");
  EXPECT_EQ(run(main, {"b.cu", "host.cpp"}).out, "48\n") << "what is kept is of all files' text";
  EXPECT_THAT(run(main, {"own.h"}).err, Says("program_source_unknown", {{"file", "own.h"}}));
  const Outcome one = run(main, {"b.cu", "host.cpp", "--kernel", "k", "--grid", "1", "--block", "1", "--arg",
                                 "buf:i32:1", "--print", "x"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("48")) << "the kernel runs with the other file's function and variable";
  EXPECT_THAT(run("", {"b.cu"}).err, Says("run_files_without_main"));
}

TEST_F(ProgramReport, NamesTheVariableAndTheLineOfAHazard) {
  const Outcome outcome =
      run("__global__ void k(int* x) {\n  x[threadIdx.x] = 1;\n}\nint main() {\n  int* values;\n"
          "  cudaMalloc(&values, 16);\n  k<<<1, 5>>>(values);\n  cudaDeviceSynchronize();\n  "
          "cudaFree(values);\n}\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("p.cu:3: problem_with_advice("));
  EXPECT_THAT(outcome.err, Says("access_past_allocation", {{"line", 7}}));
  EXPECT_THAT(outcome.err, Says("hazard_card_reports", {{"kernel", "k"},
                                                        {"access", "verb_writes()"},
                                                        {"element", "element_of(index=4, buffer=values)"},
                                                        {"error", "CUDA_ERROR_ILLEGAL_ADDRESS"}}));
}

// nvcc's host compiler attributes instances of templates to a file that nvcc generated.
TEST_F(ProgramReport, NamesLinesInTemplates) {
  const Outcome outcome =
      run("template <class T>\nvoid twice() {\n  T* d;\n  cudaMalloc(&d, 16);\n  cudaFree(d);\n  "
          "cudaFree(d);\n}\n"
          "int main() {\n  twice<int>();\n}\n");
  EXPECT_THAT(outcome.err, Says("free_again"));
  EXPECT_THAT(outcome.err, HasSubstr("p.cu:7"));
}

TEST_F(ProgramReport, ALaunchThatNobodyAskedAbout) {
  const std::string kernel = "__global__ void k() {}\n";
  const Outcome silent = run(kernel + "int main() {\n  k<<<1, 1025>>>();\n}\n");
  EXPECT_EQ(silent.code, 1);
  EXPECT_THAT(silent.err, Says("note_at", {{"place", "p.cu:4"}, {"error", "cudaErrorInvalidValue"}}));
  EXPECT_THAT(silent.err, Says("reason_never_launched"));
  const Outcome asked = run(kernel + "int main() {\n  k<<<1, 1025>>>();\n  return !cudaGetLastError();\n}\n");
  EXPECT_EQ(asked.code, 1) << "nothing else was launched";
  EXPECT_THAT(asked.err, testing::Not(Says("reason_never_launched")));
}

TEST_F(ProgramReport, LeaksWithTheirLines) {
  const Outcome outcome =
      run("int main() {\n  int *a, *b;\n  cudaMalloc(&a, 100);\n  cudaMalloc(&b, 200);\n"
          "  cudaFree(a);\n}\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(
      outcome.err,
      Says("note_at", {{"place", "p.cu:5"}, {"bytes", 200}, {"call", "cudaMalloc"}, {"allocations", 1}}));
  EXPECT_THAT(outcome.err, testing::Not(Says("note_never_freed", {{"bytes", 100}})));
}

TEST_F(ProgramReport, WhatTheHostDoesWrong) {
  struct Mistake {
    const char *code, *id;
    ExpectedArguments with = {};
  };
  const Mistake mistakes[] = {
      {"int h[4]; cudaMemcpy(h, d, 16, cudaMemcpyHostToDevice);",
       "copy_to_wrong_place",
       {{"direction", "cudaMemcpyHostToDevice"}}},
      {"int h[4]; cudaChannelFormatDesc f = cudaCreateChannelDesc<int>(); cudaArray_t a; "
       "cudaMallocArray(&a, &f, 4); cudaMemcpy(a, h, 16, cudaMemcpyHostToDevice);",
       "copy_of_array_handle"},
      {"int h[64]; cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost);", "copy_beyond_end", {{"beyond", 16}}},
      {"cudaFree(d); cudaFree(d);", "free_again", {{"memory", "`d`"}}},
      {"int h[4]; cudaFree(d); cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);",
       "copy_after_free",
       {{"memory", "`d`"}}},
      {"float t; cudaEvent_t a; cudaEventCreate(&a); cudaEventRecord(a); cudaEventElapsedTime(&t, a, a);",
       "event_time_asked_too_early"},
      {"print<<<1, 1>>>();", "program_ends_before_output", {{"kernel", "`print`"}}},
      {"int h[1]; k<<<1, 1>>>(h); cudaDeviceSynchronize();",
       "access_to_host_expression",
       {{"expression", "`h`"}, {"argument", 1}, {"line", 6}}},
      {"cudaFree(d); k<<<1, 1>>>(d); cudaDeviceSynchronize();",
       "access_to_freed_memory",
       {{"access", "verb_writes()"}, {"offset", 0}, {"address", "0x60000000000"}}},
      {"member<<<1, 1>>>({new int[4], 4}); cudaDeviceSynchronize();",
       "access_to_host_member",
       {{"argument", 1}}},
      {"int h[9]; cudaMemcpyToSymbol(four, h, 36);", "copy_beyond_variable", {{"beyond", 20}, {"size", 16}}},
      {"printf(\"%d\", *d);", "host_follows_device_pointer"},
      {"free(d);", "bytes_before_memory", {{"memory", "`d`"}}},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = run(std::string("__global__ void k(int* x) { *x = 1; } __constant__ int four[4]; "
                                            "struct Both { int* p; int n; }; "
                                            "__global__ void member(Both b) { *b.p = 1; } "
                                            "__global__ void print() { printf(\"a\"); }\n"
                                            "int main() {\n  int* d;\n  cudaMalloc(&d, 16);\n  ") +
                                mistake.code + "\n}\n");
    EXPECT_THAT(outcome.err, Says(mistake.id, mistake.with)) << mistake.code;
    EXPECT_NE(outcome.code, 0) << mistake.code;
  }
}

// Nothing of the program depends on the kernel, so this is a warning.
TEST_F(ProgramReport, AKernelWhoseResultsNobodyReadsIsNotWaitedFor) {
  const std::string program =
      "__global__ void k(int* x) { *x = 1; }\nint main() {\n  int* d;\n  cudaMalloc(&d, 4);\n  k<<<1, "
      "1>>>(d);\n}\n";
  const Outcome outcome = run(program);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Says("program_ends_before_kernel", {{"kernel", "`k`"}}));
  EXPECT_THAT(outcome.err, Says("note_warning"));
  EXPECT_EQ(run(program, {"--strict"}).code, 1);
}

TEST_F(ProgramReport, NoMistakeWhereAKernelWithoutEffectIsNotWaitedFor) {
  const Outcome outcome =
      run("#include <cstdio>\n__global__ void nothing() {}\nint main() {\n  nothing<<<1, 1>>>();\n"
          "  printf(\"ends\");\n}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::Not(Says("program_ends_before_kernel")));
}

// As programs do that compare their code for the host with a kernel.
TEST_F(ProgramReport, EventsAroundHostCodeMeasureIt) {
  const Outcome outcome = run(R"(
#include <cstdio>
__global__ void k(int* x) { *x = 1; }
int main() {
  int* d;
  cudaMalloc(&d, 4);
  cudaEvent_t begin, middle, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&middle);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  volatile int sum = 0;
  for (int i = 0; i < 20000000; i++) sum = sum + i % 3;
  cudaEventRecord(middle);
  k<<<1, 1>>>(d);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float host, kernel;
  cudaEventElapsedTime(&host, begin, middle);
  cudaEventElapsedTime(&kernel, middle, end);
  printf("%d %d\n", host > 2, kernel < 1);
  cudaFree(d);
}
)");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "1 1\n");
}

// A copy before the launch would only hide that another block writes the element too late.
TEST_F(ProgramReport, ReadsOfWhatOtherBlocksWriteTooLate) {
  const Outcome outcome =
      run("__global__ void k(int* scratch, int* out) {\n  const int i = blockIdx.x * 32 + threadIdx.x;\n"
          "  scratch[i] = i;\n  __syncthreads();\n  int most = scratch[(i + 32) % 64];\n"
          "  out[i] = most + scratch[(i + 33) % 64];\n}\n"
          "int main() {\n  int *scratch, *out;\n  cudaMalloc(&scratch, 256);\n  cudaMalloc(&out, 256);\n"
          "  k<<<2, 32>>>(scratch, out);\n  cudaDeviceSynchronize();\n  cudaFree(scratch);\n  "
          "cudaFree(out);\n}\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, Says("read_unwritten"));
  EXPECT_THAT(outcome.err, Says("advice_blocks_run_freely"));
  EXPECT_THAT(outcome.err, testing::Not(Says("advice_set_before_launch")));
  EXPECT_THAT(outcome.err, testing::Not(Says("nothing_written_to")));
}

// One program, built once; its argument selects what it does.
std::string cases_of(const std::vector<const char*>& codes) {
  std::string text;
  for (std::size_t i = 0; i < codes.size(); ++i)
    text += fmt::format("      case {}: {} break;\n", i, codes[i]);
  return text;
}

// There is a guard page on either side. A write in front of the memory is found when the memory is freed.
TEST_F(ProgramReport, AHostThatGoesBeyondMemoryOfTheRuntimes) {
  const std::string program =
      "#include <cstdlib>\nint main(int, char** words) {\n  int *h, *m;\n"
      "  cudaMallocHost(&h, 4000);\n  cudaMallocManaged(&m, 4096);\n"
      "  switch (atoi(words[1])) {\n" +
      cases_of({"for (int i = 0; i <= 1000; ++i) h[i] = 7;", "for (int i = 0; i <= 1024; ++i) m[i] = 7;",
                "h[-1] = 7;", "for (int i = 0; i < 1000; ++i) h[i] = m[i] = 7;"}) +
      "  }\n  cudaFreeHost(h);\n  cudaFree(m);\n}\n";
  const auto said = [&](const char* which) { return run(program, {"--", which}); };
  const Outcome behind = said("0");
  EXPECT_EQ(behind.code, 1);
  EXPECT_THAT(behind.err,
              Says("host_wrote_beyond_end", {{"offset", 4000}, {"memory", "`h`"}, {"size", 4000}}));
  EXPECT_THAT(said("1").err,
              Says("host_reaches_beyond_end", {{"offset", 4096}, {"memory", "`m`"}, {"size", 4096}}));
  EXPECT_THAT(said("2").err, Says("host_reaches_before_memory", {{"bytes", 4}, {"memory", "`h`"}}));
  EXPECT_EQ(said("3").code, 0);
}

constexpr const char* kExplained = R"(
#include <cstdlib>
__global__ void blur(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1];
}
__global__ void fill(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
__global__ void double_all(double* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
__global__ void sum_rows(const char* rows, size_t pitch, float* sums) {
  float sum = 0;
  for (int i = 0; i < 100; ++i) sum += ((const float*)(rows + threadIdx.x * pitch))[i];
  sums[threadIdx.x] = sum;
}
__global__ void every_second(float* x) { x[2 * threadIdx.x] = 1; }
__global__ void number_blocks(float* x) { x[blockIdx.x] = 1; }
__global__ void reverse(float* x) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
int main(int, char** words) {
  static float h[1000];
  float *d, *e, *few;
  double* wide;
  char* rows;
  size_t pitch;
  cudaMalloc(&d, 1024);
  cudaMalloc(&e, 1024);
  cudaMalloc(&few, 16);
  cudaMalloc(&wide, 400);
  cudaMallocPitch(&rows, &pitch, 400, 8);
  cudaMemset(d, 0, 1024);
  cudaMemcpy2D(rows, pitch, h, 400, 400, 8, cudaMemcpyHostToDevice);
  switch (atoi(words[1])) {
)";

TEST_F(ProgramReport, ExplainsHazardsByWhatTheHostDid) {
  struct Case {
    const char *code, *id;
    ExpectedArguments with = {};
  };
  const Case cases[] = {
      {"blur<<<4, 64>>>(d, d, 256);", "advice_separate_buffers", {{"first", 1}, {"second", 2}}},
      {"cudaMemcpy2D(rows, 400, h, 400, 400, 8, cudaMemcpyHostToDevice);",
       "copy_of_other_pitch",
       {{"given", 400}, {"pitch", 512}}},
      {"cudaMemcpy(rows, h, 3200, cudaMemcpyHostToDevice);",
       "copy_across_rows",
       {{"row", 400}, {"pitch", 512}}},
      {"sum_rows<<<1, 8>>>(rows, 400, d);", "advice_row_address", {{"row", 400}, {"pitch", 512}}},
      {"number_blocks<<<8, 1>>>(few);", "advice_element_per_block", {{"elements", 4}, {"blocks", 8}}},
      {"fill<<<16, 64>>>(d, 1024);", "advice_count_elements", {{"value", 1024}, {"elements", 256}}},
      {"every_second<<<1, 256>>>(d);",
       "advice_elements_per_thread",
       {{"elements", 256}, {"needed", 128}, {"threads", 256}}},
      {"fill<<<1, 64>>>(few, 8 + 1);", "advice_size_expression", {{"value", 9}, {"elements", 4}}},
      {"double_all<<<1, 100>>>(wide, 100);",
       "allocation_of_narrower",
       {{"count", 100}, {"narrow", 4}, {"wide", 8}}},
      {"fill<<<1, 64>>>(e, 256); blur<<<4, 64>>>(e, d, 256);",
       "advice_cover_elements",
       {{"written", 256}, {"bytes", 1024}}},
      {"cudaMemcpy(d, h, 2000, cudaMemcpyHostToDevice);",
       "allocation_smaller_than_copy",
       {{"bytes", 1024}, {"end", 2000}}},
      {"reverse<<<1, 64>>>(d);", "advice_element_per_thread", {{"elements", 32}, {"threads", 64}}},
      {"{ float* none = nullptr; *(volatile float*)none = 1; }", "host_follows_null"},
      {"fill<<<1, 64>>>(nullptr, 64);", "advice_null_argument", {{"argument", 1}}},
  };
  std::vector<const char*> codes;
  for (const Case& one : cases) codes.push_back(one.code);
  const std::string program = kExplained + cases_of(codes) + "  }\n  cudaDeviceSynchronize();\n}\n";
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_THAT(run(program, {"--", std::to_string(i)}).err, Says(cases[i].id, cases[i].with))
        << cases[i].code;
}

constexpr const char* kCopiesBack = R"(
#include <cstdlib>
struct Pair { char c; double x; };
__global__ void fill(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void every_second(int* x) { x[2 * threadIdx.x] = 1; }
__global__ void pairs(Pair* x) { x[threadIdx.x].c = 1; x[threadIdx.x].x = 2; }
int main(int, char** words) {
  static int h[200];
  int *d, *e;
  cudaMalloc(&d, 400);
  cudaMalloc(&e, 512);
  switch (atoi(words[1])) {
)";

// Copies of unwritten bytes to the host. The padding of structs is no mistake.
TEST_F(ProgramReport, CopiesOfWhatNobodyWrote) {
  struct Case {
    const char* code;
    ExpectedArguments with = {};  // empty if the case is correct
  };
  const Case cases[] = {
      {"fill<<<3, 32>>>(d, 100); cudaMemcpy(h, d, 400, cudaMemcpyDeviceToHost);",
       {{"call", "cudaMemcpy"}, {"bytes", 16}, {"memory", "`d`"}, {"offset", 384}}},
      {"fill<<<4, 32>>>(d, 100); cudaMemcpy(e, d, 200, cudaMemcpyDeviceToDevice); "
       "cudaMemcpyAsync(h, e, 400, cudaMemcpyDeviceToHost); cudaDeviceSynchronize();",
       {{"call", "cudaMemcpyAsync"}, {"bytes", 200}, {"memory", "`e`"}}},
      {"every_second<<<1, 32>>>(d); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost);",
       {{"bytes", 128}, {"memory", "`d`"}}},
      {"pairs<<<1, 32>>>((Pair*)e); cudaMemcpy(h, e, 512, cudaMemcpyDeviceToHost);"},
      {"pairs<<<1, 32>>>((Pair*)e); cudaMemcpy(h, e + 8, sizeof(Pair), cudaMemcpyDeviceToHost);"},
      {"cudaMemset(d, 0, 400); cudaMemcpy(e, d, 400, cudaMemcpyDeviceToDevice); "
       "cudaMemcpy(h, e, 400, cudaMemcpyDeviceToHost);"},
      {"fill<<<4, 2000>>>(d, 100); cudaMemcpy(h, d, 400, cudaMemcpyDeviceToHost);"},
  };
  std::vector<const char*> codes;
  for (const Case& one : cases) codes.push_back(one.code);
  const std::string program = kCopiesBack + cases_of(codes) + "  }\n}\n";
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const Outcome outcome = run(program, {"--", std::to_string(i)});
    if (!cases[i].with.empty()) {
      EXPECT_THAT(outcome.err, Says("copy_of_unwritten_bytes", cases[i].with)) << cases[i].code;
      EXPECT_EQ(outcome.code, 0) << cases[i].code;
    } else {
      EXPECT_THAT(outcome.err, testing::Not(Says("copy_of_unwritten_bytes"))) << cases[i].code;
    }
  }
}

// The page in the middle is pinned, and the host may use no other page.
constexpr const char* kGoesBeyondPinned = R"(
#include <cstdlib>
#include <sys/mman.h>
int main(int, char** words) {
  char* pages = (char*)mmap(nullptr, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE);
  cudaHostRegister(pages + 4096, 4096, cudaHostRegisterDefault);
  pages[4096 + atoi(words[1])] = 1;
}
)";

TEST_F(ProgramReport, AHostThatGoesBeyondPinnedMemory) {
  const auto said = [&](const char* word) { return run(kGoesBeyondPinned, {"--", word}).err; };
  EXPECT_THAT(said("-8"), Says("host_reaches_before_memory", {{"bytes", 8}}));
  EXPECT_THAT(said("4096"), Says("host_reaches_beyond_end", {{"offset", 4096}}));
  EXPECT_THAT(said("4095"), testing::Not(testing::AnyOf(Says("host_reaches_before_memory"),
                                                        Says("host_reaches_beyond_end"))));
}

// One program, built once; its argument selects what it does.
constexpr const char* kSharesMemory = R"(
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/time.h>
__global__ void add(int* x, int n) { for (int i = threadIdx.x; i < n; i += 32) x[i] += 1; }
__global__ void read(const int* x, int* y, int n) { for (int i = threadIdx.x; i < n; i += 32) y[i] = x[i]; }
__managed__ int result;
__global__ void set_result() { result = 5; }
__device__ int* hidden;
__global__ void read_hidden(int* y, int n) { y[blockIdx.x] = hidden[blockIdx.x * 64 % n]; }
double seconds() { timeval t; gettimeofday(&t, nullptr); return t.tv_sec + 1e-6 * t.tv_usec; }
int main(int, char** words) {
  const int n = 5000;
  int *m, *p, *d, h = 0;
  cudaMallocManaged(&m, n * 4); cudaMallocHost(&p, n * 4); cudaMalloc(&d, n * 4);
  memset(p, 0, n * 4);
  for (int i = 0; i < n; i++) m[i] = i;
  cudaMemset(d, 1, n * 4);
  volatile int* flag = p;
  volatile bool is_called = false;
  cudaStream_t stream;
  switch (atoi(words[1])) {
    case 0: add<<<1, 32>>>(m, n); h = m[7]; break;
    case 1: add<<<1, 32>>>(m, n); m[9] = 3; break;
    case 2: read<<<1, 32>>>(m, d, n); m[9] = 3; break;
    case 3: cudaMemcpyAsync(p, d, n * 4, cudaMemcpyDeviceToHost); h = p[3]; break;
    case 4: cudaMemcpyAsync(d, p, n * 4, cudaMemcpyHostToDevice); p[4] = 1; break;
    case 5: set_result<<<1, 1>>>(); h = result; break;
    case 6: add<<<1, 32>>>(p, n); fwrite(p + 2048, 4, 8, stdout); break;
    case 7: { auto a = std::chrono::steady_clock::now(); add<<<1, 32>>>(d, n);
              h = std::chrono::steady_clock::now() > a; } break;
    case 8: { double a = seconds(); add<<<1, 32>>>(d, n); h = seconds() > a; } break;
    case 9: { clock_t a = clock(); add<<<1, 32>>>(d, n); h = clock() > a; } break;
    case 10: *flag = 0; add<<<1, 32>>>(p, n); while (*flag == 0) continue; break;
    case 11: cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
             add<<<1, 32, 0, stream>>>(p, n); add<<<1, 32>>>(m, n);
             cudaStreamSynchronize(stream); h = m[7]; break;
    case 20: read<<<1, 32>>>(m, d, n); h = m[9]; break;
    case 21: cudaMemcpyAsync(d, p, n * 4, cudaMemcpyHostToDevice); h = p[3]; break;
    case 22: add<<<1, 32>>>(m, n); cudaDeviceSynchronize(); h = m[7]; m[7] = 1; break;
    case 23: read<<<1, 32>>>(m, d, 256); m[4000] = 1; break;  // another page
    case 24: add<<<1, 32>>>(m, n); p[0] = 1; break;
    case 25: read<<<1, 32>>>(p, d, n); fwrite(p, 4, 8, stdout); break;
    case 26: { double a = seconds(); add<<<1, 32>>>(d, n); cudaDeviceSynchronize();
               h = seconds() > a; } break;
    case 27: { seconds(); cudaMemset(d, 0, 4); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
               add<<<1, 32>>>(d, n); h = seconds() > 0; } break;
    case 29: { const double a = seconds(); add<<<1, 32>>>(d, n); const double b = seconds();
               cudaDeviceSynchronize();
               h = seconds() > b && b > a; } break;  // the call's time and the kernel's
    case 30: cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
             cudaMemcpyToSymbol(hidden, &m, sizeof m);
             read<<<1, 32>>>(m, d, 256);
             read_hidden<<<64, 1, 0, stream>>>(d + 256, n); cudaStreamSynchronize(stream); break;
    case 28: cudaLaunchHostFunc(0, [](void* called) { *(volatile bool*)called = true; }, (void*)&is_called);
             while (!is_called) continue; break;
  }
  cudaDeviceSynchronize();
  cudaFree(m); cudaFreeHost(p); cudaFree(d);
  return h == -1 || ((size_t)m | (size_t)p) % 32768 != 0;  // where atomics cost the same in every run
}
)";

// The host accesses memory that queued work uses: "work_reads()" of byte `offset`, before "work_writes()".
testing::Matcher<std::string> touches(const char* access, int offset, const char* memory, const char* work,
                                      const char* work_access) {
  return Says("host_touches_pending_memory", {{"access", access},
                                              {"offset", offset},
                                              {"memory", memory},
                                              {"work", work},
                                              {"work_access", work_access}});
}

using SaidOf = std::pair<const char*, testing::Matcher<std::string>>;  // the program's argument

TEST_F(ProgramReport, WhatTheHostDoesWhileWorkIsQueued) {
  const SaidOf mistakes[] = {
      {"0", touches("work_reads()", 28, "`m`", "work_kernel(kernel=`add`)", "work_writes()")},
      {"1", touches("work_writes()", 36, "`m`", "work_kernel(kernel=`add`)", "work_writes()")},
      {"2", touches("work_writes()", 36, "`m`", "work_kernel(kernel=`read`)", "work_reads()")},
      {"3", touches("work_reads()", 12, "`p`", "cudaMemcpyAsync", "work_writes()")},
      {"4", touches("work_writes()", 16, "`p`", "cudaMemcpyAsync", "work_reads()")},
      {"5", touches("work_reads()", 0, "`result`", "work_kernel(kernel=`set_result`)", "work_writes()")},
      {"6", touches("work_reads()", 8192, "`p`", "work_kernel(kernel=`add`)", "work_writes()")},
      {"11", touches("work_reads()", 28, "`m`", "work_kernel(kernel=`add`)", "work_writes()")},
  };
  for (const auto& [word, said] : mistakes) {
    const Outcome outcome = run(kSharesMemory, {"--", word});
    EXPECT_THAT(outcome.err, said) << word;
    EXPECT_THAT(outcome.err, HasSubstr("p.cu:")) << word;
    EXPECT_EQ(outcome.code, 1) << word;
  }
  for (const char* word : {"20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30"}) {
    const Outcome outcome = run(kSharesMemory, {"--timeout", "60", "--", word});
    EXPECT_THAT(outcome.err, testing::Not(Says("host_touches_pending_memory"))) << word;
    EXPECT_THAT(outcome.err, testing::Not(Says("clock_without_wait"))) << word;
    EXPECT_THAT(outcome.err, testing::Not(Says("host_waits_in_loop"))) << word;
    EXPECT_EQ(outcome.code, 0) << word << "\n" << outcome.err;
  }
}

// The difference may be meant as the time of the call, so it is not an error.
TEST_F(ProgramReport, AClockAroundALaunchIsAWarning) {
  for (const char* word : {"7", "8", "9"}) {
    const Outcome outcome = run(kSharesMemory, {"--", word});
    EXPECT_THAT(outcome.err, Says("clock_without_wait", {{"kernel", "`add`"}})) << word;
    EXPECT_THAT(outcome.err, testing::AllOf(Says("note_warning"), HasSubstr("p.cu:"))) << word;
    EXPECT_EQ(outcome.code, 0) << word;
    EXPECT_EQ(run(kSharesMemory, {"--strict", "--", word}).code, 1) << word;
  }
}

constexpr const char* kLargeGrid = R"(
#include <vector>
__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}
int main() {
  const int n = 1 << 20;
  std::vector<float> x(n, 1);
  float* d;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(d, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<n / 256, 256>>>(d, n);
  cudaMemcpy(x.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d);
  return x[n - 1] == 2 ? 0 : 9;
}
)";

// The last block, whose result the program checks, does not run.
TEST_F(ProgramReport, OfASampleEstimatesAllBlocks) {
  const auto launch_of = [&](std::vector<std::string> options, int code) {
    options.push_back("--json=p.json");
    const Outcome outcome = run(kLargeGrid, options);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    const auto document = nlohmann::json::parse(read_file(folder_ / "p.json"));
    const bool is_sample = options.front() == "--sample";
    EXPECT_EQ(document.at("program").contains("sample"), is_sample);
    EXPECT_EQ(document.at("verdict"), is_sample ? "not_assessed" : "pass");
    EXPECT_EQ(outcome.err.find("note_sample") != std::string::npos, is_sample);
    return document.at("launches").at(0);
  };
  const auto whole = launch_of({"--no-search"}, 0), sample = launch_of({"--sample"}, 9);
  for (const char* counter : {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "ptx_shared_load_requests"})
    EXPECT_EQ(sample.at("counters").at(counter), whole.at("counters").at(counter)) << counter;
  const double ms = whole.at("predicted_ms"), estimate = sample.at("predicted_ms");
  EXPECT_NEAR(estimate, ms, 0.1 * ms);
}

constexpr const char* kLaunchesNothing = R"(
#include <cstdio>
int main(int count, char**) {
  void* memory;
  const cudaError_t error = cudaMalloc(&memory, count == 1 ? 4 : size_t(1) << 50);
  if (error == cudaSuccess) cudaFree(memory);
  puts(cudaGetErrorString(error));
}
)";

TEST_F(ProgramReport, AProgramThatLaunchesNothingFailsOnlyIfACallFailed) {
  const Outcome fine = run(kLaunchesNothing, {});
  EXPECT_EQ(fine.code, 0) << fine.err;
  EXPECT_THAT(fine.err, testing::AllOf(Says("outcome_nothing_launched"), Says("verdict_not_assessed_loud")));
  const Outcome failed = run(kLaunchesNothing, {"--", "more"});
  EXPECT_EQ(failed.code, 1) << failed.err;
  EXPECT_THAT(failed.err, testing::AllOf(Says("outcome_nothing_launched"), Says("note_answered_why")));
}

// The kernel ends because the host writes while it runs. Waiting for the kernel first would be a deadlock.
TEST_F(ProgramReport, AFlagThatAKernelWaitsForIsNoMistake) {
  const Outcome outcome = run(R"(
#include <cstdio>
__global__ void wait(volatile int* flag, int* out) { while (*flag == 0) continue; *out = 7; }
int main() {
  int *flag, *out, *of_device;
  cudaHostAlloc(&flag, 4, cudaHostAllocMapped);
  cudaMallocHost(&out, 4);
  *flag = 0;
  cudaHostGetDevicePointer(&of_device, flag, 0);
  wait<<<1, 1>>>(of_device, out);
  *(volatile int*)flag = 1;
  cudaDeviceSynchronize();
  printf("%d", *out);
  cudaFreeHost(flag); cudaFreeHost(out);
}
)",
                              {});
  EXPECT_EQ(outcome.out, "7");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

// The flag and a result of the kernel are in one page.
TEST_F(ProgramReport, AFlagMayStandBesideResults) {
  const Outcome outcome = run(R"(
struct Shared { int done; volatile int latch; };
__global__ void wait(int* done, volatile int* latch) {
  const long long end = clock64() + 1000000;
  while (clock64() < end && *latch == 0) continue;
  *done = 1;
}
int main() {
  Shared* shared;
  cudaMallocHost(&shared, sizeof(Shared));
  shared->done = shared->latch = 0;
  wait<<<1, 1>>>(&shared->done, &shared->latch);
  shared->latch = 1;
  cudaDeviceSynchronize();
  printf("%d", shared->done);
  cudaFreeHost(shared);
}
)");
  EXPECT_EQ(outcome.out, "1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ProgramReport, ADivisionByZeroOfTheHostHasALine) {
  const Outcome outcome = run(R"(
__global__ void k() {}
int main(int count, char**) {
  k<<<1, 1>>>();
  cudaDeviceSynchronize();
  return 7 / (count - 1);
}
)");
  EXPECT_EQ(outcome.code, 128 + SIGFPE);
  EXPECT_THAT(outcome.err, testing::AllOf(Says("host_divides_by_zero"), HasSubstr("p.cu:7")));
}

// The next launch of a graph allocates its freed memory again at the same address.
TEST_F(ProgramReport, MemoryOfAGraphIsAllocatedByEveryLaunch) {
  const Outcome outcome = run(R"(
#include <cstdio>
__global__ void fill(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
size_t attribute(cudaGraphMemAttributeType which) {
  size_t value = 0;
  cudaDeviceGetGraphMemAttribute(0, which, &value);
  return value;
}
int main() {
  cudaStream_t stream; cudaGraph_t graph; cudaGraphExec_t exec; cudaGraphNode_t allocation, kernel;
  cudaStreamCreate(&stream);
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams memory = {};
  memory.bytesize = 1 << 21;
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory);
  float* x = (float*)memory.dptr; int n = 1024; void* arguments[] = {&x, &n};
  cudaKernelNodeParams params = {};
  params.func = (void*)fill; params.gridDim = 4; params.blockDim = 256; params.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, &allocation, 1, &params);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 2; i++) { cudaGraphLaunch(exec, stream); cudaFreeAsync(x, stream); }
  cudaStreamSynchronize(stream);
  printf("%zu %zu\n", attribute(cudaGraphMemAttrUsedMemCurrent), attribute(cudaGraphMemAttrUsedMemHigh));
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  const cudaError_t first = cudaFree(x), second = cudaFree(x);
  printf("%d %d\n", first, second);
  cudaDeviceGraphMemTrim(0);
  printf("%zu %zu\n", attribute(cudaGraphMemAttrUsedMemCurrent), attribute(cudaGraphMemAttrUsedMemHigh));
  cudaGraphExecDestroy(exec); cudaGraphDestroy(graph); cudaStreamDestroy(stream);
}
)",
                              {});
  EXPECT_EQ(outcome.out, "33554432 33554432\n0 1\n0 33554432\n") << "as on an H200";
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::Not(Says("note_never_freed")));
}

// An event after all the work that was waited for, recorded without another wait.
constexpr const char* kTimesACopyOnAStream = R"(
int main() {
  const size_t bytes = 1 << 20;
  void *d, *p;
  cudaMalloc(&d, bytes), cudaMallocHost(&p, bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, stop;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  cudaEventRecord(start);
  cudaMemcpyAsync(d, p, bytes, cudaMemcpyHostToDevice, stream);
  cudaEventRecord(stop);
  float ms = 0;
  const cudaError_t early = cudaEventElapsedTime(&ms, start, stop);
  cudaStreamSynchronize(stream);
  const cudaError_t late = cudaEventElapsedTime(&ms, start, stop);
  printf("%s %s %d\n", cudaGetErrorName(early), cudaGetErrorName(late), ms > 0);
  cudaEventDestroy(start), cudaEventDestroy(stop), cudaStreamDestroy(stream);
  cudaFree(d), cudaFreeHost(p);
}
)";

TEST_F(ProgramReport, AnEventBehindWhatWasWaitedForIsOver) {
  EXPECT_EQ(run(kTimesACopyOnAStream, {}).out, "cudaErrorNotReady cudaSuccess 1\n");
}

// Registered memory that shares its pages with other data of the program: the host's writes there are found
// by comparing contents.
constexpr const char* kRegistersPieces = R"(
#include <cstdlib>
#include <cstring>
__global__ void add(int* x, int n) { for (int i = threadIdx.x; i < n; i += 32) x[i] += 1; }
__global__ void read(const int* x, int* y, int n) { for (int i = threadIdx.x; i < n; i += 32) y[i] = x[i]; }
struct Shared { int before[40], x[100], behind[40]; };
int main(int, char** words) {
  const int n = 100, many = 5000;
  Shared* shared = new Shared();
  int *x = shared->x, *large = (int*)aligned_alloc(4096, 8192 * 4) + 100, *d, h = 0;
  memset(large, 0, many * 4);
  cudaHostRegister(x, n * 4, 0); cudaHostRegister(large, many * 4, 0); cudaMalloc(&d, many * 4);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemset(d, 1, many * 4);
  switch (atoi(words[1])) {
    case 0: add<<<1, 32>>>(x, n); x[7] = 3; break;
    case 1: read<<<1, 32>>>(x, d, n); x[99] = 3; break;
    case 2: cudaMemcpyAsync(d, x, n * 4, cudaMemcpyHostToDevice, s); x[0] = 9; break;
    case 3: cudaMemcpyAsync(x, d, n * 4, cudaMemcpyDeviceToHost, s); x[5] = 9; break;
    case 4: add<<<1, 32>>>(large, many); large[3] = 5; break;         // before its first whole page
    case 5: add<<<1, 32>>>(large, many); large[many - 1] = 5; break;  // behind its last
    case 6: add<<<1, 32>>>(x, n); x[7] = 3; add<<<1, 32>>>(d, n); break;
    case 20: add<<<1, 32>>>(x, n); shared->before[39] = shared->behind[0] = 1; break;
    case 21: add<<<1, 32>>>(x, n); cudaDeviceSynchronize(); x[7] = 3; break;
    case 22: add<<<1, 32>>>(x, 7); x[7] = 3; break;  // which the kernel does not come to
    case 23: add<<<1, 32>>>(x, n); add<<<1, 32>>>(x, n);
             cudaMemcpyAsync(d, x, n * 4, cudaMemcpyHostToDevice); break;
    case 24: add<<<1, 32>>>(d, n); x[7] = 3; add<<<1, 32>>>(x, n); break;
    case 25: add<<<1, 32>>>(x, n); cudaMemcpy(x + 50, d, 8, cudaMemcpyDeviceToHost); break;
    case 26: add<<<1, 32>>>(x, n);
             cudaLaunchHostFunc(0, [](void* y) { ((int*)y)[7] = 3; }, x);
             add<<<1, 32>>>(x, n); break;
  }
  cudaDeviceSynchronize();
  cudaHostUnregister(x); cudaHostUnregister(large); cudaFree(d); cudaStreamDestroy(s);
  delete shared; free(large - 100);
  return h;
}
)";

TEST_F(ProgramReport, WhatTheHostWritesIntoPiecesOfPagesThatAreRegistered) {
  const auto writes = [](int offset, const char* work, const char* work_access) {
    return touches("work_writes()", offset, "`registered memory`", work, work_access);
  };
  const char* const add = "work_kernel(kernel=`add`)";
  const SaidOf mistakes[] = {
      {"0", writes(28, add, "work_writes()")},
      {"1", writes(396, "work_kernel(kernel=`read`)", "work_reads()")},
      {"2", writes(0, "cudaMemcpyAsync", "work_reads()")},
      {"3", writes(20, "cudaMemcpyAsync", "work_writes()")},
      {"4", writes(12, add, "work_writes()")},
      {"5", writes(19996, add, "work_writes()")},
      {"6", writes(28, add, "work_writes()")},
  };
  for (const auto& [word, said] : mistakes) {
    const Outcome outcome = run(kRegistersPieces, {"--", word});
    EXPECT_THAT(outcome.err, said) << word;
    EXPECT_THAT(outcome.err, HasSubstr("p.cu:")) << word;
    EXPECT_EQ(outcome.code, 1) << word;
  }
  for (const char* word : {"20", "21", "22", "23", "24", "25", "26"}) {
    const Outcome outcome = run(kRegistersPieces, {"--timeout", "60", "--", word});
    EXPECT_THAT(outcome.err, testing::Not(Says("host_touches_pending_memory"))) << word << "\n"
                                                                                << outcome.err;
    EXPECT_EQ(outcome.code, 0) << word << "\n" << outcome.err;
  }
}

TEST_F(ProgramReport, AHostThatWaitsInALoopGetsWhatItWaitsFor) {
  const Outcome outcome = run(kSharesMemory, {"--timeout", "60", "--", "10"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Says("host_waits_in_loop", {{"offset", 0}, {"memory", "`p`"}}));
}

// Two streams; the argument selects the ordering between them.
constexpr const char* kTwoStreams = R"(
#include <cstdlib>
__global__ void add(int* x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void count(int* x) { atomicAdd(x, 1); }
__global__ void part(int* x, int from) { x[from + threadIdx.x] += 1; }
int main(int, char** words) {
  const int n = 512, bytes = n * 4;
  int *d, *p, h[n];
  cudaMalloc(&d, bytes), cudaMallocHost(&p, bytes);
  cudaMemset(d, 0, bytes), cudaDeviceSynchronize();
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t e;
  cudaEventCreate(&e);
  switch (atoi(words[1])) {
    case 0: add<<<8, 64, 0, s>>>(d, n); cudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, t); break;
    case 1: cudaMemcpyAsync(d, p, bytes, cudaMemcpyHostToDevice, s); add<<<1, 64, 0, t>>>(d, 1); break;
    case 2: add<<<8, 64, 0, s>>>(d, n); cudaStreamSynchronize(t); add<<<8, 64, 0, t>>>(d, n); break;
    case 3: add<<<8, 64>>>(d, n); cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, t); break;
    case 10: add<<<8, 64, 0, s>>>(d, n); cudaEventRecord(e, s); cudaStreamWaitEvent(t, e);
             cudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, t); break;
    case 11: add<<<8, 64, 0, s>>>(d, n); cudaStreamSynchronize(s); add<<<8, 64, 0, t>>>(d, n); break;
    case 12: for (int k = 0; k < 8; k++) {  // each stream has bytes of its own, at no page's end
               cudaStream_t own = k % 2 ? s : t;
               cudaMemcpyAsync(d + 60 * k, p + 60 * k, 240, cudaMemcpyHostToDevice, own);
               part<<<1, 60, 0, own>>>(d, 60 * k);
               cudaMemcpyAsync(p + 60 * k, d + 60 * k, 240, cudaMemcpyDeviceToHost, own);
             } break;
    case 13: count<<<8, 64, 0, s>>>(d); count<<<8, 64, 0, t>>>(d); break;
    case 14: add<<<8, 64, 0, s>>>(d, n); add<<<8, 64>>>(d, n); add<<<8, 64, 0, s>>>(d, n); break;
    case 15: add<<<8, 64, 0, s>>>(d, n); while (cudaStreamQuery(s) == cudaErrorNotReady) continue;
             add<<<8, 64, 0, t>>>(d, n); break;
    case 16: add<<<8, 64, 0, s>>>(d, n); cudaEventRecord(e, s); cudaStreamDestroy(s); cudaStreamCreate(&s);
             add<<<8, 64>>>(d, n); break;
  }
  cudaDeviceSynchronize();
  cudaEventDestroy(e), cudaStreamDestroy(s), cudaStreamDestroy(t), cudaFreeHost(p), cudaFree(d);
}
)";

TEST_F(ProgramReport, WhatNothingOrdersBetweenStreams) {
  const auto unordered = [](const char* work, const char* access, const char* other_work,
                            const char* other_stream) {
    return Says("streams_unordered", {{"work", work},
                                      {"stream", "stream_number(number=2)"},
                                      {"access", access},
                                      {"offset", 0},
                                      {"memory", "`d`"},
                                      {"other_work", other_work},
                                      {"other_stream", other_stream},
                                      {"other_access", "work_writes()"}});
  };
  const char *const add = "work_kernel(kernel=`add`)", *const copy = "cudaMemcpyAsync",
                    *const first = "stream_number(number=1)";
  const SaidOf mistakes[] = {
      {"0", unordered(copy, "work_reads()", add, first)},
      {"1", unordered(add, "work_writes()", copy, first)},
      {"2", unordered(add, "work_writes()", add, first)},
      {"3", unordered(copy, "work_reads()", add, "stream_default()")},
  };
  for (const auto& [word, said] : mistakes) {
    const Outcome outcome = run(kTwoStreams, {"--", word});
    EXPECT_THAT(outcome.err,
                testing::AnyOf(said, Says("streams_unordered", {{"other_work", "cudaMemcpyAsync"},
                                                                {"other_stream", "stream_number(number=2)"},
                                                                {"other_access", "work_reads()"}})))
        << word;
    EXPECT_EQ(outcome.code, 1) << word;
  }
  for (const char* word : {"10", "11", "12", "13", "14", "15", "16"}) {
    const Outcome outcome = run(kTwoStreams, {"--", word});
    EXPECT_EQ(outcome.code, 0) << word << "\n" << outcome.err;
  }
}

constexpr const char* kLooksIntoGraphs = R"(
__global__ void one(int* x) { x[0] += 1; }
__global__ void two(int* x) { x[1] += 1; }
int main() {
  int *x, h[2];
  cudaMalloc(&x, 8), cudaMemset(x, 0, 8);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph, during;
  const cudaGraphNode_t* tail;
  const cudaGraphEdgeData* edges;
  unsigned long long id;
  size_t count = 9;
  cudaStreamGetCaptureInfo(s, &status);
  printf("%d", status == cudaStreamCaptureStatusNone);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  one<<<1, 1, 0, s>>>(x), two<<<1, 1, 0, s>>>(x), two<<<1, 1, 0, s>>>(x);
  cudaStreamGetCaptureInfo(s, &status, &id, &during, &tail, &edges, &count);
  printf(" %d %zu", status == cudaStreamCaptureStatusActive, count);
  cudaGraphNode_t last = tail[0], nodes[3], from[2], to[2];
  cudaStreamEndCapture(s, &graph);
  count = 3, cudaGraphGetNodes(graph, nodes, &count);
  printf(" %d %d %zu", graph == during, last == nodes[2], count);
  count = 1, cudaGraphNodeGetDependencies(nodes[1], from, 0, &count);
  cudaGraphNodeGetDependentNodes(nodes[1], to, 0, &count);
  printf(" %d %d", from[0] == nodes[0], to[0] == nodes[2]);
  cudaGraphDestroyNode(nodes[1]);
  count = 2, cudaGraphGetEdges(graph, from, to, 0, &count);
  printf(" %zu", count);
  cudaGraphDebugDotPrint(graph, "graph.dot", 0);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s), cudaStreamSynchronize(s);
  cudaMemcpy(h, x, 8, cudaMemcpyDeviceToHost);
  printf(" %d %d\n", h[0], h[1]);
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(s), cudaFree(x);
}
)";

TEST_F(ProgramReport, LetsAProgramLookIntoItsGraphs) {
  const Outcome outcome = run(kLooksIntoGraphs, {});
  EXPECT_EQ(outcome.out, "1 1 1 1 1 3 1 1 0 1 1\n") << outcome.err;
  EXPECT_THAT(read_file(folder_ / "graph.dot"), HasSubstr("two"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

// Launched on a stream other than the captured one.
constexpr const char* kLaunchesAGraphElsewhere = R"(
__global__ void add(int* x) { x[threadIdx.x] += 1; }
int main() {
  int *x, *y, h[32];
  cudaMalloc(&x, sizeof h), cudaMalloc(&y, sizeof h);
  cudaStream_t captured, launched;
  cudaStreamCreate(&captured), cudaStreamCreate(&launched);
  cudaGraph_t graph;
  cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, sizeof h, captured);
  add<<<1, 32, 0, captured>>>(x);
  cudaStreamEndCapture(captured, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, launched), cudaMemsetAsync(y, 0, sizeof h, captured), cudaDeviceSynchronize();
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaFree(x), cudaFree(y);
  cudaStreamDestroy(captured), cudaStreamDestroy(launched);
}
)";

TEST_F(ProgramReport, DrawsAGraphOnTheStreamThatLaunchedIt) {
  const Outcome outcome = run(kLaunchesAGraphElsewhere, {});
  const std::string on_stream_2 =
      "stream_number\\(number=2\\) timeline_entry\\(begin= *[0-9.]+ us *, end= *[0-9.]+ us *\\) ";
  EXPECT_THAT(outcome.err, testing::ContainsRegex(on_stream_2 + "add"));
  EXPECT_THAT(outcome.err, testing::ContainsRegex(on_stream_2 + "cudaMemsetAsync"));
}

// A heap of 32 MiB, because the default of 8 MiB is too small.
constexpr const char* kTakesFromTheHeap = R"(
__global__ void take(int** pieces) { pieces[threadIdx.x] = (int*)malloc(threadIdx.x ? 1000 : 20 << 20); }
__global__ void give(int** pieces) { if (threadIdx.x < 6) free(pieces[threadIdx.x]); }
int main() {
  int **pieces, *first;
  cudaMalloc(&pieces, 8 * sizeof *pieces);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20);
  take<<<1, 8>>>(pieces);
  cudaMemcpy(&first, pieces, sizeof first, cudaMemcpyDeviceToHost);
  give<<<1, 8>>>(pieces);
  cudaDeviceSynchronize();
  cudaFree(pieces);
  printf("%s\n", first ? "taken" : "no room");
}
)";

TEST_F(ProgramReport, WhatKernelsTookAndNeverFreed) {
  const Outcome outcome = run(kTakesFromTheHeap, {});
  EXPECT_EQ(outcome.out, "taken\n");
  EXPECT_THAT(outcome.err,
              Says("note_never_freed",
                   {{"amount", "1.95 KiB"}, {"call", "malloc() in kernels"}, {"allocations", 2}}));
  EXPECT_EQ(outcome.code, 0);
}

constexpr const char* kAsksForTheCard =
    "__global__ void k(int* x) { x[threadIdx.x] = 1; }\n"
    "int main() {\n  cudaDeviceProp card;\n  cudaGetDeviceProperties(&card, 0);\n  int* d;\n"
    "  cudaMalloc(&d, 128);\n  k<<<1, 32>>>(d);\n  cudaDeviceSynchronize();\n  cudaFree(d);\n"
    "  printf(\"%s %d\\n\", card.name, card.multiProcessorCount);\n}\n";

TEST_F(ProgramReport, OfACardOfOnesOwn) {
  auto card = nlohmann::json::parse(read_file(std::string(CUDALAB_SOURCE_DIR) + "/cards/h200.json"));
  card["id"] = card["name"] = "mine";
  card["figures"]["multiprocessors"]["value"] = 7;
  write_file(folder_ / "mine.json", card.dump());
  EXPECT_EQ(run(kAsksForTheCard, {"--card", "mine.json"}).out, "mine 7\n");
  EXPECT_EQ(run(kAsksForTheCard, {"--card", "t4"}).out, "Tesla T4 40\n");
  EXPECT_EQ(run(kAsksForTheCard, {"--card", "none.json"}).code, 2);
}

TEST_F(ProgramReport, PredictsWithTheModelUnlessToldOtherwise) {
  const auto launch = [&](const char* choice) {
    run(kAsksForTheCard, {"--predict", choice, "--json=p.json"});
    return nlohmann::json::parse(read_file(folder_ / "p.json")).at("launches").at(0);
  };
  EXPECT_GT(launch("on").at("limits").size(), 0u);
  EXPECT_GT(launch("on").at("predicted_ms"), 0.0);
  EXPECT_EQ(launch("off").at("limits").size(), 0u);
  EXPECT_TRUE(launch("off").at("predicted_ms").is_null());
  EXPECT_THAT(run(kAsksForTheCard, {"--predict", "off"}).err, testing::Not(Says("header_predicted")));
}

TEST_F(ProgramReport, EndsWhatTakesTooLong) {
  const Outcome outcome = run("int main() { cudaFree(0); while (true) {} }\n", {"--timeout", "1"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("stopped by --timeout 1"));
}

constexpr const char* kTakesLong =
    "__global__ void quick(int* x) { x[threadIdx.x] = 1; }\n"
    "__global__ void slow(volatile int* x) { while (x[0]) {} }\n"
    "int main() {\n  int* d;\n  cudaMalloc(&d, 128);\n  quick<<<1, 32>>>(d);\n  slow<<<1, 1>>>(d);\n"
    "  cudaDeviceSynchronize();\n}\n";

TEST_F(ProgramReport, ALongKernelIsNamedOnATerminalAndCtrlCEndsItWithTheReport) {
  write_file(folder_ / "p.cu", kTakesLong);
  Terminal screen({"run", "p.cu", "--timeout", "60"}, folder_.path());
  screen.read_until("slow, launch 2: ");
  screen.type("\x03");
  constexpr int kInterrupted = 128 + SIGINT;
  EXPECT_EQ(screen.wait(), kInterrupted);
  EXPECT_THAT(screen.everything(), HasSubstr("was still running when the program ended"));
  EXPECT_THAT(screen.everything(), HasSubstr("quick"));
}

TEST_F(ProgramReport, AsJsonThatTheSchemaDescribes) {
  const Outcome outcome =
      run("__global__ void k(int* x) { x[threadIdx.x] = 1; }\nint main() { int* d; cudaMalloc(&d, 8); "
          "k<<<1, 3>>>(d); cudaMemset(d, 0, 8); cudaDeviceSynchronize(); }\n",
          {"--json=p.json"});
  const auto document = nlohmann::json::parse(read_file(folder_ / "p.json"));
  EXPECT_EQ(document.at("schema"), "cudalab.program/1");
  EXPECT_EQ(document.at("program").at("exit_code"), 0);
  EXPECT_EQ(document.at("launches").at(0).at("hazards").at(0).at("kind"), "out_of_bounds");
  EXPECT_EQ(document.at("verdict"), "fail");
  const Outcome checked = run_command(
      {"python3", "-c",
       "import json,sys,jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), "
       "json.load(open(sys.argv[2])))",
       (folder_ / "p.json").string(), std::string(CUDALAB_SOURCE_DIR) + "/docs/program.schema.json"});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST(ProgramObjections, SayWhatToDo) {
  Folder folder;
  const Outcome none = by_ids({"exec", "--", "./nothing"}, {.folder = folder.path()});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, Says("program_not_readable", {{"program", "./nothing"}}));
  EXPECT_THAT(by_ids({"exec"}).err, Says("exec_program_missing"));
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const Outcome plain = cudalab({"exec", "--", "sh", "-c", "echo hi; exit 3"});
  EXPECT_EQ(plain.out, "hi\n");
  EXPECT_EQ(plain.code, 3);
  EXPECT_THAT(plain.err, HasSubstr("launched nothing on a device"));
}

}  // namespace
}  // namespace cudalab::e2e
