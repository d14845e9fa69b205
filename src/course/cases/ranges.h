// What the options of a case may be: the ranges that an exercise declares, and what of them goes together.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/lab.h"

namespace cudalab::course {

// The options of one run of a lab, besides the seed, in the lab's order: {{"rows", 67}, {"cols", 129}}.
using Case = std::vector<std::pair<std::string, lab::OptionValue>>;

// What an option may be: whole numbers from least to most that are multiples of `multiple_of`, or one of a
// list.
struct Range {
  std::string option;
  std::int64_t least = 0, most = 0, multiple_of = 1;
  std::string below;                     // another option, drawn before, that it stays below; empty: none
  std::vector<lab::OptionValue> one_of;  // not empty: these instead of numbers from a range
  bool is_compiled = false;              // the kernel is compiled for its value
};

// What options may be at most when they are multiplied, and divided by another: elements, or elements a
// block.
struct Together {
  std::vector<std::string> options;
  std::string per;  // empty: by none
  std::int64_t at_most = 0;
};

struct Ranges {
  std::vector<Range> ranges;
  std::vector<Together> together;
  bool empty() const { return ranges.empty(); }
};

// {"rows": {"from": 1, "to": 70000}, "tile": {"of": [8, 16, 32], "compiled": true},
//  "offset": {"from": 0, "to": 9, "below": "n"}, "block": {"from": 32, "to": 1024, "multiple_of": 32}}
// Throws Error(kUsage) that names `place` and the key.
Ranges ranges_from(const nlohmann::json& text, const lab::Lab& lab, std::string_view place);
// [{"options": ["rows", "cols"], "at_most": 70000}, {"options": ["n"], "per": "block", "at_most": 20000}]
std::vector<Together> together_from(const nlohmann::json& text, const Ranges& ranges, std::string_view place);

bool is_within(const Case& options, const Ranges& ranges);

// The whole number that a case has for an option; empty where it has none.
std::optional<std::int64_t> number_in(const Case& options, std::string_view name);

}  // namespace cudalab::course
