// Finds work of different streams that uses the same bytes although nothing orders it: what the program
// computes then depends on which of the two a card runs first. Of copies it is known which bytes they take,
// of kernels what the checks of races saw. What the host waited for, asked for or waited through is ordered,
// so a race may be missed, and none is made up.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/programs/program_record.h"
#include "runtime/memory.h"
#include "runtime/streams/queue.h"

namespace cudalab::runtime {

class StreamRaces {
 public:
  explicit StreamRaces(const Memory& memory) : memory_(&memory) {}

  // Behind a piece of work that ran. `seen_by_all`: what everything that is still to come knows to be over.
  std::vector<HostMistake> after(const Work& work, const std::vector<vgpu::TouchedSpan>& touched,
                                 const Seen& seen_by_all);

 private:
  // One use of bytes by a piece of work.
  struct Use {
    vgpu::TouchedSpan span;
    std::int64_t lane = 0;
    std::uint64_t number = 0;
    std::string name;  // as a report calls the work
  };
  struct Uses {
    std::string of;  // the memory; another may lie at its address later
    std::vector<Use> all;
  };

  Uses& uses_of(const MemoryBlock& block);
  HostMistake mistake(const Work& work, const Use& mine, const Use& other, const MemoryBlock& block) const;

  const Memory* memory_;
  std::map<std::uint64_t, Uses> uses_;                                // by the memory's address
  std::set<std::tuple<std::string, std::string, std::string>> said_;  // two pieces of work, and memory
};

// The rows of a copy's side, as uses of bytes; of many rows none.
void add_rows(std::uint64_t address, std::size_t bytes, std::size_t pitch, std::size_t rows,
              vgpu::TouchedSpan::Kind kind, std::vector<vgpu::TouchedSpan>& to);

}  // namespace cudalab::runtime
