// Explains a wrong result by what the kernel did with its data: which elements of its buffers it never read,
// read too often, never wrote or replaced, compared with the exercise's solution in the same case.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/measurement.h"
#include "lab/result.h"

namespace cudalab::course {

// One fact about a failed run that narrows down the cause, and the line where it shows.
struct Reason {
  Message what;
  std::optional<SourceLine> where = {};
};

// "line 12: the kernel never reads `b`"; without a line the fact alone.
Message in_line(const Reason& reason);

inline constexpr std::size_t kMostReasons = 2;

// A smaller whole number need not be a number of terms.
inline constexpr double kFewestTerms = 8;

// What a run whose random inputs are all 1 shows: how many terms are missing from a sum or added too often,
// or that their number is right. Empty if the numbers say nothing.
std::optional<Reason> reason_of_ones(const lab::Check& check);

// What runs of a kernel that computes one sum show, one run per class of input elements: element i is in
// class i / width % (number of checks), and a class is 1 in its own run and 0 in the others. Empty unless
// whole classes are missing from the sum, or are in it several times.
std::optional<Reason> reason_of_classes(std::span<const lab::Check> checks, std::size_t width);

// The facts that distinguish a wrong kernel's accesses from those of the solution, the most telling first, at
// most kMostReasons. Buffers are compared by name. Of shared arrays, whose names are the learner's own, only
// elements that are written and never read are reported, provided the solution leaves none.
std::vector<Reason> reasons_of(std::span<const BufferUse> found, std::span<const BufferUse> wanted);

}  // namespace cudalab::course
