// `cudalab step` from the outside: what a lab's, an exercise's and any file's kernel does, and every mistake
// in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/program.h"
#include "tests/e2e/terminal.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

const fs::path kSource = CUDALAB_SOURCE_DIR;

TEST(Step, ShowsWhyTheNaiveTransposeIsSlow) {
  const Outcome outcome = cudalab({"step", "transpose", "--stage", "naive", "--trace"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("transpose of labs/transpose/1_naive.cu, block (0, 0, 0), warp 0 of 32\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("loads global in[0], in[1], in[2] … in[31] (32 lanes of 4 bytes) in 4 sectors\n"));
  EXPECT_THAT(outcome.out, HasSubstr("(32 lanes of 4 bytes) in 32 sectors, 4 would do\n"));
}

TEST(Step, TakesTheOptionsOfTheLab) {
  const Outcome outcome = cudalab({"step", "transpose", "--stage", "tiled", "--block", "0,1", "--warp", "1",
                                   "--trace", "--", "--rows", "64", "--cols", "96", "--tile", "16"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("block (0, 1, 0), warp 1 of 8\n"));
  EXPECT_THAT(outcome.out, HasSubstr("loads global in[1728], in[1729], in[1730] …"));  // row 18
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
  const Outcome outcome = cudalab({"step", "padded-tile", "--trace"}, there);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("__syncthreads();"));
  EXPECT_THAT(outcome.out, HasSubstr("barrier: at barrier 0 wait warps 0;"));
  EXPECT_EQ(cudalab({"step", "transpose/padded-tile.cu", "--trace"}, there).out, outcome.out);
}

// What a check says can be typed, and shows what the check found.
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

struct Mistake {
  Words words;
  std::string said;
};

TEST(Step, SaysWhatIsWrongInOneLine) {
  const std::vector<Mistake> mistakes{
      {{"step"}, "step needs a lab, an exercise or a file"},
      {{"step", "transpos"}, "did you mean `transpose`?"},
      {{"step", "transpose", "--stage", "cpu", "--trace"}, "is no kernel"},
      {{"step", "transpose", "--stage", "nave", "--trace"}, "did you mean `naive`?"},
      {{"step", "transpose", "--block", "9,9,9", "--trace"}, "there is no block (9, 9, 9)"},
      {{"step", "transpose", "--block", "1,x", "--trace"}, "--block takes a whole number"},
      {{"step", "transpose", "--case", "3", "--trace"}, "--case is for exercises"},
      {{"step", "tests/host_code/saxpy.cu", "--stage", "naive", "--trace"}, "--stage is for labs"},
      {{"step", "transpose", "--warp", "32", "--trace"}, "there is no warp 32; a block has 8 warps"},
      {{"step", "transpose", "--launch", "7", "--trace"}, "kernels are launched 1 time"},
      {{"step", "tests/host_code/saxpy.cu", "--trace"}, "cudalab run tests/host_code/saxpy.cu"},
      {{"step", "transpose", "--trace", "--", "--tile", "7000"}, "tile"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = cudalab(mistake.words, {.folder = kSource});
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(mistake.words);
    EXPECT_THAT(outcome.err, HasSubstr(mistake.said));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

// ---- the screen ----------------------------------------------------------------------------------------

const std::string kLeavesScreen = "\x1b[?1049l";  // xterm: back to what was there before

void expect_same(const termios& now, const termios& before) {
  EXPECT_EQ(now.c_lflag, before.c_lflag);
  EXPECT_EQ(now.c_iflag, before.c_iflag);
  EXPECT_EQ(now.c_oflag, before.c_oflag);
}

TEST(StepScreen, GoesThroughAWarpAndLeavesTheTerminalAsItWas) {
  Folder folder;
  Terminal terminal({"step", "transpose", "--stage", "naive", "--", "--rows", "64", "--cols", "64"},
                    folder.path());
  const termios before = terminal.settings();
  terminal.read_until("q quit");
  EXPECT_FALSE(terminal.settings().c_lflag & ECHO);
  terminal.type("$");  // the end of the warp
  terminal.read_until("its last");
  terminal.type("h");
  terminal.read_until("in 32 sectors, 4 would do");
  terminal.type("0g22\n");
  terminal.read_until("in 4 sectors");
  terminal.type("z");
  terminal.read_until("no hazard, in the whole launch");
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.everything(), HasSubstr(kLeavesScreen));
  expect_same(terminal.settings(), before);
}

TEST(StepScreen, LeavesTheTerminalAsItWasWhateverHappens) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT}) {
    Folder folder;
    Terminal terminal({"step", "transpose", "--", "--rows", "64", "--cols", "64"}, folder.path());
    const termios before = terminal.settings();
    terminal.read_until("q quit");
    terminal.signal(number);
    terminal.wait();
    EXPECT_THAT(terminal.everything(), HasSubstr(kLeavesScreen)) << number;
    expect_same(terminal.settings(), before);
  }
}

TEST(StepScreen, NeedsATerminal) {
  const Outcome outcome = cudalab({"step", "transpose"}, {.folder = kSource});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("a screen needs a terminal, and here is none; --trace prints lines instead"));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace cudalab::e2e
