// Draws where the wrong elements of an output are, and names the pattern that they make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/result.h"
#include "lab/verification/verification.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// The array as a whole where it is larger than the part that is shown element by element, then that part.
// Empty where nothing is wrong, or nobody knows where.
std::vector<Picture> matrix_pictures(const lab::Row& row);

// "every 2nd row (1, 3, 5, ...)", "columns from 32 on"; no message where the wrong elements make no pattern
// of rows and columns.
Message wrong_pattern(const lab::WrongMap& map);

}  // namespace cudalab::report
