// Converts a lab's options to command-line rows and back to values, and suggests names for mistyped words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/option.h"
#include "core/measurement.h"
#include "lab/lab.h"
#include "lab/options.h"

namespace cudalab::cli {

// Suggests the name that a mistyped word was probably meant to be.

// "; did you mean `transpose`?", or an empty text.
Message did_you_mean(std::string_view word, const std::vector<std::string>& names);

// Finds a lab by the user's word.

// Throws Error(kUsage) if the word is missing or names no lab; `verb` is for the message.
const lab::Lab& known_lab(std::string_view word, std::string_view verb);

// Options of a lab on the command line: rows from their specifications, and values from the user's text.

// Parses an integer from 0 to `max`; `name` is for the message.
std::uint64_t parse_natural(std::string_view name, std::string_view text, std::uint64_t max);

// Parses X, X,Y or X,Y,Z. Omitted dimensions become `missing`: 1 for a size, 0 for an index.
Dim3 shape_from(std::string_view option, const std::string& text, std::uint32_t missing);

// "1 to 32, default 32"; empty for a flag.
Message values_of(const lab::OptionSpec& spec);

class LabOptions {
 public:
  explicit LabOptions(const std::vector<lab::OptionSpec>& specs);
  LabOptions(const LabOptions&) = delete;
  LabOptions& operator=(const LabOptions&) = delete;
  Options rows();  // the rows point into this object
  std::vector<std::pair<std::string, lab::OptionValue>> given() const;

 private:
  struct Slot {
    const lab::OptionSpec* spec;
    std::optional<std::string> text;
  };
  std::vector<Slot> slots_;
};

}  // namespace cudalab::cli
