// Each handout begins with objectives, prerequisites and time. It ends with its exercises and the next lab,
// as `cudalab list --json` lists them; only appendices follow. Its commands work in the course folder.
// CUDALAB_UPDATE_GOLDEN=1 rewrites the tables of exercises.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

const Json& the_course() {
  static const Folder elsewhere;
  static const Json course = Json::parse(cudalab({"list", "--json"}, {.folder = elsewhere.path()}).out);
  return course;
}

std::vector<std::string> names_of_labs() {
  std::vector<std::string> names;
  for (const Json& lab : the_course()["labs"]) names.push_back(lab["name"]);
  return names;
}

std::vector<Json> exercises_of(const std::string& lab) {
  std::vector<Json> of_lab;
  for (const Json& exercise : the_course()["exercises"])
    if (exercise["lab"] == lab) of_lab.push_back(exercise);
  return of_lab;
}

int minutes_of(const std::vector<Json>& exercises) {
  int minutes = 0;
  for (const Json& exercise : exercises) minutes += exercise["minutes"].get<int>();
  return minutes;
}

fs::path handout_of(const std::string& lab) { return kLabs / lab / "README.md"; }

std::vector<std::string> lines_of_handout(const std::string& lab) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(handout_of(lab)));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The items of the list below the title, each as one line.
std::vector<std::string> items_at_the_top(const std::vector<std::string>& lines) {
  std::vector<std::string> items;
  for (std::size_t i = 2; i < lines.size() && !lines[i].empty(); ++i)
    if (lines[i].starts_with("- "))
      items.push_back(lines[i]);
    else if (!items.empty())
      items.back() += lines[i].substr(1);
  return items;
}

std::string stars(int difficulty) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += i < difficulty ? "★" : "☆";
  return text;
}

std::vector<std::string> table_of(const std::string& lab) {
  std::vector<std::string> rows;
  for (const Json& one : exercises_of(lab))
    rows.push_back(fmt::format("| `{}` | {} | {} | {} |", one["name"].get<std::string>(),
                               stars(one["difficulty"]), one["minutes"].get<int>(),
                               one["title"].get<std::string>()));
  return rows;
}

// The words in backquotes.
std::vector<std::string> names_in(const std::string& text) {
  static const std::regex kName("`([^`]*)`");
  std::vector<std::string> names;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kName); at != std::sregex_iterator(); ++at)
    names.push_back((*at)[1]);
  return names;
}

class HandoutForm : public testing::TestWithParam<std::string> {
 protected:
  const std::string& lab = GetParam();
  std::vector<std::string> lines = lines_of_handout(lab);
};

TEST_P(HandoutForm, BeginsWithObjectivesPrerequisitesAndTime) {
  ASSERT_TRUE(lines.at(0).starts_with("# ")) << lines[0];
  const std::vector<std::string> items = items_at_the_top(lines);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_THAT(items[0], MatchesRegex("- \\*\\*Objectives:\\*\\* [a-z].*\\."));
  EXPECT_THAT(items[1], MatchesRegex("- \\*\\*Prerequisites:\\*\\* .*\\."));
  const std::vector<Json> exercises = exercises_of(lab);
  const Json& labs = the_course()["labs"];
  const auto entry = std::ranges::find_if(labs, [&](const Json& one) { return one["name"] == lab; });
  EXPECT_EQ(items[2],
            fmt::format("- **Time:** about {} minutes for the lab, and {} minutes for its {}.",
                        (*entry)["minutes"].get<int>(), minutes_of(exercises),
                        exercises.size() == 1 ? "exercise" : fmt::format("{} exercises", exercises.size())));
}

TEST_P(HandoutForm, PresupposesOnlyLabsBeforeIt) {
  const std::vector<std::string> names = names_of_labs();
  const auto own = std::ranges::find(names, lab);
  for (const std::string& name : names_in(items_at_the_top(lines).at(1)))
    EXPECT_NE(std::find(names.begin(), own, name), own) << name << " is no lab before " << lab;
}

TEST_P(HandoutForm, EndsWithItsExercisesAndTheNextLab) {
  const auto marker = std::ranges::find(lines, fmt::format("<!-- exercises {} -->", lab));
  ASSERT_NE(marker, lines.end());
  ASSERT_GE(marker - lines.begin(), 2);
  EXPECT_EQ(*(marker - 2), "## Exercises");
  const auto first = marker + 3;
  const auto last =
      std::find_if(first, lines.end(), [](const std::string& line) { return !line.starts_with('|'); });
  if (std::getenv("CUDALAB_UPDATE_GOLDEN")) {
    std::string text;
    for (auto line = lines.begin(); line != first; ++line) text += *line + "\n";
    for (const std::string& row : table_of(lab)) text += row + "\n";
    for (auto line = last; line != lines.end(); ++line) text += *line + "\n";
    return write_file(handout_of(lab), text);
  }
  EXPECT_EQ(std::vector<std::string>(first, last), table_of(lab));
  std::string rest;
  for (auto line = last; line != lines.end() && !line->starts_with("## "); ++line) rest += *line + " ";
  const std::vector<std::string> names = names_of_labs();
  const auto next = std::ranges::find(names, lab) + 1;
  EXPECT_THAT(rest, HasSubstr(next == names.end() ? "This is the last lab."
                                                  : fmt::format("The next lab is `{}`.", *next)));
  for (auto line = last; line != lines.end(); ++line)
    EXPECT_TRUE(!line->starts_with("## ") || line->starts_with("## Appendix: ")) << *line;
}

INSTANTIATE_TEST_SUITE_P(Labs, HandoutForm, testing::ValuesIn(lab_names()), [](const auto& lab) {
  std::string name = lab.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Learners type the commands of handouts in the course folder, so file names are relative to it.
TEST(Handouts, NameFilesOfTheCourseFolder) {
  const Folder home;
  cudalab({"start", "all"}, {.folder = home.path()});
  static const std::regex kFile("[A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+\\.cu\\b");
  std::size_t found = 0;
  for (const std::string& lab : names_of_labs())
    for (const std::string& line : lines_of_handout(lab))
      for (auto at = std::sregex_iterator(line.begin(), line.end(), kFile); at != std::sregex_iterator();
           ++at, ++found)
        EXPECT_TRUE(fs::exists(home / "cudalab-course" / at->str())) << lab << ": " << at->str();
  EXPECT_GE(found, 8u);
}

TEST(Handouts, OfAFolderHaveTheFilesThatTheyName) {
  const Folder home;
  cudalab({"start", "all"}, {.folder = home.path()});
  static const std::regex kFile("`([0-9]+[a-z]?_[a-z0-9_]+\\.cu)`");
  for (const std::string& lab : names_of_labs()) {
    const std::string text = read_file(home / "cudalab-course" / lab / "README.md");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), kFile); at != std::sregex_iterator(); ++at)
      EXPECT_TRUE(fs::exists(home / "cudalab-course" / lab / (*at)[1].str())) << lab << ": " << (*at)[1];
  }
}

}  // namespace
}  // namespace cudalab::e2e
