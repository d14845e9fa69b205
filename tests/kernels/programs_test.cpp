// Whole programs as in textbooks, tests/kernels/programs. Each of their "// run:" lines starts one kernel,
// through NVRTC and through nvcc, and the screen shows what the "// expect:" lines below it state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "compile/compiler.h"
#include "compile/nvcc.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kBookPrograms = CUDALAB_SOURCE_DIR "/tests/kernels/programs";

struct Start {
  std::vector<std::string> words, expected;
};

std::vector<Start> starts_of(const fs::path& file) {
  const std::string run = "// run: ", expect = "// expect: ";
  std::vector<Start> starts;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(run)) starts.push_back({words_of(line.substr(run.size())), {}});
    if (line.starts_with(expect)) starts.back().expected.push_back(line.substr(expect.size()));
  }
  return starts;
}

// Columns are as wide as their widest element.
std::string with_single_blanks(const std::string& text) {
  std::string single;
  for (const char c : text)
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  return single;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kBookPrograms))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

using Parameters = std::tuple<std::string, std::string>;
class Programs : public testing::TestWithParam<Parameters> {};

TEST_P(Programs, RunCleanAndComputeWhatTheyShould) {
  const auto& [name, compiler] = GetParam();
  if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  if (compiler == "nvcc" && !compile::find_nvcc()) GTEST_SKIP() << "nvcc is not installed";
  const fs::path file = kBookPrograms / (name + ".cu");
  const std::vector<Start> starts = starts_of(file);
  EXPECT_FALSE(starts.empty());
  for (const Start& start : starts) {
    std::vector<std::string> words{"run", file, "--device", "virtual", "--compiler", compiler};
    words.insert(words.end(), start.words.begin(), start.words.end());
    const Outcome outcome = cudalab(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
    EXPECT_FALSE(start.expected.empty());
    for (const std::string& expected : start.expected)
      EXPECT_THAT(with_single_blanks(outcome.out), HasSubstr(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Programs,
                         testing::Combine(testing::ValuesIn(names()), testing::Values("nvrtc", "nvcc")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST(Programs, AreSixtyAtLeast) { EXPECT_GE(names().size(), 60u); }

}  // namespace
}  // namespace cudalab::e2e
