// Options and arguments of a verb as data: words from a table, values, and the words that give options their
// present values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/terminal/console.h"
#include "core/error.h"
#include "core/named.h"
#include "core/text.h"
#include "messages/cli.h"

namespace cudalab::cli {

// Options whose value is one of a table's words.

inline constexpr Named<ColourChoice> kColours[]{
    {"auto", ColourChoice::kAuto}, {"always", ColourChoice::kAlways}, {"never", ColourChoice::kNever}};

// "auto|gpu|virtual"
template <class Value, std::size_t kSize>
std::string alternatives(const Named<Value> (&table)[kSize]) {
  return joined(table, "|", &Named<Value>::name);
}

template <class Value, std::size_t kSize>
Value chosen(std::string_view option, std::string_view text, const Named<Value> (&table)[kSize]) {
  if (const auto value = value_called(text, table)) return *value;
  throw usage_error(msg::option_not_a_choice(option, joined(table, ", ", &Named<Value>::name), text));
}

// An option or an argument of a verb as data: the parser reads its value, and the help shows it.

// For `--json[=FILE]`: without a value it stands for `bare`, and a value needs the equals sign.
struct MayBeBare {
  std::optional<std::string>* to;
  std::string bare;
};

// All words behind `--`, whatever they look like: another program's.
struct BehindDashes {
  std::vector<std::string>* to;
};

// Where the value goes. An option that is not given leaves it as it is; of one that is given twice, the last
// counts.
using Target = std::variant<std::string*,
                            std::optional<std::string>*,  // for who asks whether it was given
                            MayBeBare,
                            std::vector<std::string>*,  // takes all that are given
                            bool*,                      // takes no value
                            BehindDashes>;

// A row of a verb's table: name, what the help shows after the name, where the value goes, and the help.
struct Option {
  std::string name;         // "--device"; an argument has no dashes: "FILE.cu"
  std::string placeholder;  // " N", "=OPTION", "[=FILE]"; empty: no value, or an argument
  Target to;
  std::string help;
  std::string group = "Options";  // its heading in the help
  bool is_required = false;
  Message values = {};  // which it takes: "1 to 32, default 32"; follows the help

  bool is_argument() const { return !name.starts_with('-'); }
  std::string described() const { return values.empty() ? help : help + "; " + values.text(); }
};

using Options = std::vector<Option>;

inline Option required(Option option) {
  option.is_required = true;
  return option;
}

inline Options in_group(const std::string& group, Options options) {
  for (Option& option : options) option.group = group;
  return options;
}

inline Options operator+(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

// The words of a command line that give options the values that they hold.

// What read_words() would have to read so that each option has its value again: `--format=csv`, arguments
// last. What holds nothing (an empty text, false) is left out.
std::vector<std::string> words_of(const Options& options);

}  // namespace cudalab::cli
