// Every mistake of a user is one clear line on standard error, an exit code, and no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;

struct BadArguments {
  std::string name;
  std::vector<std::string> arguments;
  int code;
  std::string says;
  std::vector<std::pair<std::string, std::string>> environment = {};
};

void PrintTo(const BadArguments& mistake, std::ostream* out) { *out << mistake.name; }

class BadInput : public testing::TestWithParam<BadArguments> {};

TEST_P(BadInput, IsOneLineAndAnExitCode) {
  Folder folder;
  Outcome outcome =
      cudalab(GetParam().arguments, {.environment = GetParam().environment, .folder = folder.path()});
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith("cudalab: "));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_THAT(names_in(folder), testing::IsEmpty());
}

const BadArguments kBadArguments[] = {
    {"UnknownLab", {"trasnpose"}, 2, "did you mean `transpose`?"},
    {"NothingLikeALab", {"xyzzy"}, 2, "there is no lab or command `xyzzy` (`cudalab list` shows the labs)"},
    {"UnknownOption", {"transpose", "--tiel", "16"}, 2, "did you mean `--tile`?"},
    {"OptionOfNobody", {"--frobnicate"}, 2, "`--frobnicate` is not an option here"},
    {"OptionOfAVerb", {"list", "--tile"}, 2, "list has no option `--tile`"},
    {"StrayWord", {"transpose", "quickly"}, 2, "transpose does not take `quickly`"},
    {"ValueWithoutEqualsSign", {"transpose", "--pad", "2"}, 2, "did you mean `--pad=2`?"},
    {"MissingValue", {"transpose", "--tile"}, 2, "--tile needs a value"},
    {"EmptyValue", {"transpose", "--json="}, 2, "`--json=` has no value"},
    {"TileZero", {"transpose", "--tile", "0"}, 2, "--tile is 0; it must be 1 to 32"},
    {"TileTooLarge", {"transpose", "--tile", "33"}, 2, "--tile is 33; it must be 1 to 32"},
    {"TileNoNumber", {"transpose", "--tile", "abc"}, 2, "--tile is abc; it must be 1 to 32"},
    {"PadNegative", {"transpose", "--pad=-1"}, 2, "--pad is -1; it must be 0 to"},
    {"RowsZero", {"transpose", "--rows", "0"}, 2, "--rows is 0; it must be 1 to"},
    {"RowsTooMany", {"transpose", "--rows", "99999999999"}, 2, "--rows is 99999999999; it must be 1 to"},
    {"RowsBeyondIntegers",
     {"transpose", "--rows", "99999999999999999999"},
     2,
     "--rows is 99999999999999999999"},
    {"UnknownType", {"transpose", "--type", "f16"}, 2, "--type is f16; it must be f32 or f64"},
    {"UnknownDevice", {"transpose", "--device", "cuda"}, 2, "--device takes auto, gpu, virtual, not `cuda`"},
    {"UnknownStage", {"transpose", "--stage", "naive,tilde"}, 2, "did you mean `tiled`?"},
    {"SeedNegative", {"transpose", "--seed", "-1"}, 2, "--seed must be a whole number"},
    {"RepeatTooMany",
     {"transpose", "--repeat", "99999999"},
     2,
     "--repeat must be a whole number from 0 to 10000"},
    {"NoSuchKernelFile", {"transpose", "--kernel", "nothing.cu"}, 2, "nothing.cu"},
    {"NoSuchFolder",
     {"transpose", "--json=/nonexistent/result.json"},
     2,
     "cannot write /nonexistent/result.json"},
    {"AFolderAsFile", {"transpose", "--json=/"}, 2, "cannot write /: Is a directory"},
    {"NoGpu",
     {"transpose", "--device", "gpu"},
     3,
     "run with --device virtual",
     {{"CUDA_VISIBLE_DEVICES", ""}}},
    {"NoCompiler",
     {"transpose", "--device", "virtual", "--stage", "naive"},
     3,
     "NVRTC",
     {{"CUDALAB_NVRTC", "/proc/nonexistent"}, {"CUDALAB_CACHE_DIR", "/proc/nonexistent"}}},
};

INSTANTIATE_TEST_SUITE_P(Mistakes, BadInput, testing::ValuesIn(kBadArguments),
                         [](const auto& info) { return info.param.name; });

TEST(BadSize, BeyondTheMemoryNamesTheOptions) {
  Outcome outcome =
      cudalab({"transpose", "--device", "virtual", "--rows", "100000000", "--cols", "100000000"});
  EXPECT_THAT(outcome.code, testing::AnyOf(2, 3));
  EXPECT_THAT(outcome.err, HasSubstr("memory"));
  EXPECT_THAT(outcome.err, HasSubstr("--rows"));
  EXPECT_EQ(outcome.out, "");
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  Outcome outcome = cudalab({"list"}, {.out_file = "/dev/full"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "cudalab: cannot write to standard output: No space left on device\n");
}

TEST(Output, AReaderThatGoesAwayIsNoError) {
  Outcome outcome =
      run_command({"bash", "-c", std::string("{ ") + CUDALAB_PROGRAM + " --help; echo $? >&2; } | true"});
  EXPECT_EQ(outcome.err, "0\n");
}

TEST(JsonFile, IsReplacedWholeAndKeepsItsMode) {
  Folder folder;
  write_file(folder / "result.json", "old");
  ::chmod((folder / "result.json").c_str(), 0640);
  std::string option = "--json=" + (folder / "result.json").string();
  Outcome outcome =
      cudalab({"transpose", "--device", "virtual", "--stage", "naive", "--rows", "8", "--cols", "8", option});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read_file(folder / "result.json"),
              testing::StartsWith("{\n  \"schema\": \"cudalab.result/1\""));
  EXPECT_THAT(names_in(folder), testing::ElementsAre("result.json"));
  struct stat status {};
  ::stat((folder / "result.json").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_THAT(outcome.out, HasSubstr("PASS  1 of 1 passed"));  // the table is still there
}

TEST(JsonFile, AFailingRunLeavesTheOldOneAlone) {
  Folder folder;
  write_file(folder / "result.json", "old");
  std::string option = "--json=" + (folder / "result.json").string();
  EXPECT_EQ(cudalab({"transpose", "--tile", "99", option}).code, 2);
  EXPECT_EQ(read_file(folder / "result.json"), "old");
  EXPECT_THAT(names_in(folder), testing::ElementsAre("result.json"));
}

TEST(JsonFile, MayBeADevice) {
  Outcome outcome =
      cudalab({"transpose", "--device", "virtual", "--stage", "naive", "--rows", "8", "--json=/dev/null"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Interruption, EndsWithCodeFourAndLeavesNothing) {
  for (int signal_number : {SIGINT, SIGTERM}) {
    Folder folder;
    std::string ready = (folder / "cache").string(), option = "--json=" + (folder / "result.json").string();
    // The cache folder appears with the first compiled kernel: the run is then well under way.
    Outcome outcome =
        cudalab({"transpose", "--device", "virtual", "--rows", "8000", "--cols", "8000", option},
                {.environment = {{"CUDALAB_CACHE_DIR", ready}},
                 .interrupt_with = signal_number,
                 .interrupt_when = ready});
    EXPECT_EQ(outcome.code, 4);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "cudalab: stopped before the end; nothing was written\n");
    EXPECT_THAT(names_in(folder), testing::ElementsAre("cache"));
  }
}

}  // namespace
}  // namespace cudalab::e2e
