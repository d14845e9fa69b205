// Whole programs, built by nvcc in both links, run on the virtual GPU as they stand: what they print is what
// they printed on an H200 (expected/), and what is wrong with one is found with its line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "compile/nvcc.h"
#include "tests/e2e/program.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kPrograms = fs::path(CUDALAB_SOURCE_DIR) / "tests" / "programs";
const fs::path kBuilt = fs::path(CUDALAB_BINARY_DIR) / "tests" / "programs";

// Programs that do on purpose what a report calls wrong.
const std::set<std::string> kWrong{"illegal_access", "assertion"};

std::optional<fs::path> nvcc() { return compile::find_nvcc(); }

// What programs need here: nvcc, and the runtime, which is not built with sanitizers.
bool can_run() { return nvcc() && fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13"); }
constexpr const char* kWhyNot = "nvcc is not installed, or the runtime was not built";

bool is_newer(const fs::path& made, const fs::path& source) {
  return fs::exists(made) && fs::last_write_time(made) > fs::last_write_time(source);
}

// What a program asks of nvcc beyond the usual, in a line "// nvcc: -rdc=true".
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
  words.insert(words.begin(), {nvcc()->string(), "-gencode", "arch=compute_90,code=compute_90"});
  for (const std::string& option : own_options(source)) words.push_back(option);
  const Outcome outcome = run_command(words);
  EXPECT_EQ(outcome.code, 0) << source << "\n" << outcome.err;
}

// Compiled once, linked in both ways; kept in the build folder.
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

// A program that holds machine code for the card, too, knows what ptxas gave its kernels.
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
  EXPECT_NE(used[1], "32");  // which would be said of a kernel that nothing is known of
  EXPECT_EQ(cudalab({"exec", "--", program}).out, used[1].str() + "\n");
}

TEST(Programs, AnswerMisuseAsACardDoes) {
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const Outcome outcome = cudalab({"exec", "--", built(kPrograms / "misuse" / "misuse.cu", "static")});
  EXPECT_EQ(outcome.out, read_file(kPrograms / "misuse" / "misuse.txt"));
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
    Outcome outcome = cudalab(words, {.folder = folder_.path()});
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
  EXPECT_THAT(outcome.err, HasSubstr("p on the virtual GPU, a model of NVIDIA H200"));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 1 passed"));
}

TEST_F(ProgramReport, NamesTheVariableAndTheLineOfAHazard) {
  const Outcome outcome =
      run("__global__ void k(int* x) {\n  x[threadIdx.x] = 1;\n}\nint main() {\n  int* values;\n"
          "  cudaMalloc(&values, 16);\n  k<<<1, 5>>>(values);\n  cudaDeviceSynchronize();\n  "
          "cudaFree(values);\n}\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("p.cu:3: k writes element 4 of values"));
  EXPECT_THAT(outcome.err, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_F(ProgramReport, ALaunchThatNobodyAskedAbout) {
  const std::string kernel = "__global__ void k() {}\n";
  const Outcome silent = run(kernel + "int main() {\n  k<<<1, 1025>>>();\n}\n");
  EXPECT_EQ(silent.code, 1);
  EXPECT_THAT(silent.err, HasSubstr("p.cu:4: was never launched"));
  EXPECT_THAT(silent.err, HasSubstr("the program never called cudaGetLastError"));
  const Outcome asked = run(kernel + "int main() {\n  k<<<1, 1025>>>();\n  return !cudaGetLastError();\n}\n");
  EXPECT_EQ(asked.code, 0);
  EXPECT_THAT(asked.err, testing::Not(HasSubstr("never called")));
}

TEST_F(ProgramReport, LeaksWithTheirLines) {
  const Outcome outcome =
      run("int main() {\n  int *a, *b;\n  cudaMalloc(&a, 100);\n  cudaMalloc(&b, 200);\n"
          "  cudaFree(a);\n}\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("p.cu:5: 200 bytes of cudaMalloc were never freed: 1 allocation."));
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("100 bytes")));
}

TEST_F(ProgramReport, WhatTheHostDoesWrong) {
  struct Mistake {
    const char *code, *said;
  };
  const Mistake mistakes[] = {
      {"int h[4]; cudaMemcpy(h, d, 16, cudaMemcpyHostToDevice);", "says cudaMemcpyHostToDevice"},
      {"int h[64]; cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost);", "ends 16 bytes behind its end"},
      {"cudaFree(d); cudaFree(d);", "`d` is freed a second time"},
      {"int h[4]; cudaFree(d); cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);",
       "`d` is copied after it was freed"},
      {"float t; cudaEvent_t a; cudaEventCreate(&a); cudaEventRecord(a); cudaEventElapsedTime(&t, a, a);",
       "before the second was waited for"},
      {"k<<<1, 1>>>(d);", "the program ends before kernel `k` was waited for"},
      {"int h[1]; k<<<1, 1>>>(h); cudaDeviceSynchronize();", "is a pointer of the host"},
      {"printf(\"%d\", *d);", "the host follows the device pointer"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = run(std::string("__global__ void k(int* x) { *x = 1; }\nint main() {\n  int* d;\n"
                                            "  cudaMalloc(&d, 16);\n  ") +
                                mistake.code + "\n}\n");
    EXPECT_THAT(outcome.err, HasSubstr(mistake.said)) << mistake.code;
    EXPECT_NE(outcome.code, 0) << mistake.code;
  }
}

TEST_F(ProgramReport, EndsWhatTakesTooLong) {
  const Outcome outcome = run("int main() { cudaFree(0); while (true) {} }\n", {"--timeout", "1"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("--timeout 1 ended it"));
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
  const Outcome none = cudalab({"exec", "--", "./nothing"}, {.folder = folder.path()});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("cannot read the program ./nothing"));
  EXPECT_THAT(cudalab({"exec"}).err, HasSubstr("cudalab exec -- ./a.out"));
  if (!can_run()) GTEST_SKIP() << kWhyNot;
  const Outcome plain = cudalab({"exec", "--", "sh", "-c", "echo hi; exit 3"});
  EXPECT_EQ(plain.out, "hi\n");
  EXPECT_EQ(plain.code, 3);
  EXPECT_THAT(plain.err, HasSubstr("launched nothing on a device"));
}

}  // namespace
}  // namespace cudalab::e2e
