// A new folder that goes with the object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/error.h"

namespace cudalab {

// In the system's folder for temporary files ($TMPDIR), readable for its owner alone. Throws
// Error(kUnavailable) where none can be made.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name_begins = "cudalab-") {
    std::error_code ignored;
    std::string name = (std::filesystem::temp_directory_path(ignored) / (name_begins + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) throw unavailable_error("cannot make a folder in {}", name);
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
