// Tests that zip archives can be read by another program.
#include "core/zip_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab {
namespace {

// Python's zipfile is an independent reader that verifies every checksum.
TEST(ZipFile, CanBeReadByAnIndependentReader) {
  if (std::system("python3 -c 'import zipfile' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  TemporaryFolder folder;
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const ZipMember members[] = {
      {"run_autograder", "#!/bin/sh\nexit 0\n", true}, {"keys/dot.json", all}, {"empty", ""}};
  std::ofstream(folder / "a.zip", std::ios::binary) << zip_of(members);
  std::ofstream(folder / "check.py")
      << "import sys, zipfile\n"
         "z = zipfile.ZipFile(sys.argv[1])\n"
         "assert z.testzip() is None\n"
         "assert z.namelist() == ['run_autograder', 'keys/dot.json', 'empty']\n"
         "assert z.read('keys/dot.json') == bytes(range(256))\n"
         "assert z.infolist()[0].external_attr >> 16 == 0o100755\n"
         "assert z.infolist()[1].external_attr >> 16 == 0o100644\n";
  const std::string command = "python3 " + (folder / "check.py").string() + " " + (folder / "a.zip").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(ZipFile, DependsOnlyOnItsMembers) {
  const ZipMember members[] = {{"a", "text"}};
  EXPECT_EQ(zip_of(members), zip_of(members));
}

}  // namespace
}  // namespace cudalab
