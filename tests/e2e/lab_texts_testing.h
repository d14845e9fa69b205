// The texts of a lab piece by piece, each with the numbers in it that want a source, and with the sources
// that stand beside it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::e2e {

// "623 = [h200 dot: µs of tree]", a marker: in a handout between <!-- and -->, several parted by ; , after
// the paragraph, list, table or drawing that has the number; in JSON the members of "numbers" beside the
// texts.
struct Source {
  std::string number;  // as it is written there
  // A sum of lab_values_testing.h; "~ …": about. "supposed": the text supposes it, nobody measured.
  // "documented": by NVIDIA. The lines of a drawing are "drawn = printed by cudalab …".
  std::string sum;
};

struct Piece {
  std::string place;               // "dot/README.md:84"
  std::vector<std::string> texts;  // without wrong choices of a quiz
  std::string drawing;             // what is indented
  std::vector<Source> sources;
  std::optional<double> predicted;  // of a walk's prediction, once somebody has run it
};

std::vector<Piece> pieces_of_lab(const std::filesystem::path& folder);

// A number that was measured, counted or computed, by what stands around it.
struct Figure {
  std::string number, words;  // words: with what stands around it
  bool is_count = false;      // of sectors, requests, …: a small one, which tables and walks show, too
};

// Numbers with a unit of measurement, with a fraction or a comma, and numbers of what counters count; not
// those in `code` or drawings, in names ("thread 3", "CUDA 12.1"), and beside + - * / =, where the sentence
// does the sum.
std::vector<Figure> figures_in(const std::string& text);

// Whether the number stands there as a whole.
bool has_number(const std::string& text, const std::string& number);

}  // namespace cudalab::e2e
