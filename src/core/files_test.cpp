// What the file system says, and that nothing throws.
#include "core/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "core/temporary_folder_testing.h"

namespace cudalab {
namespace {

TEST(Files, AreReadWhole) {
  TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xff", 5);
  std::ofstream(folder / "file", std::ios::binary) << bytes;
  EXPECT_EQ(read_file(folder / "file"), bytes);
  EXPECT_EQ(read_file(folder / "nowhere"), std::nullopt);
}

TEST(Files, AreThereOrNot) {
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_TRUE(is_there(folder / "file"));
  EXPECT_FALSE(is_folder(folder / "file"));
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_there(folder / "file" / "below"));
  EXPECT_FALSE(is_there(std::string(5000, 'x')));  // longer than a name may be
  EXPECT_FALSE(is_folder(std::string(5000, 'x')));
}

TEST(Files, NothingIsWhereNotEvenALinkIs) {
  TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  EXPECT_FALSE(nothing_is_at(folder.path()));
  EXPECT_FALSE(nothing_is_at(folder / "dangling"));
  EXPECT_FALSE(nothing_is_at(folder / "loop"));
  EXPECT_FALSE(nothing_is_at(folder / "loop" / "below"));  // nobody can say
  EXPECT_TRUE(nothing_is_at(folder / "nowhere"));
  EXPECT_TRUE(nothing_is_at(folder / std::string(300, 'x')));
}

TEST(Files, HaveAPathFromTheRoot) {
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
  EXPECT_EQ(read_folder(folder.path()).problem, "");
  EXPECT_EQ(entries_of(folder.path()), all);
}

TEST(Folders, ThatCannotBeReadSayWhy) {
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  const auto problem = [&](const std::string& name) { return read_folder(folder / name).problem; };
  EXPECT_EQ(problem("nowhere"), "does not exist");
  EXPECT_EQ(problem("file"), "is no folder");
  EXPECT_EQ(problem("loop"), "is a link that leads back to itself");
  EXPECT_EQ(problem(std::string(300, 'x')), "does not exist: its name is longer than a name may be");
  try {
    entries_of(folder / "file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_EQ(error.what(), "cannot read the folder " + (folder / "file").string() +
                                ": it is no folder; is the path right?");
  }
}

// ---- what cannot be read -----------------------------------------------------------------------------

class Reading : public testing::Test {
 protected:
  std::string problem(const std::filesystem::path& path, std::size_t most_bytes = 100) {
    return read_content(path, most_bytes).problem;
  }
  TemporaryFolder folder;
};

TEST_F(Reading, SaysWhatIsThereInstead) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(problem(folder / "nowhere"), "does not exist");
  EXPECT_EQ(problem(folder.path()), "is a folder");
  EXPECT_EQ(problem(folder / "pipe"), "is no regular file but a pipe");
  EXPECT_EQ(problem("/dev/zero"), "is no regular file but a device");
  EXPECT_EQ(problem(folder / "loop"), "is a link that leads back to itself");
  EXPECT_EQ(problem(folder / "file" / "below"), "does not exist: a part of its path is no folder");
  EXPECT_EQ(problem(folder / std::string(300, 'x')), "does not exist: its name is longer than a name may be");
  EXPECT_NE(problem("/proc/self/mem"), "");  // a read that fails
}

TEST_F(Reading, StopsAtTheLimit) {
  std::ofstream(folder / "file") << std::string(100, 'x');
  EXPECT_EQ(problem(folder / "file"), "");
  EXPECT_EQ(problem(folder / "file", 99), "has 100 bytes, and at most 99 are read");
  EXPECT_EQ(problem("/proc/self/status", 9), "has more than 9 bytes");  // which says that it has none
  EXPECT_EQ(problem("/proc/self/status", 1u << 20), "");
}

TEST_F(Reading, IsAnErrorWithTheCause) {
  try {
    read_text(folder / "nowhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_EQ(error.what(),
              "cannot read " + (folder / "nowhere").string() + ": it does not exist; is the path right?");
  }
}

// ---- text --------------------------------------------------------------------------------------------

TEST(Text, IsReadAsItWasSaved) {
  using namespace std::string_literals;
  EXPECT_EQ(as_text("a\nb"), "a\nb");
  EXPECT_EQ(as_text("a\r\nb\r\n\r\n"), "a\nb\n\n");
  EXPECT_EQ(as_text("a\rb\r"), "a\rb\r");  // no line end of Windows
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
            "a");  // half of a pair
  EXPECT_EQ(as_text("\xff\xfe"
                    "a"),
            "");  // half of a character
}

}  // namespace
}  // namespace cudalab
