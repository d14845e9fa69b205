// An installed program works in any folder, and a build for this machine contains the loops that the program
// chooses here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

// scripts/run first builds only the level that the whole program would choose on this machine.
TEST(Build, OwnLevelIsTheOneThatTheProgramChoosesHere) {
  const Outcome doctor = cudalab({"doctor"});
  Folder folder;
  const Outcome configured =
      run_command({CUDALAB_CMAKE, "-S", CUDALAB_SOURCE_DIR, "-B", folder / "build", "-DCUDALAB_LEVELS=own",
                   "-DCUDALAB_BUILD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release"});
  ASSERT_EQ(configured.code, 0) << configured.err;
  const std::string rows = read_file(folder / "build/generated/include/vgpu/levels.inc");
  ASSERT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1) << rows;
  const std::size_t quote = rows.find('"') + 1;
  EXPECT_THAT(doctor.out, testing::HasSubstr(rows.substr(quote, rows.find('"', quote) - quote)));
}

TEST(Installation, FindsItsOwnLabsWhereverItLands) {
  Folder folder;
  fs::path first = folder / "first", moved = folder / "moved";
  Outcome installed =
      run_command({CUDALAB_CMAKE, "--install", CUDALAB_BINARY_DIR, "--prefix", first.string()});
  ASSERT_EQ(installed.code, 0) << installed.err;
  fs::rename(first, moved);
  std::vector<std::string> command{(moved / "bin" / "cudalab").string(),
                                   "transpose",
                                   "--device",
                                   "virtual",
                                   "--rows",
                                   "8",
                                   "--stage",
                                   "naive"};
  EXPECT_EQ(run_command(command).code, 0);
  write_file(moved / "share" / "cudalab" / "labs" / "transpose" / "1_naive.cu", "not a kernel");
  EXPECT_EQ(run_command(command).code, 1);  // finds its own kernel file, not that of the source tree
  EXPECT_FALSE(fs::exists(moved / "share" / "cudalab" / "labs" / "transpose" / "lab.cpp"));
}

}  // namespace
}  // namespace cudalab::e2e
