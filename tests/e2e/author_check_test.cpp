// `author check`: accepts the whole course, and finds what is wrong with an exercise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "core/text.h"
#include "tests/e2e/course_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;

TEST(AuthorCheck, TheCourseIsWhole) {
  const Outcome outcome = cudalab({"author", "check"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

// A copy of the course, in which tests introduce mistakes.
class Author : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(kLabs, root / "labs", fs::copy_options::recursive);
    fs::copy(kLabs.parent_path() / "expected", root / "expected", fs::copy_options::recursive);
  }
  Outcome check(const std::string& what) const {
    return by_ids({"author", "check", what}, {.environment = {{"CUDALAB_LABS", (root / "labs").string()}}});
  }
  Folder root;
  fs::path tile = root / "labs" / "transpose" / "exercise" / "padded-tile";
};

TEST_F(Author, AWholeExerciseIsFine) {
  const Outcome outcome = check("padded-tile");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(", 0 problems\n"));
}

TEST_F(Author, FindsWhatIsWrongWithKernels) {
  fs::copy_file(tile / "solution.cu", tile / "starter.cu", fs::copy_options::overwrite_existing);
  fs::copy_file(tile / "wrong/naive.cu", tile / "solution.cu", fs::copy_options::overwrite_existing);
  fs::copy_file(tile / "wrong/naive.cu", tile / "wrong/missing_barrier.cu",
                fs::copy_options::overwrite_existing);
  const Outcome outcome = check("padded-tile");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("padded-tile/starter.cu: starter_passes()"));
  EXPECT_THAT(outcome.out, HasSubstr("padded-tile/solution.cu: solution_fails("));
  EXPECT_THAT(outcome.out, Says("solution_fails", {{"reason", "coalesced stores"}}));
  EXPECT_THAT(outcome.out,
              HasSubstr("padded-tile/wrong/missing_barrier.cu: wrong_kernel_rejected_otherwise("
                        "reason=hazard: shared_race, why=rejected_with_case(reason=coalesced stores, "));
  EXPECT_THAT(outcome.out, HasSubstr(", 3 problems\n"));
}

// The solution is right, but so slow that a correct kernel which is slower still would be stopped.
TEST_F(Author, FindsASolutionThatLeavesLittleRoom) {
  const std::string wait = "    for (volatile unsigned i = 0; i < 200; ++i) {}\n    __syncthreads();";
  write_file(tile / "solution.cu", replaced(read_file(tile / "solution.cu"), "    __syncthreads();", wait));
  EXPECT_THAT(check("padded-tile").out, Says("limit_steps_of_launches", {{"limit", 25'000'000}}));
}

// The ladder is reversed: predicted times at the defaults contradict it, and so do recorded ones.
TEST_F(Author, FindsTimesThatContradictTheLadder) {
  write_file(root / "labs" / "transpose" / "ladder.json",
             R"({"steps": [{"slower": "best", "faster": "naive", "factor": 1.5}],
                 "not_run": {"cudalab transpose --rows 7": "no such example"}})");
  const Outcome outcome = check("transpose");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("cudalab transpose: ladder_contradicted(slower=best, factor="));
  EXPECT_THAT(outcome.out,
              HasSubstr("expected/h200/transpose.json: ladder_contradicted(slower=best, factor="));
  EXPECT_THAT(outcome.out, Says("ladder_names_no_example", {{"command", "cudalab transpose --rows 7"}}));
}

TEST_F(Author, FindsWhatIsWrongWithThePlanAndThePaths) {
  const fs::path plan = root / "labs" / "course" / "course.json";
  const std::string text = read_file(plan);
  const auto said_of = [&](const std::string& from, const std::string& to) {
    write_file(plan, replaced(text, from, to));
    return check("course").out;
  };
  EXPECT_THAT(said_of("\"padded-tile\",", ""), Says("plan_lacks", {{"name", "padded-tile"}}));
  EXPECT_THAT(said_of("\"padded-tile\",", "\"padded-tile\", \"padded-tile\","),
              Says("plan_name_twice", {{"name", "padded-tile"}}));
  EXPECT_THAT(said_of("\"padded-tile\",", "\"padded-tile\", \"none\","),
              Says("plan_name_unknown", {{"name", "none"}}));
  EXPECT_THAT(said_of("\"name\": \"scans\"", "\"name\": \"sums\""),
              Says("plan_concept_unused", {{"topic", "sums"}}));
  EXPECT_THAT(said_of("\"a tree\"", "\"a bush\""), Says("plan_reason_unknown", {{"reason", "a bush"}}));
  write_file(plan, text);
  const fs::path path = root / "labs" / "course" / "first-course.md";
  write_file(path, replaced(read_file(path), "`vector-add`", "`vector-ad`"));
  EXPECT_THAT(check("course").out, Says("syllabus_name_unknown", {{"name", "vector-ad"}}));
}

TEST_F(Author, FindsWhatIsMissingAndWhatIsStray) {
  write_file(tile / "wrong/new.cu", "");
  fs::remove(root / "labs/transpose/README.md");
  fs::copy(tile, root / "labs/dot/exercise/padded-tile", fs::copy_options::recursive);
  const Outcome outcome = check("transpose");
  EXPECT_THAT(outcome.out, Says("file_belongs_to_nothing", {{"file", "padded-tile/wrong/new.cu"}}));
  EXPECT_THAT(outcome.out, HasSubstr("labs/transpose: handout_missing()"));
  EXPECT_THAT(outcome.out, HasSubstr("padded-tile: exercise_name_taken()"));
}

}  // namespace
}  // namespace cudalab::e2e
