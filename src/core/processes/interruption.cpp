// Tables that stand still, and system calls: a signal handler may touch little else.
#include "core/processes/interruption.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "core/processes/child_process.h"

namespace cudalab {
namespace {

enum Use : int { kFree, kTaken, kReady };

template <class What>
struct Noted {
  std::atomic<int> use = kFree;
  pid_t owner = 0;  // a process that was forked has its parent's notes, and nothing to do with them
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

// The number of a free place; past the end where there is none.
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

// What the system call writes, one behind the other.
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
  for (int tries = 0; tries < kTries; ++tries) {  // somebody who is just being ended may still write to it
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

// Who is being ended may still write: its folder goes when it is gone.
void handle_signal(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigfillset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

void leave_nothing_behind() {
  wait_until_all_is_noted();
  for_all(children, [](const Child& child) { end_child(child.process, child.has_guard); });
  for_all(children, [](const Child& child) { ::waitpid(child.process, nullptr, 0); });
  for_all(paths, [](const std::array<char, PATH_MAX>& path) { remove_whole(path.data()); });
}

}  // namespace cudalab
