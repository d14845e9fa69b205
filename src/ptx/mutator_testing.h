// For tests and fuzzers: damages PTX text so that most results still parse.
#pragma once

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudalab::ptx {

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Changes whole lines, registers and numbers, and occasionally single characters. Equal seeds make equal
// changes.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  // `donor` is another text whose lines may be inserted.
  std::string mutate(std::string_view text, std::string_view donor = {}) {
    lines_ = lines_of(text);
    donated_ = lines_of(donor);
    if (lines_.empty()) return {};
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) edit();
    std::string result;
    for (const std::string& line : lines_) result += line;
    return result;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  std::size_t any_line() { return below(lines_.size()); }
  auto place(std::size_t line) { return lines_.begin() + static_cast<std::ptrdiff_t>(line); }

  void edit() {
    switch (below(donated_.empty() ? 6 : 7)) {
      case 0:
        if (lines_.size() > 1) lines_.erase(place(any_line()));
        return;
      case 1: {
        const std::string copy = lines_[any_line()];
        lines_.insert(place(any_line()), copy);
        return;
      }
      case 2: return std::swap(lines_[any_line()], lines_[any_line()]);
      case 3: return replace("0123456789", kNumbers[below(std::size(kNumbers))]);
      case 4: return replace("0123456789", std::to_string(below(24)));
      case 6: lines_.insert(place(any_line()), donated_[below(donated_.size())]); return;
      default: return flip();
    }
  }
  void replace(const char* characters, const std::string& by) {
    std::string& line = lines_[any_line()];
    const std::size_t from = line.find_first_of(characters, below(line.size()));
    if (from == std::string::npos) return;
    const std::size_t end = std::min(line.find_first_not_of(characters, from), line.size());
    line.replace(from, end - from, by);
  }
  void flip() {
    static constexpr std::string_view kMeaningful = "{}[](),;:.@!|%_+-0 \n";
    std::string& line = lines_[any_line()];
    line[below(line.size())] = kMeaningful[below(kMeaningful.size())];
  }

  static constexpr const char* kNumbers[] = {
      "0", "-1", "4294967295", "4294967296", "9223372036854775807", "65537", "1000000"};
  std::mt19937 random_;
  std::vector<std::string> lines_, donated_;
};

}  // namespace cudalab::ptx
