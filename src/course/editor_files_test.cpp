// What editors are told of a learner's folder.
#include "course/editor_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "lab/locate.h"

namespace cudalab::course {
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

TEST(EditorFiles, TheProblemMatcherTakesWhatACheckWrites) {
  const std::string text = vscode_tasks_text();
  const auto tasks = nlohmann::json::parse(text, nullptr, true, true);  // comments are allowed there
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

}  // namespace
}  // namespace cudalab::course
