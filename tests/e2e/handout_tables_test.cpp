// A table below a line `<!-- cudalab … -->` of a lab's handout is what that command prints on the virtual
// GPU: a row a stage, each column what its heading names. CUDALAB_UPDATE_GOLDEN=1 writes the tables anew.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "tests/e2e/program.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kMarker = "<!-- cudalab ";
constexpr double kPredictedTolerance = 0.1;  // a model's times move with the compiler's version

// ---- what a heading stands for -----------------------------------------------------------------------

std::string written(std::optional<double> value, int digits = 4) {
  if (!value) return "–";
  if (*value >= 1000) return fmt::format("{:.0f}", *value);
  return fmt::format("{:.{}g}", *value, digits);
}

std::optional<double> counter(const Json& run, const char* key) {
  const Json& counters = run["counters"];
  return counters.is_object() && counters.contains(key) ? std::optional(counters[key].get<double>())
                                                        : std::nullopt;
}

using Cell = std::function<std::string(const Json&)>;

Cell value_of(const char* key) {
  return [key](const Json& run) { return written(counter(run, key)); };
}

Cell ratio_of(const char* part, const char* whole) {
  return [part, whole](const Json& run) {
    const auto of = counter(run, whole);
    if (!of || *of == 0) return written(std::nullopt);
    return written(counter(run, part).value_or(0) / *of);
  };
}

struct Heading {
  std::string text;
  Cell cell;
  double tolerance = 0;
};

const std::vector<Heading>& headings() {
  static const std::vector<Heading> table{
      // clang-format off
      {"stage", [](const Json& run) { return fmt::format("`{}`", run["name"].get<std::string>()); }},
      {"load requests", value_of("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")},
      {"load sectors", value_of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")},
      {"sectors a load", ratio_of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")},
      {"sectors a store", ratio_of("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                   "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")},
      {"bytes used, %", value_of("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct")},
      {"conflicts a shared load", ratio_of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                           "ptx_shared_load_requests")},
      {"shared load requests", value_of("ptx_shared_load_requests")},
      {"shared load wavefronts", value_of("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")},
      {"shared load instructions", value_of("ptx_shared_load_instructions")},
      {"atomic wavefronts", value_of("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")},
      {"reduction sectors", value_of("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")},
      {"atomic sectors", value_of("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")},
      {"barriers", value_of("ptx_barriers")},
      {"branches", value_of("ptx_branches")},
      {"divergent branches", value_of("ptx_divergent_branches")},
      {"warp instructions", value_of("ptx_warp_instructions"), 0.02},
      {"active lanes", value_of("ptx_active_lanes_per_instruction"), 0.02},
      {"predicted, µs", [](const Json& run) { return written(1000 * run["predicted_ms"].get<double>(), 3); },
       kPredictedTolerance},
      // clang-format on
  };
  return table;
}

// Any other heading is a column of the lab's own: "lines a request" is extra/lines_a_request.
Heading heading_named(const std::string& text) {
  for (const Heading& heading : headings())
    if (heading.text == text) return heading;
  std::string key = text;
  std::replace(key.begin(), key.end(), ' ', '_');
  return {text, [key](const Json& run) {
            const Json& extra = run["extra"];
            return extra.contains(key) ? written(extra[key].get<double>()) : written(std::nullopt);
          }};
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

Cells words_of(const std::string& marker) {
  const std::size_t begin = std::string(kMarker).size();
  std::istringstream words(marker.substr(begin, marker.find("-->") - begin));
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<Cells> rows_of(Cells command, const std::vector<Heading>& columns) {
  command.insert(command.end(), {"--device", "virtual", "--json"});
  const Outcome outcome = cudalab(command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  std::vector<Cells> rows;
  for (const Json& run : document["runs"]) {
    if (run["kind"] == "cpu") continue;
    rows.emplace_back();
    for (const Heading& heading : columns) rows.back().push_back(heading.cell(run));
  }
  EXPECT_FALSE(rows.empty()) << outcome.out;
  return rows;
}

bool agree(const std::string& shown, const std::string& found, double tolerance) {
  if (shown == found) return true;
  char *end_of_shown = nullptr, *end_of_found = nullptr;
  const double a = std::strtod(shown.c_str(), &end_of_shown), b = std::strtod(found.c_str(), &end_of_found);
  const bool are_numbers = end_of_shown != shown.c_str() && end_of_found != found.c_str();
  return are_numbers && std::abs(a - b) <= tolerance * std::abs(b);
}

// A marked table: its lines are [first, last) after the marker, the heading and the rule.
struct Table {
  std::size_t first, last;
  std::string command;
  std::vector<Heading> columns;
  std::vector<Cells> shown, found;
};

Table table_at(const std::vector<std::string>& lines, std::size_t marker) {
  Table table{.first = marker + 3,
              .last = marker + 3,
              .command = lines[marker],
              .columns = {},
              .shown = {},
              .found = {}};
  for (const std::string& text : cells_of(lines.at(marker + 1))) table.columns.push_back(heading_named(text));
  for (; table.last < lines.size() && lines[table.last].starts_with('|'); ++table.last)
    table.shown.push_back(cells_of(lines[table.last]));
  table.found = rows_of(words_of(lines[marker]), table.columns);
  return table;
}

void expect_shown(const Table& table, const fs::path& file) {
  ASSERT_EQ(table.shown.size(), table.found.size()) << file << ": " << table.command;
  for (std::size_t row = 0; row < table.found.size(); ++row) {
    ASSERT_EQ(table.shown[row].size(), table.columns.size()) << file << ": " << table.command;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      EXPECT_TRUE(agree(table.shown[row][column], table.found[row][column], table.columns[column].tolerance))
          << file << ": " << table.command << "\n"
          << table.columns[column].text << " of " << table.found[row][0] << " is " << table.found[row][column]
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
    if (!lines[line].starts_with(kMarker)) continue;
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
