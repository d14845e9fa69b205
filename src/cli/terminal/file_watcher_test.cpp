// Tests which events count as a save (writing, replacing, growing) and which do not.
#include "cli/terminal/file_watcher.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder_testing.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

class Watching : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { write("kernel.cu", "one"); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

  TemporaryFolder folder;
};

TEST_P(Watching, NoticesEverySaveOnce) {
  FileWatcher watcher(folder / "kernel.cu", GetParam());
  EXPECT_FALSE(watcher.changed());
  write("kernel.cu", "another");
  EXPECT_TRUE(watcher.changed());
  EXPECT_FALSE(watcher.changed());
}

TEST_P(Watching, NoticesAFileThatIsPutInItsPlace) {
  FileWatcher watcher(folder / "kernel.cu", GetParam());
  write("kernel.cu.new", "two");
  fs::rename(folder / "kernel.cu.new", folder / "kernel.cu");
  EXPECT_TRUE(watcher.changed());
}

TEST_P(Watching, WaitsForAFileThatIsGone) {
  FileWatcher watcher(folder / "kernel.cu", GetParam());
  fs::remove(folder / "kernel.cu");
  EXPECT_FALSE(watcher.changed());
  write("kernel.cu", "back");
  EXPECT_TRUE(watcher.changed());
}

TEST_P(Watching, LeavesOtherFilesAlone) {
  FileWatcher watcher(folder / "kernel.cu", GetParam());
  write("other.cu", "two");
  EXPECT_FALSE(watcher.changed());
}

INSTANTIATE_TEST_SUITE_P(ByInotifyAndByLooking, Watching, testing::Bool());

}  // namespace
}  // namespace cudalab::cli
