// mkdtemp and flock.
#include "core/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"

namespace cudalab {
namespace fs = std::filesystem;
namespace {

fs::path parent_of_all() {
  const char* said = std::getenv("TMPDIR");
  return said && *said ? said : "/tmp";
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

// When a process was started, in the system's own ticks; 0 where the system does not say. A number of a
// process is given anew, its number and its start never.
unsigned long long start_of(int process) {
  constexpr int kFieldsBetween = 19;  // from the state, which follows the name in parentheses, to the start
  const std::string line = read_file(fmt::format("/proc/{}/stat", process)).value_or("");
  std::size_t at = line.rfind(") ");
  for (int field = 0; at != std::string::npos && field <= kFieldsBetween; ++field)
    at = line.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(line.c_str() + at, nullptr, 10);
}

// NAME-PROCESS-START-XXXXXX
std::string name_of_ours(const std::string& name_begins) {
  return fmt::format("{}{}-{}-XXXXXX", name_begins, ::getpid(), start_of(::getpid()));
}

struct Owner {
  int process = 0;
  unsigned long long start = 0;
};

// Takes what stands behind the last hyphen off the end; nothing where there is none.
std::string take_last(std::string& name) {
  const std::size_t hyphen = name.rfind('-');
  if (hyphen == std::string::npos) return "";
  std::string last = name.substr(hyphen + 1);
  name.resize(hyphen);
  return last;
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, number).ptr == end && !text.empty();
}

std::optional<Owner> owner_of(std::string name) {
  constexpr std::size_t kOfMkdtemp = 6;
  Owner owner;
  const bool is_ours = name.starts_with("cudalab-") && take_last(name).size() == kOfMkdtemp &&
                       read_number(take_last(name), owner.start) &&
                       read_number(take_last(name), owner.process) && owner.process > 0;
  return is_ours ? std::optional(owner) : std::nullopt;
}

bool is_gone(const Owner& owner) {
  if (::kill(owner.process, 0) != 0 && errno == ESRCH) return true;
  const unsigned long long start = start_of(owner.process);
  return start != 0 && owner.start != 0 && start != owner.start;
}

void remove_if_left_behind(const fs::path& folder) {
  const auto owner = owner_of(folder.filename().string());
  if (!owner || !is_gone(*owner)) return;
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

TemporaryFolder::~TemporaryFolder() { remove_whole(path_.c_str()); }

}  // namespace cudalab
