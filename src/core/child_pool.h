// Runs untrusted work in processes of its own, each with limits on time, memory, output and files, several at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cudalab {

struct ChildLimits {
  double cpu_seconds = 10, wall_seconds = 60;
  std::uint64_t memory_bytes = 4ull << 30;  // of address space
  std::uint64_t output_bytes = 4u << 20;    // on standard output and standard error together
  std::uint64_t file_bytes = 64u << 20;     // of each file that it writes
};

struct ChildEnd {
  int exit_code = -1;   // -1 where it did not exit by itself
  std::string stopped;  // why not: "took more than 20 seconds of processor time"; empty where it exited
  std::string output;
  std::uint64_t peak_memory_bytes = 0;
  double seconds = 0;
};

class ChildPool {
 public:
  explicit ChildPool(ChildLimits limits) : limits_(limits) {}
  ~ChildPool();  // ends what still runs
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  // Starts a program (words[0] is its path) in `folder`, with nothing on its standard input. Throws
  // Error(kUnavailable) where the machine has no process left.
  void start(std::size_t id, const std::vector<std::string>& words, const std::filesystem::path& folder);
  std::size_t running() const { return children_.size(); }
  // Until one ends; at least one must be running.
  std::pair<std::size_t, ChildEnd> wait();

 private:
  struct Child {
    int pid, output;
    double started;
    ChildEnd end;
  };
  void read_from(Child& child);
  void stop(Child& child, std::string why);
  void enforce(double now);
  ChildEnd finish(Child& child);

  ChildLimits limits_;
  std::map<std::size_t, Child> children_;
};

}  // namespace cudalab
