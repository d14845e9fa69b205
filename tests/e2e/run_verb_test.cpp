// `cudalab run` from the outside: a textbook file with its main, files it writes, and every mistake in one
// line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compile/nvcc.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;

const std::string kSaxpy = CUDALAB_SOURCE_DIR "/tests/host_code/saxpy.cu";

using Words = std::vector<std::string>;

Words saxpy(Words more) {
  Words words{"run", kSaxpy, "--device", "virtual", "--kernel", "saxpy", "--grid", "4", "--block", "256"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words saxpy_with_arguments(Words more) {
  Words words = saxpy(
      {"--arg", "f32:2", "--arg", "buf:f32:1000:iota", "--arg", "buf:f32:1000:zero", "--arg", "i32:1000"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(RunVerb, ListsTheKernelsOfAFileWithoutAMain) {
  Folder folder;
  std::string kernels = read_file(kSaxpy);
  kernels.resize(kernels.find("int main("));
  write_file(folder.path() / "saxpy.cu", kernels);
  Outcome outcome = cudalab({"run", (folder.path() / "saxpy.cu").string(), "--device", "virtual"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::StartsWith("saxpy(float a, const float *x, float *y, int n)  (line 17)\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("--arg f32:1 --arg buf:f32:1024:random --arg buf:f32:1024:zero --arg i32:1024"));
}

TEST(RunVerb, ShowsNumbersLinesAndBuffers) {
  Outcome outcome = cudalab(saxpy_with_arguments({"--print", "y:998:2", "--lines"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("PASS  1 of 1 passed"));
  EXPECT_THAT(unwrapped(outcome.out), HasSubstr("It ran clean"));
  EXPECT_THAT(outcome.out, HasSubstr("[998]  1996  1998\n"));
  EXPECT_THAT(outcome.out, HasSubstr("19    if (i < n) y[i] = a * x[i] + y[i];"));
}

TEST(RunVerb, WritesBuffersAndJson) {
  Folder folder;
  Outcome outcome =
      cudalab(saxpy_with_arguments({"--dump", "y=y.txt", "--dump", "2=x.bin", "--json=result.json"}),
              {.folder = folder.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(names_in(folder), testing::ElementsAre("result.json", "x.bin", "y.txt"));
  EXPECT_THAT(read_file(folder / "y.txt"), testing::StartsWith("0\n2\n4\n"));
  EXPECT_EQ(read_file(folder / "x.bin").size(), 4000u);
  const auto document = nlohmann::json::parse(read_file(folder / "result.json"));
  EXPECT_EQ(document["lab"], "run");
  EXPECT_EQ(document["options"]["arg_2"], "buf:f32:1000:iota");
  EXPECT_EQ(document["runs"][0]["verdict"], "pass");
  EXPECT_EQ(document["runs"][0]["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"], 32);
}

// A header of a folder of its own, and an include file only C++20 has.
void write_program(const Folder& folder) {
  std::filesystem::create_directory(folder / "inc");
  write_file(folder / "inc" / "factor.h", "#define FACTOR 3\n");
  write_file(folder / "program.cu",
             "#include <cstdio>\n#include \"factor.h\"\n"
             "template <class T> concept Small = sizeof(T) <= 4;\n"
             "template <Small T> __device__ T times(T x) { return FACTOR * x; }\n"
             "__global__ void k(float* x) { x[threadIdx.x] = times(float(threadIdx.x)); }\n"
             "int main() { k<<<1, 32>>>(nullptr); std::printf(\"done\"); }\n");
}

class RunVerbCompiler : public testing::TestWithParam<const char*> {};

TEST_P(RunVerbCompiler, IsToldFoldersAndTheStandardAndIsNamed) {
  if (GetParam() == std::string("nvcc") && !compile::find_nvcc()) GTEST_SKIP() << "nvcc is not installed";
  Folder folder;
  write_program(folder);
  Outcome outcome =
      cudalab({"run",        "program.cu", "--device",  "virtual", "--kernel",   "k",       "--grid",
               "1",          "--block",    "32",        "--arg",   "buf:f32:32", "--print", "1:31:1",
               "--compiler", GetParam(),   "--include", "inc",     "--std",      "c++20",   "--json=k.json"},
              {.folder = folder.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(std::string("compiler ") + GetParam()));
  EXPECT_THAT(outcome.out, HasSubstr("[31]  93"));
  const auto document = nlohmann::json::parse(read_file(folder / "k.json"));
  EXPECT_EQ(document["options"]["compiler"], GetParam());
  EXPECT_EQ(document["options"]["std"], "c++20");
  EXPECT_EQ(document["options"]["include_1"], "inc");
  EXPECT_EQ(document["runs"][0]["compiler"], GetParam());
}

INSTANTIATE_TEST_SUITE_P(Each, RunVerbCompiler, testing::Values("nvrtc", "nvcc"),
                         [](const auto& test) { return std::string(test.param); });

TEST(RunVerb, WithoutItsFolderAHeaderIsMissed) {
  Folder folder;
  write_program(folder);
  Outcome outcome = cudalab({"run", "program.cu", "--device", "virtual", "--kernel", "k", "--grid", "1",
                             "--block", "32", "--arg", "buf:f32:32", "--compiler", "nvrtc", "--std", "c++20"},
                            {.folder = folder.path()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("FACTOR"));
}

TEST(RunVerb, WhatItWroteItReads) {
  Folder folder;
  ASSERT_EQ(
      cudalab(saxpy_with_arguments({"--dump", "y=y.bin", "--dump", "y=y.csv"}), {.folder = folder.path()})
          .code,
      0);
  for (const std::string file : {"y.bin", "y.csv"}) {
    Outcome outcome = cudalab(saxpy({"--arg", "f32:0.5", "--arg", "buf:f32:1000:file=" + file, "--arg",
                                     "buf:f32:1000:zero", "--arg", "i32:1000", "--print", "y:999:1"}),
                              {.folder = folder.path()});
    EXPECT_THAT(outcome.out, HasSubstr("[999]  999\n")) << file << outcome.err;
  }
}

TEST(RunVerb, AHazardIsExitCodeOneAndAStepLimitFour) {
  Words beyond = saxpy(
      {"--arg", "f32:2", "--arg", "buf:f32:1000:iota", "--arg", "buf:f32:1000:zero", "--arg", "i32:1024"});
  Outcome outcome = cudalab(beyond);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(unwrapped(outcome.out), HasSubstr("saxpy reads `x[1000]` (0x7f0000000fa0): one past"));
  EXPECT_EQ(cudalab(saxpy_with_arguments({"--max-steps", "3"})).code, 4);
}

struct RunMistake {
  const char* name;
  Words arguments;
  int code;
  const char* says;
};

void PrintTo(const RunMistake& mistake, std::ostream* out) { *out << mistake.name; }

class RunVerbMistakes : public testing::TestWithParam<RunMistake> {};

TEST_P(RunVerbMistakes, AreOneLineAndNoFile) {
  Folder folder;
  Outcome outcome = cudalab(GetParam().arguments, {.folder = folder.path()});
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith("cudalab: "));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_THAT(names_in(folder), testing::IsEmpty());
}

const RunMistake kRunMistakes[] = {
    {"NoFile", {"run"}, 2, "run needs a file"},
    {"NoSuchFile", {"run", "nothing.cu"}, 2, "cannot read nothing.cu"},
    {"NoSuchKernel",
     {"run", kSaxpy, "--device", "virtual", "--kernel", "daxpy", "--grid", "1", "--block", "1"},
     2,
     "it has saxpy"},
    {"NoGrid", {"run", kSaxpy, "--kernel", "saxpy", "--block", "1"}, 2, "--grid is missing"},
    {"NoBlock", {"run", kSaxpy, "--kernel", "saxpy", "--grid", "1"}, 2, "--block is missing"},
    {"FourSides",
     {"run", kSaxpy, "--kernel", "saxpy", "--grid", "1,2,3,4", "--block", "1"},
     2,
     "--grid has at most three dimensions"},
    {"NoNumber", {"run", kSaxpy, "--kernel", "saxpy", "--grid", "1,b", "--block", "1"}, 2, "not `b`"},
    {"TooFewArguments", saxpy({"--arg", "f32:2", "--dump", "y=y.txt"}), 2,
     "saxpy takes 4 arguments, but 1 --arg is given; it is saxpy(float a, const float *x, float *y, int n)"},
    {"WrongSize", saxpy({"--arg", "f32:2", "--arg", "i32:1", "--arg", "buf:f32:1", "--arg", "i32:1"}), 2,
     "--arg i32:1 is 4 bytes, but the parameter has 8 (`const float *x`)"},
    {"NoType", saxpy({"--arg", "float:2"}), 2, "`float` is not a type"},
    {"DumpOfNothing", saxpy_with_arguments({"--dump", "z=z.bin"}), 2,
     "--dump z: there is no such buffer; the buffers are x (2), y (3)"},
    {"DumpToNowhere", saxpy_with_arguments({"--dump", "y=/nonexistent/y"}), 2, "cannot write /nonexistent/y"},
    {"DumpWithoutAFile", saxpy_with_arguments({"--dump", "y"}), 2, "write ARG=FILE"},
    {"PrintBeyondTheEnd", saxpy_with_arguments({"--print", "y:1000"}), 2, "the buffer ends with element 999"},
    {"BadDefine", saxpy_with_arguments({"--define", "4=5"}), 2, "this is not the name of a macro"},
    {"NoSuchCompiler", saxpy_with_arguments({"--compiler", "gcc"}), 2,
     "--compiler takes auto, nvrtc, nvcc, clang, not `gcc`"},
    {"NoSuchStandard", saxpy_with_arguments({"--std", "c++99"}), 2, "--std takes c++03"},
    {"NoSuchFolder", saxpy_with_arguments({"--include", "nowhere"}), 2,
     "--include nowhere: this folder does not exist"},
    {"BadCompilerOption", saxpy_with_arguments({"--option=--nonsense"}), 2, "nonsense"},
    {"TooMuchMemory",
     saxpy({"--arg", "f32:2", "--arg", "buf:f32:999999999999", "--arg", "buf:f32:1", "--arg", "i32:1"}), 3,
     "choose smaller counts"},
    {"MissingDevice",
     {"run", CUDALAB_SOURCE_DIR "/tests/host_code/missing_annotation.cu", "--device", "virtual", "--kernel",
      "halve", "--grid", "1", "--block", "1"},
     2,
     "`half_of` (line 4) is not marked __device__"},
};

INSTANTIATE_TEST_SUITE_P(All, RunVerbMistakes, testing::ValuesIn(kRunMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cudalab::e2e
