// A verb's options and arguments as data: choices from a table, targets for values, and the command line that
// reproduces the current values.
#include "cli/options/option.h"

namespace cudalab::cli {
namespace {

using Words = std::vector<std::string>;

struct WordWriter {
  const Option& option;
  Words& words;

  void write(const std::string& value) const {
    if (!value.empty()) words.push_back(option.is_argument() ? value : option.name + "=" + value);
  }
  void operator()(const std::string* value) const { write(*value); }
  void operator()(const std::optional<std::string>* value) const { write(value->value_or("")); }
  void operator()(const MayBeBare& value) const { (*this)(value.to); }
  void operator()(const Words* values) const {
    for (const std::string& value : *values) write(value);
  }
  void operator()(const bool* is_set) const {
    if (*is_set) words.push_back(option.name);
  }
  void operator()(const BehindDashes& behind) const {
    if (behind.to->empty()) return;
    words.emplace_back("--");
    words.insert(words.end(), behind.to->begin(), behind.to->end());
  }
};

// The order: options, then arguments, then the words after `--`.
int place_of(const Option& option) {
  if (std::holds_alternative<BehindDashes>(option.to)) return 2;
  return option.is_argument() ? 1 : 0;
}

}  // namespace

Words words_of(const Options& options) {
  Words words;
  for (const int place : {0, 1, 2})
    for (const Option& option : options)
      if (place_of(option) == place) std::visit(WordWriter{option, words}, option.to);
  return words;
}

}  // namespace cudalab::cli
