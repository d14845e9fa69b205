// A block that is being executed: its warps, shared memory, barriers and output; and state shared by all
// blocks of a launch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "vgpu/program.h"
#include "vgpu/progress_watch.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// What the blocks of a launch print: kept apart by block, so that the text does not depend on who ran when.

class PrintLog {
 public:
  static constexpr std::size_t kMostBytes = 1 << 20;  // CUDA's default, cudaLimitPrintfFifoSize
  void add(std::uint64_t block, std::string_view text);
  void clear();
  // In block order, up to and with this block; where it is more than kMostBytes, cut, with a last line that
  // says so.
  std::string text(std::uint64_t last_block) const;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> blocks_;
  std::size_t bytes_ = 0;
};

// A block that is being executed: its warps, shared memory and barriers; and what all blocks of a launch
// share.

// What stops a kernel: a hazard after which it cannot go on. Never leaves launch().
struct KernelFault {
  Hazard hazard;
};

struct Barrier {
  std::uint32_t arrived = 0;   // threads
  std::uint32_t expected = 0;  // threads; 0: all that are alive
  // bar.red: over the threads that have arrived, and the result of the last completion.
  std::uint32_t count = 0;
  bool all = true, any = false;
  std::uint32_t last_count = 0;
  bool last_all = true, last_any = false;
};
// The first time that threads of a block met at one barrier by two instructions.
struct PartedBarrier {
  const Inst* inst = nullptr;
  const Warp* warp = nullptr;  // and lane: that waited there
  int lane = 0;
  const Inst* elsewhere = nullptr;
};
inline constexpr int kBarriersPerBlock = 16;  // PTX ISA, bar

// Long enough that switching costs nothing, short enough that warps that wait for each other get on.
inline constexpr std::int64_t kInstructionsOfATurn = 8192;

struct FollowedBlock;
class DeviceHeap;
class DeviceRuntime;
class GridRaces;
class Observer;
class ParentAccesses;
class SharedSample;
class SiblingRaces;
class Suspicion;
class TextureTable;

// The checks that watch a launch as a whole. Of the last two, one is there when races are looked for.
struct LaunchChecks {
  int granule_shift = 2;                  // footprint.h
  std::shared_ptr<Suspicion> suspicion;   // on several host threads
  std::shared_ptr<GridRaces> grid_races;  // on one
};

// Warp instructions of finished turns. In a cache line of their own: all host threads add to them, and read
// what would lie beside.
struct alignas(64) LaunchSteps {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> at_end{0};  // of a block, the last time that one ended
};

struct Birth;

struct Launch {
  const Program* program = nullptr;
  const LaunchRequest* request = nullptr;
  const KernelInfo* kernel = nullptr;
  const KernelCode* code = nullptr;
  GlobalMemory* memory = nullptr;
  const Card* card = nullptr;
  std::uint32_t shared_bytes = 0;  // static and dynamic
  std::uint32_t dynamic_shared_base = 0;
  std::uint32_t reserved_shared_base = 0,
                reserved_shared_bytes = 0;  // behind both, where the program uses it
  Dim3 cluster{1, 1, 1};
  bool is_explicit_cluster = false;
  LaunchSteps steps;
  EndedBlocks ended_blocks;
  std::atomic<std::int64_t> next_line_ns{0};  // when LaunchRequest::on_line is called again
  LaunchChecks checks;
  std::shared_ptr<SharedSample> sample;  // of the lines that it touches, where time is predicted
  PrintLog printed;
  DeviceHeap* heap = nullptr;
  DeviceRuntime* runtime = nullptr;
  ParentAccesses* for_children = nullptr;  // of a kernel that launches others, where races are looked for
  const Birth* birth = nullptr;            // of one that a kernel launched
  SiblingRaces* siblings = nullptr;        // where others may run at the same time and races are looked for
  std::uint32_t number_in_family = 0;      // by SiblingRaces
  const TextureTable* textures = nullptr;
};

struct Block;

// Blocks that run together and see each other's shared memory; usually one.
struct Cluster {
  std::vector<Block*> blocks;  // by rank
  bool is_awaited = false;     // somebody has arrived at the cluster's barrier in this round
};

// One block at a time; the memory is reused for the next.
struct Block {
  Launch* launch = nullptr;
  Dim3 index{0, 0, 0};
  std::uint64_t number = 0;  // in the order in which blocks are handed out
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  // in it
  std::vector<Warp> warps;
  HostBytes shared, local, specials, sink;
  std::array<Barrier, kBarriersPerBlock> barriers{};
  PartedBarrier parted;
  std::uint32_t live_threads = 0;
  std::uint64_t communications = 0;   // reads of memory that other blocks may write meanwhile
  std::uint64_t phase_events = 0;     // arrivals at this block's mbarriers, and completed phases
  std::vector<BulkCopy> bulk_copies;  // in flight: into this block, or in groups of its threads; oldest first
  std::uint64_t bulk_count = 0;       // so far
  std::vector<AsyncArrival> async_arrivals;  // at this block's mbarriers, in flight
  std::vector<Hazard> hazards;               // that did not stop the kernel
  Observer* observer = nullptr;              // where some check is on
  FollowedBlock* followed = nullptr;         // where its waits for other blocks are followed
};

// Blocks are handed out cluster by cluster: where the block with this number stands in the grid, and back.
Dim3 block_with_number(const Launch& launch, std::uint64_t number);
std::uint64_t number_of_block(const Launch& launch, Dim3 block);

// The thread that a lane of a warp is.
Dim3 thread_of(const Warp& warp, int lane);

SourceLine line_of(const Warp& warp, const Inst* inst);

// A hazard of this kind at this instruction and lane, with kernel, line, block and thread filled in.
Hazard hazard_at(const Inst* inst, const Warp& warp, int lane, HazardKind kind);

// Adds a hazard after which the kernel goes on; one of the same kind and place is only counted.
void report_hazard(Block& block, Hazard hazard);

}  // namespace cudalab::vgpu
