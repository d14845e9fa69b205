// An option or an argument of a verb as data: the parser reads its value, and the help shows it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cudalab::cli {

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
  std::string values = {};  // which it takes, made from numbers: "1 to 32, default 32"; follows the help

  bool is_argument() const { return !name.starts_with('-'); }
  std::string described() const { return values.empty() ? help : help + "; " + values; }
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

}  // namespace cudalab::cli
