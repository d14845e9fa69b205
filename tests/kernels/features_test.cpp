// Kernels that use a whole family of device functions give the same results with NVRTC and NVIDIA's headers
// as with clang and ours: tests/kernels/features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "compile/clang/clang.h"
#include "compile/compiler.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

const fs::path kFeatures = CUDALAB_SOURCE_DIR "/tests/kernels/features";

std::vector<std::string> names_of_features() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFeatures)) names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// The lines that state a buffer's digest, and what the kernel printed.
std::string results_in(const std::string& text) {
  std::istringstream stream(text);
  std::string results;
  for (std::string line; std::getline(stream, line);)
    if (line.find(": digest ") != std::string::npos || line.find("hello") != std::string::npos)
      results += line + "\n";
  return results;
}

class Features : public testing::TestWithParam<std::string> {};

TEST_P(Features, HaveTheSameResultsWithClangAndOurHeaders) {
  if (!compile::compiler_version() || !compile::find_clang())
    GTEST_SKIP() << "NVRTC or clang is not installed";
  const fs::path file = kFeatures / (GetParam() + ".cu");
  constexpr std::string_view kRun = "// run: ";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kRun)) continue;
    const auto results_of = [&](const std::string& compiler) {
      std::vector<std::string> words{"run",       file,  "--device",   "virtual",
                                     "--predict", "off", "--compiler", compiler};
      const std::vector<std::string> own = words_of(line.substr(kRun.size()));
      words.insert(words.end(), own.begin(), own.end());
      const Outcome outcome = cudalab(words);
      EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
      return results_in(outcome.out + outcome.err);
    };
    const std::string expected = results_of("nvrtc");
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(results_of("clang"), expected) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Features, testing::ValuesIn(names_of_features()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cudalab::e2e
