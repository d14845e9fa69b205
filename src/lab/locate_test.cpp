// Tests which folder is chosen as the labs' folder, and in which order labs are registered.
#include "lab/locate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"
#include "lab/lab.h"

namespace cudalab::lab {

namespace {

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Lab& lab : labs()) names.push_back(lab.name);
  return names;
}

TEST(Registry, LabsAreInTheGivenOrderThenByName) {
  Lab b, c, z;
  b.name = "b", c.name = "c", z.name = "z";
  z.alias = "zed";
  RegisterLab first(z), second(b), third(c);
  EXPECT_THAT(names(), testing::ElementsAre("b", "c", "z"));
  arrange_labs(std::vector<std::string>{"z", "unknown", "c"});
  EXPECT_THAT(names(), testing::ElementsAre("z", "c", "b"));
}

TEST(Registry, FindsLabsByNameAndAlias) {
  Lab other;
  other.name = "registered";
  other.alias = "alias";
  RegisterLab registration(other);
  EXPECT_EQ(find_lab("alias"), find_lab("registered"));
  ASSERT_NE(find_lab("alias"), nullptr);
  EXPECT_EQ(find_lab("alias")->name, "registered");
  EXPECT_EQ(find_lab("q"), nullptr);
  EXPECT_EQ(find_lab(""), nullptr);
}

}  // namespace

namespace fs = std::filesystem;
namespace {

class Locate : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root / "source" / "labs");
    fs::create_directories(root / "bin");
  }
  TemporaryFolder folder;
  const fs::path& root = folder.path();
};

TEST_F(Locate, TheEnvironmentGoesFirst) {
  fs::create_directories(root / "mine");
  EXPECT_EQ(find_labs(root / "mine", root / "bin" / "cudalab", root / "source"), root / "mine");
}

TEST_F(Locate, AWrongEnvironmentIsNotPassedOver) {
  EXPECT_THROW(find_labs(root / "absent", root / "bin" / "cudalab", root / "source"), Error);
}

TEST_F(Locate, AnInstalledProgramFindsItsOwn) {
  fs::create_directories(root / "share" / "cudalab" / "labs");
  EXPECT_EQ(find_labs("", root / "bin" / "cudalab", root / "source"), root / "share" / "cudalab" / "labs");
}

TEST_F(Locate, ABuildFindsItsSources) {
  EXPECT_EQ(find_labs("", root / "bin" / "cudalab", root / "source"), root / "source" / "labs");
}

TEST_F(Locate, NothingFoundIsUnavailable) {
  EXPECT_THAT(
      refused([&] { find_labs("", root / "bin" / "cudalab", root / "elsewhere"); }, ExitCode::kUnavailable),
      IsMessage("error_labs_not_found"));
}

TEST(SourcePath, IsAsTheUserNamedTheirOwnAndBesideTheLabsOfALabs) {
  EXPECT_EQ(source_path("../mine.cu", "../mine.cu"), fs::path("../mine.cu"));
  EXPECT_EQ(source_path("labs/dot/1_naive.cu", "../mine.cu"), labs_directory() / "dot" / "1_naive.cu");
}

}  // namespace
}  // namespace cudalab::lab
