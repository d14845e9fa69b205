// The order in which the threads of one or more launches accessed memory, with the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "core/measurement.h"

namespace cudalab {

// One element that one thread loaded, stored or updated, or a value that it took from another lane.
struct AccessEvent {
  enum Kind : std::uint8_t { kLoad, kStore, kUpdate, kShuffle };
  Kind kind{};
  std::uint8_t bytes = 0;    // of the element: 1, 2, 4, 8 or 16
  std::uint32_t launch = 0;  // index into AccessHistory::launches
  std::uint32_t block = 0;   // linear, x fastest
  std::uint32_t thread = 0;  // linear in the block
  std::uint32_t buffer = 0;  // index into AccessHistory::buffers; not for shuffles
  std::uint32_t line = 0;    // index into AccessHistory::lines
  std::uint64_t element =
      0;  // in units of `bytes` from the buffer's first byte; of a shuffle: the other thread
  // The bits that were loaded, taken, stored, or that an update left; the first 8 bytes of wider elements.
  std::uint64_t value = 0;
};

inline bool is_store(const AccessEvent& event) {
  return event.kind == AccessEvent::kStore || event.kind == AccessEvent::kUpdate;
}

struct AccessHistory {
  struct Buffer {
    std::string name;
    MemorySpace space{};
  };
  struct Launch {
    Dim3 grid, block;
  };
  // A history with more events is of no use: the reader would wait too long.
  static constexpr std::size_t kMostEvents = std::size_t{1} << 21;

  std::vector<Launch> launches;
  std::vector<Buffer> buffers;
  std::vector<SourceLine> lines;
  std::vector<AccessEvent> events;  // in the order of execution
  bool is_complete = true;  // false: stopped at kMostEvents, or at what is no event, such as a bulk copy
};

}  // namespace cudalab
