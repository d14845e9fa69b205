// The screen of each lab fits terminals of 80, 100 and 140 columns in every language: the important columns
// stay, wider terminals add columns and never reorder them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "compile/compile_kernels.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "course/texts/translations.h"
#include "lab/lab.h"
#include "report/text/columns.h"
#include "report/text/layout.h"
#include "report/text/table.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kNarrow = 80, kWidths[]{kNarrow, 100, 140};
constexpr int kImportant = 80;  // Column::importance of columns that every terminal shows

Wording wording_in(Language language) {
  return language == Language::kEnglish ? Wording() : course::wording_of(language, kLabs, lab::labs());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The table on the screen, from its last line of headings on. That line begins with the heading of the names.
std::vector<std::string> table_in(const std::vector<std::string>& screen, const std::string& heading) {
  const auto begin =
      std::ranges::find_if(screen, [&](const std::string& line) { return line.starts_with(heading + " "); });
  std::vector<std::string> table(begin, screen.end());
  return table;
}

bool are_in_order(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  auto at = whole.begin();
  for (const std::string& word : part) {
    at = std::find(at, whole.end(), word);
    if (at == whole.end()) return false;
    ++at;
  }
  return true;
}

// Expects these cells in the line, from left to right.
void expect_cells(const std::string& line, const std::vector<std::string>& cells, const std::string& what) {
  std::size_t at = 0;
  for (const std::string& cell : cells) {
    const std::size_t found = line.find(cell, at);
    EXPECT_NE(found, std::string::npos) << what << ": no \"" << cell << "\" in\n" << line;
    if (found == std::string::npos) return;
    at = found + cell.size();
  }
}

class LabScreens : public testing::TestWithParam<std::string> {};

TEST_P(LabScreens, FitTheirTerminalInEveryLanguage) {
  const lab::Lab& lab = *lab::find_lab(GetParam());
  const auto device = device::open_device(device::DeviceChoice::kVirtual, std::nullopt);
  lab::RunRequest request;
  const lab::Result result = lab::run_lab(
      lab, request, lab::Machine{*device, compile::compile_kernels, kLabs, lab::describe_host()});
  lab::Result listed = result;
  listed.rows = report::shown_rows(result);
  for (const auto& [code, language] : kLanguages) {
    const Wording wording = wording_in(language);
    const auto columns = report::columns_of_rows(listed, listed.rows, {}, wording);
    std::vector<std::string> narrower;
    for (const int width : kWidths) {
      const std::string what = lab.name + ", " + std::string(code) + ", " + std::to_string(width);
      const std::string text = report::table_text(result, {.width = width, .wording = wording});
      const std::vector<std::string> screen = lines_of(text);
      for (const std::string& line : screen)
        EXPECT_LE(report::columns_of(line), static_cast<std::size_t>(width)) << what << ":\n" << line;

      const auto table = table_in(screen, columns.front().heading.back());
      ASSERT_GT(table.size(), listed.rows.size()) << what << "\n" << text;
      const std::vector<std::string> headings = words_of(table[0]);
      EXPECT_TRUE(are_in_order(narrower, headings)) << what << "\n" << table[0];
      narrower = headings;
      for (std::size_t row = 0; row < listed.rows.size(); ++row) {
        std::vector<std::string> cells;
        for (const report::Column& column : columns)
          if (column.importance >= kImportant && !column.cells[row].empty())
            cells.push_back(column.cells[row]);
        expect_cells(table[row + 1], cells, what);
      }
      for (const lab::ExtraColumn& extra : lab.columns)
        if (extra.key.find('_') != std::string::npos) {
          EXPECT_THAT(text, Not(HasSubstr(with_blanks(extra.key)))) << what;
          EXPECT_THAT(text, Not(HasSubstr(extra.key))) << what;
        }
    }
  }
}

std::vector<std::string> all_labs() {
  std::vector<std::string> names;
  for (const lab::Lab& lab : lab::labs()) names.push_back(lab.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Labs, LabScreens, testing::ValuesIn(all_labs()), [](const auto& lab) {
  std::string name = lab.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// A command that a lab suggests at its end must be valid.
TEST(Suggestions, NameOptionsAndStagesOfTheirLab) {
  for (const lab::Lab& lab : lab::labs()) {
    EXPECT_FALSE(lab.next.empty()) << lab.name;
    for (const lab::Suggestion& suggestion : lab.next) {
      const auto words = split(suggestion.options, ' ');
      ASSERT_EQ(words.size() % 2, 0u) << suggestion.options;
      lab::Options options(lab.options, false);
      for (std::size_t i = 0; i < words.size(); i += 2) {
        ASSERT_THAT(words[i], testing::StartsWith("--"));
        if (words[i] == "--stage") {
          for (const std::string_view stage : split(words[i + 1], ','))
            EXPECT_NE(std::ranges::find(lab.stages, stage), lab.stages.end()) << lab.name << " " << stage;
          continue;
        }
        const auto spec = std::ranges::find(lab.options, words[i].substr(2), &lab::OptionSpec::name);
        ASSERT_NE(spec, lab.options.end()) << lab.name << " " << words[i];
        EXPECT_NO_THROW(options.set(spec->name, lab::parse_option(*spec, words[i + 1])))
            << suggestion.options;
      }
    }
  }
}

}  // namespace
}  // namespace cudalab::e2e
