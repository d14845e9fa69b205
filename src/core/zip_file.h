// Zip archives of files as they are, for whoever takes uploads in no other form.
#pragma once

#include <span>
#include <string>

namespace cudalab {

struct ZipMember {
  std::string name;  // with slashes; "run_autograder"
  std::string bytes;
  bool is_program = false;  // gets the rights of one
};

// Stored, not compressed. The same members give the same bytes: times are 1980-01-01, where zip's calendar
// begins. A member has less than 4 GiB, and there are fewer than 65,536 of them.
std::string zip_of(std::span<const ZipMember> members);

}  // namespace cudalab
