// The pieces of a lab's texts, each with the numbers that need a source, and with the sources beside it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::e2e {

// "623 = [h200 dot: µs of tree]", a marker. In a handout it is between <!-- and -->, separated from others by
// ";", after the paragraph, list, table or drawing that contains the number. In JSON it is a member of
// "numbers" beside the texts.
struct Source {
  std::string number;  // as it is written in the text
  // An expression of lab_values_testing.h; "~ …": approximately. "supposed": an assumption of the text, not
  // measured. "documented": by NVIDIA. The lines of a drawing have "drawn = printed by cudalab …".
  std::string sum;
};

struct Piece {
  std::string place;               // "dot/README.md:84"
  std::vector<std::string> texts;  // without wrong choices of a quiz
  std::string drawing;             // the indented lines
  std::vector<Source> sources;
  std::optional<double> predicted;  // the result of a walk's prediction, after its run
};

std::vector<Piece> pieces_of_lab(const std::filesystem::path& folder);

// A number that was measured, counted or computed, with its context.
struct Figure {
  std::string number, words;  // words: the number with its context
  bool is_count = false;      // of sectors, requests, …: also small ones, which tables and walks show, too
};

// Finds numbers with a unit of measurement, with a fraction or a comma, and numbers of counted things. Skips
// numbers in `code`, in drawings and in names ("thread 3", "CUDA 12.1"), and numbers beside + - * / =, where
// the sentence shows the calculation.
std::vector<Figure> figures_in(const std::string& text);

// Whether the text contains the number as a whole number, not as a part of another one.
bool has_number(const std::string& text, const std::string& number);

}  // namespace cudalab::e2e
