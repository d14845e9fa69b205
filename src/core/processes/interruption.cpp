// Cleans up after signals: files, temporary folders and child processes that must not outlive this process.
#include "core/processes/interruption.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_process.h"
#include "core/processes/this_process.h"
#include "messages/core.h"

namespace cudalab {
namespace fs = std::filesystem;
namespace {

// An absolute path, because processes that receive it may work in other folders.
fs::path parent_of_all() {
  const char* said = std::getenv("TMPDIR");
  return absolute_path(said && *said ? said : "/tmp");
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whether the path still refers to the file that was opened.
bool is_still_there(const fs::path& path, int opened) {
  struct stat now {
  }, then{};
  return ::lstat(path.c_str(), &now) == 0 && ::fstat(opened, &then) == 0 && is_same_file(now, then);
}

// ---- owners ------------------------------------------------------------------------------------------

// The template cudalab-WHAT-MARK-XXXXXX, whose MARK is PROCESS-START.
std::string name_of_ours(const std::string& name_begins) {
  return fmt::format("{}{}-XXXXXX", name_begins, own_mark());
}

// The mark in a name; empty if the name does not have our form.
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

// Returns false if another process took the folder for an abandoned one, between its creation and its
// locking.
bool TemporaryFolder::make_in(const fs::path& parent, const std::string& name_begins) {
  std::string name = (parent / name_of_ours(name_begins)).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw unavailable_error(msg::error_temporary_folder(parent.string(), std::strerror(errno)));
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

// If few descriptors are left, removal needs the one that holds the lock.
TemporaryFolder::~TemporaryFolder() {
  remove_whole(path_.c_str());
  if (!is_there(path_)) return;
  lock_.reset();
  remove_whole(path_.c_str());
}

namespace {

enum Use : int { kFree, kTaken, kReady };

template <class What>
struct Noted {
  std::atomic<int> use = kFree;
  pid_t owner = 0;  // a forked process inherits these entries but must not use them
  What what{};
};

template <class What>
using Table = std::array<Noted<What>, 32>;

struct Child {
  pid_t process = 0;
  bool has_guard = false;
};

Table<std::array<char, PATH_MAX>> paths;
Table<Child> children;

// The index of a free place; the size of the table if there is none.
template <class What>
std::size_t take_place(Table<What>& table) {
  for (std::size_t place = 0; place < table.size(); ++place)
    if (int free = kFree; table[place].use.compare_exchange_strong(free, kTaken)) return place;
  return table.size();
}

template <class What>
void make_ready(Noted<What>& noted) {
  noted.owner = ::getpid();
  noted.use = kReady;
}

template <class What>
void give_back(Table<What>& table, std::size_t place) {
  if (place < table.size()) table[place].use = kFree;
}

template <class What, class Action>
void for_all(Table<What>& table, Action action) {
  for (Noted<What>& noted : table)
    if (noted.use == kReady && noted.owner == ::getpid()) action(noted.what);
}

std::atomic<int> being_noted = 0;

void wait_until_all_is_noted() {
  constexpr timespec kMoment{0, 1'000'000};
  for (int moments = 0; being_noted > 0 && moments < 1000; ++moments) ::nanosleep(&kMoment, nullptr);
}

// ---- folders -----------------------------------------------------------------------------------------

// The format of the entries that the getdents64 system call writes.
struct FolderEntry {
  std::uint64_t number;
  std::int64_t next;
  unsigned short length;
  unsigned char type;
  char name[1];
};

void remove_at(int folder, const char* name, int depth);

bool is_own_or_parent(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

void empty_folder(int folder, int depth) {
  alignas(FolderEntry) std::array<char, 4096> bytes;
  while (true) {
    const long count = ::syscall(SYS_getdents64, folder, bytes.data(), bytes.size());
    if (count <= 0) return;
    for (long at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const FolderEntry*>(bytes.data() + at);
      at += entry->length;
      if (!is_own_or_parent(entry->name)) remove_at(folder, entry->name, depth);
    }
  }
}

void remove_at(int folder, const char* name, int depth) {
  constexpr int kDeepest = 64, kTries = 20;
  constexpr timespec kMoment{0, 2'000'000};
  if (::unlinkat(folder, name, 0) == 0 || depth == kDeepest) return;
  for (int tries = 0; tries < kTries; ++tries) {  // a dying process may still write to the folder
    const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return;
    empty_folder(inner, depth + 1);
    ::close(inner);
    if (::unlinkat(folder, name, AT_REMOVEDIR) == 0) return;
    ::nanosleep(&kMoment, nullptr);
  }
}

}  // namespace

RemoveOnInterrupt::RemoveOnInterrupt(const std::string& path) : place_(paths.size()) {
  if (path.size() >= PATH_MAX || (place_ = take_place(paths)) == paths.size()) return;
  std::memcpy(paths[place_].what.data(), path.c_str(), path.size() + 1);
  make_ready(paths[place_]);
}

RemoveOnInterrupt::~RemoveOnInterrupt() { give_back(paths, place_); }

EndOnInterrupt::EndOnInterrupt(pid_t child, bool has_guard) : place_(take_place(children)) {
  if (place_ == children.size()) return;
  children[place_].what = {child, has_guard};
  make_ready(children[place_]);
}

EndOnInterrupt::~EndOnInterrupt() { give_back(children, place_); }

NoInterrupt::NoInterrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  ++being_noted;
}

NoInterrupt::~NoInterrupt() {
  --being_noted;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void remove_whole(const char* path) { remove_at(AT_FDCWD, path, 0); }

// A process that is being killed may still write to its folder, so the folder is removed after the process
// ends.
void handle_signal(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigfillset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

namespace {

// A handler reads one text while the other is written.
std::array<std::array<char, 512>, 2> places_in_kernels{};
std::atomic<std::size_t> current_place = 0;
std::mutex place_writers;

}  // namespace

void note_whereabouts(std::string_view kernel_and_line) {
  const std::lock_guard lock(place_writers);
  const std::size_t other = 1 - current_place.load();
  const std::size_t length =
      kernel_and_line.copy(places_in_kernels[other].data(), places_in_kernels[other].size() - 1);
  places_in_kernels[other][length] = '\0';
  current_place = other;
}

const char* whereabouts() { return places_in_kernels[current_place.load()].data(); }

void leave_nothing_behind() {
  wait_until_all_is_noted();
  for_all(children, [](const Child& child) { end_child(child.process, child.has_guard); });
  for_all(children, [](const Child& child) { ::waitpid(child.process, nullptr, 0); });
  for_all(paths, [](const std::array<char, PATH_MAX>& path) { remove_whole(path.data()); });
}

}  // namespace cudalab
