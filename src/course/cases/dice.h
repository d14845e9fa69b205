// What drawn cases and sizes in a row are drawn with.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "course/cases/ranges.h"
#include "lab/random.h"

namespace cudalab::course {

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

}  // namespace cudalab::course
