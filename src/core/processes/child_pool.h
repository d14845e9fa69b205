// Runs untrusted work in child processes, several at once, with resource limits and in a sandbox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/processes/child_process.h"
#include "core/processes/interruption.h"

namespace cudalab {

// A sandbox for untrusted programs, made by bubblewrap: no network, a read-only root, no folder but its own,
// no view of other processes, and limits. It is tested before the first use.

// The path of the plan's folder inside the sandbox.
inline constexpr const char* kSandboxFolder = "/job";

struct SandboxPlan {
  std::filesystem::path folder;  // its working folder
  bool may_write = false;        // in the folder; otherwise only in a small /tmp that is deleted at the end
  // Further readable files and folders: their paths outside and inside.
  std::vector<std::pair<std::filesystem::path, std::string>> shown;
  // Further folders that it may write to, likewise.
  std::vector<std::pair<std::filesystem::path, std::string>> writable{};
  std::vector<std::pair<std::string, std::string>> environment;  // complete environment, in addition to PATH
  std::uint64_t processes = 64;                                  // processes and threads at the same time
  std::uint64_t memory_bytes = 4ull << 30;                       // address space per process
  std::uint64_t file_bytes = 64u << 20;                          // per file
  std::uint64_t processor_seconds = 0;                           // per process; 0: unlimited
};

// The reason why no sandbox is available, with advice; empty if one is. Tested once per process.
Message objection_to_sandbox();
// Throws Error(kUnavailable) with that sentence.
void require_sandbox();

// What holds in the sandbox of this machine. Requires an available sandbox.
struct SandboxFacts {
  std::string program;                    // bubblewrap's path
  bool filters_syscalls = false;          // core/processes/syscall_filter.h
  bool disables_user_namespaces = false;  // by the filter or by bubblewrap
};
SandboxFacts sandbox_facts();

// The command that runs `words` in the sandbox. The program must be in /usr or in `shown`.
std::vector<std::string> in_sandbox(const SandboxPlan& plan, const std::vector<std::string>& words);

// Gives the sandbox's user, which does not exist outside, access to the contents of a folder. Only needed if
// this process runs as root.
void hand_over(const std::filesystem::path& path);

struct ChildEnd {
  int exit_code = -1;  // -1 if it did not exit by itself
  Message stopped;  // the reason, such as "took more than 20 seconds of processor time"; empty if it exited
  bool was_late = false;  // a time limit stopped it
  std::string output;
  std::uint64_t peak_memory_bytes = 0;
  double seconds = 0;
};

class ChildPool {
 public:
  // `has_guard`: the children start programs themselves, and these must end with them.
  explicit ChildPool(ChildLimits limits, bool has_guard = false) : limits_(limits), has_guard_(has_guard) {}
  ~ChildPool();  // ends all running children
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  // Starts a program (words[0] is its path) in `folder`, which also receives its temporary files. Throws
  // Error(kUnavailable) if the system cannot create a process.
  void start(std::size_t id, const std::vector<std::string>& words, const std::filesystem::path& folder);
  std::size_t running() const { return children_.size(); }
  // Waits until a child ends. At least one must be running.
  std::pair<std::size_t, ChildEnd> wait();

 private:
  struct Child {
    int pid = -1, output = -1;
    double started = 0;
    ChildEnd end;
    std::unique_ptr<EndOnInterrupt> on_interrupt;
  };
  void read_from(Child& child);
  void stop(Child& child, Message why);
  void enforce(double now);
  ChildEnd finish(Child& child);

  ChildLimits limits_;
  bool has_guard_;
  std::map<std::size_t, Child> children_;
};

}  // namespace cudalab
