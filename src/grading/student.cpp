// Seeds by student.
#include "grading/student.h"

#include <string>

#include "core/digest.h"
#include "core/error.h"
#include "core/text.h"
#include "grading/submission.h"

namespace cudalab::grading {
namespace {

constexpr std::size_t kHexDigitsOfASeed = 12;  // 48 bits

}  // namespace

std::uint64_t student_seed(std::string_view student) {
  std::string text = "cudalab student " + std::string(student);
  return std::stoull(digest(text).substr(0, kHexDigitsOfASeed), nullptr, 16);
}

void require_student_name(std::string_view student) {
  if (student.empty() || student.size() > kLongestName || harmless_line(student, kLongestName) != student)
    throw usage_error("--student takes a name of at most {} bytes in one line of UTF-8", kLongestName);
}

}  // namespace cudalab::grading
