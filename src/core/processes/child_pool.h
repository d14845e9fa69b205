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

// Where a stranger's program runs: bubblewrap gives it no network, a root that it cannot write, no folder but
// its own, processes that see no others, and limits. Found and tried before anything is trusted to it.

// Inside, the folder of a plan is called so.
inline constexpr const char* kSandboxFolder = "/job";

struct SandboxPlan {
  std::filesystem::path folder;  // where it works
  bool may_write = false;        // there; besides it has only a small /tmp, which goes with it
  // Further files and folders, to be read: where they are, and what they are called inside.
  std::vector<std::pair<std::filesystem::path, std::string>> shown;
  std::vector<std::pair<std::string, std::string>> environment;  // all that it gets, besides a PATH
  std::uint64_t processes = 64;                                  // and threads, at once
  std::uint64_t memory_bytes = 4ull << 30;                       // of address space, of each
  std::uint64_t file_bytes = 64u << 20;                          // of each file
  std::uint64_t processor_seconds = 0;                           // of each process; 0: any
};

// Why there is none here, in a sentence with the next step; empty where there is one. Tried once a process.
Message objection_to_sandbox();
// Throws Error(kUnavailable) with that sentence.
void require_sandbox();

// The words that start `words` inside. A program of that name must be shown to it, or stand below /usr.
std::vector<std::string> in_sandbox(const SandboxPlan& plan, const std::vector<std::string>& words);

// What stands in a folder becomes the sandbox's, whose user is nobody outside: nothing to do where this
// process is not root.
void hand_over(const std::filesystem::path& path);

// Runs untrusted work in processes of its own, each with limits on time, memory, output and files, several at
// once.

struct ChildEnd {
  int exit_code = -1;     // -1 where it did not exit by itself
  Message stopped;        // why not: "took more than 20 seconds of processor time"; empty where it exited
  bool was_late = false;  // because it took more time than it may
  std::string output;
  std::uint64_t peak_memory_bytes = 0;
  double seconds = 0;
};

class ChildPool {
 public:
  // `has_guard`: the children start programs themselves, which end with them.
  explicit ChildPool(ChildLimits limits, bool has_guard = false) : limits_(limits), has_guard_(has_guard) {}
  ~ChildPool();  // ends what still runs
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  // Starts a program (words[0] is its path) in `folder`, which is also where it puts temporary files. Throws
  // Error(kUnavailable) where the machine has no process left.
  void start(std::size_t id, const std::vector<std::string>& words, const std::filesystem::path& folder);
  std::size_t running() const { return children_.size(); }
  // Until one ends; at least one must be running.
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
