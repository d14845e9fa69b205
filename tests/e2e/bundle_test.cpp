// `cudalab course bundle`: what it refuses, and where it puts each file. scripts/test-bundles runs the
// scripts as the platforms would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Bundle : public testing::Test {
 protected:
  Outcome bundle(std::vector<std::string> words) const {
    words.insert(words.begin(), {"course", "bundle"});
    return cudalab(words, {.folder = folder.path()});
  }
  Folder folder;
};

const fs::path kShippedKey = kSource / "expected" / "transpose.json";

// A file that students' machines cannot use is refused when the bundle is made.
TEST_F(Bundle, TakesNoKeyAndNoPackageThatIsNone) {
  fs::create_directory(folder / "empty");
  write_file(folder / "odd.json", "{}");
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"--for", "canvas", "--key", "empty"}, "--key empty: this folder contains no answer key"},
      {{"--for", "canvas", "--key", "odd.json"}, "odd.json"},
      {{"--for", "github", "--package", "odd.json"}, "--package odd.json: this is not a Debian package"}};
  for (const auto& [words, says] : mistakes) {
    const Outcome refused = bundle(words);
    EXPECT_EQ(refused.code, 2) << says;
    EXPECT_THAT(refused.err, HasSubstr(says));
  }
}

TEST_F(Bundle, SaysInOneLineWhatIsMissing) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{}, "--for gradescope|github|moodle|canvas"},
      {{"--for", "blackboard"}, "not `blackboard`"},
      {{"--for", "moodle", "--exercise", "padded-tiles"}, "did you mean `padded-tile`?"},
      {{"--for", "gradescope"}, "--package cudalab.deb"},
      {{"--for", "github", "--package", "nowhere.deb"}, "nowhere.deb"},
      {{"--for", "moodle", "--key", "nowhere"}, "nowhere"}};
  for (const auto& [words, says] : mistakes) {
    const Outcome refused = bundle(words);
    EXPECT_EQ(refused.code, 2) << says;
    EXPECT_THAT(refused.err, HasSubstr(says));
    EXPECT_EQ(refused.err.find('\n'), refused.err.size() - 1) << refused.err;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(Bundle, PutsTheExerciseAndTheKeysWhereTheScriptsLook) {
  fs::create_directory(folder / "keys");
  fs::copy_file(kShippedKey, folder / "keys" / "transpose.json");
  write_file(folder / "cudalab.deb", "!<arch>\npackage");
  const Outcome outcome = bundle({"--for", "github", "--exercise", "padded-tile", "--key", "keys",
                                  "--package", "cudalab.deb", "--output", "repository"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("repository"), HasSubstr("GitHub Classroom:")));
  const fs::path action = folder / "repository/.github/actions/cudalab";
  EXPECT_THAT(read_file(action / "grade.sh"),
              AllOf(HasSubstr("exercise='padded-tile'"), Not(HasSubstr("@EXERCISE@"))));
  EXPECT_EQ(read_file(action / "cudalab.deb"), "!<arch>\npackage");
  EXPECT_EQ(read_file(action / "keys/transpose.json"), read_file(kShippedKey));
  EXPECT_TRUE(fs::exists(folder / "repository/.github/workflows/cudalab.yml"));
}

TEST_F(Bundle, OfAWholeProgramSaysWhatElseThePlatformNeeds) {
  write_file(folder / "cudalab.deb", "!<arch>\npackage");
  const Outcome outcome = bundle({"--for", "github", "--exercise", "vector-add", "--package", "cudalab.deb"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nvcc and bubblewrap"));
}

TEST_F(Bundle, OfResultDocumentsRunsThemAgain) {
  ASSERT_EQ(bundle({"--for", "moodle"}).code, 0);
  EXPECT_THAT(read_file(folder / "cudalab-moodle/grade.sh"),
              AllOf(HasSubstr("exercise=''"), HasSubstr("--verify")));
}

}  // namespace
}  // namespace cudalab::e2e
