// Where the labs' kernels and handouts are.
#pragma once

#include <filesystem>

namespace cudalab::lab {

// The folder that holds one folder a lab: $CUDALAB_LABS, else ../share/cudalab/labs beside an installed
// program, else the sources this program was built from. Throws Error(kUnavailable) that says where it
// looked.
std::filesystem::path labs_directory();

// The same from given places, for tests; an empty place is skipped.
std::filesystem::path find_labs(const std::filesystem::path& from_environment,
                                const std::filesystem::path& program,
                                const std::filesystem::path& built_from);

}  // namespace cudalab::lab
