// Where the labs' kernels and handouts are.
#include "lab/locate.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/this_program.h"

namespace cudalab::lab {
namespace fs = std::filesystem;

fs::path find_labs(const fs::path& from_environment, const fs::path& program, const fs::path& built_from) {
  if (!from_environment.empty()) {
    if (is_folder(from_environment)) return from_environment;
    throw usage_error(
        "CUDALAB_LABS is {}, which is not a folder; set it to the folder of the labs, or unset it",
        from_environment.string());
  }
  const fs::path installed = program.parent_path().parent_path() / "share" / "cudalab" / "labs";
  if (!program.empty() && is_folder(installed)) return installed;
  if (!built_from.empty() && is_folder(built_from / "labs")) return built_from / "labs";
  throw unavailable_error("the labs were not found in {} or {}; set CUDALAB_LABS to their folder",
                          installed.string(), (built_from / "labs").string());
}

fs::path labs_directory() {
  const char* from_environment = std::getenv("CUDALAB_LABS");
  return find_labs(from_environment ? from_environment : "", this_program(), CUDALAB_BUILT_FROM);
}

fs::path source_path(const std::string& source, const std::string& users_file) {
  return source == users_file ? fs::path(source) : labs_directory().parent_path() / source;
}

}  // namespace cudalab::lab
