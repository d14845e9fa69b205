// Paths through the course: `start --path`, the order of exercises, and how mistakes affect the next step.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/course_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class Paths : public Course {
 protected:
  Json course() const { return Json::parse(in_course({"list", "--json"}).out); }
  std::vector<std::string> started() const {
    std::vector<std::string> names;
    const Json document = course();
    for (const Json& one : document["exercises"])
      if (one.contains("progress")) names.push_back(one["name"]);
    return names;
  }
};

TEST_F(Paths, StartCopiesThePathAndItsSyllabus) {
  const Outcome outcome = learner({"start", "--path", "first-course"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("start_syllabus"));
  EXPECT_THAT(read_file(file("SYLLABUS.md")),
              HasSubstr("syllabus_time(time=time_hours(hours=2, minutes=0))"));
  EXPECT_TRUE(fs::exists(file("transpose/padded-tile.cu")));
  EXPECT_FALSE(fs::exists(file("texture")));
  EXPECT_EQ(course()["path"], "first-course");
  EXPECT_EQ(course()["next"], "hello-thread");
  EXPECT_THAT(in_course({"progress"}).out, Says("path_week", {{"path", "first-course"}, {"week", 1}}));
  EXPECT_THAT(in_course({"progress"}).out,
              Says("exercises_passed", {{"passed", 0}, {"count", started().size()}}));
}

TEST_F(Paths, APageOfAnInstructorGivesTheOrder) {
  write_file(home / "mine.md", "# Mine\n\n## Day 1\n\n- `several-elements`, `first-transpose`\n");
  EXPECT_EQ(learner({"start", "--path", "mine.md"}).code, 0);
  EXPECT_EQ(started(), (std::vector<std::string>{"several-elements", "first-transpose"}));
  EXPECT_EQ(course()["next"], "several-elements");
  EXPECT_EQ(course()["exercises"][0]["name"], "several-elements");
  EXPECT_THAT(read_file(file("SYLLABUS.md")),
              HasSubstr("## Day 1\n\nsyllabus_time(time=time_minutes(minutes=35))"));
}

TEST_F(Paths, CanBeAddedLater) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), "mine");
  in_course({"start", "--path", "first-course"});
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), "mine");
  EXPECT_EQ(course()["path"], "first-course");
  write_file(file("SYLLABUS.md"), "my notes");
  in_course({"start", "--path", "first-course"});
  EXPECT_EQ(read_file(file("SYLLABUS.md")), "my notes");
  in_course({"start", "--path", "second-course"});
  EXPECT_THAT(read_file(file("SYLLABUS.md")), Not(HasSubstr("my notes")));
}

TEST_F(Paths, TellWhatIsWrongWithThem) {
  EXPECT_THAT(learner({"start", "--path", "third-course"}).err,
              Says("path_unknown", {{"path", "third-course"}}));
  write_file(home / "mine.md", "## Day 1\n\n- `paded-tile`\n");
  const Outcome outcome = learner({"start", "--path", "mine.md"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, Says("syllabus_name_unknown", {{"name", "paded-tile"}}));
  EXPECT_FALSE(fs::exists(file(".")));
}

// "14 h 45 min" of "Time: about 14 h 45 min."
int minutes_in(const std::string& line) {
  static const std::regex kTime("(?:(\\d+) h )?(\\d+) min");
  std::smatch match;
  if (!std::regex_search(line, match, kTime)) return 0;
  return (match[1].matched ? 60 * std::stoi(match[1]) : 0) + std::stoi(match[2]);
}

// docs/teaching.md: | [`first-course`](…) | students who … | 8 | 18 | 14 h 45 min |
TEST(PathsOfTheCourse, TakeWhatThePageForTeachersSays) {
  static const std::regex kRow("\\| \\[`([a-z-]+)`\\].*\\| (\\d+) \\| (\\d+) \\| ([^|]+) \\|");
  std::istringstream page(read_file(kSource / "docs" / "teaching.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, kRow)) continue;
    ++rows;
    const Folder home;
    cudalab({"start", "--path", match[1]}, {.folder = home.path()});
    std::istringstream syllabus(read_file(home / "cudalab-course" / "SYLLABUS.md"));
    int weeks = 0, minutes = 0;
    for (std::string part; std::getline(syllabus, part);) {
      weeks += part.starts_with("## ");
      if (part.starts_with("Time: ")) minutes += minutes_in(part);
    }
    EXPECT_EQ(std::to_string(weeks), match[2]) << line;
    EXPECT_EQ(json_of(home / "cudalab-course" / "cudalab.json")["exercises"].size(), std::stoul(match[3]))
        << line;
    EXPECT_EQ(minutes, minutes_in(match[4]))
        << line << ": " << minutes / 60 << " h " << minutes % 60 << " min";
  }
  EXPECT_EQ(rows, 3);
}

TEST_F(Paths, MistakesAreKeptAndCountForTheirConcept) {
  learner({"start", "transpose"});
  in_course({"check", "padded-tile"});
  EXPECT_FALSE(progress().contains("mistakes")) << "an unchanged starter shows none";
  write_file(file("transpose/padded-tile.cu"), "// mine\n" + read_file(kTile / "starter.cu"));
  in_course({"check", "padded-tile"});
  EXPECT_EQ(progress()["mistakes"], (Json{{"coalesced stores", 1}}));
  write_file(file("transpose/padded-tile.cu"), read_file(kTile / "wrong/missing_barrier.cu"));
  in_course({"check", "padded-tile"});
  EXPECT_EQ(progress()["mistakes"], (Json{{"coalesced stores", 1}, {"hazard: shared_race", 1}}));
  const Json document = course();
  for (const Json& one : document["concepts"])
    EXPECT_EQ(one["mistakes"], one["name"] == "coalescing" || one["name"] == "races" ? 1 : 0) << one;
  EXPECT_EQ(course()["next"], "padded-tile") << "it was checked last";
  EXPECT_THAT(in_course({"progress"}).out, Says("effort_mistakes", {{"count", 1}}));
  EXPECT_THAT(in_course({"progress"}).out, Says("concepts_to_come"));
  in_course({"check", "padded-tile"});
  EXPECT_THAT(in_course({"progress"}).out, Says("next_take_hint", {{"checks", 4}}));
}

}  // namespace
}  // namespace cudalab::e2e
