#include "ptx/word.h"

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

namespace cudalab::ptx {
namespace {

// Words that kWords lacks, such as the shape of a matrix. Their numbers follow those of kWords.
struct OtherWords {
  std::mutex mutex;
  std::deque<std::string> texts;  // never moved, because others point into them
  std::unordered_map<std::string_view, std::uint32_t> ids;
};

OtherWords& others() {
  static OtherWords* const words = new OtherWords;  // used until the last thread ends
  return *words;
}

}  // namespace

Word Word::of(std::string_view text) {
  const auto found = std::ranges::lower_bound(kWords, text);
  if (found != kWords.end() && *found == text)
    return Word(static_cast<std::uint32_t>(found - kWords.begin()));
  OtherWords& words = others();
  const std::scoped_lock lock(words.mutex);
  if (const auto known = words.ids.find(text); known != words.ids.end()) return Word(known->second);
  const auto id = static_cast<std::uint32_t>(kWords.size() + words.texts.size());
  words.ids.emplace(words.texts.emplace_back(text), id);
  return Word(id);
}

std::string_view Word::text_of_other(std::uint32_t id) {
  OtherWords& words = others();
  const std::scoped_lock lock(words.mutex);
  return words.texts[id - kWords.size()];
}

std::vector<Word> words_of(std::string_view opcode) {
  std::vector<Word> words;
  while (true) {
    const std::size_t dot = opcode.find('.');
    words.push_back(Word::of(opcode.substr(0, dot)));
    if (dot == std::string_view::npos) return words;
    opcode.remove_prefix(dot + 1);
  }
}

std::string text_of(std::span<const Word> words) {
  std::string text;
  for (const Word word : words) {
    if (!text.empty()) text += '.';
    text += word.text();
  }
  return text;
}

}  // namespace cudalab::ptx
