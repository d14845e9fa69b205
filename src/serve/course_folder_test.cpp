// Tests which files of a course folder can be reached.
#include "serve/course_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::serve {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(CourseFolder, ReadsAndWritesSources) {
  const cudalab::TemporaryFolder place;
  const fs::path root = place.path();
  const CourseFolder folder(root);
  put(root / "lab/a.cu", "old");
  ::chmod((root / "lab/a.cu").c_str(), 0640);
  EXPECT_EQ(folder.read("lab/a.cu").text, "old");
  EXPECT_TRUE(folder.write("lab/a.cu", "new").empty());
  EXPECT_EQ(folder.read("lab/a.cu").text, "new");
  EXPECT_TRUE(folder.write("b.cuh", "x").empty());
  struct stat facts {};
  ::stat((root / "lab/a.cu").c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 0777u, 0640u);
  EXPECT_THAT(folder.sources(), testing::ElementsAre("b.cuh", "lab/a.cu"));
}

TEST(CourseFolder, RefusesNamesOfOtherFiles) {
  for (const char* name : {"", "/a.cu", "../a.cu", "a/../b.cu", "a//b.cu", ".a.cu", ".git/a.cu", "a.txt",
                           "cudalab.json", "a.cu/", "a\\b.cu", "./a.cu"})
    EXPECT_FALSE(CourseFolder::is_source_name(name)) << name;
  EXPECT_TRUE(CourseFolder::is_source_name("a b/c.cu"));
}

TEST(CourseFolder, FollowsNoLink) {
  const cudalab::TemporaryFolder place;
  const fs::path root = place.path() / "course", outside = place.path() / "outside";
  put(outside / "secret.cu", "secret");
  fs::create_directories(root);
  fs::create_symlink(outside / "secret.cu", root / "link.cu");
  fs::create_symlink(outside, root / "linked");
  const CourseFolder folder(root);
  for (const char* name : {"link.cu", "linked/secret.cu"}) {
    EXPECT_EQ(folder.read(name).text, "") << name;
    EXPECT_THAT(folder.read(name).problem, IsMessage("serve_file_behind_link", {{"path", name}}));
    EXPECT_FALSE(folder.write(name, "x").empty()) << name;
  }
  EXPECT_EQ(read_bytes(outside / "secret.cu"), "secret");
  EXPECT_THAT(folder.sources(), testing::IsEmpty());
}

TEST(CourseFolder, ReadsOnlyRegularFilesOfALimitedSize) {
  const cudalab::TemporaryFolder place;
  const CourseFolder folder(place.path());
  ASSERT_EQ(::mkfifo((place.path() / "pipe.cu").c_str(), 0600), 0);
  fs::create_directories(place.path() / "folder.cu");
  put(place.path() / "large.cu", std::string(kMostSource + 1, 'x'));
  for (const char* name : {"pipe.cu", "folder.cu", "large.cu", "none.cu"})
    EXPECT_FALSE(folder.read(name).problem.empty()) << name;
  for (const char* name : {"pipe.cu", "folder.cu"}) EXPECT_FALSE(folder.write(name, "x").empty()) << name;
  EXPECT_FALSE(folder.write("new.cu", std::string(kMostSource + 1, 'x')).empty());
}

TEST(CourseFolder, HasAStateThatChangesWithItsFiles) {
  const cudalab::TemporaryFolder place;
  const CourseFolder folder(place.path());
  put(place.path() / "lab/a.cu", "1");
  const std::string before = folder.state();
  EXPECT_EQ(folder.state(), before);
  put(place.path() / "lab/a.cu", "12");
  const std::string after = folder.state();
  EXPECT_NE(after, before);
  put(place.path() / "cudalab.json", "{}");
  EXPECT_NE(folder.state(), after);
}

}  // namespace
}  // namespace cudalab::serve
