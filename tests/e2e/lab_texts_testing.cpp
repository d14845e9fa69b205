// Splits handouts into pieces at blank lines and markers, and JSON files into objects.
#include "tests/e2e/lab_texts_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string without_blanks_at_ends(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

// "623 = A; 604 = B"
std::vector<Source> sources_in(const std::string& marker) {
  std::vector<Source> sources;
  std::istringstream entries(marker);
  for (std::string entry; std::getline(entries, entry, ';');) {
    const std::size_t equals = entry.find(" = ");
    if (equals == std::string::npos) throw std::runtime_error("not `NUMBER = SUM`: " + entry);
    sources.push_back(
        {without_blanks_at_ends(entry.substr(0, equals)),
         without_blanks_at_ends(std::regex_replace(entry.substr(equals + 3), std::regex("\\s+"), " "))});
  }
  return sources;
}

// ---- handouts ----------------------------------------------------------------------------------------

class Handout {
 public:
  explicit Handout(std::string file) : file_(std::move(file)) {}

  std::vector<Piece> of(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++number_;
      take(line);
    }
    end_piece();
    return std::move(pieces_);
  }

 private:
  void take(const std::string& line) {
    if (!marker_.empty() || line.starts_with("<!--")) return comment(line);
    if (line.empty()) return end_piece();
    if (is_generated_ && line.starts_with('|')) return;
    is_generated_ = false;
    if (first_ == 0) first_ = number_;
    (line.starts_with("    ") && paragraph_.empty() ? drawing_ : paragraph_) += line + "\n";
  }

  // The comment of a table that a command produces, or of the piece above it.
  void comment(const std::string& line) {
    marker_ += line + "\n";
    const std::size_t end = marker_.find("-->");
    if (end == std::string::npos) return;
    const std::string inside = marker_.substr(4, end - 4);
    marker_.clear();
    is_generated_ = inside.find(" = ") == std::string::npos;
    if (is_generated_) return end_piece();
    sources_ = sources_in(inside);
    end_piece();
  }

  void end_piece() {
    if (first_ != 0)
      pieces_.push_back(
          {fmt::format("{}:{}", file_, first_), {paragraph_}, drawing_, std::move(sources_), std::nullopt});
    else if (!sources_.empty())
      throw std::runtime_error(
          fmt::format("{}:{}: a marker stands below what it is of, without an empty line", file_, number_));
    first_ = 0;
    paragraph_.clear(), drawing_.clear(), sources_.clear();
  }

  std::string file_, paragraph_, drawing_, marker_;
  std::vector<Source> sources_;
  std::vector<Piece> pieces_;
  std::size_t number_ = 0, first_ = 0;
  bool is_generated_ = false;
};

// ---- JSON --------------------------------------------------------------------------------------------

void collect(const Json& value, std::vector<std::string>& texts) {
  if (value.is_string()) texts.push_back(value);
  if (value.is_structured())
    for (const Json& part : value) collect(part, texts);
}

// The texts under these keys; of the choices only the right one.
Piece piece_of(const Json& object, const std::string& place) {
  Piece piece{.place = place, .texts = {}, .drawing = "", .sources = {}, .predicted = std::nullopt};
  if (object.is_string()) collect(object, piece.texts);
  for (const char* key : {"text", "predict", "why", "question", "answer", "title", "task", "hints"})
    if (object.is_object() && object.contains(key)) collect(object[key], piece.texts);
  if (object.contains("choices"))
    collect(object["choices"].at(object["answer"].get<std::size_t>()), piece.texts);
  if (object.contains("criteria"))
    for (const Json& criterion : object["criteria"]) collect(criterion.value("says", ""), piece.texts);
  if (object.contains("numbers"))
    for (const auto& [number, sum] : object["numbers"].items()) piece.sources.push_back({number, sum});
  return piece;
}

void add_list(const fs::path& file, const std::string& place, std::vector<Piece>& pieces) {
  std::size_t number = 0;
  for (const Json& object : json_of(file))
    pieces.push_back(piece_of(object, fmt::format("{}, {}", place, ++number)));
}

// ---- numbers -----------------------------------------------------------------------------------------

bool is_digit_of(char c) { return c >= '0' && c <= '9'; }

std::string without_code(const std::string& text) {
  return std::regex_replace(text, std::regex("`[^`]*`"), "code");
}

bool matches(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex(pattern));
}

constexpr const char* kUnit =
    "^\\s?(ns|µs|ms|s|GB/s|TB/s|TFLOP/s|GFLOP/s|cycles?|%|per cent|times as)(?![A-Za-z])";
constexpr const char* kCounted =
    "^\\s((load|store|shared|global|different|atomic|texture) "
    ")?(sectors?|requests?|conflicts?|pass|passes|wavefronts?|"
    "instructions?|loads?|stores?|branches|barriers|arrivals|additions|ulps?|reads|addresses|times)(?![A-Za-"
    "z])";
// These signs have more than one byte, so they cannot be in a bracketed character class.
constexpr const char* kSumBefore = "(×|·|−|[x*/=+^-]|\\d\\.) ?$";
constexpr const char* kSumAfter = "^( ?(×|·|[x*/=+^])| - \\d|[A-Za-z]|²|³|¹|⁴|⁵|⁶|⁷|⁸|⁹)";
constexpr const char* kName = "(threads?|lanes?|element|texel|step|CUDA|capability|[Pp]lace|[Vv]ersion) $";

}  // namespace

std::vector<Piece> pieces_of_lab(const fs::path& folder) {
  const std::string lab = folder.filename().string() + "/";
  std::vector<Piece> pieces = Handout(lab + "README.md").of(read_file(folder / "README.md"));
  for (const char* file : {"learn.json", "quiz.json", "answers.json"})
    add_list(folder / file, lab + file, pieces);
  for (const auto& entry : fs::directory_iterator(folder / "exercise"))
    pieces.push_back(piece_of(json_of(entry.path() / "exercise.json"),
                              fmt::format("{}exercise/{}", lab, entry.path().filename().string())));
  return pieces;
}

std::vector<Figure> figures_in(const std::string& text) {
  static const std::regex kNumber("\\d{1,3}(,\\d{3})+|\\d+\\.\\d+|\\d+");
  std::string prose = without_code(text);
  std::replace(prose.begin(), prose.end(), '\n', ' ');
  std::vector<Figure> figures;
  for (auto at = std::sregex_iterator(prose.begin(), prose.end(), kNumber); at != std::sregex_iterator();
       ++at) {
    const std::size_t begin = static_cast<std::size_t>(at->position()), end = begin + at->str().size();
    const std::size_t from = begin - std::min<std::size_t>(begin, 24);
    const std::string before = prose.substr(from, begin - from), after = prose.substr(end, 32);
    const bool is_part_of_a_word =
        !before.empty() && (std::isalpha(static_cast<unsigned char>(before.back())) != 0 ||
                            std::string_view(".,{").find(before.back()) != std::string_view::npos);
    if (is_part_of_a_word || matches(before, kSumBefore) || matches(before, kName) ||
        matches(after, kSumAfter))
      continue;
    const bool is_exact = at->str().find_first_of(",.") != std::string::npos || matches(after, kUnit);
    const bool is_count = !is_exact && matches(after, kCounted);
    if (is_exact || is_count) figures.push_back({at->str(), before + at->str() + after, is_count});
  }
  return figures;
}

bool has_number(const std::string& text, const std::string& number) {
  for (std::size_t at = text.find(number); at != std::string::npos; at = text.find(number, at + 1)) {
    const std::size_t end = at + number.size();
    const char before = at > 0 ? text[at - 1] : ' ', after = end < text.size() ? text[end] : ' ';
    const bool goes_on = is_digit_of(after) || ((after == '.' || after == ',') && end + 1 < text.size() &&
                                                is_digit_of(text[end + 1]));
    if (!is_digit_of(before) && before != '.' && before != ',' && !goes_on) return true;
  }
  return false;
}

}  // namespace cudalab::e2e
