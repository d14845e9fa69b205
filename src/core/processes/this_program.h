// Where this program's own file is, on machines with /proc and on those without.
#pragma once

#include <filesystem>

namespace cudalab {

// Links resolved. Empty where the system does not say.
std::filesystem::path this_program();

// What to start in order to run it once more: where there is /proc the running program itself, even when
// another file stands in its place by now.
std::filesystem::path this_program_again();

}  // namespace cudalab
