// Tests that reading any submission ends in a text or in one sentence.
#include "grading/submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::grading {

// Missing values, and values of the wrong type, do not throw.

namespace {

using Json = nlohmann::json;

TEST(Document, MissingValuesAreEmpty) {
  const Json document =
      Json::parse(R"({"lab": "stairs", "seed": 7, "runs": [3, {"name": 4}, {"name": "up", "x": 1}]})");
  EXPECT_EQ(at(document, "seed"), 7);
  EXPECT_TRUE(at(document, "nowhere").is_null());
  EXPECT_TRUE(at(at(document, "lab"), "below").is_null());
  EXPECT_EQ(text_at(document, "lab"), "stairs");
  EXPECT_EQ(text_at(document, "seed"), "");
  ASSERT_NE(run_called(document, "up"), nullptr);
  EXPECT_EQ(run_called(document, "up")->at("x"), 1);
  EXPECT_EQ(run_called(document, "down"), nullptr);
  EXPECT_EQ(run_called(Json::array(), "up"), nullptr);
  EXPECT_EQ(run_called(Json{{"runs", "none"}}, "up"), nullptr);
}

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const kGood = R"({"schema": "cudalab.result/1", "lab": "dot", "runs": [{"name": "tree"}]})";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

TEST(Document, IsRead) {
  Document document = document_from(kGood);
  EXPECT_EQ(document.problem, "");
  EXPECT_EQ(document.lab, "dot");
}

TEST(Document, EachProblemHasASentence) {
  std::string good = kGood;
  struct Case {
    std::string text, problem;
  };
  const std::vector<Case> cases{
      {good.substr(0, 40), "truncated"},
      {"", "truncated"},
      {"not json", "is not JSON (at byte 2)"},
      {"\xff\xfe{", "is not JSON"},
      {"{\"schema\": \"\xc3\x28\"}", "is not UTF-8"},
      {"{\"schema\": 1e999}", "a number that is too large"},
      {"[]", "no \"schema\""},
      {"{\"schema\": 3}", "no \"schema\""},
      {R"({"schema": "cudalab.result/2"})",
       "is of version cudalab.result/2, and this cudalab grades cudalab.result/1"},
      {R"({"schema": "other"})", "its schema is other"},
      {R"({"schema": "cudalab.result/1"})", "names no lab"},
      {R"({"schema": "cudalab.result/1", "lab": []})", "names no lab"},
      {R"({"schema": "cudalab.result/1", "lab": "dot", "runs": {}})", "no list of runs"},
      {R"({"schema": "cudalab.result/1", "lab": "dot", "runs": [3]})", "a run that is not an object"},
      {std::string(1'000'000, '['), "nested deeper than 64 levels"},
  };
  for (const Case& one : cases) EXPECT_THAT(document_from(one.text).problem, HasSubstr(one.problem));
}

TEST(Document, EveryProperPrefixHasAProblem) {
  std::string good = kGood;
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(document_from(good.substr(0, length)).problem, "") << length;
}

TEST(ReadSubmission, OpensRegularFilesOnlyAndNeverWaits) {
  TemporaryFolder folder;
  write(folder / "empty", "");
  write(folder / "long", std::string(100, 'x'));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_submission(folder / "long", 100).text, std::string(100, 'x'));
  EXPECT_THAT(read_submission(folder / "long", 99).problem,
              HasSubstr("has 100 bytes, but at most 99 are read"));
  EXPECT_EQ(read_submission(folder / "empty", 99).problem, "is empty");
  EXPECT_EQ(read_submission(folder / "pipe", 99).problem, "is a pipe, not a regular file");
  EXPECT_EQ(read_submission(folder.path(), 99).problem, "is a folder");
  EXPECT_THAT(read_submission(folder / "absent", 99).problem, HasSubstr("does not exist"));
  EXPECT_EQ(read_submission("/dev/zero", 99).problem, "is a device, not a regular file");
}

TEST(FindSubmissions, NamesStudentsByFolderOrFile) {
  TemporaryFolder folder;
  write(folder / "class/ada/deep/result.json", "x");
  write(folder / "class/bob.json", "x");
  write(folder / "class/.hidden/result.json", "x");
  write(folder / "class/.DS_Store", "x");
  write(folder / "single.json", "x");
  fs::create_symlink("/etc/passwd", folder / "class/eve.json");
  fs::create_directory_symlink("/etc", folder / "class/mallory");
  std::vector<Submission> found =
      find_submissions({(folder / "class").string(), (folder / "single.json").string()});
  std::vector<std::string> students, problems;
  for (const Submission& one : found) {
    students.push_back(one.student);
    problems.push_back(one.problem);
  }
  EXPECT_THAT(students, ElementsAre("ada", "bob", "eve", "mallory", "single"));
  EXPECT_THAT(problems, ElementsAre("", "", HasSubstr("a link"), HasSubstr("a link"), ""));
  EXPECT_THROW(find_submissions({(folder / "absent").string()}), Error);
}

std::string student_of(const fs::path& named) {
  const std::vector<Submission> found = find_submissions({named.string()});
  return found.size() == 1 ? found.front().student : "not one submission";
}

TEST(FindSubmissions, NobodyNamesAnotherBelowAFolderOfMoodles) {
  TemporaryFolder folder;
  write(folder / "class/Ada_1234567_assignsubmission_file_/deep/Eve_999_assignsubmission_file_x.cu", "x");
  EXPECT_EQ(student_of(folder / "class"), "1234567");
  write(folder / "group/first/Eve_999_assignsubmission_file_x.cu", "x");
  EXPECT_EQ(student_of(folder / "group"), "999");
}

TEST(FindSubmissions, UsesTheFileNameThatTheStudentGave) {
  TemporaryFolder folder;
  write(folder / "class/lovelaceada_LATE_123_4567_padded-tile-1.cu", "x");
  EXPECT_EQ(name_of(find_submissions({(folder / "class").string()}).at(0)), folder / "class/padded-tile.cu");
  write(folder / "other/padded-tile.cu", "x");
  EXPECT_EQ(name_of(find_submissions({(folder / "other").string()}).at(0)), folder / "other/padded-tile.cu");
}

std::string metadata_of(const std::string& student) {
  return R"({"created_at": "2026-01-31", "users": [{"email": ")" + student + R"("}]})";
}

TEST(FindSubmissions, BelievesTheOutermostMetadataOfGradescope) {
  TemporaryFolder folder;
  write(folder / "autograder/submission/deep/padded-tile.cu", "x");
  write(folder / "autograder/submission/submission_metadata.json", metadata_of("eve@example.org"));
  write(folder / "autograder/submission/deep/submission_metadata.json", metadata_of("eve@example.org"));
  write(folder / "autograder/submission_metadata.json", metadata_of("ada@example.org"));
  for (const char* named : {"autograder", "autograder/submission", "autograder/submission/",
                            "autograder/submission/deep", "autograder/submission/deep/padded-tile.cu"})
    EXPECT_EQ(student_of(folder / named), "ada@example.org") << named;
}

TEST(FindSubmissions, IgnoresMetadataInsideAStudentsFolder) {
  TemporaryFolder folder;
  write(folder / "class/eve/submission_metadata.json", metadata_of("ada@example.org"));
  write(folder / "class/eve/padded-tile.cu", "x");
  EXPECT_EQ(student_of(folder / "class"), "eve");
}

TEST(FindSubmissions, SetsForeignFilesAsideOfStudentsWithOthers) {
  std::vector<Submission> found;
  for (const char* file :
       {"ada/a.cu", "ada/README.md", "ada/a.out", "ada/A.CU", "bob/work.zip", "eve/e.json"})
    found.push_back({file, std::string(file).substr(0, 3), ""});
  EXPECT_EQ(set_foreign_files_aside(found).size(), 3u);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].file, "bob/work.zip") << "no student is missed";
}

TEST(DocumentIn, NamesAFileThatIsNotADocument) {
  TemporaryFolder folder;
  write(folder / "good.json", kGood);
  EXPECT_EQ(document_in((folder / "good.json").string()).lab, "dot");
  const std::string bad = (folder / "bad.json").string(), absent = (folder / "absent.json").string();
  write(bad, "{}");
  for (const std::string& file : {bad, absent})
    EXPECT_THAT(refused([&] { document_in(file); }), IsMessage("submission_unusable", {{"file", file}}));
}

}  // namespace
}  // namespace cudalab::grading
