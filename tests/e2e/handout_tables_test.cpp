// Tables of handouts. A table below a line `<!-- cudalab … -->` is what that command prints on the virtual
// GPU; one below `<!-- h200 LAB STAGE,… -->` is recorded in expected/h200. Each row is a stage, each column
// the value that its heading names. CUDALAB_UPDATE_GOLDEN=1 rewrites the tables.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "tests/e2e/lab_values_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kOpening = "<!-- ";

std::string written(std::optional<double> value, int digits) {
  if (!value) return "–";
  if (*value >= 1000) return fmt::format("{:.0f}", *value);
  return fmt::format("{:.{}g}", *value, digits);
}

// ---- tables in a text --------------------------------------------------------------------------------

using Cells = std::vector<std::string>;

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Cells cells_of(const std::string& line) {
  Cells cells;
  for (std::size_t at = 1; at < line.size();) {
    const std::size_t end = line.find('|', at);
    cells.push_back(trimmed(line.substr(at, end - at)));
    at = end == std::string::npos ? line.size() : end + 1;
  }
  return cells;
}

std::string line_of(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line;
}

// "cudalab dot --n 4096" of the line "<!-- cudalab dot --n 4096 -->"; empty if the line is not the marker of
// a table.
Cells words_of_marker(const std::string& line) {
  if (!line.starts_with(kOpening) || line.find(" = ") != std::string::npos) return {};
  std::istringstream stream(line.substr(kOpening.size(), line.find("-->") - kOpening.size()));
  Cells words{std::istream_iterator<std::string>(stream), {}};
  const bool is_of_table = words.size() > 1 && (words[0] == "cudalab" || words[0] == "h200");
  return is_of_table ? words : Cells{};
}

std::string cell_of(const Json& run, const RunValue& column) {
  if (column.name == "stage") return fmt::format("`{}`", run["name"].get<std::string>());
  return written(column.of(run), column.digits);
}

// The rows that a marker's command produces, or the recorded rows of the stages that the marker names.
std::vector<Json> runs_of_marker(Cells words) {
  const std::string kind = words[0];
  words.erase(words.begin());
  if (kind == "cudalab") return rows_of(words);
  std::vector<Json> runs = recorded_rows(words[0]);
  std::erase_if(runs, [stages = "," + words.at(1) + ","](const Json& run) {
    return stages.find("," + run["name"].get<std::string>() + ",") == std::string::npos;
  });
  return runs;
}

std::vector<Cells> rows_found(const Cells& words, const std::vector<RunValue>& columns) {
  std::vector<Cells> rows;
  for (const Json& run : runs_of_marker(words)) {
    rows.emplace_back();
    for (const RunValue& column : columns) rows.back().push_back(cell_of(run, column));
  }
  EXPECT_FALSE(rows.empty()) << words[0] << words[1];
  return rows;
}

bool agree(const std::string& shown, const std::string& found, double tolerance) {
  if (shown == found) return true;
  char *end_of_shown = nullptr, *end_of_found = nullptr;
  const double a = std::strtod(shown.c_str(), &end_of_shown), b = std::strtod(found.c_str(), &end_of_found);
  const bool are_numbers = end_of_shown != shown.c_str() && end_of_found != found.c_str();
  return are_numbers && std::abs(a - b) <= tolerance * std::abs(b);
}

// A marked table. Its rows are the lines [first, last) after the marker, the headings and the rule.
struct Table {
  std::size_t first, last;
  std::string command;
  std::vector<RunValue> columns;
  std::vector<Cells> shown, found;
};

Table table_at(const std::vector<std::string>& lines, std::size_t marker) {
  Table table{.first = marker + 3,
              .last = marker + 3,
              .command = lines[marker],
              .columns = {},
              .shown = {},
              .found = {}};
  for (const std::string& text : cells_of(lines.at(marker + 1))) table.columns.push_back(value_named(text));
  for (; table.last < lines.size() && lines[table.last].starts_with('|'); ++table.last)
    table.shown.push_back(cells_of(lines[table.last]));
  table.found = rows_found(words_of_marker(lines[marker]), table.columns);
  return table;
}

void expect_shown(const Table& table, const fs::path& file) {
  ASSERT_EQ(table.shown.size(), table.found.size()) << file << ": " << table.command;
  for (std::size_t row = 0; row < table.found.size(); ++row) {
    ASSERT_EQ(table.shown[row].size(), table.columns.size()) << file << ": " << table.command;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      EXPECT_TRUE(agree(table.shown[row][column], table.found[row][column], table.columns[column].tolerance))
          << file << ": " << table.command << "\n"
          << table.columns[column].name << " of " << table.found[row][0] << " is " << table.found[row][column]
          << ", not " << table.shown[row][column];
  }
}

void write_found(const Table& table, std::vector<std::string>& lines) {
  const auto at = [&](std::size_t line) { return lines.begin() + static_cast<std::ptrdiff_t>(line); };
  lines.erase(at(table.first), at(table.last));
  std::vector<std::string> rows;
  for (const Cells& cells : table.found) rows.push_back(line_of(cells));
  lines.insert(at(table.first), rows.begin(), rows.end());
}

class HandoutTables : public testing::TestWithParam<fs::path> {};

TEST_P(HandoutTables, HoldWhatTheirCommandsFind) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(GetParam()));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const bool updates = std::getenv("CUDALAB_UPDATE_GOLDEN") != nullptr;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (words_of_marker(lines[line]).empty()) continue;
    const Table table = table_at(lines, line);
    updates ? write_found(table, lines) : expect_shown(table, GetParam());
  }
  std::string whole;
  for (const std::string& line : lines) whole += line + "\n";
  if (updates) write_file(GetParam(), whole);
}

std::vector<fs::path> handouts() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(CUDALAB_SOURCE_DIR "/labs"))
    if (fs::exists(entry.path() / "README.md")) files.push_back(entry.path() / "README.md");
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Labs, HandoutTables, testing::ValuesIn(handouts()), [](const auto& file) {
  std::string name = file.param.parent_path().filename();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(HandoutTable, ComparesNumbersWithinTheTolerance) {
  EXPECT_TRUE(agree("4", "4", 0));
  EXPECT_FALSE(agree("4", "5", 0));
  EXPECT_TRUE(agree("10.1", "10", 0.02));
  EXPECT_FALSE(agree("10.3", "10", 0.02));
  EXPECT_FALSE(agree("–", "10", 0.5));
  EXPECT_EQ(cells_of("| a | b c |"), (Cells{"a", "b c"}));
}

}  // namespace
}  // namespace cudalab::e2e
