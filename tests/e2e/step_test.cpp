// `cudalab step`: kernels of labs, exercises and files, and every mistake in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"
#include "tests/e2e/terminal_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

TEST(Step, ShowsWhyTheNaiveTransposeIsSlow) {
  const Outcome outcome = by_ids({"step", "transpose", "--stage", "naive", "--trace"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("step_title", {{"kernel", "transpose"},
                                               {"file", "labs/transpose/1_naive.cu"},
                                               {"block", "(0, 0, 0)"},
                                               {"warp", 0},
                                               {"warps", 32}}));
  EXPECT_THAT(outcome.out, Says("trace_sectors", {{"access",
                                                   "trace_lanes(access=trace_loads_global(elements="
                                                   "in[0], in[1], in[2] … in[31]), lanes=32, bytes=4)"},
                                                  {"sectors", 4}}));
  EXPECT_THAT(outcome.out,
              Says("trace_would_do", {{"lanes", 32}, {"bytes", 4}, {"sectors", 32}, {"fewest", 4}}));
}

TEST(Step, TakesTheOptionsOfTheLab) {
  const Outcome outcome = by_ids({"step", "transpose", "--stage", "tiled", "--block", "0,1", "--warp", "1",
                                  "--trace", "--", "--rows", "64", "--cols", "96", "--tile", "16"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("step_title", {{"block", "(0, 1, 0)"}, {"warp", 1}, {"warps", 8}}));
  EXPECT_THAT(outcome.out,
              HasSubstr("trace_loads_global(elements=in[1728], in[1729], in[1730] …"));  // row 18
}

TEST(Step, WritesWhatItsSchemaSays) {
  if (run_command({"python3", "-c", "import jsonschema"}).code != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed (scripts/setup installs it)";
  Folder folder;
  const fs::path file = folder.path() / "trace.json";
  ASSERT_EQ(cudalab({"step", "transpose", "--stage", "padded", "--json=" + file.string()}).code, 0);
  const Outcome checked =
      run_command({"python3", "-c",
                   "import json, sys, jsonschema\n"
                   "schema = json.load(open(sys.argv[1]))\n"
                   "jsonschema.Draft202012Validator.check_schema(schema)\n"
                   "jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))\n",
                   (kSource / "docs" / "trace.schema.json").string(), file.string()});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST(Step, GoesIntoALearnersExercise) {
  Folder folder;
  const Settings there{.folder = folder.path()};
  ASSERT_EQ(cudalab({"start", "padded-tile", "--into", "."}, there).code, 0);
  fs::copy_file(kSource / "labs/transpose/exercise/padded-tile/solution.cu",
                folder.path() / "transpose/padded-tile.cu", fs::copy_options::overwrite_existing);
  const Outcome outcome = by_ids({"step", "padded-tile", "--trace"}, there);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("__syncthreads();"));
  EXPECT_THAT(outcome.out, Says("trace_barrier", {{"barrier", 0}, {"warps", 0}}));
  EXPECT_EQ(by_ids({"step", "transpose/padded-tile.cu", "--trace"}, there).out, outcome.out);
}

// The command that a check prints can be typed, and shows what the check found.
TEST(Step, IsOfferedByACheckThatFoundAHazard) {
  Folder folder;
  const Settings there{.folder = folder.path()};
  ASSERT_EQ(cudalab({"start", "padded-tile", "--into", "."}, there).code, 0);
  fs::copy_file(kSource / "labs/transpose/exercise/padded-tile/wrong/missing_barrier.cu",
                folder.path() / "transpose/padded-tile.cu", fs::copy_options::overwrite_existing);
  const std::string said = cudalab({"check", "padded-tile"}, there).out;
  const std::size_t begin = said.find("cudalab step ");
  ASSERT_NE(begin, std::string::npos) << said;
  const std::string command = said.substr(begin, said.find('\n', begin) - begin);
  Words words;
  std::istringstream stream(command);
  for (std::string word; stream >> word;) words.push_back(word);
  words.erase(words.begin());
  words.push_back("--trace");
  const Outcome outcome = cudalab(words, there);
  EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("HAZARD: ")) << command;
}

const std::string kRacy =
    "__global__ void shift(int* out) {\n"
    "  __shared__ int tile[64];\n"
    "  tile[threadIdx.x] = out[threadIdx.x];\n"
    "  out[threadIdx.x] = tile[63 - threadIdx.x];\n"
    "}\n";

TEST(Step, BeginsWhereAHazardIs) {
  Folder folder;
  write_file(folder.path() / "racy.cu", kRacy);
  const Words launch{"--", "--kernel", "shift", "--grid", "3", "--block", "64", "--arg", "buf:i32:64:iota"};
  Words words{"step", "racy.cu", "--trace", "--hazard"};
  words.insert(words.end(), launch.begin(), launch.end());
  const Outcome outcome = cudalab(words, {.folder = folder.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("racy.cu:"));
  EXPECT_THAT(outcome.out, HasSubstr("HAZARD: "));
}

// Block 2 alone executes line 5; line 4 has no code.
const std::string kGuarded =
    "__global__ void guarded(int* out, int n) {\n"
    "  int value = threadIdx.x;\n"
    "  if (blockIdx.x == 2 && threadIdx.x >= 32) {\n"
    "    // counts\n"
    "    for (int i = 0; i < n; ++i) value += i;\n"
    "  }\n"
    "  out[blockIdx.x * blockDim.x + threadIdx.x] = value;\n"
    "}\n";

TEST(Step, BeginsWhereALineIsFirstExecuted) {
  Folder folder;
  const Settings there{.folder = folder.path()};
  write_file(folder.path() / "guarded.cu", kGuarded);
  const Words launch{"--", "--kernel", "guarded",          "--grid", "3",     "--block",
                     "64", "--arg",    "buf:i32:192:zero", "--arg",  "i32:50"};
  const auto step = [&](Words options) {
    Words words{"step", "guarded.cu", "--debug"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), launch.begin(), launch.end());
    return by_ids(words, there);
  };
  const auto document = [&](Words options) {
    options.insert(options.begin(), "--json");
    const Outcome outcome = step(options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  };
  const nlohmann::json found = document({"--break", "4"});
  EXPECT_EQ(found["launch"]["breakpoints"], nlohmann::json({5}));
  EXPECT_EQ(found["block"], nlohmann::json({2, 0, 0}));
  EXPECT_EQ(found["warp"], 1);
  EXPECT_EQ(found["steps"][0]["step"], 0);
  // The trace begins at the line if the steps before it are too many.
  const nlohmann::json later = document({"--break", "7", "--block", "2", "--warp", "1", "--steps", "20"});
  EXPECT_GT(later["steps"][0]["step"], 20);
  EXPECT_EQ(later["moments"][0]["line"]["line"], 7);
  // From a step in the loop on, the line is found again.
  const nlohmann::json again =
      document({"--break", "5", "--block", "2", "--warp", "1", "--from", "200", "--steps", "20"});
  EXPECT_EQ(again["warp"], 1);
  EXPECT_GE(again["steps"][0]["step"], 200);

  const Outcome beyond = step({"--trace", "--break", "9"});
  EXPECT_EQ(beyond.code, 0);
  EXPECT_THAT(beyond.err, Says("step_breakpoint_without_code", {{"file", "guarded.cu"}, {"line", 9}}));
  const Outcome nowhere = step({"--trace", "--break", "1", "--block", "2", "--warp", "1", "--from", "100"});
  EXPECT_THAT(nowhere.err, Says("step_breakpoint_not_reached", {}));
  const Outcome both = step({"--trace", "--break", "5", "--hazard"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, Says("step_hazard_or_breakpoint", {}));
  EXPECT_EQ(step({"--trace", "--break", "five"}).code, 2);
}

// ---- variables -----------------------------------------------------------------------------------------

const std::string kScaled =
    "struct Pair { float x; int n; };\n"
    "__global__ void scaled(float* out, float by) {\n"
    "  Pair pair = {0.5f, 3};\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < pair.n; ++i)\n"
    "    sum += by * threadIdx.x;\n"
    "  out[threadIdx.x] = sum + pair.x;\n"
    "}\n";
const Words kScaledLaunch{"--", "--kernel", "scaled",     "--grid", "1",    "--block",
                          "32", "--arg",    "buf:f32:32", "--arg",  "f32:2"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Step, NamesVariablesOfCodeForADebugger) {
  Folder folder;
  write_file(folder.path() / "scaled.cu", kScaled);
  const Settings there{.folder = folder.path()};
  const Outcome outcome = by_ids(with({"step", "scaled.cu", "--debug", "--trace"}, kScaledLaunch), there);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("step_compiled_for_debugging"));
  EXPECT_THAT(outcome.out, HasSubstr("pair.x = 0.5; pair.n = 3\n"));
  EXPECT_THAT(outcome.out, HasSubstr("sum = 0, 4, 8 … 124\n"));
  EXPECT_THAT(outcome.out, HasSubstr("by = 2"));
  const Outcome plain = cudalab(with({"step", "scaled.cu", "--trace"}, kScaledLaunch), there);
  EXPECT_THAT(plain.out, Not(HasSubstr("sum = ")));
}

// ---- whole programs ------------------------------------------------------------------------------------

const std::string kTwoLaunches =
    "#include <cstdio>\n"
    "__global__ void first(int* out) { out[threadIdx.x] = 7; }\n"
    "__global__ void second(int* out, int n) {\n"
    "  out[threadIdx.x] += n;\n"
    "}\n"
    "int main(int count, char** words) {\n"
    "  int* out;\n"
    "  cudaMalloc(&out, 128);\n"
    "  std::printf(\"it begins\\n\");\n"
    "  std::fflush(stdout);\n"
    "  first<<<1, 32>>>(out);\n"
    "  for (int i = 1; i < count; ++i) second<<<2, 32>>>(out, i);\n"
    "  cudaDeviceSynchronize();\n"
    "}\n";

bool can_run_programs() {
  return compile::find_nvcc() && fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13");
}

TEST(Step, StopsAWholeProgramAtALaunch) {
  if (!can_run_programs()) GTEST_SKIP() << "nvcc is not installed, or the runtime was not built";
  Folder folder;
  write_file(folder.path() / "two.cu", kTwoLaunches);
  const Settings there{.folder = folder.path()};
  const Outcome named =
      by_ids({"step", "two.cu", "--launch", "second", "--trace", "--instructions", "--", "a"}, there);
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out,
              Says("step_title", {{"kernel", "second"}, {"block", "(0, 0, 0)"}, {"warp", 0}, {"warps", 1}}));
  EXPECT_THAT(named.out, HasSubstr("out[threadIdx.x] += n;"));
  EXPECT_THAT(named.out, HasSubstr(" = 7\n")) << "what the first launch wrote";
  EXPECT_THAT(named.err, HasSubstr("it begins")) << "the program's own words are apart from the trace";
  const Outcome third = by_ids(
      {"step", "two.cu", "--launch", "3", "--debug", "--trace", "--block", "1", "--", "a", "b"}, there);
  ASSERT_EQ(third.code, 0) << third.err;
  EXPECT_THAT(third.out, HasSubstr("n = 2"));
  EXPECT_THAT(third.out, Says("step_title", {{"block", "(1, 0, 0)"}}));
}

TEST(Step, SaysWhereAProgramHasNoSuchLaunch) {
  if (!can_run_programs()) GTEST_SKIP() << "nvcc is not installed, or the runtime was not built";
  Folder folder;
  write_file(folder.path() / "two.cu", kTwoLaunches);
  const Settings there{.folder = folder.path()};
  const Outcome late = by_ids({"step", "two.cu", "--launch", "4", "--trace", "--", "a"}, there);
  EXPECT_EQ(late.code, 2);
  EXPECT_THAT(late.err, Says("launch_number_too_large", {{"launch", 4}, {"times", 2}}));
  const Outcome unknown = by_ids({"step", "two.cu", "--launch", "third", "--trace", "--", "a"}, there);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err,
              Says("launch_kernel_unknown", {{"launch", "third"}, {"kernels", "first, second"}}));
  const Outcome block = by_ids({"step", "two.cu", "--block", "5", "--trace"}, there);
  EXPECT_EQ(block.code, 2);
  EXPECT_THAT(block.err, Says("warp_block_outside_grid", {{"block", "(5, 0, 0)"}}));
}

struct StepMistake {
  Words words;
  std::string id;
  ExpectedArguments with = {};
};

TEST(Step, SaysWhatIsWrongInOneLine) {
  const std::vector<StepMistake> mistakes{
      {{"step"}, "step_target_missing"},
      {{"step", "transpos"}, "step_target_unknown", {{"suggestion", "transpose"}}},
      {{"step", "transpose", "--stage", "cpu", "--trace"}, "stage_is_no_kernel", {{"stage", "cpu"}}},
      {{"step", "transpose", "--stage", "nave", "--trace"}, "lab_stage_unknown", {{"suggestion", "naive"}}},
      {{"step", "transpose", "--block", "9,9,9", "--trace"},
       "warp_block_outside_grid",
       {{"block", "(9, 9, 9)"}}},
      {{"step", "transpose", "--block", "1,x", "--trace"},
       "option_not_whole_number",
       {{"option", "--block"}, {"text", "x"}}},
      {{"step", "transpose", "--case", "3", "--trace"}, "case_is_for_exercises"},
      {{"step", "tests/host_code/saxpy.cu", "--stage", "naive", "--trace"}, "stage_is_for_labs"},
      {{"step", "transpose", "--warp", "32", "--trace"}, "warp_outside_block", {{"warp", 32}, {"warps", 8}}},
      {{"step", "transpose", "--launch", "7", "--trace"}, "launch_number_too_large", {{"times", 1}}},
      {{"step", "tests/kernels/vector_add.cu", "--trace"},
       "step_launch_missing",
       {{"file", "tests/kernels/vector_add.cu"}}},
      {{"step", "transpose", "--trace", "--", "--tile", "7000"},
       "option_out_of_range",
       {{"option", "tile"}, {"value", 7000}}},
  };
  for (const StepMistake& mistake : mistakes) {
    const Outcome outcome = by_ids(mistake.words, {.folder = kSource});
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(mistake.words);
    EXPECT_THAT(outcome.err, Says(mistake.id, mistake.with));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

// ---- the screen ----------------------------------------------------------------------------------------

const std::string kWithoutCurses = "this cudalab was built without ncurses";

bool has_a_screen() {
  return cudalab({"step", "transpose"}, {.folder = kSource}).err.find(kWithoutCurses) == std::string::npos;
}

const std::string kLeavesScreen = "\x1b[?1049l";  // xterm: restores what was there before

void expect_same(const termios& now, const termios& before) {
  EXPECT_EQ(now.c_lflag, before.c_lflag);
  EXPECT_EQ(now.c_iflag, before.c_iflag);
  EXPECT_EQ(now.c_oflag, before.c_oflag);
}

TEST(StepScreen, GoesThroughAWarpAndLeavesTheTerminalAsItWas) {
  if (!has_a_screen()) GTEST_SKIP() << kWithoutCurses;
  Folder folder;
  Terminal terminal({"step", "transpose", "--stage", "naive", "--", "--rows", "64", "--cols", "64"},
                    folder.path());
  const termios before = terminal.settings();
  terminal.read_until("q quit");
  EXPECT_FALSE(terminal.settings().c_lflag & ECHO);
  terminal.type("$");  // the end of the warp
  terminal.read_until("the last");
  terminal.type("h");
  terminal.read_until("in 32 sectors, minimum 4");
  terminal.type("0g22\n");
  terminal.read_until("in 4 sectors");
  terminal.type("z");
  terminal.read_until("no hazard in the whole launch");
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.everything(), HasSubstr(kLeavesScreen));
  expect_same(terminal.settings(), before);
}

TEST(StepScreen, LeavesTheTerminalAsItWasWhateverHappens) {
  if (!has_a_screen()) GTEST_SKIP() << kWithoutCurses;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT}) {
    Folder folder;
    Terminal terminal({"step", "transpose", "--", "--rows", "64", "--cols", "64"}, folder.path());
    const termios before = terminal.settings();
    terminal.read_until("q quit");
    terminal.signal(number);
    const int code = terminal.wait();
    const bool is_crash = number == SIGSEGV || number == SIGABRT;
    EXPECT_TRUE(is_crash || code == 4) << number << ": " << code;
    EXPECT_THAT(terminal.everything(), HasSubstr(kLeavesScreen)) << number;
    expect_same(terminal.settings(), before);
  }
}

TEST(Step, DoesNotWaitForAPipe) {
  Folder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const Outcome outcome = by_ids({"step", "pipe", "--trace"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err,
              Says("error_file_not_readable", {{"file", "pipe"}, {"problem", "file_is_pipe()"}}));
}

TEST(StepScreen, WithoutNcursesOneLineSaysSo) {
  if (has_a_screen()) GTEST_SKIP() << "it was built with ncurses";
  const Outcome outcome = by_ids({"step", "transpose"}, {.folder = kSource});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, Says("screen_without_ncurses"));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(cudalab({"step", "transpose", "--trace"}, {.folder = kSource}).code, 0);
}

TEST(StepScreen, NeedsATerminal) {
  if (!has_a_screen()) GTEST_SKIP() << kWithoutCurses;
  const Outcome outcome = by_ids({"step", "transpose"}, {.folder = kSource});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, Says("screen_needs_terminal"));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace cudalab::e2e
