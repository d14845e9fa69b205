// Whose result a document is: the seed follows from the student's name, so that nobody else's numbers fit it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cudalab::grading {

inline constexpr std::size_t kLongestName = 100;  // bytes

// At most 48 bits: every JSON reader keeps it exactly.
std::uint64_t student_seed(std::string_view student);

// Throws Error(kUsage) where a name cannot be kept in a document and shown again: empty, too long, control
// characters.
void require_student_name(std::string_view student);

}  // namespace cudalab::grading
