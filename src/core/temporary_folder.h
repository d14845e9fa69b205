// A new folder that goes with the object.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/error.h"

namespace cudalab {

// In the folder for temporary files ($TMPDIR, else /tmp), readable for its owner alone. Throws
// Error(kUnavailable) where none can be made.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name_begins = "cudalab-") {
    const char* said = std::getenv("TMPDIR");
    const std::filesystem::path parent = said && *said ? said : "/tmp";
    std::string name = (parent / (name_begins + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
      throw unavailable_error(
          "cannot make a folder for temporary files in {}: {}; set TMPDIR to a folder that may be written",
          parent.string(), std::strerror(errno));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace cudalab
