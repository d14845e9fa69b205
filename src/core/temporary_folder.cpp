// mkdtemp and flock.
#include "core/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process_mark.h"

namespace cudalab {
namespace fs = std::filesystem;
namespace {

// Seen from the root: who gets the path may work in another folder.
fs::path parent_of_all() {
  const char* said = std::getenv("TMPDIR");
  return absolute_path(said && *said ? said : "/tmp");
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whether the path still leads to what was opened.
bool is_still_there(const fs::path& path, int opened) {
  struct stat now {
  }, then{};
  return ::lstat(path.c_str(), &now) == 0 && ::fstat(opened, &then) == 0 && is_same_file(now, then);
}

// ---- owners ------------------------------------------------------------------------------------------

// cudalab-WHAT-MARK-XXXXXX, where a mark is PROCESS-START
std::string name_of_ours(const std::string& name_begins) {
  return fmt::format("{}{}-XXXXXX", name_begins, own_mark());
}

// Empty where the name is none of ours.
std::string_view mark_in(std::string_view name) {
  constexpr std::size_t kOfMkdtemp = 6;
  if (!name.starts_with("cudalab-") || name.size() - 1 - name.rfind('-') != kOfMkdtemp) return {};
  name.remove_suffix(kOfMkdtemp + 1);
  const std::size_t before_start = name.rfind('-');
  const std::size_t before_process =
      before_start == 0 || before_start == name.npos ? name.npos : name.rfind('-', before_start - 1);
  return before_process == name.npos ? std::string_view() : name.substr(before_process + 1);
}

void remove_if_left_behind(const fs::path& folder) {
  if (!is_gone(mark_in(folder.filename().string()))) return;
  const Descriptor opened(open_folder(folder));
  struct stat status {};
  if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0 || status.st_uid != ::geteuid()) return;
  if (::flock(opened.number(), LOCK_EX | LOCK_NB) == 0) remove_whole(folder.c_str());
}

void remove_what_was_left_behind(const fs::path& parent) {
  for (const fs::path& entry : read_folder(parent).entries) remove_if_left_behind(entry);
}

}  // namespace

// Between making and locking, another process may take it for one that was left behind: false.
bool TemporaryFolder::make_in(const fs::path& parent, const std::string& name_begins) {
  std::string name = (parent / name_of_ours(name_begins)).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw unavailable_error(
        "cannot make a folder for temporary files in {}: {}; set TMPDIR to a folder that may be written",
        parent.string(), std::strerror(errno));
  lock_.emplace(open_folder(name));
  ::flock(lock_->number(), LOCK_EX);
  path_ = name;
  return lock_->number() < 0 || is_still_there(path_, lock_->number());
}

TemporaryFolder::TemporaryFolder(const std::string& name_begins) {
  const fs::path parent = parent_of_all();
  remove_what_was_left_behind(parent);
  const NoInterrupt until_it_is_noted;
  while (!make_in(parent, name_begins)) continue;
  on_interrupt_.emplace(path_.string());
}

// With few descriptors left, the one that holds the lock is needed.
TemporaryFolder::~TemporaryFolder() {
  remove_whole(path_.c_str());
  if (!is_there(path_)) return;
  lock_.reset();
  remove_whole(path_.c_str());
}

}  // namespace cudalab
