// Options of a lab on the command line: their rows, their values, and the lab or name that a mistyped word
// was meant to be.
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

// Finds the name that a mistyped word was probably meant to be.

// "; did you mean `transpose`?", or an empty text.
Message did_you_mean(std::string_view word, const std::vector<std::string>& names);

// A lab by the word that the user gave for it.

// Throws Error(kUsage) where the word is missing or names no lab; `verb` is for the message.
const lab::Lab& known_lab(std::string_view word, std::string_view verb);

// Options of a lab on the command line: rows from their specifications, and values from the user's text.

// A whole number of at most `max`; `name` is for the message.
std::uint64_t parse_natural(std::string_view name, std::string_view text, std::uint64_t max);

// X, X,Y or X,Y,Z; a side that is not written is `missing`: 1 of a size, 0 of a place.
Dim3 shape_from(std::string_view option, const std::string& text, std::uint32_t missing);

// "1 to 32, default 32"; nothing of a flag.
Message values_of(const lab::OptionSpec& spec);

class LabOptions {
 public:
  explicit LabOptions(const std::vector<lab::OptionSpec>& specs);
  LabOptions(const LabOptions&) = delete;
  LabOptions& operator=(const LabOptions&) = delete;
  Options rows();  // they point into this
  std::vector<std::pair<std::string, lab::OptionValue>> given() const;

 private:
  struct Slot {
    const lab::OptionSpec* spec;
    std::optional<std::string> text;
  };
  std::vector<Slot> slots_;
};

}  // namespace cudalab::cli
