// Every number in a lab's texts that was measured, counted or computed has a source beside it
// (lab_texts_testing.h), and equals the value of that source. CUDALAB_UPDATE_GOLDEN has no effect here,
// because a changed number usually changes its sentence, too.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "tests/e2e/lab_texts_testing.h"
#include "tests/e2e/lab_values_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::set<std::string> kNotComputed{"supposed", "documented"};
constexpr std::string_view kDrawn = "drawn", kPrintedBy = "printed by cudalab ";
constexpr double kAbout = 0.1;  // relative

// Parses numbers such as 4,284 and 1.5e-4.
double number_written(std::string text) {
  std::erase(text, ',');
  return std::stod(text);
}

// Half of the last written digit: 0.05 for 1.5, 0.5 for 623.
double half_a_digit(const std::string& number) {
  const std::size_t point = number.find('.');
  return 0.5 *
         std::pow(10.0, point == std::string::npos ? 0.0 : -static_cast<double>(number.size() - point - 1));
}

bool agrees(const Source& source) {
  if (kNotComputed.contains(source.sum)) return true;
  const bool is_about = source.sum.starts_with("~ ");
  const double written = number_written(source.number), found = value_of(source.sum.substr(is_about ? 2 : 0));
  return std::abs(written - found) <= (is_about ? kAbout * found : half_a_digit(source.number) * (1 + 1e-9));
}

// The text in one line, with single blanks between words.
std::string squeezed(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

void expect_printed(const std::string& drawing, const std::string& by) {
  std::istringstream stream(by.substr(kPrintedBy.size()));
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  words.insert(words.end(), {"--device", "virtual"});
  const std::string printed = squeezed(cudalab(words).out);
  std::istringstream lines(drawing);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(printed, testing::HasSubstr(squeezed(line))) << by;
}

bool is_in(const Piece& piece, const std::string& number) {
  return has_number(piece.drawing, number) ||
         std::any_of(piece.texts.begin(), piece.texts.end(),
                     [&](const std::string& text) { return has_number(text, number); });
}

void expect_holds(const Source& source, const Piece& piece) {
  EXPECT_TRUE(is_in(piece, source.number))
      << piece.place << " has a source of " << source.number << " in vain";
  try {
    EXPECT_TRUE(agrees(source)) << piece.place << " says " << source.number << ", and it is "
                                << value_of(source.sum.substr(source.sum.starts_with("~ ") ? 2 : 0));
  } catch (const std::exception& error) {
    ADD_FAILURE() << piece.place << ": " << source.number << " = " << source.sum << ": " << error.what();
  }
}

// The number that a walk's prediction asks for, from its run.
std::optional<double> predicted(const Json& step, const std::string& lab) {
  if (!step.contains("predict")) return std::nullopt;
  std::string words = "cudalab " + lab;
  const Json options = step.value("options", Json::object());
  for (const auto& [name, value] : options.items())
    words += fmt::format(" --{}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
  words += " --stage=" + step["stage"].get<std::string>();
  if (step.contains("kept")) words = "h200 " + step["kept"].get<std::string>();
  const auto value = [&](const char* key) {
    return value_of(fmt::format("[{}: /{}{}]", words, step[key].get<std::string>(),
                                step.contains("kept") ? " of " + step["stage"].get<std::string>() : ""));
  };
  return step.contains("per") ? value("value") / value("per") : value("value");
}

// A walk's predictions count as sources, too.
std::vector<Piece> pieces_with_predictions(const fs::path& folder) {
  std::vector<Piece> pieces = pieces_of_lab(folder);
  const Json steps = json_of(folder / "learn.json");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string place = fmt::format("{}/learn.json, {}", folder.filename().string(), i + 1);
    const auto piece = std::ranges::find(pieces, place, &Piece::place);
    piece->predicted = predicted(steps[i], folder.filename());
  }
  return pieces;
}

std::set<double> numbers_given(const std::vector<Piece>& pieces) {
  std::set<double> given;
  for (const Piece& piece : pieces) {
    if (piece.predicted) given.insert(*piece.predicted);
    for (const Source& source : piece.sources)
      if (source.number != kDrawn) given.insert(number_written(source.number));
  }
  return given;
}

bool is_near(double one, double other) { return std::abs(one - other) <= 0.02 * std::abs(other); }

bool is_one_of(const std::set<double>& given, double number) {
  return std::any_of(given.begin(), given.end(), [number](double one) { return is_near(number, one); });
}

bool has_source(const Piece& piece, const std::string& number) {
  return std::any_of(piece.sources.begin(), piece.sources.end(),
                     [&](const Source& source) { return source.number == number; });
}

bool is_held(const Figure& figure, const Piece& piece, const std::set<double>& given) {
  const double number = number_written(figure.number);
  return has_source(piece, figure.number) || (piece.predicted && is_near(number, *piece.predicted)) ||
         (figure.is_count && is_one_of(given, number));
}

class LabNumbers : public testing::TestWithParam<fs::path> {};

TEST_P(LabNumbers, HaveSourcesThatGiveThem) {
  const std::vector<Piece> pieces = pieces_with_predictions(GetParam());
  const std::set<double> given = numbers_given(pieces);
  for (const Piece& piece : pieces) {
    for (const Source& source : piece.sources)
      source.number == kDrawn ? expect_printed(piece.drawing, source.sum) : expect_holds(source, piece);
    for (const std::string& text : piece.texts)
      for (const Figure& figure : figures_in(text))
        EXPECT_TRUE(is_held(figure, piece, given))
            << piece.place << ": where is " << figure.number << " from? " << figure.words;
  }
}

std::vector<fs::path> labs_with_handouts() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(CUDALAB_SOURCE_DIR "/labs"))
    if (fs::exists(entry.path() / "README.md")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

INSTANTIATE_TEST_SUITE_P(Labs, LabNumbers, testing::ValuesIn(labs_with_handouts()), [](const auto& folder) {
  std::string name = folder.param.filename();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Compares what the lab prints about an H200 below its sweep with the recording.
TEST(LabNote, SaysOfAnH200WhatWasRecordedOnOne) {
  const std::string source = read_file(CUDALAB_SOURCE_DIR "/labs/read-offset/messages.pot");
  for (int number = 1; number <= 4; ++number) {
    const double rate = value_of(
        fmt::format("[h200 README.md: number {} after 2^27 floats, offset 0 / 1 / 11 / 128 |]", number));
    const std::string written =
        fmt::format("{},{:03}", static_cast<int>(rate) / 1000, static_cast<int>(rate) % 1000);
    EXPECT_TRUE(has_number(source, written)) << written;
  }
}

std::vector<std::string> numbers_in(const std::string& text) {
  std::vector<std::string> numbers;
  for (const Figure& figure : figures_in(text)) numbers.push_back(figure.number);
  return numbers;
}

TEST(LabNumber, IsWhatWasMeasuredCountedOrComputed) {
  using testing::ElementsAre;
  EXPECT_THAT(numbers_in("It takes 623 µs, 1.5 times as long; 4,096 threads, `8 ms`, and 41 % of it."),
              ElementsAre("623", "1.5", "4,096", "41"));
  EXPECT_THAT(numbers_in("The request touches 5 sectors: 5 x 32 = 160 bytes."), ElementsAre("5"));
  EXPECT_THAT(numbers_in("A warp has 32 threads; thread 3 has CUDA 12.1 and 0.5f, 16 × 16."), ElementsAre());
}

TEST(LabNumber, AgreesToItsLastDigit) {
  EXPECT_TRUE(agrees({"1.5", "3 / 2.05"}));
  EXPECT_FALSE(agrees({"1.5", "3 / 2.2"}));
  EXPECT_TRUE(agrees({"9,600", "16 * 600"}));
  EXPECT_FALSE(agrees({"9,600", "16 * 601"}));
  EXPECT_TRUE(agrees({"350,000", "~ 1048576 / 3"}));
  EXPECT_TRUE(agrees({"132", "[card h200: multiprocessors]"}));
  EXPECT_TRUE(has_number("It takes 623 µs.", "623"));
  EXPECT_FALSE(has_number("It takes 1,623 µs and 623.5.", "623"));
}

}  // namespace
}  // namespace cudalab::e2e
