// The state that instructions execute on: decoded instructions, a warp's registers and paths, memory sites
// and strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "vgpu/memory/footprint.h"
#include "vgpu/memory/memory.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// setp and set: how a comparison is combined with a predicate.

// Inst::imm holds one of these, plus kNegateC if the predicate is negated.
enum CompareCombination : std::uint64_t { kPlain = 0, kAnd = 1, kOr = 2, kXor = 3, kNegateC = 8 };

// Counts the distances between neighbouring lanes in bounded memory, and finds the usual one.

// Up to kExact distances are counted exactly. Beyond that, two sums are kept that do not depend on the order
// of counting or its split over host threads:
//
//   bits[b]       requests whose distance has bit b set: if a distance has the majority, these are its bits
//   cells[r][h]   requests whose distance falls into cell h of row r: an upper bound for each distance
//
// A distance with more than half of the requests is always found. A distance with less is only reported if
// other distances collide with it in every row, which requires several frequent distances.
class StrideCounts {
 public:
  void add(std::int64_t stride, std::uint64_t requests);
  void add(const StrideCounts& others);
  // The distance that more than half of `requests` requests have.
  std::optional<std::int64_t> usual(std::uint64_t requests) const;
  std::size_t bytes() const;  // memory that it takes

 private:
  static constexpr std::size_t kExact = 64, kBits = 64, kRows = 4, kCells = 32;
  struct Sketch {
    std::uint64_t requests = 0;
    std::array<std::uint64_t, kBits> bits{};
    std::array<std::array<std::uint64_t, kCells>, kRows> cells{};
    void add(std::int64_t stride, std::uint64_t count);
    void add(const Sketch& other);
    std::optional<std::int64_t> usual(std::uint64_t of) const;
  };
  Sketch& sketch();

  std::map<std::int64_t, std::uint64_t> exact_;  // empty once the sums are used
  std::unique_ptr<Sketch> sketch_;
};

// The state that instructions operate on: decoded instructions, a warp's registers and paths, memory sites.
// All of it is accessed for every instruction, so it is plain data with trivial accessors.

struct Inst;
struct Warp;
struct Block;
struct Launch;
struct FunctionCode;
struct CallInfo;
class AccessTrace;

// Executes one instruction for the lanes in Warp::exec and returns the next one; nullptr if the warp cannot
// continue.
using Handler = const Inst* (*)(const Inst*, Warp&);

// ---- operands ----------------------------------------------------------------------------------------
// The location of an operand's 32 lanes. Lanes of a register are contiguous:
//
//   16-bit and 8-bit   64 bytes   | lane 0 | lane 1 | … | lane 31 |
//   32-bit            128 bytes
//   64-bit            256 bytes
//   predicate           4 bytes, one bit per lane
//
// A slot is an operand file (2 bits) and a byte offset in it.
struct Slot {
  std::uint32_t bits = 0;  // 0: no operand (the first bytes of a frame are never a register)
};
inline constexpr std::uint32_t kFirstRegister = 64;
enum OperandFile : std::uint32_t {
  kRegisters = 0,  // of the current frame
  kConstants = 1,  // immediates and addresses, broadcast to 32 lanes; shared by all warps of a program
  kSpecials = 2,   // %tid, %ctaid and so on
  kSink = 3,       // unused results
};
constexpr Slot make_slot(OperandFile file, std::uint32_t offset) { return {offset << 2 | file}; }
constexpr std::uint32_t offset_of(Slot slot) { return slot.bits >> 2; }
inline constexpr std::uint32_t kSinkBytes = 512;

// ---- decoded instructions ----------------------------------------------------------------------------
// One cache line. Handlers define the meaning of the fields; the usual meaning is given.
struct alignas(64) Inst {
  Handler run = nullptr;
  Slot d{}, d2{};                // results
  Slot a{}, b{}, c{}, e{};       // sources
  std::uint64_t imm = 0;         // displacement, mask, counts
  const Inst* target = nullptr;  // of a branch
  union {
    const Slot* slots = nullptr;  // vector operands
    const Inst* fallthrough;      // of a conditional branch: target of lanes that do not take it
  };
  std::uint32_t site =
      0;  // memory instructions: index into Warp::sites; starts of basic blocks: index into Warp::counts
  std::uint32_t source = 0;  // index into Program::lines
};
static_assert(sizeof(Inst) == 64);

// ---- memory sites ------------------------------------------------------------------------------------
// Most memory instructions repeat the pattern of their lanes' addresses at a different base. A site caches
// the patterns it has seen with their cost, so a repeated pattern needs a comparison only. Movement describes
// a pattern: rows of 8, 16 or 32 lanes that each access contiguous memory or one value, or neither.
enum class Movement : std::uint8_t { kContiguousRows, kUniformRows, kScattered };

// Loads that the GPU executes for an instruction that is no load in PTX: an atomic that is a loop on the GPU.
struct LoadCost {
  std::uint64_t requests = 0, transactions = 0, fewest = 0, distinct_bytes = 0;
  void add(const LoadCost& other, std::uint64_t times = 1) {
    requests += times * other.requests;
    transactions += times * other.transactions;
    fewest += times * other.fewest;
    distinct_bytes += times * other.distinct_bytes;
  }
};

struct Pattern {
  // Relative to the first active lane; 0 for inactive lanes. `narrow` is the same modulo 2^32, for 32-bit
  // addresses.
  alignas(64) std::array<std::int64_t, kWarpSize> offset{};
  alignas(64) std::array<std::int32_t, kWarpSize> narrow{};
  std::uint32_t active = 0;   // 0: this entry is empty
  std::uint32_t residue = 0;  // lowest bits of the first lane's address; they and the offsets decide the cost
  std::int64_t low = 0, high = 0;  // bytes touched relative to the first lane's address: [low, high)
  Movement movement{};
  std::uint8_t row_lanes = kWarpSize;
  bool regular = true;             // aligned, and no lane extremely far away: the fast path may use it
  std::uint32_t transactions = 0;  // sectors or wavefronts
  std::uint32_t fewest = 0;
  std::uint32_t distinct_bytes = 0;
  std::uint32_t requests = 1;  // per execution
  LoadCost loads;
  std::int64_t stride = 0;  // between most neighbouring active lanes, if they share one
  bool has_stride = false;
  std::uint64_t hits = 0;              // not yet added to the site's totals
  mutable bool has_footprint = false;  // created when a check first needs it
  mutable std::unique_ptr<Footprint> footprint;

  // Copies everything except hits and footprint.
  void take(const Pattern& other);
};
inline constexpr std::size_t kPatternsPerSite = 8;  // cached patterns, which are found without a hash

// The patterns of a site that recurred after others had replaced them, by a hash of their offsets. A pattern
// that occurs only once, as with random addresses, is not kept; and for a site whose patterns rarely recur,
// lookups are mostly skipped.
struct KnownPatterns {
  static constexpr int kSlotBits = 6;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  std::array<std::uint32_t, kSlots> seen{};  // hash of the slot's last new pattern
  std::array<std::uint32_t, kSlots> hash{};  // hash of the kept pattern
  std::array<std::unique_ptr<Pattern>, kSlots> kept;
  std::array<std::uint8_t, kPatternsPerSite> last{};  // for each cache index: the slot found last
  // A lookup costs about an eighth of learning a pattern. Each lookup takes 1 from the credit, each success
  // adds kGain. Below zero, lookups pause.
  static constexpr int kTrial = 64, kGain = 8, kMost = 1024, kRest = 4096;
  int credit = kTrial;
};

enum class SiteKind : std::uint8_t {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kLocalLoad,
  kLocalStore,
  kConstantLoad,
  kTexture,
  kGlobalReduction,
  kAsyncLoad,
  kAsyncStore,  // the two halves of cp.async
  kSurfaceLoad,
  kSurfaceStore,
  kNumber,  // number of kinds
};
// The treatment of each kind by the counters is in counters/access_costs.cpp.
inline constexpr auto kSiteKinds = static_cast<std::size_t>(SiteKind::kNumber);

// The machine instruction that ptxas selects for an atomic (decode/decode_atomic.cpp determines it,
// counters/atomics.cpp counts it).
struct AtomicForm {
  // If all lanes update the same word, they may add up their values first, and one elected lane updates the
  // word.
  enum class Election : std::uint8_t { kNone, kAlways, kFullWarp };
  enum class Instruction : std::uint8_t {
    kPlain,         // ATOMG, REDG, ATOMS
    kCountLanes,    // ATOMS.POPC.INC
    kSwap,          // ATOMG.CAS, ATOMS.CAS
    kSwapLoop,      // LDS, the operation, ATOMS.CAST.SPIN, until every lane has succeeded
    kHalfWordLoop,  // a load of the word, the operation, ATOMG.CAS or ATOMS.CAS; repeated if that fails
    kHalfWordSwap,  // the same without repetition, for atom.cas.b16
  };
  Election election = Election::kNone;
  Instruction instruction = Instruction::kPlain;
};

enum class AccessMode : std::uint8_t { kRead, kWrite, kReadWrite };
Message verb_of(AccessMode mode);  // "reads", "writes", "updates"

// The properties of a memory instruction that are known before it runs. An instruction with a generic address
// has three consecutive sites: for global, shared and local memory.
struct SiteInfo {
  SiteKind kind{};
  int bytes_per_lane = 0;  // all vector elements together
  int merged_bytes = -1;   // of a shared load that the GPU merges with others; 0: counted with another load
  int counted_bytes() const { return merged_bytes < 0 ? bytes_per_lane : merged_bytes; }
  AtomicForm form;  // of an atomic
  std::uint32_t source = 0;
  std::uint32_t residue_mask = 31;  // global: 31, the offset in the sector (more for atomics); shared: of a
                                    // bank or the access, whichever is larger
  std::uint32_t index_shift = 2;    // which address bits select the cached pattern
  bool volatile_or_atomic = false;  // ordered by definition: no race
  bool is_atomic = false;        // relaxed or stronger, or to an address that an atomic instruction updates
  bool releases = false;         // release: earlier writes are visible to threads that observe it
  bool is_for_block = false;     // scope .cta: synchronizes only threads of the same block
  bool passes_l1 = false;        // a load that bypasses the L1
  bool answers = false;          // an atomic whose result is used
  bool is_awaited = false;       // polls until another thread has written (hand_overs/)
  std::uint32_t awaited_in = 0;  // the loop in which it polls
  bool follows_values = false;   // of local memory: its values are followed (ValueStep)
  std::uint8_t vector = 0;       // elements of a load or store in registers d or slots; 0: neither
  std::uint8_t computed_elements = 0xff;  // elements that the function uses otherwise than storing them again
  // For a shared address computed from a variable's: the range of that variable. Else: everything.
  std::int64_t shared_begin = 0, shared_end = std::int64_t{1} << 32;
};

struct SiteTotals {
  std::uint64_t executions = 0;  // by warps, in PTX
  std::uint64_t requests = 0, transactions = 0, fewest = 0, distinct_bytes = 0, lanes = 0;
  LoadCost loads;
};

struct SiteState {
  std::array<Pattern, kPatternsPerSite> patterns;  // the cache of recent patterns, indexed by address bits
  Allocation* allocation = nullptr;                // the last one accessed
  const SiteInfo* info = nullptr;
  std::unique_ptr<KnownPatterns> known;  // created for the second pattern
  SiteTotals totals;
  StrideCounts strides;  // between neighbouring lanes, if equal
};

// ---- counting ----------------------------------------------------------------------------------------
struct BasicBlockCount {
  std::uint64_t warps = 0, lanes = 0;  // executions of a basic block
  std::uint64_t divergent = 0;         // executions in which the branch at its end diverged
};

// ---- asynchronous copies -----------------------------------------------------------------------------
// A cp.async in flight. Its source was read when it was issued; its destination is written when its threads
// wait.
struct AsyncCopy {
  const Inst* inst = nullptr;
  std::uint64_t number = 0;                      // among all copies of the warp
  std::uint32_t lanes = 0;                       // that have not waited for it
  std::uint32_t tick = 0;                        // of the block's clock when it was issued; 0: not checked
  std::array<std::uint32_t, kWarpSize> group{};  // by lane: number of groups committed before
  std::array<std::uint64_t, kWarpSize> to{};     // generic addresses
  std::uint64_t begin = 0, end = 0;              // range that contains all destinations
  std::array<std::array<std::byte, 16>, kWarpSize> data{};
};

struct AsyncCopies {
  std::vector<AsyncCopy> in_flight;                       // oldest first
  std::uint64_t issued = 0;                               // total so far
  std::array<std::uint32_t, kWarpSize> committed{};       // number of groups, by lane
  std::array<std::uint32_t, kWarpSize> bulk_committed{};  // the same for bulk copies
};

// A cp.async.mbarrier.arrive in flight: the lane arrives at the mbarrier when its copies are complete.
struct AsyncArrival {
  const Inst* inst = nullptr;
  Warp* warp = nullptr;
  int lane = 0;
  std::uint64_t copies = 0;    // that the warp had issued before
  std::uint64_t mbarrier = 0;  // offset in the block's shared memory
};

// A cp.async.bulk in flight: its source was read when it was issued; its destination is written when a thread
// waits.
struct BulkCopy {
  const Inst* inst = nullptr;
  Warp* warp = nullptr;  // the issuing warp
  int lane = 0;
  std::uint64_t number = 0;        // among all copies of the block
  std::uint64_t to = 0, from = 0;  // generic addresses; shared ones without a rank
  std::vector<std::byte> data;
  // Offset in shared memory of the mbarrier that counts its bytes; kNoMbarrier: it is in a group.
  std::uint64_t mbarrier = 0;
  std::uint32_t group = 0;  // number of groups that the lane had committed before
  static constexpr std::uint64_t kNoMbarrier = ~std::uint64_t{0};
};

// ---- paths -------------------------------------------------------------------------------------------
// A call's activation for some lanes of a warp. It has its own registers, so lanes can be in different
// activations.
struct Frame {
  const FunctionCode* function = nullptr;
  HostBytes registers;
  std::uint32_t local_base = 0;  // its .local variables, in each lane's local memory
  int parent = -1;
  const Inst* return_to = nullptr;
  const Inst* call = nullptr;
  std::uint32_t lanes = 0;  // still inside
  int depth = 0;
};

enum class Wait : std::uint8_t { kNone, kBarrier, kLanes, kCluster };

// Lanes of a warp that follow the same path. Of several paths, the one in the deepest call whose next
// instruction comes first runs. The code is laid out such that this reconverges lanes where their paths meet.
struct Path {
  const Inst* pc = nullptr;
  std::uint32_t mask = 0;
  int frame = 0;
  Wait wait = Wait::kNone;
  int barrier = 0;  // its number, for Wait::kBarrier
};

enum class Outcome : std::uint8_t { kRunning, kDone, kWaiting, kYielded };

struct Warp {
  std::array<std::byte*, 4> operand_file{};  // by OperandFile
  std::uint32_t exec = 0;                    // lanes that the current instruction affects
  std::uint32_t active = 0;                  // lanes on the current path
  std::uint32_t live = 0;                    // lanes that have not exited
  std::uint32_t active_count = 0;            // popcount of active
  std::uint32_t carry = 0;                   // CC.CF, one bit per lane
  std::int64_t budget = 0;                   // instructions until the warp must yield
  std::int64_t clock = 0;                    // instructions granted so far; minus `budget`: executed
  std::int64_t unused = 0;  // part of the turn that was given up because other warps must make progress first
  const Inst* parked_lowest =
      nullptr;  // first instruction among runnable paths of this frame; kNoPath if none
  BasicBlockCount* counts = nullptr;
  SiteState* sites = nullptr;
  std::byte* shared = nullptr;
  std::size_t shared_bytes = 0;
  std::byte* local = nullptr;  // lane l's local memory begins at local + l * local_bytes
  std::size_t local_bytes = 0;
  const std::byte* parameters = nullptr;
  Block* block = nullptr;
  Launch* launch = nullptr;
  AccessTrace* trace = nullptr;  // for the time model; nullptr if time is not predicted
  bool observed = false;         // some check or recorder needs its memory accesses
  bool holds_undefined = false;  // some register holds an undefined value

  int frame = 0;
  Outcome outcome = Outcome::kRunning;
  std::uint32_t index = 0;  // in the block
  int idle_quanta = 0;      // successive yields without a change of path
  int patience = 0;         // idle quanta until another path runs
  std::uint32_t polls = 0;  // reads in this turn of memory that other threads may write
  // The last read that waits for another thread (control::note_awaited), and what it found.
  struct {
    const Inst* at = nullptr;
    std::uint32_t lanes = 0, repeats = 0;
    std::uint64_t digest = 0;
    std::int64_t executed = 0;  // instructions up to this read
  } awaited;
  const Inst* stalled_at = nullptr;    // instruction that found an mbarrier phase incomplete in this turn,
  std::uint64_t stalled_mbarrier = 0;  // at this byte of shared memory
  // At the cluster barrier: lanes that have arrived in this round; lanes that must still wait for it.
  std::uint32_t at_cluster_barrier = 0, owes_cluster_wait = 0;
  std::array<const Inst*, kWarpSize> left_by{};  // by lane: the last branch away from all barriers
  bool has_left = false;                         // some entry of left_by is set
  std::vector<Path> parked;
  std::vector<Frame> frames;
  AsyncCopies copies;
  std::size_t frame_bytes = 0;  // of all frames' registers
};

// The lanes of an operand. Always inlined, because the lane loops are compiled for several instruction sets.
template <class T>
[[gnu::always_inline]] inline T* lanes_at(const Warp& warp, Slot slot) {
  return reinterpret_cast<T*>(warp.operand_file[slot.bits & 3] + offset_of(slot));
}

inline const Inst* const kNoPath = reinterpret_cast<const Inst*>(~std::uintptr_t{0});

}  // namespace cudalab::vgpu
