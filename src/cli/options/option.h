// A verb's options and arguments as data: choices from a table, targets for values, and the command line that
// reproduces the current values.
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

// Options whose value is one of a fixed set of words.

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

// For `--json[=FILE]`: without a value the option means `bare`; a value requires the equals sign.
struct MayBeBare {
  std::optional<std::string>* to;
  std::string bare;
};

// Takes all words after `--`, unparsed: they belong to another program.
struct BehindDashes {
  std::vector<std::string>* to;
};

// The target of a value. It is left unchanged if the option is absent; if the option is repeated, the last
// value counts.
using Target = std::variant<std::string*,
                            std::optional<std::string>*,  // for callers that check for presence
                            MayBeBare,
                            std::vector<std::string>*,  // takes all values of a repeated option
                            bool*,                      // takes no value
                            BehindDashes>;

// One row of a verb's option table.
struct Option {
  std::string name;         // "--device"; an argument has no dashes: "FILE.cu"
  std::string placeholder;  // " N", "=OPTION", "[=FILE]"; empty: no value, or an argument
  Target to;
  std::string help;
  std::string group = "Options";  // the heading in the help
  bool is_required = false;
  Message values = {};  // allowed values, shown after the help: "1 to 32, default 32"

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

// Recreates the command line from the options' current values.

// The words from which read_words() would restore each value: options such as `--format=csv`, then arguments.
// Skips empty texts and false flags.
std::vector<std::string> words_of(const Options& options);

}  // namespace cudalab::cli
