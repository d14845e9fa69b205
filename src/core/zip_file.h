// Writes zip archives, for platforms that accept uploads only in this format.
#pragma once

#include <span>
#include <string>

namespace cudalab {

struct ZipMember {
  std::string name;  // path with slashes, such as "run_autograder"
  std::string bytes;
  bool is_program = false;  // stored with execute permission
};

// Stores the members without compression. The same members give the same bytes, because all times are
// 1980-01-01, the start of zip's calendar. Members must be smaller than 4 GiB and fewer than 65,536.
std::string zip_of(std::span<const ZipMember> members);

}  // namespace cudalab
