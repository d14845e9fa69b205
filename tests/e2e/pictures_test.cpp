// Pictures as a user asks for them: --show on labs, run and check, and two results side by side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> transpose(std::vector<std::string> more) {
  std::vector<std::string> words{"transpose", "--device=virtual", "--rows=64", "--cols=64"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Show, DrawsWhyNaiveIsSlowAndWhyThePaddedTileHasNoConflicts) {
  const Outcome outcome = cudalab(transpose({"--stage=naive,tiled,padded", "--show=sectors,banks"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("naive, line 22: store in global memory"));
  EXPECT_THAT(outcome.out, HasSubstr("lanes 0-3    |0.......|1.......|2.......|3.......|"));
  EXPECT_THAT(outcome.out, HasSubstr("tiled, line 29: load in shared memory"));
  EXPECT_THAT(outcome.out, HasSubstr("pass 32  v ."));
  EXPECT_THAT(outcome.out, HasSubstr("padded, line 32: load in shared memory"));
  EXPECT_THAT(outcome.out, HasSubstr("pass 1  0 1 2 3 4 5 6 7 8 9 a b"));
}

TEST(Show, OfALineDrawsAllThatItDoes) {
  const Outcome outcome = cudalab(transpose({"--stage=naive", "--show=sectors=22"}));
  EXPECT_THAT(outcome.out, HasSubstr("naive, line 22: store in global memory"));
  EXPECT_THAT(outcome.out, HasSubstr("naive, line 22: load in global memory"));
}

TEST(Show, DrawsTheTimeAgainstTheSize) {
  const Outcome outcome = cudalab({"transpose", "--device=virtual", "--stage=naive,padded", "--sizes=16:128",
                                   "--rows=64", "--cols=64", "--show=time"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Predicted time against rows = cols, in us"));
  EXPECT_THAT(outcome.out, HasSubstr("rows = cols       16       32       64      128\nnaive"));
  EXPECT_THAT(outcome.out, HasSubstr("\npredicted time [us]\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  .  slopes of rows^2, for comparison"));
  const Outcome without = cudalab({"banks", "--device=virtual", "--show=time", "--stage=linear"});
  EXPECT_THAT(without.out, HasSubstr("only a lab with a size runs at several sizes"));
}

TEST(Show, DrawsWhoGivesToWhomByShuffles) {
  const Outcome outcome = cudalab({"dot", "--device=virtual", "--stage=shuffle", "--n=1024", "--show=lanes"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the source lane of each lane's value; block (0, 0, 0), warp 0"));
  EXPECT_THAT(outcome.out, HasSubstr("shuffle 5   123456789abcdefghijklmnopqrstuvv  31 of another"));
}

TEST(Show, SaysWhyThereIsNoSuchPicture) {
  EXPECT_THAT(cudalab(transpose({"--stage=naive", "--show=banks"})).out,
              HasSubstr("There is no picture `banks` here: no kernel uses shared memory."));
  EXPECT_THAT(cudalab(transpose({"--stage=naive", "--show=sectors=3"})).out,
              HasSubstr("in line 3, or no such"));
}

TEST(Show, RefusesWhatItDoesNotKnow) {
  const Outcome misspelt = cudalab(transpose({"--show=bank"})),
                of_line = cudalab(transpose({"--show=limits=3"}));
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("there is no picture `bank`; did you mean `banks`?"));
  EXPECT_EQ(of_line.code, 2);
  EXPECT_THAT(of_line.err, HasSubstr("limits does not show a single line"));
}

TEST(Check, ShowsThePictureOfAMissedCriterionUnasked) {
  const Outcome outcome =
      cudalab({"check", "--exercise=padded-tile", kTile / "wrong/unpadded_tile.cu", "--seed=1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("  pass 8  7 ."));
  EXPECT_THAT(outcome.out, HasSubstr("  The first 8 of 32 rows are shown."));
}

TEST(Check, DrawsWhatIsAskedForAndWritesAPage) {
  const Folder folder;
  const std::string page = (folder.path() / "check.html").string();
  const Outcome outcome =
      cudalab({"check", "--exercise=padded-tile", kTile / "solution.cu", "--show=banks", "--html=" + page});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pass 1  0 1 2 3"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("<html")));
  EXPECT_THAT(read_file(page), HasSubstr("<section id=\"check\""));
}

TEST(Compare, SaysWhatBecameBetterAndWhy) {
  const Folder folder;
  const std::string a = (folder.path() / "a.json").string(), b = (folder.path() / "b.json").string();
  cudalab(transpose({"--stage=naive", "--json=" + a}));
  cudalab(transpose({"--stage=padded", "--json=" + b}));
  const std::string page = (folder.path() / "both.html").string();
  const Outcome outcome = cudalab({"compare", a, b, "--html=" + page});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("naive -> padded"));
  EXPECT_THAT(outcome.out, HasSubstr("Largest change: sectors a global store, from 32 to 4."));
  EXPECT_THAT(read_file(page), HasSubstr("<section id=\"run-naive----padded\""));
  EXPECT_EQ(cudalab({"compare", a, kTile / "solution.cu"}).code, 2);
}

TEST(Grade, WritesPagesOfTheClassAndOfEachStudent) {
  const Folder folder;
  const std::string ada = (folder.path() / "ada.json").string(), pages = (folder.path() / "pages").string();
  cudalab({"transpose", "--device=virtual", "--student=ada", "--json=" + ada});
  const Outcome outcome = cudalab({"grade", ada, "--html=" + pages});
  EXPECT_THAT(read_file(pages + "/class.html"), HasSubstr("The class at a glance")) << outcome.err;
  EXPECT_THAT(read_file(pages + "/0001-ada.html"), HasSubstr("<h1>ada</h1>"));
}

}  // namespace
}  // namespace cudalab::e2e
