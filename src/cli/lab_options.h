// Options of a lab on the command line: declared from their specifications, and read from the user's text.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cudalab::cli {

// A whole number of at most `max`; `name` is for the message.
std::uint64_t parse_natural(std::string_view name, std::string_view text, std::uint64_t max);

// "tile edge in elements; 1 to 32, default 32"
std::string describe(const lab::OptionSpec& spec);

class LabOptions {
 public:
  LabOptions(CLI::App& app, const std::vector<lab::OptionSpec>& specs);
  LabOptions(const LabOptions&) = delete;
  LabOptions& operator=(const LabOptions&) = delete;
  std::vector<std::pair<std::string, lab::OptionValue>> given() const;

 private:
  struct Slot {
    const lab::OptionSpec* spec;
    std::string text;
    CLI::Option* option = nullptr;
  };
  std::deque<Slot> slots_;  // the parser keeps the addresses of the texts
};

}  // namespace cudalab::cli
