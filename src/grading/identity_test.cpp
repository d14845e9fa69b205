// Tests rosters and platforms' file names, including invalid ones.
#include "grading/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"

namespace cudalab::grading {

namespace {

using testing::ElementsAre;

TEST(Csv, HasRowsAndCells) {
  EXPECT_THAT(csv_rows("a, b ,\"c, \"\"d\"\"\"\r\n\r\ne,,f"),
              ElementsAre(ElementsAre("a", "b", "c, \"d\""), ElementsAre("e", "", "f")));
  EXPECT_THAT(csv_rows("a;b\nc;d\n"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
  EXPECT_THAT(csv_rows("\"open"), ElementsAre(ElementsAre("open")));
  EXPECT_TRUE(csv_rows("").empty());
}

TEST(Roster, IsReadWithAndWithoutHeadings) {
  for (const char* head : {"", "id,name,student\n"}) {
    const auto roster =
        roster_from(std::string(head) + "17,Ada Lovelace,ada\n18,\"Hopper, Grace\",grace\n", "r.csv");
    ASSERT_EQ(roster.size(), 2u);
    EXPECT_EQ(roster[1].name, "Hopper, Grace");
    EXPECT_EQ(find_in(roster, "17"), &roster[0]);
    EXPECT_EQ(find_in(roster, "grace"), &roster[1]);
    EXPECT_EQ(find_in(roster, "Ada Lovelace"), &roster[0]);
    EXPECT_EQ(find_in(roster, "eve"), nullptr);
  }
}

TEST(Roster, ASharedNameIdentifiesNoStudent) {
  const auto roster = roster_from("1,Ann,ann1\n2,Ann,ann2\n", "r.csv");
  EXPECT_EQ(find_in(roster, "Ann"), nullptr);
  EXPECT_EQ(find_in(roster, "ann2"), &roster[1]);
}

TEST(Roster, NamesTheWrongRow) {
  EXPECT_THAT(refused([] { roster_from("1,Ann,ann\n2,Bob\n", "r.csv"); }),
              IsMessage("roster_needs_three_cells", {{"file", "r.csv"}, {"row", 2}}));
  EXPECT_THAT(refused([] { roster_from("1,Ann,ann\n1,Bob,bob\n", "r.csv"); }),
              IsMessage("roster_id_twice", {{"file", "r.csv"}, {"row", 2}}));
  EXPECT_THAT(refused([] { roster_from("id,name,student\n", "r.csv"); }),
              IsMessage("roster_empty", {{"file", "r.csv"}}));
}

TEST(PlatformName, OfMoodleNamesTheStudent) {
  const auto file = platform_name("Ada Lovelace_1234567_assignsubmission_file_padded-tile.cu");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->id, "1234567");
  EXPECT_EQ(file->name, "Ada Lovelace");
  EXPECT_EQ(file->original, "padded-tile.cu");
  EXPECT_EQ(platform_name("Ada Lovelace_1234567_assignsubmission_file")->original, "");
  EXPECT_EQ(platform_name("Ada Lovelace_1234567_assignsubmission_file_")->id, "1234567");
}

TEST(PlatformName, OfCanvasNamesTheStudentAndLateness) {
  const auto file = platform_name("lovelaceada_LATE_123_4567_padded-tile-2.cu");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->id, "123");
  EXPECT_EQ(file->original, "padded-tile.cu");
  EXPECT_TRUE(file->is_late);
  EXPECT_FALSE(platform_name("lovelaceada_123_4567_my_kernel.cu")->is_late);
  EXPECT_EQ(platform_name("lovelaceada_123_4567_my_kernel.cu")->original, "my_kernel.cu");
}

TEST(PlatformName, IsEmptyForOtherFiles) {
  for (const char* name : {"ada", "padded-tile.cu", "ada_1.cu", "my_kernel_2.cu", "", "a_b_c_d"})
    EXPECT_FALSE(platform_name(name)) << name;
}

TEST(Gradescope, UsesAStudentsExtension) {
  const auto metadata = gradescope_metadata(
      R"({"created_at": "2026-01-31T17:05:00Z", "assignment": {"due_date": "2026-01-01T00:00:00Z"},
          "users": [{"email": "ada@example.org", "assignment": {"due_date": "2026-02-08T00:00:00Z"}}]})");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->due_date, "2026-02-08T00:00:00Z");
}

TEST(Gradescope, NamesTheStudentAndTheTimes) {
  const auto metadata = gradescope_metadata(
      R"({"id": 1, "created_at": "2026-01-31T17:05:00.1-08:00", 
          "assignment": {"due_date": "2026-02-01T00:00:00Z"},
          "users": [{"email": "ada@example.org", "id": 7, "name": "Ada"}]})");
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->id, "ada@example.org");
  EXPECT_EQ(metadata->created_at, "2026-01-31T17:05:00.1-08:00");
  EXPECT_EQ(metadata->due_date, "2026-02-01T00:00:00Z");
  for (const char* none : {"", "{}", "[]", R"({"users": []})", R"({"users": 3})"})
    EXPECT_FALSE(gradescope_metadata(none)) << none;
}

}  // namespace
}  // namespace cudalab::grading
