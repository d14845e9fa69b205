// Every mistake of a user ends with one clear line on standard error and an exit code, and writes no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

struct BadArguments {
  std::string name;
  std::vector<std::string> arguments;
  int code;
  std::string id;  // of the message
  ExpectedArguments with = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
};

void PrintTo(const BadArguments& mistake, std::ostream* out) { *out << mistake.name; }

class BadInput : public testing::TestWithParam<BadArguments> {};

TEST_P(BadInput, IsOneLineAndAnExitCode) {
  Folder folder;
  Outcome outcome =
      by_ids(GetParam().arguments, {.environment = GetParam().environment, .folder = folder.path()});
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith("cudalab: " + GetParam().id + "("));
  EXPECT_THAT(outcome.err, Says(GetParam().id, GetParam().with));
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_THAT(names_in(folder), testing::IsEmpty());
}

ExpectedArguments tile_is(const char* value) {
  return {{"option", "tile"}, {"value", value}, {"from", 1}, {"to", 32}};
}

const BadArguments kBadArguments[] = {
    {"UnknownLab", {"trasnpose"}, 2, "command_unknown", {{"suggestion", "transpose"}}},
    {"NothingLikeALab", {"xyzzy"}, 2, "command_unknown", {{"word", "xyzzy"}, {"hint", ""}}},
    {"UnknownOption", {"transpose", "--tiel", "16"}, 2, "option_unknown", {{"suggestion", "--tile"}}},
    {"OptionOfNobody", {"--frobnicate"}, 2, "option_before_command", {{"option", "--frobnicate"}}},
    {"OptionOfAVerb", {"list", "--tile"}, 2, "option_unknown", {{"verb", "list"}, {"option", "--tile"}}},
    {"StrayWord",
     {"transpose", "quickly"},
     2,
     "word_not_taken",
     {{"verb", "transpose"}, {"word", "quickly"}}},
    {"ValueWithoutEqualsSign",
     {"transpose", "--pad", "2"},
     2,
     "word_not_taken",
     {{"option", "--pad"}, {"value", 2}}},
    {"MissingValue", {"transpose", "--tile"}, 2, "option_value_missing", {{"option", "--tile"}}},
    {"EmptyValue", {"transpose", "--json="}, 2, "option_equals_nothing", {{"option", "--json="}}},
    {"TileZero", {"transpose", "--tile", "0"}, 2, "option_out_of_range", tile_is("0")},
    {"TileTooLarge", {"transpose", "--tile", "33"}, 2, "option_out_of_range", tile_is("33")},
    {"TileNoNumber", {"transpose", "--tile", "abc"}, 2, "option_out_of_range", tile_is("abc")},
    {"PadNegative",
     {"transpose", "--pad=-1"},
     2,
     "option_out_of_range",
     {{"option", "pad"}, {"value", -1}, {"from", 0}}},
    {"RowsZero",
     {"transpose", "--rows", "0"},
     2,
     "option_out_of_range",
     {{"option", "rows"}, {"value", 0}, {"from", 1}}},
    {"RowsTooMany",
     {"transpose", "--rows", "99999999999"},
     2,
     "option_out_of_range",
     {{"option", "rows"}, {"value", 99999999999}, {"from", 1}}},
    {"RowsBeyondIntegers",
     {"transpose", "--rows", "99999999999999999999"},
     2,
     "option_out_of_range",
     {{"option", "rows"}, {"value", "99999999999999999999"}}},
    {"UnknownType",
     {"transpose", "--type", "f16"},
     2,
     "option_out_of_range",
     {{"option", "type"}, {"value", "f16"}, {"first", "f32"}, {"last", "f64"}}},
    {"UnknownDevice",
     {"transpose", "--device", "cuda"},
     2,
     "option_not_a_choice",
     {{"option", "--device"}, {"choices", "auto, gpu, virtual"}, {"text", "cuda"}}},
    {"UnknownStage",
     {"transpose", "--stage", "naive,tilde"},
     2,
     "lab_stage_unknown",
     {{"stage", "tilde"}, {"suggestion", "tiled"}}},
    {"SeedNegative",
     {"transpose", "--seed", "-1"},
     2,
     "option_not_whole_number",
     {{"option", "--seed"}, {"text", -1}}},
    {"RepeatTooMany",
     {"transpose", "--repeat", "99999999"},
     2,
     "option_not_whole_number",
     {{"option", "--repeat"}, {"most", 10000}}},
    {"NoSuchKernelFile",
     {"transpose", "--kernel", "nothing.cu"},
     2,
     "error_file_not_readable",
     {{"file", "nothing.cu"}}},
    {"NoSuchFolder",
     {"transpose", "--json=/nonexistent/result.json"},
     2,
     "file_not_writable",
     {{"file", "/nonexistent/result.json"}}},
    {"AFolderAsFile",
     {"transpose", "--json=/"},
     2,
     "file_not_writable",
     {{"file", "/"}, {"why", "Is a directory"}}},
    {"NoGpu", {"transpose", "--device", "gpu"}, 3, "gpu_not_usable", {}, {{"CUDA_VISIBLE_DEVICES", ""}}},
    {"NoCompiler",
     {"transpose", "--device", "virtual", "--stage", "naive"},
     3,
     "nvrtc_place_unusable",
     {{"place", "/proc/nonexistent"}},
     {{"CUDALAB_NVRTC", "/proc/nonexistent"}, {"CUDALAB_CACHE_DIR", "/proc/nonexistent"}}},
};

INSTANTIATE_TEST_SUITE_P(Mistakes, BadInput, testing::ValuesIn(kBadArguments),
                         [](const auto& info) { return info.param.name; });

TEST(BadSize, BeyondTheMemoryNamesTheOptions) {
  Outcome outcome =
      by_ids({"transpose", "--device", "virtual", "--rows", "100000000", "--cols", "100000000"});
  EXPECT_THAT(outcome.code, testing::AnyOf(2, 3));
  EXPECT_THAT(outcome.err, Says("size_needs_memory", {{"options", "--rows and --cols"}}));
  EXPECT_EQ(outcome.out, "");
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  Outcome outcome = by_ids({"list"}, {.out_file = "/dev/full"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "cudalab: output_not_writable(why=No space left on device)\n");
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
      by_ids({"transpose", "--device", "virtual", "--stage", "naive", "--rows", "8", "--cols", "8", option});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read_file(folder / "result.json"),
              testing::StartsWith("{\n  \"schema\": \"cudalab.result/1\""));
  EXPECT_THAT(names_in(folder), testing::ElementsAre("result.json"));
  struct stat status {};
  ::stat((folder / "result.json").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_THAT(outcome.out, Says("outcome_all_correct", {{"count", 1}}));  // the table is still printed
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
    // The cache folder appears with the first compiled kernel: the run is then in progress.
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
