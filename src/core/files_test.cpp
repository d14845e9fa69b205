// Queries about files never throw, and readers return content or a reason.
#include "core/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"

namespace cudalab {
namespace {

TEST(Files, ReadsWholeFiles) {
  TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xff", 5);
  std::ofstream(folder / "file", std::ios::binary) << bytes;
  EXPECT_EQ(read_file(folder / "file"), bytes);
  EXPECT_EQ(read_file(folder / "nowhere"), std::nullopt);
}

TEST(Files, ReportsWhetherAPathExists) {
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_TRUE(is_there(folder / "file"));
  EXPECT_FALSE(is_folder(folder / "file"));
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_there(folder / "file" / "below"));
  EXPECT_FALSE(is_there(std::string(5000, 'x')));  // exceeds the maximum length of a name
  EXPECT_FALSE(is_folder(std::string(5000, 'x')));
}

TEST(Files, ALinkWithoutATargetIsNotNothing) {
  TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  EXPECT_FALSE(nothing_is_at(folder.path()));
  EXPECT_FALSE(nothing_is_at(folder / "dangling"));
  EXPECT_FALSE(nothing_is_at(folder / "loop"));
  EXPECT_FALSE(nothing_is_at(folder / "loop" / "below"));  // cannot be determined
  EXPECT_TRUE(nothing_is_at(folder / "nowhere"));
  EXPECT_TRUE(nothing_is_at(folder / std::string(300, 'x')));
}

TEST(Files, MakesPathsAbsolute) {
  EXPECT_EQ(absolute_path("/a/b"), "/a/b");
  EXPECT_EQ(absolute_path("b"), std::filesystem::current_path() / "b");
  EXPECT_EQ(absolute_path(""), "");
  EXPECT_EXIT(
      {
        const std::string gone = TemporaryFolder().path();
        std::filesystem::create_directory(gone);
        if (::chdir(gone.c_str()) != 0 || ::rmdir(gone.c_str()) != 0) ::_exit(2);
        ::_exit(absolute_path("b") == "b" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Folders, AreReadInTheOrderOfTheirNames) {
  TemporaryFolder folder;
  for (const char* name : {"b", "a", "c"}) std::ofstream(folder / name) << "x";
  const std::vector<std::filesystem::path> all{folder / "a", folder / "b", folder / "c"};
  EXPECT_EQ(read_folder(folder.path()).entries, all);
  EXPECT_TRUE(read_folder(folder.path()).problem.empty());
  EXPECT_EQ(entries_of(folder.path()), all);
}

TEST(Folders, ReportWhyTheyCannotBeRead) {
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  const auto problem = [&](const std::string& name) { return read_folder(folder / name).problem; };
  EXPECT_THAT(problem("nowhere"), IsMessage("file_does_not_exist"));
  EXPECT_THAT(problem("file"), IsMessage("folder_is_none"));
  EXPECT_THAT(problem("loop"), IsMessage("file_link_in_circle"));
  EXPECT_THAT(problem(std::string(300, 'x')), IsMessage("file_name_too_long"));
  try {
    entries_of(folder / "file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.message(), testing::AllOf(IsMessage("error_folder_not_readable"),
                                                HasArgument("folder", (folder / "file").string()),
                                                MentionsMessage("folder_is_none")));
  }
}

// ---- unreadable files --------------------------------------------------------------------------------

class Reading : public testing::Test {
 protected:
  Message problem(const std::filesystem::path& path, std::size_t most_bytes = 100) {
    return read_content(path, most_bytes).problem;
  }
  TemporaryFolder folder;
};

TEST_F(Reading, ReportsWhatIsThereInstead) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(problem(folder / "nowhere"), IsMessage("file_does_not_exist"));
  EXPECT_THAT(problem(folder.path()), IsMessage("file_is_folder"));
  EXPECT_THAT(problem(folder / "pipe"), IsMessage("file_is_pipe"));
  EXPECT_THAT(problem("/dev/zero"), IsMessage("file_is_device"));
  EXPECT_THAT(problem(folder / "loop"), IsMessage("file_link_in_circle"));
  EXPECT_THAT(problem(folder / "file" / "below"), IsMessage("file_path_broken"));
  EXPECT_THAT(problem(folder / std::string(300, 'x')), IsMessage("file_name_too_long"));
  EXPECT_THAT(problem("/proc/self/mem"), IsMessage("file_cannot_be_read"));  // read() fails
}

TEST_F(Reading, StopsAtTheLimit) {
  std::ofstream(folder / "file") << std::string(100, 'x');
  EXPECT_TRUE(problem(folder / "file").empty());
  EXPECT_THAT(
      problem(folder / "file", 99),
      testing::AllOf(IsMessage("file_too_large"), HasArgument("bytes", 100), HasArgument("most", 99)));
  EXPECT_THAT(
      problem("/proc/self/status", 9),
      testing::AllOf(IsMessage("file_beyond_most"), HasArgument("most", 9)));  // the file claims to be empty
  EXPECT_TRUE(problem("/proc/self/status", 1u << 20).empty());
}

TEST_F(Reading, ThrowsAnErrorWithTheCause) {
  try {
    read_text(folder / "nowhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.message(), testing::AllOf(IsMessage("error_file_not_readable"),
                                                HasArgument("file", (folder / "nowhere").string()),
                                                MentionsMessage("file_does_not_exist")));
  }
}

// ---- text --------------------------------------------------------------------------------------------

TEST(Text, ConvertsEncodingsAndLineEnds) {
  using namespace std::string_literals;
  EXPECT_EQ(as_text("a\nb"), "a\nb");
  EXPECT_EQ(as_text("a\r\nb\r\n\r\n"), "a\nb\n\n");
  EXPECT_EQ(as_text("a\rb\r"), "a\rb\r");  // not Windows line ends
  EXPECT_EQ(as_text("\xef\xbb\xbf"
                    "a\r\n"),
            "a\n");
  EXPECT_EQ(as_text("\xff\xfe"
                    "a\0\r\0\n\0\xe9\0"s),
            "a\n\u00e9");
  EXPECT_EQ(as_text("\xfe\xff"
                    "\0a\x20\xac"s),
            "a\u20ac");
  EXPECT_EQ(as_text("\xff\xfe"
                    "\x3d\xd8\0\xde"s),
            "\U0001f600");
  EXPECT_EQ(as_text("\xff\xfe"
                    "\x3d\xd8"
                    "a\0"s),
            "\ufffd"
            "a");  // an unpaired surrogate
  EXPECT_EQ(as_text("\xff\xfe"
                    "a"),
            "");  // an incomplete code unit
}

}  // namespace
}  // namespace cudalab
