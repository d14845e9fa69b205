// The cases of an exercise: the ranges of its options, and cases drawn at random from them.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "lab/lab.h"
#include "lab/random.h"
#include "messages/course.h"
#include "messages/lab.h"

namespace cudalab::course {

// Finds an option of a lab that a file of the course names.

// Throws Error(kUsage), where the lab has none of that name.
inline const lab::OptionSpec& option_of(const lab::Lab& lab, std::string_view name, const Message& place) {
  for (const lab::OptionSpec& spec : lab.options)
    if (spec.name == name) return spec;
  throw usage_error(msg::at_place(place, msg::lab_lacks_option(lab.name, name)));
}

// What the options of a case may be: the ranges that an exercise declares, and what of them goes together.

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
Ranges ranges_from(const nlohmann::json& text, const lab::Lab& lab, const Message& place);
// [{"options": ["rows", "cols"], "at_most": 70000}, {"options": ["n"], "per": "block", "at_most": 20000}]
std::vector<Together> together_from(const nlohmann::json& text, const Ranges& ranges, const Message& place);

bool is_within(const Case& options, const Ranges& ranges);

// The whole number that a case has for an option; empty where it has none.
std::optional<std::int64_t> number_in(const Case& options, std::string_view name);

// What drawn cases and sizes in a row are drawn with.

inline constexpr std::int64_t kSmallest = 300;  // the most of a small case

// Numbers that follow from a seed and a name.
class Dice {
 public:
  Dice(std::uint64_t seed, std::string_view name) : stream_(lab::random_stream(seed, name)) {}
  std::uint64_t below(std::uint64_t bound) { return lab::random_bits(stream_, index_++) % bound; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
  }

 private:
  std::uint64_t stream_, index_ = 0;
};

// Of the numbers in [least, most]: edges, more often than not. `drawn`: what the case has already, beside
// whose multiples kernels go wrong. The result may lie outside.
std::int64_t draw_number(Dice& dice, std::int64_t least, std::int64_t most, const Case& drawn);

// The values of what is compiled, of each variant of a draw.
std::vector<Case> draw_variants(const Ranges& ranges, Dice& dice);

// Cases that nobody knows beforehand: options drawn anew from their ranges, with the edges favoured where
// kernels go wrong.

inline constexpr std::size_t kVariants = 2;  // of the values that a kernel is compiled for, in a draw

// A draw: the same for a seed and a name on every machine, whoever runs it. At most `kVariants` different
// values of what is compiled, one from the lower and one from the upper half of each range. Of each a small
// case, one of any size, one of even sizes, and a large one; as many more that each option of `together` is
// large once. Empty where there are no ranges.
std::vector<Case> draw_cases(const Ranges& ranges, std::uint64_t seed, std::string_view name);
Case draw_case(const Ranges& ranges, std::uint64_t seed, std::string_view name);

// Sizes in a row: one of them has whatever remainder a kernel is wrong for.

// Small cases in which each option of whole numbers takes so many values in a row, or all where it has fewer,
// each in an order of its own: whatever is wrong for one remainder of a size, up to that number, is wrong in
// one of them. Where the row begins is drawn, and what is not a size in steps of 1 is drawn for each case.
// What is compiled is that variant of draw_cases that leaves most room.
inline constexpr std::int64_t kInARow = 33;
std::vector<Case> draw_consecutive(const Ranges& ranges, std::uint64_t seed, std::string_view name);

// The smallest case that still fails.

// The smallest case that `fails`, as `failing` does, with what is compiled as it is: each number as small as
// it goes while the others stay. Asks some dozens of times for each number.
Case smallest(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails);

}  // namespace cudalab::course
