// Runs the kernels of tests/kernels and tests/hazards with all checks, as their lines `// run: ARGUMENTS`
// state. Correct kernels must produce no report; the reports about wrong ones are in golden files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(CUDALAB_SOURCE_DIR) / "tests";

std::vector<fs::path> kernel_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// A line `// run: ARGUMENTS`. The text of its kernel is between the previous run and this one.
struct Example {
  std::vector<std::string> arguments;
  std::vector<int> marked;  // lines of that text with `// here` or `// other`
};

std::vector<Example> examples_of(const fs::path& file) {
  constexpr std::string_view kRun = "// run: ";
  std::vector<Example> examples;
  std::ifstream in(file);
  std::vector<int> marked;
  int number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    if (line.find("// here") != std::string::npos || line.find("// other") != std::string::npos)
      marked.push_back(number);
    if (!line.starts_with(kRun)) continue;
    examples.push_back({words_of(line.substr(kRun.size())), marked});
    marked.clear();
  }
  return examples;
}

// Runs in the file's folder, so messages contain only the file's name.
Outcome outcome_of(const fs::path& file, const Example& example, const decltype(cudalab)& run = cudalab) {
  std::vector<std::string> words{"run", file.filename().string(), "--device", "virtual"};
  words.insert(words.end(), example.arguments.begin(), example.arguments.end());
  return run(words, {.folder = file.parent_path()});
}

std::string name_of(const testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }

// ---- correct kernels ---------------------------------------------------------------------------------
class CorrectKernels : public testing::TestWithParam<fs::path> {};

TEST_P(CorrectKernels, AreClean) {
  const std::vector<Example> examples = examples_of(GetParam());
  ASSERT_FALSE(examples.empty()) << "no line `// run: ARGUMENTS of cudalab run`";
  for (const Example& example : examples) {
    const Outcome outcome = outcome_of(GetParam(), example, by_ids);
    EXPECT_EQ(outcome.code, 0) << testing::PrintToString(example.arguments) << outcome.err << outcome.out;
    EXPECT_THAT(outcome.out, Says("note_ran_clean"));
  }
}

// Textures cannot be made from arguments of `run`; textures_test.cpp runs these kernels.
std::vector<fs::path> correct_files() {
  std::vector<fs::path> files = kernel_files(kTests / "kernels");
  std::erase_if(files, [](const fs::path& file) { return file.stem() == "textures"; });
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, CorrectKernels, testing::ValuesIn(correct_files()), name_of);

std::vector<fs::path> idioms(const std::string& folder) { return kernel_files(kTests / folder / "idioms"); }

INSTANTIATE_TEST_SUITE_P(Idioms, CorrectKernels, testing::ValuesIn(idioms("kernels")), name_of);

// ---- wrong kernels -----------------------------------------------------------------------------------

// The text below the verdict up to the next empty line, one sentence per line, without the kernel's name in
// the margin and without the source lines.
std::string problems_in(const std::string& out) {
  std::istringstream lines(out);
  std::string text, line;
  while (std::getline(lines, line) && !line.starts_with("FAIL  ")) {
  }
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    if (line.find(" | ") != std::string::npos || line.ends_with(" |") || line == "    ...") continue;
    const bool continues = line.starts_with(" ");
    const std::size_t begin = continues ? line.find_first_not_of(' ') : line.find("  ") + 2;
    text += (continues ? " " : text.empty() ? "" : "\n") + line.substr(line.find_first_not_of(' ', begin));
  }
  return text + "\n";
}

// Addresses depend on what else is loaded.
std::string without_addresses(std::string text) {
  return std::regex_replace(text, std::regex("0x7[0-9a-f]{11}"), "0x7…");
}

std::string kernel_of(const Example& example) {
  const auto at = std::find(example.arguments.begin(), example.arguments.end(), "--kernel");
  return at == example.arguments.end() ? "" : *(at + 1);
}

class WrongKernels : public testing::TestWithParam<fs::path> {};

// CUDALAB_UPDATE_GOLDEN=1 rewrites the golden files. Read the difference line by line, as a student would.
TEST_P(WrongKernels, AreCaughtAtTheRightLineWithTheRightAdvice) {
  std::string text;
  for (const Example& example : examples_of(GetParam())) {
    const Outcome outcome = outcome_of(GetParam(), example);
    const std::string problems = problems_in(outcome.out);
    EXPECT_THAT(outcome.code, testing::AnyOf(1, 4)) << kernel_of(example) << outcome.err << outcome.out;
    for (const int line : example.marked)
      EXPECT_THAT(problems, testing::ContainsRegex("(line |" + GetParam().filename().string() + ":)" +
                                                   std::to_string(line) + "[^0-9]"))
          << kernel_of(example);
    text += "== " + kernel_of(example) + "\n" + without_addresses(problems) + "\n";
  }
  const fs::path golden = fs::path(GetParam()).replace_extension(".txt");
  if (std::getenv("CUDALAB_UPDATE_GOLDEN")) write_file(golden, text);
  EXPECT_EQ(text, read_file(golden));
}

INSTANTIATE_TEST_SUITE_P(Idioms, WrongKernels, testing::ValuesIn(idioms("hazards")), name_of);

}  // namespace
}  // namespace cudalab::e2e
