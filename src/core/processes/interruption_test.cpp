// Temporary folders disappear when their owners end, and only then.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab {

namespace {
namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override { ::setenv("TMPDIR", home_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  // The folder's owner is killed while it holds the folder.
  void make_one_and_be_killed() const {
    const pid_t child = ::fork();
    if (child == 0) {
      const TemporaryFolder folder("cudalab-some-thing-");
      fs::create_directories(folder / "a/b");
      std::ofstream(folder / "a/b/c") << "x";
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
  }

  std::size_t left_by_the_next_one() const {
    { const TemporaryFolder next; }
    return names_in(home_).size();
  }

  TemporaryFolder home_;
};

TEST_F(TemporaryFolders, AreRemovedByTheNextProcessIfTheOwnerWasKilled) {
  make_one_and_be_killed();
  EXPECT_EQ(names_in(home_).size(), 1u);
  const TemporaryFolder next;
  EXPECT_EQ(names_in(home_), std::vector<std::string>{next.path().filename()});
}

TEST_F(TemporaryFolders, StayWhileTheOwnerLives) {
  const TemporaryFolder first, second;
  EXPECT_EQ(names_in(home_).size(), 2u);
}

// A process id may have been reused. A folder that another process has locked is in use.
TEST_F(TemporaryFolders, StayWhileAProcessHoldsTheirLock) {
  make_one_and_be_killed();
  const fs::path left = home_ / names_in(home_).front();
  const int held = ::open(left.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  EXPECT_EQ(left_by_the_next_one(), 1u);
  ::close(held);
  EXPECT_EQ(left_by_the_next_one(), 0u);
}

TEST_F(TemporaryFolders, OtherFoldersAreNotRemoved) {
  for (const char* name : {"cudalab-notes", "cudalab-1-2", "cudalab-999999999-1-abcdefg",
                           "other-999999999-1-abcdef", "cudalab-999999999-x-abcdef"})
    fs::create_directory(home_ / name);
  fs::create_directory_symlink("cudalab-notes", home_ / "cudalab-999999999-1-abcdef");
  const TemporaryFolder next;
  EXPECT_EQ(names_in(home_).size(), 7u);
}

TEST_F(TemporaryFolders, AreRemovedWithTheirContentButLinksAreNotFollowed) {
  std::ofstream(home_ / "outside") << "x";
  fs::create_directories(home_ / "folder/a/b");
  fs::create_symlink("../outside", home_ / "folder/link");
  fs::create_directory_symlink("..", home_ / "folder/a/parent");
  for (int i = 0; i < 500; ++i)
    std::ofstream(home_ / "folder/a" / ("a long name of a file " + std::to_string(i)));
  remove_whole((home_ / "folder").c_str());
  EXPECT_EQ(names_in(home_), std::vector<std::string>{"outside"});
}

// Child processes that get such a path may work in another folder.
TEST_F(TemporaryFolders, HaveAbsolutePathsEvenIfTmpdirIsRelative) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(home_.path());
  ::setenv("TMPDIR", ".", 1);
  {
    const TemporaryFolder folder;
    EXPECT_TRUE(folder.path().is_absolute()) << folder.path();
    EXPECT_EQ(names_in(home_).size(), 1u);
  }
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace cudalab
