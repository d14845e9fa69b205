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

// The text that the blocks of a launch print, kept separately per block, so it does not depend on the order
// of execution.

class PrintLog {
 public:
  static constexpr std::size_t kMostBytes = 1 << 20;  // CUDA's default, cudaLimitPrintfFifoSize
  void add(std::uint64_t block, std::string_view text);
  void clear();
  // The text of all blocks up to and including this one, in block order. If it exceeds kMostBytes, it is cut
  // and the last line says so.
  std::string text(std::uint64_t last_block) const;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> blocks_;
  std::size_t bytes_ = 0;
};

// A block that is being executed: its warps, shared memory and barriers; and state shared by all blocks of a
// launch.

// Thrown to stop a kernel: a hazard after which it cannot continue. Never leaves launch().
struct KernelFault {
  Hazard hazard;
};

struct Barrier {
  std::uint32_t arrived = 0;   // threads
  std::uint32_t expected = 0;  // threads; 0: all live threads
  // bar.red: over the threads that have arrived, and the result of the last completed reduction.
  std::uint32_t count = 0;
  bool all = true, any = false;
  std::uint32_t last_count = 0;
  bool last_all = true, last_any = false;
};
// The first time that threads of a block reached one barrier at two different instructions.
struct PartedBarrier {
  const Inst* inst = nullptr;
  const Warp* warp = nullptr;  // with `lane`: a thread that waited at `inst`
  int lane = 0;
  const Inst* elsewhere = nullptr;
};
inline constexpr int kBarriersPerBlock = 16;  // PTX ISA, bar

// Long enough that switching costs nothing, short enough that warps waiting for each other make progress.
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

// The checks of a launch as a whole. If races are checked, one of the last two exists.
struct LaunchChecks {
  int granule_shift = 2;                  // footprint.h
  std::shared_ptr<Suspicion> suspicion;   // with several host threads
  std::shared_ptr<GridRaces> grid_races;  // with one host thread
};

// Warp instructions of completed turns. In its own cache line, because all host threads update it and read
// neighbouring members.
struct alignas(64) LaunchSteps {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> at_end{0};  // `count` when a block last ended
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
                reserved_shared_bytes = 0;  // after both, if the program uses it
  Dim3 cluster{1, 1, 1};
  bool is_explicit_cluster = false;
  LaunchSteps steps;
  EndedBlocks ended_blocks;
  std::atomic<std::int64_t> next_line_ns{0};  // earliest time of the next call of LaunchRequest::on_line
  LaunchChecks checks;
  std::shared_ptr<SharedSample> sample;  // of the touched lines, if time is predicted
  PrintLog printed;
  DeviceHeap* heap = nullptr;
  DeviceRuntime* runtime = nullptr;
  ParentAccesses* for_children = nullptr;  // of a kernel that launches others, if races are checked
  const Birth* birth = nullptr;            // of a kernel that another kernel launched
  SiblingRaces* siblings = nullptr;        // if other kernels may run at the same time and races are checked
  std::uint32_t number_in_family = 0;      // number in SiblingRaces
  const TextureTable* textures = nullptr;
};

struct Block;

// Blocks that run together and can access each other's shared memory; usually one.
struct Cluster {
  std::vector<Block*> blocks;  // by rank
  bool is_awaited = false;     // some thread has arrived at the cluster barrier in this round
};

// The state of one block; reused for the next block.
struct Block {
  Launch* launch = nullptr;
  Dim3 index{0, 0, 0};
  std::uint64_t number = 0;  // in the order in which blocks are scheduled
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  // in the cluster
  std::vector<Warp> warps;
  HostBytes shared, local, specials, sink;
  std::array<Barrier, kBarriersPerBlock> barriers{};
  PartedBarrier parted;
  std::uint32_t live_threads = 0;
  std::uint64_t communications = 0;   // reads of memory that other blocks may write at the same time
  std::uint64_t phase_events = 0;     // arrivals at this block's mbarriers, and completed phases
  std::vector<BulkCopy> bulk_copies;  // in flight, to this block or in groups of its threads; oldest first
  std::uint64_t bulk_count = 0;       // total so far
  std::vector<AsyncArrival> async_arrivals;  // at this block's mbarriers, in flight
  std::vector<Hazard> hazards;               // those that did not stop the kernel
  Observer* observer = nullptr;              // if some check is enabled
  FollowedBlock* followed = nullptr;         // if its waits for other blocks are traced
};

// Blocks are scheduled cluster by cluster: converts between a block's number and its index in the grid.
Dim3 block_with_number(const Launch& launch, std::uint64_t number);
std::uint64_t number_of_block(const Launch& launch, Dim3 block);

// The thread index of a lane of a warp.
Dim3 thread_of(const Warp& warp, int lane);

SourceLine line_of(const Warp& warp, const Inst* inst);

// A hazard of this kind at this instruction and lane, with kernel, line, block and thread set.
Hazard hazard_at(const Inst* inst, const Warp& warp, int lane, HazardKind kind);

// Adds a hazard after which the kernel continues; a repeated one (same kind and place) is only counted.
void report_hazard(Block& block, Hazard hazard);

// A line as named in a sentence about the line `from`.
Argument line_argument(const SourceLine& at, const SourceLine& from);

}  // namespace cudalab::vgpu
