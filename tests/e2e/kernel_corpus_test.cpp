// Kernels of tests/kernels and tests/hazards, each run with all checks as its lines `// run: ARGUMENTS` say:
// the correct ones are clean, and what is said about the wrong ones is in golden files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/e2e/program.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kTests = fs::path(CUDALAB_SOURCE_DIR) / "tests";

std::vector<fs::path> kernel_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// A line `// run: ARGUMENTS`, and where the text of its kernel stands: between the run before and this one.
struct Run {
  std::vector<std::string> arguments;
  std::vector<int> marked;  // lines there with `// here` or `// other`
};

std::vector<Run> runs_of(const fs::path& file) {
  constexpr std::string_view kRun = "// run: ";
  std::vector<Run> runs;
  std::ifstream in(file);
  std::vector<int> marked;
  int number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    if (line.find("// here") != std::string::npos || line.find("// other") != std::string::npos)
      marked.push_back(number);
    if (!line.starts_with(kRun)) continue;
    runs.push_back({words_of(line.substr(kRun.size())), marked});
    marked.clear();
  }
  return runs;
}

// In the file's folder, so that messages name the file alone.
Outcome outcome_of(const fs::path& file, const Run& run) {
  std::vector<std::string> words{"run", file.filename().string(), "--device", "virtual"};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  return cudalab(words, {.folder = file.parent_path()});
}

std::string name_of(const testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }

// ---- correct kernels ---------------------------------------------------------------------------------
class CorrectKernels : public testing::TestWithParam<fs::path> {};

TEST_P(CorrectKernels, AreClean) {
  const auto runs = runs_of(GetParam());
  ASSERT_FALSE(runs.empty()) << "no line `// run: ARGUMENTS of cudalab run`";
  for (const auto& run : runs) {
    const Outcome outcome = outcome_of(GetParam(), run);
    EXPECT_EQ(outcome.code, 0) << testing::PrintToString(run.arguments) << outcome.err << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("It ran clean"));
  }
}

// Textures cannot be made from arguments: textures_test.cpp runs these.
std::vector<fs::path> correct_files() {
  std::vector<fs::path> files = kernel_files(kTests / "kernels");
  std::erase_if(files, [](const fs::path& file) { return file.stem() == "textures"; });
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, CorrectKernels, testing::ValuesIn(correct_files()), name_of);

}  // namespace
}  // namespace cudalab::e2e
