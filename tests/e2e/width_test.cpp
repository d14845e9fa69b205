// Texts for learners fit the terminal, down to 40 columns: the terminal itself never breaks a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/text/layout.h"
#include "tests/e2e/program_testing.h"
#include "tests/e2e/terminal_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

// Whether a line cannot be broken: a single word (but Chinese can be broken), or a line of the learner's
// source.
bool may_be_long(const std::string& line) {
  std::istringstream words(line);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  const bool has_chinese =
      std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0xe3; });
  return (count <= 1 && !has_chinese) || line.find(" | ") != std::string::npos;
}

// The last text of a progress line, which overwrites itself.
std::string as_seen(std::string line) {
  while (line.ends_with('\r')) line.pop_back();
  return line.substr(line.rfind('\r') + 1);
}

void expect_to_fit(const std::string& screen, unsigned short columns, const std::string& what) {
  std::istringstream lines(screen);
  for (std::string line; std::getline(lines, line);) {
    line = as_seen(line);
    const bool fits = report::columns_of(line) <= columns;
    EXPECT_TRUE(fits || may_be_long(line)) << what << ", " << columns << ":\n" << line;
  }
}

class Width : public testing::TestWithParam<unsigned short> {
 protected:
  void SetUp() override { cudalab({"start", "all"}, {.folder = home.path()}); }
  void expect_to_fit_in(const std::vector<std::string>& words, const fs::path& folder) const {
    Terminal terminal(words, folder, GetParam());
    terminal.wait();
    std::string what = "cudalab";
    for (const std::string& word : words) what += " " + word;
    expect_to_fit(terminal.everything(), GetParam(), what);
  }

  Folder home;
  fs::path course = home / "cudalab-course";
};

TEST_P(Width, OfWhatTheCourseSays) {
  expect_to_fit_in({}, home.path());
  expect_to_fit_in({"check"}, home.path());
  expect_to_fit_in({"start", "all", "--into", "another"}, home.path());
  write_file(course / "transpose/padded-tile.cu",
             read_file(kLabs / "transpose/exercise/padded-tile/wrong/missing_barrier.cu"));
  write_file(course / "dot/shared-dot.cu", "x");
  write_file(course / "transpose/first-transpose.cu",
             read_file(kLabs / "transpose/exercise/first-transpose/solution.cu"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"progress"},
                                                {"list"},
                                                {"hint"},
                                                {"check", "transpose"},
                                                {"check", "first-transpose"},
                                                {"check", "dot"},
                                                {"check", "nothing"},
                                                {"reset", "dot"},
                                                {"solution"}})
    expect_to_fit_in(words, course);
  expect_to_fit_in({"progress"}, course / "transpose");
}

TEST_P(Width, OfHelp) {
  for (const char* verb : {"", "start", "check", "watch", "hint", "reset", "learn", "quiz", "transpose",
                           "run", "grade", "progress"})
    expect_to_fit_in(*verb ? std::vector<std::string>{verb, "--help"} : std::vector<std::string>{"--help"},
                     home.path());
  expect_to_fit_in({"info"}, home.path());
  expect_to_fit_in({"doctor"}, home.path());
}

TEST_P(Width, OfWalksAndQuizzes) {
  for (const char* lab : {"transpose", "banks"}) {
    write_file(home / "answers", "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n");
    expect_to_fit_in({"quiz", lab, "--answers", "answers"}, home.path());
    write_file(home / "answers", "1\n1\n?\n1\n1\n1\n");
    expect_to_fit_in({"learn", lab, "--answers", "answers"}, home.path());
  }
}

TEST_P(Width, OfALabsSentences) {
  expect_to_fit_in({"transpose", "--rows", "100", "--cols", "67"}, home.path());
  expect_to_fit_in(
      {"transpose", "--rows", "64", "--cols", "64", "--kernel",
       (kLabs / "transpose/exercise/padded-tile/wrong/missing_barrier.cu").string(), "--as", "padded"},
      home.path());
}

// Chinese has no blanks at which to break lines, and each character takes two columns.
TEST_P(Width, OfChineseAndRussian) {
  for (const char* language : {"zh", "ru"}) {
    write_file(home / "answers", "a\na\na\na\na\na\na\na\na\na\na\na\na\n");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                  {"progress"},
                                                  {"hint", "padded-tile"},
                                                  {"check", "padded-tile"},
                                                  {"quiz", "banks", "--answers", "../answers"},
                                                  {"transpose", "--rows", "100", "--cols", "67"}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--language", language});
      expect_to_fit_in(all, course);
    }
  }
}

TEST_P(Width, OfWatch) {
  Terminal watch({"watch", "padded-tile"}, course, GetParam());
  watch.read_until("q quit");
  for (const char* key : {"h", "l", "n", "p", "x", "r"}) {
    watch.type(key);
    watch.read_until("q quit");
  }
  watch.type("q");
  EXPECT_EQ(watch.wait(), 0);
  expect_to_fit(watch.everything(), GetParam(), "watch");
}

INSTANTIATE_TEST_SUITE_P(OfTerminals, Width, testing::Values(40, 60, 80, 120));

}  // namespace
}  // namespace cudalab::e2e
