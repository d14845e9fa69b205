// Finds the libraries and headers for programs.
#include "compile/program_libraries.h"

#include <algorithm>

#include "compile/course_headers.h"
#include "compile/toolkit.h"
#include "core/files.h"

namespace cudalab::compile {

namespace fs = std::filesystem;

std::vector<fs::path> libraries_of(const ProgramBuild& build) {
  std::vector<fs::path> libraries = build.libraries;
  for (const int major : kNvrtcLibrary.majors)
    if (auto nvrtc = find_library_file("libnvrtc.so." + std::to_string(major))) {
      libraries.push_back(*std::move(nvrtc));
      break;
    }
  return libraries;
}

fs::path nvml_headers_for(const fs::path& compiler) {
  const auto headers = find_toolkit_headers(compiler);
  const bool has_it = headers && std::ranges::any_of(headers->directories, [](const fs::path& folder) {
                        return is_there(folder / "nvml.h");
                      });
  return has_it ? fs::path() : own_headers("nvml");
}

}  // namespace cudalab::compile
