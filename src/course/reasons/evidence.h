// Explains a wrong result by comparing the kernel's accesses with those of the exercise's solution in the
// same case: elements of its buffers that it never read, read too often, never wrote or overwrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/measurement.h"

namespace cudalab::course {

// One fact about a failed run that narrows down the cause, and the line where it shows.
struct Reason {
  Message what;
  std::optional<SourceLine> where = {};
};

// "line 12: the kernel never reads `b`"; without a line, only the fact.
Message in_line(const Reason& reason);

// A buffer as messages name it: `tile`, or "the dynamic shared memory".
Argument called(const std::string& buffer);

inline constexpr std::size_t kMostReasons = 2;

// The accesses of an element; 0 beyond the counted ones.
std::uint32_t count_at(const std::vector<std::uint32_t>& counts, std::size_t element);
// The line with the most loads of a buffer.
std::optional<SourceLine> line_of_loads(const BufferUse& use);

// Names a set of elements in words: "elements 128 to 255 of every 256". `elements` are ascending, at least
// one.
Message elements_in_words(const std::vector<std::size_t>& elements);

// "the elements with index % 32 from 16 to 31"
Message remainders_in_words(std::size_t period, std::size_t first, std::size_t last);

// The facts that distinguish a wrong kernel's accesses from the solution's, the most telling first, at most
// kMostReasons. Buffers are compared by name. Shared arrays have names that the learner chose, so for them
// only elements that are written but never read are reported, and only if the solution has none.
std::vector<Reason> reasons_of(std::span<const BufferUse> found, std::span<const BufferUse> wanted);

}  // namespace cudalab::course
