// Finds the folder with the labs' kernels and handouts.
#pragma once

#include <filesystem>
#include <string>

namespace cudalab::lab {

// The folder with one subfolder per lab: $CUDALAB_LABS, else ../share/cudalab/labs next to an installed
// program, else the sources that this program was built from. Throws Error(kUnavailable), which lists the
// places searched.
std::filesystem::path labs_directory();

// The same with explicit places, for tests; an empty place is skipped.
std::filesystem::path find_labs(const std::filesystem::path& from_environment,
                                const std::filesystem::path& program,
                                const std::filesystem::path& built_from);

// The path of a row's or launch's source: the user's file as the user named it, or a lab's own
// (`labs/LAB/FILE`) below labs_directory().
std::filesystem::path source_path(const std::string& source, const std::string& users_file);

}  // namespace cudalab::lab
