// Pictures from the command line: --show on labs, run and check, and the comparison of two results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
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

// Matches the picture of a request of one source line: "access_store()" to "memory_global()".
testing::Matcher<std::string> DrawsRequest(int line, const char* access, const char* memory) {
  return Says("picture_request", {{"line", line}, {"access", access}, {"memory", memory}});
}

TEST(Show, DrawsWhyNaiveIsSlowAndWhyThePaddedTileHasNoConflicts) {
  const Outcome outcome = by_ids(transpose({"--stage=naive,tiled,padded", "--show=sectors,banks"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nnaive, picture_request(access=picture_access_of_line(line=22, "));
  EXPECT_THAT(outcome.out, DrawsRequest(22, "access_store()", "memory_global()"));
  EXPECT_THAT(outcome.out,
              HasSubstr("label_lanes(first=0, last=3)    |0.......|1.......|2.......|3.......|"));
  EXPECT_THAT(outcome.out, HasSubstr("\ntiled, picture_request(access=picture_access_of_line(line=29, "));
  EXPECT_THAT(outcome.out, DrawsRequest(29, "access_load()", "memory_shared()"));
  EXPECT_THAT(outcome.out, HasSubstr("label_pass(pass=32)  v ."));
  EXPECT_THAT(outcome.out, HasSubstr("\npadded, picture_request(access=picture_access_of_line(line=32, "));
  EXPECT_THAT(outcome.out, DrawsRequest(32, "access_load()", "memory_shared()"));
  EXPECT_THAT(outcome.out, HasSubstr("label_pass(pass=1)  0 1 2 3 4 5 6 7 8 9 a b"));
}

TEST(Show, OfALineDrawsAllThatItDoes) {
  const Outcome outcome = by_ids(transpose({"--stage=naive", "--show=sectors=22"}));
  EXPECT_THAT(outcome.out, DrawsRequest(22, "access_store()", "memory_global()"));
  EXPECT_THAT(outcome.out, DrawsRequest(22, "access_load()", "memory_global()"));
}

TEST(Show, DrawsTheTimeAgainstTheSize) {
  const Outcome outcome = by_ids({"transpose", "--device=virtual", "--stage=naive,padded", "--sizes=16:128",
                                  "--rows=64", "--cols=64", "--show=time"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("title_predicted_time_by_size", {{"size", "rows = cols"}, {"unit", "us"}}));
  EXPECT_THAT(outcome.out, HasSubstr("rows = cols       16       32       64      128\nnaive"));
  EXPECT_THAT(outcome.out, HasSubstr("[us]"));
  EXPECT_THAT(outcome.out, HasSubstr("  .  legend_slopes(slopes=rows^2)"));
  const Outcome without = by_ids({"banks", "--device=virtual", "--show=time", "--stage=linear"});
  EXPECT_THAT(without.out, Says("no_picture", {{"reason", "no_picture_without_sizes()"}}));
}

TEST(Show, DrawsWhoGivesToWhomByShuffles) {
  const Outcome outcome = by_ids({"dot", "--device=virtual", "--stage=shuffle", "--n=1024", "--show=lanes"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("picture_shuffles", {{"block", "block (0, 0, 0)"}, {"warp", 0}}));
  EXPECT_THAT(outcome.out, HasSubstr("label_shuffle(number=5)   123456789abcdefghijklmnopqrstuvv  "
                                     "exchange_from_others(lanes=31)"));
}

TEST(Show, SaysWhyThereIsNoSuchPicture) {
  EXPECT_THAT(by_ids(transpose({"--stage=naive", "--show=banks"})).out,
              Says("no_picture", {{"picture", "`banks`"}, {"reason", "no_picture_without_shared_memory()"}}));
  EXPECT_THAT(by_ids(transpose({"--stage=naive", "--show=sectors=3"})).out,
              Says("no_picture_of_line", {{"line", 3}}));
}

TEST(Show, RefusesWhatItDoesNotKnow) {
  const Outcome misspelt = by_ids(transpose({"--show=bank"})),
                of_line = by_ids(transpose({"--show=limits=3"}));
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, Says("picture_unknown", {{"picture", "bank"}, {"suggestion", "banks"}}));
  EXPECT_EQ(of_line.code, 2);
  EXPECT_THAT(of_line.err, Says("picture_takes_no_line", {{"picture", "limits"}}));
}

TEST(Check, ShowsThePictureOfAMissedCriterionUnasked) {
  const Outcome outcome =
      by_ids({"check", "--exercise=padded-tile", kTile / "wrong/unpadded_tile.cu", "--seed=1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("  label_pass(pass=8)  7 ."));
  EXPECT_THAT(outcome.out, Says("picture_first_rows", {{"shown", 8}, {"rows", 32}}));
}

TEST(Check, DrawsWhatIsAskedForAndWritesAPage) {
  const Folder folder;
  const std::string page = (folder.path() / "check.html").string();
  const Outcome outcome =
      by_ids({"check", "--exercise=padded-tile", kTile / "solution.cu", "--show=banks", "--html=" + page});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("label_pass(pass=1)  0 1 2 3"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("<html")));
  EXPECT_THAT(read_file(page), HasSubstr("<section id=\"check\""));
}

TEST(Compare, SaysWhatBecameBetterAndWhy) {
  const Folder folder;
  const std::string a = (folder.path() / "a.json").string(), b = (folder.path() / "b.json").string();
  cudalab(transpose({"--stage=naive", "--json=" + a}));
  cudalab(transpose({"--stage=padded", "--json=" + b}));
  const std::string page = (folder.path() / "both.html").string();
  const Outcome outcome = by_ids({"compare", a, b, "--html=" + page});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("naive -> padded"));
  EXPECT_THAT(outcome.out, Says("compare_greatest_change",
                                {{"number", "number_global_store_sectors()"}, {"before", 32}, {"after", 4}}));
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
