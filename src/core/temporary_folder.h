// A new folder that goes with the object, also when a signal ends the program; and after a program that was
// killed, with the next one that makes such a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/descriptor.h"
#include "core/processes/interruption.h"

namespace cudalab {

// In the folder for temporary files ($TMPDIR, else /tmp), readable for its owner alone. Throws
// Error(kUnavailable) where none can be made.
//
// Its name says which process made it, and that process holds a lock on it, which the system takes back
// however the process ends: what such a name has, is this user's, and is held by nobody was left behind.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name_begins = "cudalab-");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  bool make_in(const std::filesystem::path& parent, const std::string& name_begins);

  std::filesystem::path path_;
  std::optional<Descriptor> lock_;
  std::optional<RemoveOnInterrupt> on_interrupt_;
};

}  // namespace cudalab
