// Explains a wrong sum by runs with chosen inputs: how many terms it has, and which elements it lacks or
// contains several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "course/reasons/evidence.h"
#include "lab/lab_run.h"
#include "lab/result.h"

namespace cudalab::course {

// An integer below this may be something other than a number of terms.
inline constexpr double kFewestTerms = 8;

// The first wrong number of a check. Empty if there is none, or if it was never written.
struct WrongNumber {
  double found = 0, expected = 0;
};
std::optional<WrongNumber> numbers_of(const lab::Check& check);

// From a run whose random inputs are all 1: how many terms are missing from a sum or added too often, or that
// their number is right. Empty if the numbers allow no conclusion.
std::optional<Reason> reason_of_ones(const lab::Check& check);

// For a kernel that adds the right number of terms: its only result differs no more than rounding errors do.
std::optional<Reason> reason_of_rounding(const lab::Check& check);

// The check of a run with these inputs; empty if that is not possible.
using AskForMarks = std::function<std::optional<lab::Check>(const lab::MarkedInputs&)>;

// Finds elements that the first sum of a kernel lacks or contains several times: grouped by their position
// among the lanes of a warp, among warps, and in blocks whose size is no power of two. `sum`: with ones.
std::optional<Reason> reason_of_first_sum(const AskForMarks& ask, double sum, std::uint64_t threads_of_block);

// Finds the first of `terms` elements that a sum does not contain once.
std::optional<Reason> reason_of_first_term(const AskForMarks& ask, std::size_t terms);

}  // namespace cudalab::course
