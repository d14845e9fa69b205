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

// Finds an option of a lab. Throws Error(kUsage) if the lab has no option of that name.
inline const lab::OptionSpec& option_of(const lab::Lab& lab, std::string_view name, const Message& place) {
  for (const lab::OptionSpec& spec : lab.options)
    if (spec.name == name) return spec;
  throw usage_error(msg::at_place(place, msg::lab_lacks_option(lab.name, name)));
}

// The options of one run of a lab, without the seed, in the lab's order: {{"rows", 67}, {"cols", 129}}.
using Case = std::vector<std::pair<std::string, lab::OptionValue>>;

// The allowed values of an option: multiples of `multiple_of` from least to most, or one of a list.
struct Range {
  std::string option;
  std::int64_t least = 0, most = 0, multiple_of = 1;
  // Another option, drawn earlier, that this one must be less than; empty if there is none.
  std::string below;
  std::vector<lab::OptionValue> one_of;  // if not empty: these values instead of a range
  bool is_compiled = false;              // its value is a macro of the kernel
};

// A limit for the product of several options, divided by `per`: the number of elements, or of elements per
// block.
struct Together {
  std::vector<std::string> options;
  std::string per;  // empty: not divided
  std::int64_t at_most = 0;
};

struct Ranges {
  std::vector<Range> ranges;
  std::vector<Together> together;
  bool empty() const { return ranges.empty(); }
};

// Reads ranges: {"rows": {"from": 1, "to": 70000}, "tile": {"of": [8, 16, 32], "compiled": true}, "offset":
// {"from": 0, "to": 9, "below": "n"}, "block": {"from": 32, "to": 1024, "multiple_of": 32}}. Throws
// Error(kUsage) that names `place` and the key.
Ranges ranges_from(const nlohmann::json& text, const lab::Lab& lab, const Message& place);
// Reads limits: [{"options": ["rows", "cols"], "at_most": 70000}, {"options": ["n"], "per": "block",
// "at_most": 20000}].
std::vector<Together> together_from(const nlohmann::json& text, const Ranges& ranges, const Message& place);

bool is_within(const Case& options, const Ranges& ranges);

// The integer that a case has for an option; empty if it has none.
std::optional<std::int64_t> number_in(const Case& options, std::string_view name);

inline constexpr std::int64_t kSmallest = 300;  // the largest size in a small case

// Pseudo-random numbers that depend only on a seed and a name.
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

// Draws a number from [least, most], in most cases an edge where kernels often go wrong: a limit, a prime, a
// power of two, or a number next to a multiple of a value in `drawn` (a block, a tile). The result may be
// outside the range.
std::int64_t draw_number(Dice& dice, std::int64_t least, std::int64_t most, const Case& drawn);

// Draws the values of the compiled options of each variant.
std::vector<Case> draw_variants(const Ranges& ranges, Dice& dice);

// Draws cases that a learner cannot know in advance: options from their ranges, preferably edges where
// kernels often go wrong.

inline constexpr std::size_t kVariants = 2;  // how many sets of compiled values a draw contains

// Draws cases that depend only on the seed and the name, on every machine. There are at most `kVariants` sets
// of compiled values, one from the lower and one from the upper half of each range. Each set gets a small
// case, a case of any size, a case in which the options of a product are about equal, and large cases in
// which each option of `together` is large once. Empty if there are no ranges.
std::vector<Case> draw_cases(const Ranges& ranges, std::uint64_t seed, std::string_view name);
Case draw_case(const Ranges& ranges, std::uint64_t seed, std::string_view name);

// Draws small cases in which each integer option takes kInARow consecutive values (or all, if it has fewer),
// each option in its own order. A kernel that is wrong for one remainder of a size modulo a number up to
// kInARow then fails in one of these cases. The first value is drawn, and options with other steps are drawn
// for each case. Compiled values are those of the variant of draw_cases() that allows the most values.
inline constexpr std::int64_t kInARow = 33;
std::vector<Case> draw_consecutive(const Ranges& ranges, std::uint64_t seed, std::string_view name);

// Shrinks a failing case: makes each number as small as possible while `fails` still returns true, keeping
// compiled values. Calls `fails` some dozens of times per number.
Case smallest(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails);

}  // namespace cudalab::course
