// The course as a learner uses it: start, check, hints, progress, reset and solution.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/course_testing.h"

namespace cudalab::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(Course, StartPutsTheExercisesAndHandoutsThere) {
  const Outcome started = learner({"start", "all"});
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(started.out, Says("start_go_there", {{"folder", "cudalab-course"}}));
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), read_file(kTile / "starter.cu"));
  EXPECT_THAT(
      read_file(file("transpose/README.md")),
      AllOf(StartsWith("# Transpose\n"), HasSubstr("\n### padded-tile: Transpose through a padded tile\n")));
  EXPECT_EQ(read_file(file("transpose/2_tiled.cu")), read_file(kLabs / "transpose/2_tiled.cu"));
  for (const auto& entry : fs::recursive_directory_iterator(file("."))) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(entry.is_directory() || name.ends_with(".cu") || name == "README.md" ||
                name == "cudalab.json")
        << name;
  }
}

TEST_F(Course, StartKeepsWhatTheLearnerHasWritten) {
  learner({"start", "transpose"});
  write_file(file("transpose/padded-tile.cu"), "mine");
  EXPECT_THAT(in_course({"start", "padded-tile", "dot"}).out, Says("start_exercises_kept", {{"count", 1}}));
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), "mine");
  EXPECT_TRUE(fs::exists(file("dot/shared-dot.cu")));
  EXPECT_FALSE(fs::exists(file("cudalab-course")));
}

TEST_F(Course, AStarterFailsWithASentenceAndItsLine) {
  learner({"start", "padded-tile"});
  const Outcome checked = in_course({"check"});
  EXPECT_EQ(checked.code, 1) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("  ok    check_right_results()\n"));
  EXPECT_THAT(checked.out, Says("part_with_case", {{"part", "  NO    coalesced stores"}}));
  EXPECT_THAT(unwrapped(checked.out), HasSubstr("are allowed: let adjacent threads write"));
  EXPECT_THAT(checked.out,
              HasSubstr("| "
                        "        out[size_t(column) * rows + row] = in[size_t(row) * columns + column];"));
  EXPECT_THAT(checked.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(progress()["checks"], 1);
  EXPECT_EQ(progress()["passed"], "");
}

TEST_F(Course, TheCommandThatACheckProposesRuns) {
  learner({"start", "padded-tile"});
  const std::string screen = in_course({"check"}).out;
  const std::size_t at = screen.find("cudalab transpose");
  ASSERT_NE(at, std::string::npos);
  std::istringstream line(screen.substr(at, screen.find('\n', at) - at));
  std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
  words.erase(words.begin());
  const Outcome ran = in_course(words);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nyours "));
}

TEST_F(Course, ASolutionPassesAndIsNoted) {
  learner({"start", "transpose"});
  solve();
  const Outcome checked = in_course({"check", "padded-tile"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, Says("verdict_passed"));
  EXPECT_NE(progress()["passed"], "");
  EXPECT_THAT(in_course({"progress"}).out, HasSubstr("[x] padded-tile"));
  EXPECT_THAT(in_course({"list"}).out, HasSubstr("[x] padded-tile"));
  const Outcome shown = in_course({"solution", "padded-tile"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.out, read_file(kTile / "solution.cu"));
}

TEST_F(Course, EveryCheckHasOtherNumbersUnlessAsked) {
  learner({"start", "padded-tile"});
  solve();
  const auto seed_of = [](const std::string& screen) {
    const std::size_t at = screen.find("(seed=");
    return screen.substr(at, screen.find(')', at) - at);
  };
  const std::string one = seed_of(in_course({"check", "padded-tile"}).out),
                    two = seed_of(in_course({"check", "padded-tile"}).out),
                    three = seed_of(in_course({"check", "padded-tile"}).out);
  EXPECT_TRUE(one != two || two != three) << one;
  EXPECT_EQ(seed_of(in_course({"check", "padded-tile", "--seed", "7"}).out), "(seed=7");
}

TEST_F(Course, AFileIsCheckedAnywhereByItsName) {
  fs::copy_file(kTile / "solution.cu", home / "padded-tile.cu");
  EXPECT_EQ(learner({"check", "padded-tile.cu"}).code, 0);
  fs::copy_file(kTile / "starter.cu", home / "mine.cu");
  EXPECT_EQ(learner({"check", "mine.cu"}).code, 2);
  EXPECT_EQ(learner({"check", "mine.cu", "--exercise", "padded-tile"}).code, 1);
  EXPECT_EQ(names_in(home), (std::vector<std::string>{"mine.cu", "padded-tile.cu"}));
}

TEST_F(Course, WhatDoesNotCompileShowsTheLine) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"),
             "// one\nextern \"C\" __global__ void transpose(int* out)\n{\n    out[0] = ;\n}\n");
  const Outcome checked = in_course({"check"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr("  NO    check_compiles()\n"));
  EXPECT_THAT(checked.out, HasSubstr("transpose/padded-tile.cu:4\n"));
  EXPECT_THAT(checked.out, HasSubstr(">    4 |     out[0] = ;\n"));
}

TEST_F(Course, HintsComeOneAtATime) {
  learner({"start", "padded-tile"});
  for (const int level : {1, 2, 3}) {
    const std::string screen = in_course({"hint"}).out;
    EXPECT_THAT(screen.substr(screen.rfind("hint_shown(")),
                Says("hint_shown", {{"number", level}, {"count", 3}}));
  }
  const Outcome last = in_course({"hint"});  // the starter only misses a criterion
  EXPECT_THAT(last.out, Says("hint_criterion", {{"exercise", "padded-tile"}}));
  EXPECT_THAT(last.out, Says("hint_was_last", {{"exercise", "padded-tile"}}));
  EXPECT_EQ(progress()["hints"], 3);
}

TEST_F(Course, TheLastHintsAreTheLineOfAMistakeAndItsEdit) {
  learner({"start", "padded-tile"});
  const fs::path kernel = file("transpose/padded-tile.cu");
  write_file(kernel, read_file(kTile / "wrong/off_by_one.cu"));
  for (int i = 0; i < 2; ++i) in_course({"hint"});
  EXPECT_THAT(in_course({"hint"}).out, Says("hint_more_line"));
  for (const int turn : {1, 2}) {
    const std::string line = in_course({"hint"}).out;
    EXPECT_THAT(line, HasSubstr("repair_found(line=17,")) << turn;
    EXPECT_THAT(line, Says("hint_more_edit"));
    EXPECT_THAT(line, Not(HasSubstr("row + 1 <= columns")));
    const std::string edit = in_course({"hint"}).out;
    EXPECT_THAT(edit,
                HasSubstr("repair_write(line=17, after=`row + 1 <= columns`, before=`row + 1 < columns`)"))
        << turn;
    EXPECT_THAT(edit, Says("hint_was_last", {{"exercise", "padded-tile"}}));
    write_file(kernel, read_file(kernel) + "// another text, for which the line was not shown\n");
  }
  EXPECT_EQ(progress()["hints"], 3);
}

TEST_F(Course, TheLastHintPointsToTheCheckWhereThatSaysMore) {
  learner({"start", "padded-tile"});
  for (int i = 0; i < 3; ++i) in_course({"hint"});
  for (const auto& [from, message] : {std::pair{"wrong/does_not_compile.cu", "hint_does_not_compile"},
                                      {"wrong/missing_barrier.cu", "hint_hazard"},
                                      {"wrong/writes_nothing.cu", "hint_no_edit"}}) {
    write_file(file("transpose/padded-tile.cu"), read_file(kTile / from));
    EXPECT_THAT(in_course({"hint"}).out, Says(message, {{"exercise", "padded-tile"}}));
  }
  solve();
  EXPECT_THAT(in_course({"hint"}).out, Says("hint_passes"));
}

TEST_F(Course, ASolutionBeforePassingIsRefusedOrNoted) {
  learner({"start", "padded-tile"});
  const Outcome refused = in_course({"solution"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, Says("solution_not_passed", {{"exercise", "padded-tile"}}));
  EXPECT_EQ(progress()["gave_up"], "");
  EXPECT_EQ(in_course({"solution", "--give-up"}).out, read_file(kTile / "solution.cu"));
  EXPECT_NE(progress()["gave_up"], "");
  EXPECT_THAT(in_course({"progress"}).out, HasSubstr("[s] padded-tile"));
}

TEST_F(Course, ResetKeepsTheOldFile) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), "mine");
  EXPECT_EQ(in_course({"reset", "padded-tile"}).code, 0);
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), read_file(kTile / "starter.cu"));
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu.old")), "mine");
}

TEST_F(Course, ResetKeepsThePass) {
  learner({"start", "padded-tile"});
  fs::copy_file(kTile / "solution.cu", file("transpose/padded-tile.cu"),
                fs::copy_options::overwrite_existing);
  ASSERT_EQ(in_course({"check"}).code, 0);
  EXPECT_EQ(in_course({"reset", "padded-tile"}).code, 0);
  EXPECT_THAT(in_course({"progress"}).out, HasSubstr("[x] padded-tile"));
}

TEST_F(Course, ResetNeverOverwritesWhatTheLearnerHasWritten) {
  learner({"start", "padded-tile"});
  for (const char* text : {"first", "second", "third"}) {
    write_file(file("transpose/padded-tile.cu"), text);
    EXPECT_EQ(in_course({"reset", "padded-tile"}).code, 0);
  }
  EXPECT_THAT(in_course({"reset", "padded-tile"}).out,
              AllOf(Says("exercise_reset"), Not(Says("exercise_reset_backup"))));
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu")), read_file(kTile / "starter.cu"));
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu.old")), "first");
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu.old.2")), "second");
  EXPECT_EQ(read_file(file("transpose/padded-tile.cu.old.3")), "third");
  EXPECT_FALSE(fs::exists(file("transpose/padded-tile.cu.old.4")));
}

TEST_F(Course, ResetKeepsTheFileWhereItCannotKeepACopy) {
  learner({"start", "padded-tile"});
  fs::remove(file("transpose/padded-tile.cu"));
  fs::create_directory(file("transpose/padded-tile.cu"));
  const Outcome refused = in_course({"reset", "padded-tile"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, Says("file_is_folder"));
}

TEST_F(Course, AFileOfWindowsIsReadAsWhatItIs) {
  learner({"start", "padded-tile"});
  const auto of_windows = [](const std::string& text) {
    std::string saved = "\xef\xbb\xbf";
    for (const char c : text) saved += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return saved;
  };
  write_file(file("transpose/padded-tile.cu"), of_windows(read_file(kTile / "solution.cu")));
  EXPECT_EQ(in_course({"check", "padded-tile"}).code, 0);
  write_file(file("transpose/padded-tile.cu"), of_windows(read_file(kTile / "starter.cu")));
  const Outcome checked = in_course({"check", "padded-tile"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr("| "
                                     "        out[size_t(column) * rows + row] = in[size_t(row) * columns + "
                                     "column];\n"));
  EXPECT_EQ(std::count(checked.out.begin(), checked.out.end(), '\r'), 0);
  for (const char* document : {"cudalab.json"})
    write_file(file(document), of_windows(read_file(file(document))));
  EXPECT_EQ(in_course({"progress"}).code, 0);
}

TEST_F(Course, TheFolderThatIsTakenIsSaid) {
  learner({"start", "padded-tile"});
  const std::string folder = fs::canonical(file(".")).string();
  EXPECT_EQ(in_course({"progress"}).err, "");
  EXPECT_EQ(by_ids({"progress"}, {.folder = file("transpose")}).err,
            "(workspace_found(folder=" + folder + "))\n");
}

TEST_F(Course, AnEndlessLoopIsStopped) {
  learner({"start", "padded-tile"});
  write_file(file("transpose/padded-tile.cu"), kEndless);
  const Outcome checked = in_course({"check"});
  EXPECT_EQ(checked.code, 1) << checked.err;
  EXPECT_THAT(checked.out, Says("hazard_of_kernel", {{"kernel", "`transpose`"}, {"limit", 200'000'000}}));
  EXPECT_THAT(checked.out, HasSubstr(">    3 |   while (!stop) printf"));
  EXPECT_THAT(in_course({"check", "--timeout", "1"}).out, Says("limit_processor_time", {{"seconds", 1}}));
}

TEST_F(Course, MistakesAreOneLineWithTheNextStep) {
  const auto refusal = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  for (const char* verb : {"check", "hint", "progress", "solution", "watch"})
    EXPECT_THAT(refusal(learner({verb})), Says("workspace_missing")) << verb;
  EXPECT_THAT(refusal(learner({"start"})), Says("start_target_missing"));
  EXPECT_THAT(refusal(learner({"start", "paded-tile"})),
              Says("learner_exercise_unknown", {{"word", "paded-tile"}, {"suggestion", "padded-tile"}}));
  learner({"start", "transpose"});
  EXPECT_THAT(refusal(in_course({"check", "shared-dot"})),
              Says("exercise_not_started", {{"exercise", "shared-dot"}}));
  EXPECT_THAT(refusal(in_course({"watch"})), Says("watch_needs_terminal"));
  fs::remove(file("transpose/padded-tile.cu"));
  EXPECT_THAT(refusal(in_course({"check", "padded-tile"})),
              Says("exercise_file_missing", {{"exercise", "padded-tile"}}));
  write_file(file("cudalab.json"), "{");
  EXPECT_THAT(refusal(in_course({"progress"})), Says("workspace_damaged"));
}

TEST_F(Course, AWholeProgramIsBuiltRunAndJudged) {
  if (!compile::find_nvcc() || !fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13"))
    GTEST_SKIP() << "nvcc is not installed, or the runtime was not built";
  const fs::path exercise = kLabs / "program" / "exercise" / "vector-add";
  learner({"start", "vector-add"});
  const auto checked_with = [&](const fs::path& source) {
    fs::copy_file(source, file("program/vector-add.cu"), fs::copy_options::overwrite_existing);
    return in_course({"check", "vector-add"});
  };
  const Outcome backwards = checked_with(exercise / "wrong" / "wrong_direction.cu");
  EXPECT_EQ(backwards.code, 1) << backwards.err;
  EXPECT_THAT(backwards.out,
              Says("part_with_case", {{"part", "  NO    check_no_mistakes()"}, {"case", "n 1"}}));
  EXPECT_THAT(backwards.out, Says("copy_to_wrong_place", {{"direction", "cudaMemcpyHostToDevice"}}));
  EXPECT_THAT(backwards.out, HasSubstr("| ")) << "the line of the call";
  const Outcome leaks = checked_with(exercise / "wrong" / "leak.cu");
  EXPECT_THAT(leaks.out, Says("part_with_case", {{"part", "  NO    frees everything"}, {"case", "n 20000"}}));
  const Outcome broken = checked_with(exercise / "wrong" / "does_not_compile.cu");
  EXPECT_THAT(broken.out, HasSubstr("  NO    check_compiles()\n"));
  const Outcome solved = checked_with(exercise / "solution.cu");
  EXPECT_EQ(solved.code, 0) << solved.out;
  EXPECT_THAT(solved.out, Says("verdict_passed"));
}

TEST_F(Course, CanBeTakenToTheEnd) {
  learner({"start", "all"});
  const Json exercises = Json::parse(read_file(file("cudalab.json")))["exercises"];
  EXPECT_GE(exercises.size(), 14u);
  for (const auto& [name, progress] : exercises.items()) {
    const std::string lab = progress["lab"];
    fs::copy_file(kLabs / lab / "exercise" / name / "solution.cu", file(lab + "/" + name + ".cu"),
                  fs::copy_options::overwrite_existing);
  }
  for (std::size_t i = 0; i < exercises.size(); ++i) {
    const Outcome checked = in_course({"check", "--seed", "7"});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  }
  EXPECT_THAT(in_course({"check"}).err, Says("exercises_all_done"));
  EXPECT_THAT(in_course({"progress"}).out,
              Says("exercises_passed", {{"passed", exercises.size()}, {"count", exercises.size()}}));
}

}  // namespace
}  // namespace cudalab::e2e
