// What the program said about where managed memory should be: advice and prefetches, by ranges of whole
// pages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace cudalab::runtime {

// As CUDA's cudaMemLocation; of type 0: none.
struct MemoryPlace {
  int type = 0, id = 0;
};

struct Advice {
  bool is_read_mostly = false;
  MemoryPlace preferred;
  MemoryPlace prefetched;     // the last time
  std::set<int> accessed_by;  // devices, and -1 for the host
};

class ManagedRanges {
 public:
  void change(std::uint64_t begin, std::uint64_t end, const std::function<void(Advice&)>& how);
  // Of all its parts, in their order; there is one at least.
  std::vector<Advice> of(std::uint64_t begin, std::uint64_t end) const;
  void forget(std::uint64_t begin, std::uint64_t end);  // other memory is there now

 private:
  struct Part {
    std::uint64_t end = 0;
    Advice advice;
  };
  void part_at(std::uint64_t address);

  std::map<std::uint64_t, Part> parts_;  // by their beginnings; what was never spoken of is in none
};

}  // namespace cudalab::runtime
