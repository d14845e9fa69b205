// Tests the learner's folder: the progress file is read back as written, and determines the next exercise.
#include "course/learner/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "core/diagnostics/message_testing.h"
#include "course/sample_exercise_testing.h"
#include "lab/locate.h"

namespace cudalab::course {

// Settings for editors.

namespace {

TEST(EditorFiles, ClangdKnowsTheMacrosOfEachFile) {
  const std::vector<EditedFile> files{{"transpose/padded-tile.cu", {{"TYPE", "float"}, {"TILE", "32"}}},
                                      {"a/it's.cu", {{"NOTE", "'x'"}}},
                                      {"a/program.cu", {}}};
  EXPECT_EQ(clangd_text(files, "/usr/local/cuda"),
            "# " + std::string(kWrittenByCudalab) +
                "\n"
                "CompileFlags:\n"
                "  Add: ['-xcuda', '-std=c++17', '--cuda-gpu-arch=sm_80', '-Wno-unknown-cuda-version', "
                "'--cuda-path=/usr/local/cuda']\n"
                "---\nIf:\n  PathMatch: 'transpose/padded-tile\\.cu'\n"
                "CompileFlags:\n  Add: ['-DTYPE=float', '-DTILE=32']\n"
                "---\nIf:\n  PathMatch: 'a/it\\''s\\.cu'\n"
                "CompileFlags:\n  Add: ['-DNOTE=''x''']\n");
}

TEST(EditorFiles, RecommendTheExtension) {
  const auto file = nlohmann::json::parse(vscode_extensions_text(), nullptr, true, true);
  EXPECT_EQ(file["recommendations"][0], "cudalab.cudalab");
}

TEST(EditorFiles, TheProblemMatcherReadsTheOutputOfACheck) {
  const std::string text = vscode_tasks_text();
  const auto tasks = nlohmann::json::parse(text, nullptr, true, true);  // the file format allows comments
  const auto& matcher = tasks["tasks"][0]["problemMatcher"]["pattern"];
  const std::regex pattern(matcher["regexp"].get<std::string>());
  std::smatch match;
  const std::string line = "transpose/padded-tile.cu:12:9: error: reads `tile[3]`: a race [no hazards]";
  ASSERT_TRUE(std::regex_match(line, match, pattern));
  EXPECT_EQ(match[matcher["file"].get<int>()], "transpose/padded-tile.cu");
  EXPECT_EQ(match[matcher["line"].get<int>()], "12");
  EXPECT_EQ(match[matcher["column"].get<int>()], "9");
  EXPECT_EQ(match[matcher["severity"].get<int>()], "error");
}

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

Exercise named(const std::string& name, const std::string& lab = "double") {
  Exercise exercise;
  exercise.name = name;
  exercise.lab = lab;
  return exercise;
}

const std::vector<Exercise> kCourse{named("a"), named("b"), named("c", "other"), named("d")};

Workspace workspace_with(const std::vector<std::string>& passed, const std::vector<std::string>& open) {
  Workspace workspace;
  for (const std::string& name : passed) workspace.exercises[name].passed = "2026-01-31 17:05";
  for (const std::string& name : open) workspace.exercises[name].started = "2026-01-30 09:00";
  return workspace;
}

TEST(Workspace, IsReadBackAsWritten) {
  TemporaryFolder folder;
  Workspace workspace{folder.path(), {}};
  workspace.exercises["a"] = {"double", "2026-01-30 09:00", "2026-01-31 17:05", 4, 2, ""};
  workspace.exercises["b"] = {"double", "2026-01-30 09:00", "", 1, 3, "2026-02-01 08:00"};
  workspace.exercises["b"].checked = "2026-02-01 07:00";
  workspace.exercises["b"].mistakes = {{"hazard: shared_race", 2}};
  write_text(workspace.progress_file(), progress_text(workspace));
  const Workspace read = load_workspace(folder.path());
  EXPECT_EQ(read.exercises, workspace.exercises);
  EXPECT_EQ(read.kernel_file(named("a")), folder / "double/a.cu");
  EXPECT_EQ(read.handout("double"), folder / "double/README.md");
}

TEST(Workspace, KeepsTheBestResultOfEachQuiz) {
  TemporaryFolder folder;
  Workspace workspace{folder.path()};
  EXPECT_EQ(quizzes_line(workspace, {}), "");
  EXPECT_THAT(progress_text(workspace), testing::Not(HasSubstr("quizzes")));
  note_quiz(workspace, "double", {7, 9, "2026-01-31 17:05"});
  note_quiz(workspace, "double", {6, 9, "2026-02-01 17:05"});
  note_quiz(workspace, "other", {0, 3, "2026-02-01 17:05"});
  write_text(workspace.progress_file(), progress_text(workspace));
  const Workspace read = load_workspace(folder.path());
  EXPECT_EQ(read.quizzes, workspace.quizzes);
  EXPECT_THAT(quizzes_line(read, Wording::of_ids()),
              AllOf(Says("quizzes_done"), Says("quiz_score_of_lab", {{"lab", "double"}, {"right", 7}}),
                    Says("quiz_score_of_lab", {{"lab", "other"}, {"right", 0}, {"questions", 3}})));
  note_quiz(workspace, "double", {8, 9, "2026-02-02 17:05"});
  EXPECT_EQ(workspace.quizzes["double"], (QuizResult{8, 9, "2026-02-02 17:05"}));
}

TEST(Workspace, IsFoundFromItsSubfolders) {
  TemporaryFolder folder;
  fs::create_directories(folder / "course/double");
  EXPECT_EQ(find_workspace(folder / "course/double"), std::nullopt);
  write_text(folder / "course/cudalab.json", "{}");
  EXPECT_EQ(find_workspace(folder / "course/double"), folder / "course");
  EXPECT_EQ(find_workspace(folder / "course"), folder / "course");
}

TEST(Workspace, IsNotSearchedForAboveTheHomeFolder) {
  TemporaryFolder folder;
  fs::create_directories(folder / "home/student/work");
  write_text(folder / "cudalab.json", "{}");
  EXPECT_EQ(find_workspace(folder / "home/student/work", folder / "home/student"), std::nullopt);
  EXPECT_EQ(find_workspace(folder / "home/student/work", folder / "home/other"), folder.path());
  write_text(folder / "home/student/cudalab.json", "{}");
  EXPECT_EQ(find_workspace(folder / "home/student/work", folder / "home/student"), folder / "home/student");
  EXPECT_EQ(find_workspace(folder / "home/student/work/", ""), folder / "home/student");
}

TEST(Workspace, IsNotSearchedForInTheFolderOfAnotherOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  TemporaryFolder folder;
  fs::create_directories(folder / "theirs/mine/below");
  write_text(folder / "theirs/cudalab.json", "{}");
  EXPECT_EQ(find_workspace(folder / "theirs/mine/below", ""), folder / "theirs");
  ASSERT_EQ(::chown((folder / "theirs").c_str(), 12345, 12345), 0);
  EXPECT_EQ(find_workspace(folder / "theirs/mine/below", ""), std::nullopt);
}

TEST(Workspace, KnowsTheFileWhoseLineWasShownAndReadsEarlierProgress) {
  TemporaryFolder folder;
  write_text(folder / "cudalab.json",
             R"({"schema": "cudalab.workspace/1", "exercises": {"a": {"lab": "double", "hints": 3}}})");
  Workspace workspace = load_workspace(folder.path());
  EXPECT_EQ(workspace.exercises["a"].hints, 3u);
  EXPECT_EQ(workspace.exercises["a"].line_shown_of, "");
  workspace.exercises["a"].line_shown_of = "0123";
  write_text(folder / "cudalab.json", progress_text(workspace));
  EXPECT_EQ(load_workspace(folder.path()).exercises, workspace.exercises);
}

TEST(Workspace, NamesADamagedFile) {
  TemporaryFolder folder;
  for (const char* text :
       {"", "{", "[]", R"({"schema": "cudalab.workspace/1"})",
        R"({"schema": "cudalab.workspace/1", "exercises": {"a": 5}})",
        R"({"schema": "cudalab.workspace/1", "exercises": {}, "quizzes": {"a": {"right": "all"}}})",
        R"({"schema": "cudalab.workspace/1", "exercises": {}, "quizzes": [1]})",
        R"({"schema": "cudalab.workspace/1", "exercises": {"a": {"checks": "many"}}})"}) {
    write_text(folder / "cudalab.json", text);
    EXPECT_THAT(refused([&] { load_workspace(folder.path()); }),
                IsMessage("workspace_damaged", {{"file", (folder / "cudalab.json").string()}}))
        << text;
  }
  write_text(folder / "cudalab.json", R"({"schema": "cudalab.workspace/9", "exercises": {}})");
  EXPECT_THAT(refused([&] { load_workspace(folder.path()); }),
              IsMessage("workspace_other_version", {{"schema", "\"cudalab.workspace/9\""}}));
}

TEST(Workspace, TheNextExerciseWrapsAroundAndIsNeverTheSame) {
  const Workspace workspace = workspace_with({"c"}, {"a", "b", "d"});
  EXPECT_EQ(next_exercise(kCourse, workspace, kCourse[0])->name, "b");
  EXPECT_EQ(next_exercise(kCourse, workspace, kCourse[1])->name, "d");
  EXPECT_EQ(next_exercise(kCourse, workspace, kCourse[3])->name, "a");
  EXPECT_EQ(next_exercise(kCourse, workspace_with({"a"}, {"b"}), kCourse[1]), nullptr);
}

TEST(Workspace, ThePreviousExerciseIsAStartedOneAndWrapsAround) {
  const Workspace workspace = workspace_with({"a"}, {"c", "d"});
  EXPECT_EQ(previous_exercise(kCourse, workspace, kCourse[3])->name, "c");
  EXPECT_EQ(previous_exercise(kCourse, workspace, kCourse[2])->name, "a");
  EXPECT_EQ(previous_exercise(kCourse, workspace, kCourse[0])->name, "d");
  EXPECT_EQ(previous_exercise(kCourse, workspace_with({}, {"b"}), kCourse[1]), nullptr);
}

TEST(Handout, HasTheTasksBelowTheTableOfItsExercises) {
  Exercise exercise = named("a");
  exercise.title = "First";
  exercise.task = {"Do this."};
  const std::string tasks = "\n### a: First\n\nDo this.\n\nhandout_commands(exercise=a)\n";
  EXPECT_EQ(handout_text(std::vector{exercise}, "# Double\n", Wording::of_ids()), "# Double\n" + tasks);
  EXPECT_EQ(handout_text(std::vector{exercise},
                         "# Double\n\n<!-- exercises double -->\n| a |\n|---|\n| `a` |\n\nThe end.\n",
                         Wording::of_ids()),
            "# Double\n\n| a |\n|---|\n| `a` |\n" + tasks + "\nThe end.\n");
}

TEST(ExerciseOfFile, IsFoundByFileNameOrFolder) {
  EXPECT_EQ(exercise_of_file(kCourse, "anywhere/b.cu")->name, "b");
  EXPECT_EQ(exercise_of_file(kCourse, "labs/double/exercise/a/solution.cu")->name, "a");
  EXPECT_EQ(exercise_of_file(kCourse, "labs/double/exercise/d/wrong/off_by_one.cu")->name, "d");
  EXPECT_EQ(exercise_of_file(kCourse, "anywhere/mine.cu"), nullptr);
}

}  // namespace
}  // namespace cudalab::course
