// Generates small edits of a kernel that undo typical mistakes: in a comparison, an index, a barrier or an
// update. Source: the edits are those of mutation testing (Jia and Harman, "An Analysis and Survey of the
// Development of Mutation Testing", IEEE TSE 37, 2011), with some for CUDA's built-in variables, barriers and
// atomics.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::course {

enum class EditKind {
  kComparison,  // < for <=, an off-by-one bound
  kIndex,       // another coordinate or built-in variable, an off-by-one index
  kVariable,    // another variable of the same type
  kUpdate,      // += for =, an atomic for a plain update
  kBarrier,     // a missing, superfluous or misplaced __syncthreads()
  kConstant,    // another number: an initial value, a factor, a distance
  kOperator,    // another arithmetic or logical operator
  kGuard,       // a missing or superfluous condition
  kFunction,    // another function of the same family, such as fmin for fmax
  kType,        // another type of a variable
  kStatement    // a superfluous statement
};

struct Edit {
  std::size_t begin = 0, end = 0;  // the bytes of the source that are replaced
  std::string text;                // the replacement
  int line = 0;
  EditKind kind{};
  int rank = 0;  // the order in which edits are tried
  // A second replacement after the first, for moved code. If begin == end and the text is empty, there is
  // none.
  std::size_t second_begin = 0, second_end = 0;
  std::string second_text{};
};

// The edits of all function bodies in the source, the most plausible first. Preprocessor lines are not
// edited. Accepts any text.
std::vector<Edit> edits_of(std::string_view source);

std::string edited(std::string_view source, const Edit& edit);

}  // namespace cudalab::course
