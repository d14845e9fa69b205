// Tests that replacing a file leaves no temporary files in its folder.
#include "cli/terminal/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/files.h"
#include "core/processes/this_process.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::cli {
namespace {

std::string mark_of_one_that_ended() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return std::to_string(child) + "-1";
}

TEST(OutputFile, RemovesWhatAKilledRunLeftBesideItAndNothingElse) {
  const TemporaryFolder folder;
  const std::string gone = mark_of_one_that_ended(), lives = own_mark();
  const std::vector<std::string> others{".other.cudalab-" + gone + "-abcdef",
                                        ".r.cudalab-" + lives + "-abcdef", ".r.cudalab-notes",
                                        "r.cudalab-" + gone + "-abcdef"};
  for (const std::string& name : others) std::ofstream(folder / name) << "kept";
  std::ofstream(folder / (".r.cudalab-" + gone + "-abcdef")) << "half";
  OutputFile((folder / "r").string()).write("whole");
  std::vector<std::string> expected = others;
  expected.emplace_back("r");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names_in(folder), expected);
  EXPECT_EQ(read_file(folder / "r"), "whole");
  OutputFile((folder / "r").string()).write("another");
  EXPECT_EQ(names_in(folder), expected);
  EXPECT_EQ(read_file(folder / "r"), "another");
}

// The temporary file's name would exceed 255 bytes, the most that a file system allows.
TEST(OutputFile, WithTheLongestNameThereIsIsReplaced) {
  const TemporaryFolder folder;
  const std::string longest(255, 'y');
  for (const char* text : {"first", "second"}) {
    OutputFile((folder / longest).string()).write(text);
    EXPECT_EQ(read_file(folder / longest), text);
  }
  EXPECT_EQ(names_in(folder), std::vector{longest});
}

TEST(OutputFile, FoldersAreMadeWithThoseAboveThemOrItIsSaidWhatToDo) {
  const TemporaryFolder folder;
  make_folder(folder / "a" / "b");
  EXPECT_TRUE(is_folder(folder / "a" / "b"));
  std::ofstream(folder / "file") << "x";
  const std::string below_a_file = (folder / "file" / "b").string();
  EXPECT_THAT(refused([&] { make_folder(below_a_file); }),
              IsMessage("folder_not_made", {{"folder", below_a_file}, {"why", "Not a directory"}}));
  EXPECT_THAT(refused([&] { make_folder(below_a_file, "pause"); }), HasArgument("next_step", "pause"));
}

}  // namespace
}  // namespace cudalab::cli
