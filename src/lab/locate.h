// Where the labs' kernels and handouts are.
#pragma once

#include <filesystem>
#include <string>

namespace cudalab::lab {

// The folder that holds one folder a lab: $CUDALAB_LABS, else ../share/cudalab/labs beside an installed
// program, else the sources this program was built from. Throws Error(kUnavailable) that says where it
// looked.
std::filesystem::path labs_directory();

// The same from given places, for tests; an empty place is skipped.
std::filesystem::path find_labs(const std::filesystem::path& from_environment,
                                const std::filesystem::path& program,
                                const std::filesystem::path& built_from);

// Where the source of a row or a launch lies: the user's file as they named it, a lab's own (`labs/LAB/FILE`)
// by where the labs are.
std::filesystem::path source_path(const std::string& source, const std::string& users_file);

}  // namespace cudalab::lab
