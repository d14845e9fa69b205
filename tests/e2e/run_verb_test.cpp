// `cudalab run`: a textbook file with its main, the files that it writes, and every mistake in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::AllOf;
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
  Outcome outcome = by_ids(saxpy_with_arguments({"--print", "y:998:2", "--lines"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("outcome_no_errors", {{"count", 1}}));
  EXPECT_THAT(outcome.out, Says("note_ran_clean"));
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

// A program with a header in a separate folder, and an include file that only C++20 has.
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
  Outcome outcome = by_ids(beyond);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, Says("hazard_of_thread", {{"kernel", "saxpy"},
                                                     {"access", "verb_reads()"},
                                                     {"element", "`x[1000]`"},
                                                     {"address", "0x7f0000000fa0"}}));
  EXPECT_THAT(outcome.out, Says("access_one_past_end", {{"count", 1000}}));
  EXPECT_EQ(cudalab(saxpy_with_arguments({"--max-steps", "3"})).code, 4);
}

struct RunMistake {
  const char* name;
  Words arguments;
  int code;
  const char* id;
  ExpectedArguments with = {};
};

void PrintTo(const RunMistake& mistake, std::ostream* out) { *out << mistake.name; }

class RunVerbMistakes : public testing::TestWithParam<RunMistake> {};

TEST_P(RunVerbMistakes, AreOneLineAndNoFile) {
  Folder folder;
  Outcome outcome = by_ids(GetParam().arguments, {.folder = folder.path()});
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith("cudalab: "));
  EXPECT_THAT(outcome.err, Says(GetParam().id, GetParam().with));
  // After the message comes the line of the source that does not compile.
  const std::string behind = outcome.err.substr(outcome.err.find('\n') + 1);
  EXPECT_THAT(behind, testing::MatchesRegex("( *[0-9]+ \\| .*\n)?")) << outcome.err;
  EXPECT_THAT(names_in(folder), testing::IsEmpty());
}

const RunMistake kRunMistakes[] = {
    {"NoFile", {"run"}, 2, "run_file_missing"},
    {"NoSuchFile", {"run", "nothing.cu"}, 2, "error_file_not_readable", {{"file", "nothing.cu"}}},
    {"NoSuchKernel",
     {"run", kSaxpy, "--device", "virtual", "--kernel", "daxpy", "--grid", "1", "--block", "1"},
     2,
     "kernel_not_in_source",
     {{"kernels", "saxpy"}}},
    {"NoGrid",
     {"run", kSaxpy, "--kernel", "saxpy", "--block", "1"},
     2,
     "option_shape_missing",
     {{"option", "--grid"}}},
    {"NoBlock",
     {"run", kSaxpy, "--kernel", "saxpy", "--grid", "1"},
     2,
     "option_shape_missing",
     {{"option", "--block"}}},
    {"FourSides",
     {"run", kSaxpy, "--kernel", "saxpy", "--grid", "1,2,3,4", "--block", "1"},
     2,
     "option_shape_sides",
     {{"option", "--grid"}}},
    {"NoNumber",
     {"run", kSaxpy, "--kernel", "saxpy", "--grid", "1,b", "--block", "1"},
     2,
     "option_not_whole_number",
     {{"option", "--grid"}, {"text", "b"}}},
    {"TooFewArguments",
     saxpy({"--arg", "f32:2", "--dump", "y=y.txt"}),
     2,
     "arguments_wrong_count",
     {{"count", 4}, {"given", 1}, {"signature", "saxpy(float a, const float *x, float *y, int n)"}}},
    {"WrongSize",
     saxpy({"--arg", "f32:2", "--arg", "i32:1", "--arg", "buf:f32:1", "--arg", "i32:1"}),
     2,
     "argument_does_not_fit",
     {{"argument", "i32:1"},
      {"what", "given_bytes(bytes=4)"},
      {"bytes", 8},
      {"parameter", "const float *x"}}},
    {"NoType", saxpy({"--arg", "float:2"}), 2, "argument_type_unknown", {{"text", "float"}}},
    {"DumpOfNothing",
     saxpy_with_arguments({"--dump", "z=z.bin"}),
     2,
     "buffer_unknown",
     {{"option", "--dump"}, {"name", "z"}, {"buffers", "x (2), y (3)"}}},
    {"DumpToNowhere",
     saxpy_with_arguments({"--dump", "y=/nonexistent/y"}),
     2,
     "file_not_writable",
     {{"file", "/nonexistent/y"}}},
    {"DumpWithoutAFile", saxpy_with_arguments({"--dump", "y"}), 2, "dump_malformed", {{"text", "y"}}},
    {"PrintBeyondTheEnd",
     saxpy_with_arguments({"--print", "y:1000"}),
     2,
     "print_beyond_end",
     {{"last", 999}}},
    {"BadDefine", saxpy_with_arguments({"--define", "4=5"}), 2, "define_name_wrong", {{"text", "4=5"}}},
    {"NoSuchCompiler",
     saxpy_with_arguments({"--compiler", "gcc"}),
     2,
     "option_not_a_choice",
     {{"option", "--compiler"}, {"choices", "auto, nvrtc, nvcc, clang"}, {"text", "gcc"}}},
    {"NoSuchStandard",
     saxpy_with_arguments({"--std", "c++99"}),
     2,
     "option_not_a_choice",
     {{"option", "--std"}, {"text", "c++99"}}},
    {"NoSuchFolder",
     saxpy_with_arguments({"--include", "nowhere"}),
     2,
     "include_folder_missing",
     {{"folder", "nowhere"}}},
    {"BadCompilerOption",
     saxpy_with_arguments({"--option=--nonsense"}),
     2,
     "compiler_message_in",
     {{"problem", "Unknown option '--nonsense'"}}},
    {"TooMuchMemory",
     saxpy({"--arg", "f32:2", "--arg", "buf:f32:999999999999", "--arg", "buf:f32:1", "--arg", "i32:1"}), 3,
     "buffers_too_large"},
    {"MissingDevice",
     {"run", CUDALAB_SOURCE_DIR "/tests/host_code/missing_annotation.cu", "--device", "virtual", "--kernel",
      "halve", "--grid", "1", "--block", "1"},
     2,
     "host_function_left_out",
     {{"function", "`half_of`"}, {"line", 4}}},
};

INSTANTIATE_TEST_SUITE_P(All, RunVerbMistakes, testing::ValuesIn(kRunMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cudalab::e2e
