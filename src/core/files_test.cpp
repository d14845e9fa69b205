// What the file system says, and that nothing throws.
#include "core/files.h"

#include <gtest/gtest.h>

#include <fstream>

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

}  // namespace
}  // namespace cudalab
