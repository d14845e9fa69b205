// Where a stranger's program runs: bubblewrap gives it no network, a root that it cannot write, no folder but
// its own, processes that see no others, and limits. Found and tried before anything is trusted to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cudalab {

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
std::string objection_to_sandbox();
// Throws Error(kUnavailable) with that sentence.
void require_sandbox();

// The words that start `words` inside. A program of that name must be shown to it, or stand below /usr.
std::vector<std::string> in_sandbox(const SandboxPlan& plan, const std::vector<std::string>& words);

// What stands in a folder becomes the sandbox's, whose user is nobody outside: nothing to do where this
// process is not root.
void hand_over(const std::filesystem::path& path);

}  // namespace cudalab
