// Flags kernels that are like another student's.
#pragma once

#include <vector>

#include "grading/grade.h"
#include "grading/submission.h"

namespace cudalab::grading {

// For the instructor, among the kernel files of one exercise and with its solution: by tokens
// (likeness/winnowing.h), without what the course hands out; compared with the solution, without the starter.
// Says both places: "81 % like class/bob/x.cu: line 12 here, line 14 there". `grades` are those of the
// submissions, in their order; the sources are read again, and stay on this machine.
void flag_likeness(const std::vector<Submission>& submissions, std::vector<Grade>& grades);

}  // namespace cudalab::grading
