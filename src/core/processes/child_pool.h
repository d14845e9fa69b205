// Runs untrusted work in processes of its own, each with limits on time, memory, output and files, several at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/processes/child_process.h"
#include "core/processes/interruption.h"

namespace cudalab {

struct ChildEnd {
  int exit_code = -1;     // -1 where it did not exit by itself
  std::string stopped;    // why not: "took more than 20 seconds of processor time"; empty where it exited
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
  void stop(Child& child, std::string why);
  void enforce(double now);
  ChildEnd finish(Child& child);

  ChildLimits limits_;
  bool has_guard_;
  std::map<std::size_t, Child> children_;
};

}  // namespace cudalab
