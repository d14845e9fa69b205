// Tests reading a syllabus: weeks, labs, exercises, times, and errors.
#include "course/learner/syllabus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPage =
    "# Two weeks\n\nFor `anybody`: `cudalab list`.\n\n"
    "## Week 1: Begin\n\n- Labs: `double`\n- Exercises: `first`,\n  `second`\n- Look at `cudaMemcpy`\n\n"
    "## Week 2: Talk\n\nNo exercises, and `no-name` is in no list.\n\n"
    "## Week 3: Go on\n\n- Exercises: `third`\n";

class SyllabusPage : public testing::Test {
 protected:
  SyllabusPage() {
    int minutes = 10;
    for (const char* name : {"first", "second", "third"}) {
      Exercise& exercise = course.emplace_back();
      exercise.name = name;
      exercise.minutes = minutes += 20;
    }
  }
  Syllabus read(const std::string& text) const {
    return syllabus_from("two", text, course, labs, Message::verbatim("here"));
  }
  Message refusal(const std::string& text) const {
    return refused([&] { read(text); });
  }

  std::vector<Exercise> course;
  std::vector<lab::Lab> labs{doubling_lab()};
  CoursePlan plan{.labs = {{"double", 60}}, .exercises = {}, .concepts = {}};
};

TEST_F(SyllabusPage, HasWeeksWithLabsAndExercises) {
  const Syllabus syllabus = read(kPage);
  ASSERT_EQ(syllabus.weeks.size(), 3u);
  EXPECT_EQ(syllabus.weeks[0].title, "Week 1: Begin");
  EXPECT_THAT(syllabus.weeks[0].labs, ElementsAre("double"));
  EXPECT_THAT(syllabus.weeks[0].exercises, ElementsAre("first", "second"));
  EXPECT_TRUE(syllabus.weeks[1].exercises.empty());
  const CoursePath path = path_of(syllabus);
  EXPECT_EQ(path.name, "two");
  ASSERT_EQ(path.weeks.size(), 2u) << "a week without exercises is no part of the path";
  EXPECT_THAT(exercises_of(path), ElementsAre("first", "second", "third"));
}

TEST_F(SyllabusPage, ShowsTheTimeOfEachWeek) {
  const Syllabus syllabus = read(kPage);
  EXPECT_EQ(minutes_of(syllabus.weeks[0], course, plan), 60 + 30 + 50);
  const std::string text = syllabus_text(syllabus, course, plan, Wording::of_ids());
  EXPECT_THAT(text, HasSubstr("## Week 1: Begin\n\nsyllabus_time(time=time_hours(hours=2, minutes=20))\n"));
  EXPECT_THAT(text, HasSubstr("## Week 2: Talk\n\nNo exercises"));
  EXPECT_THAT(text, HasSubstr("## Week 3: Go on\n\nsyllabus_time(time=time_hours(hours=1, minutes=10))\n"));
}

TEST_F(SyllabusPage, NamesItsMistakes) {
  EXPECT_THAT(refusal("## A\n\n- Exercises: `frist`\n"),
              MentionsMessage("syllabus_name_unknown", {{"name", "frist"}}));
  EXPECT_THAT(refusal("## A\n\n- `first`\n\n## B\n\n- `first`\n"),
              MentionsMessage("syllabus_exercise_twice", {{"name", "first"}}));
  EXPECT_THAT(refusal("# A\n\n- `first`\n"), MentionsMessage("syllabus_without_exercises"));
  EXPECT_THAT(refusal(""), MentionsMessage("syllabus_without_exercises"));
}

TEST_F(SyllabusPage, IsReadBackWithTheProgress) {
  TemporaryFolder folder;
  Workspace workspace{folder.path()};
  write_text(workspace.progress_file(), progress_text(workspace));
  EXPECT_EQ(load_workspace(folder.path()).path, std::nullopt);
  workspace.path = path_of(read(kPage));
  write_text(workspace.progress_file(), progress_text(workspace));
  EXPECT_EQ(load_workspace(folder.path()).path, workspace.path);
}

}  // namespace
}  // namespace cudalab::course
