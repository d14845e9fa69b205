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

// Inst::imm holds one of these, plus kNegateC where the predicate counts negated.
enum CompareCombination : std::uint64_t { kPlain = 0, kAnd = 1, kOr = 2, kXor = 3, kNegateC = 8 };

// How often each distance between neighbouring lanes occurred, in bounded memory, and which one is usual.

// Up to kExact distances are counted each. Of more, two things are kept that any order and any split of the
// counting leads to, so that nothing depends on the host's threads:
//
//   bits[b]       requests whose distance has bit b set: if a distance has more than half, it is these bits
//   cells[r][h]   requests whose distance falls into cell h of row r: at least as many as the distance has
//
// A distance with more than half of the requests is always found. One with less may be taken for it when
// others fall into its cells in every row; where none has many, that does not happen.
class StrideCounts {
 public:
  void add(std::int64_t stride, std::uint64_t requests);
  void add(const StrideCounts& others);
  // The distance that more than half of so many requests have.
  std::optional<std::int64_t> usual(std::uint64_t requests) const;
  std::size_t bytes() const;  // that it takes

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

  std::map<std::int64_t, std::uint64_t> exact_;  // empty once there is a sketch
  std::unique_ptr<Sketch> sketch_;
};

// The state that executing instructions see: decoded instructions, a warp's registers and paths, memory
// sites. Everything here is touched for every instruction, so it is plain data with trivial accessors.

struct Inst;
struct Warp;
struct Block;
struct Launch;
struct FunctionCode;
struct CallInfo;
struct Instruments;

// Executes one instruction for the lanes in Warp::exec and returns the next one, or nullptr when the warp
// cannot go on.
using Handler = const Inst* (*)(const Inst*, Warp&);

// ---- operands ----------------------------------------------------------------------------------------
// Where an operand's 32 lanes lie. Lanes of a register stand side by side:
//
//   16-bit and 8-bit   64 bytes   | lane 0 | lane 1 | … | lane 31 |
//   32-bit            128 bytes
//   64-bit            256 bytes
//   predicate           4 bytes, one bit a lane
//
// A slot is an operand file (2 bits) and a byte offset into it.
struct Slot {
  std::uint32_t bits = 0;  // 0: no operand (the first bytes of a frame are never a register)
};
inline constexpr std::uint32_t kFirstRegister = 64;
enum OperandFile : std::uint32_t {
  kRegisters = 0,  // of the current frame
  kConstants = 1,  // immediates and addresses, broadcast to 32 lanes; shared by all warps of a program
  kSpecials = 2,   // %tid, %ctaid and the like
  kSink = 3,       // results nobody wants
};
constexpr Slot make_slot(OperandFile file, std::uint32_t offset) { return {offset << 2 | file}; }
constexpr std::uint32_t offset_of(Slot slot) { return slot.bits >> 2; }
inline constexpr std::uint32_t kSinkBytes = 512;

// ---- decoded instructions ----------------------------------------------------------------------------
// One cache line. What a field means is up to the handler; the usual meaning is given.
struct alignas(64) Inst {
  Handler run = nullptr;
  Slot d{}, d2{};                // results
  Slot a{}, b{}, c{}, e{};       // sources
  std::uint64_t imm = 0;         // displacement, mask, counts
  const Inst* target = nullptr;  // of a branch
  union {
    const Slot* slots = nullptr;  // vector operands
    const Inst* fallthrough;      // of a conditional branch: where lanes go that do not take it
  };
  std::uint32_t site =
      0;  // memory instructions: index into Warp::sites; starts of basic blocks: into Warp::counts
  std::uint32_t source = 0;  // index into Program::lines
};
static_assert(sizeof(Inst) == 64);

// ---- memory sites ------------------------------------------------------------------------------------
// Most memory instructions repeat the pattern of their lanes' addresses, shifted. A site remembers the
// patterns it met, with their cost, so that a repeated one is a comparison instead of a count. In rows of 8,
// 16 or 32 lanes that are each one span of memory, or one value; or without such an order.
enum class Movement : std::uint8_t { kContiguousRows, kUniformRows, kScattered };

// Loads that an instruction brings about on the card which is none in PTX: of an atomic that is a loop there.
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
  // From the first active lane; 0 where inactive. `narrow` is the same modulo 2^32, for 32-bit addresses.
  alignas(64) std::array<std::int64_t, kWarpSize> offset{};
  alignas(64) std::array<std::int32_t, kWarpSize> narrow{};
  std::uint32_t active = 0;        // 0: this entry is empty
  std::uint32_t residue = 0;       // of the first lane's address: with it the cost is the same everywhere
  std::int64_t low = 0, high = 0;  // bytes touched relative to the first lane's address: [low, high)
  Movement movement{};
  std::uint8_t row_lanes = kWarpSize;
  bool regular = true;             // aligned, and no lane absurdly far away: the fast path may use it
  std::uint32_t transactions = 0;  // sectors or wavefronts
  std::uint32_t fewest = 0;
  std::uint32_t distinct_bytes = 0;
  std::uint32_t requests = 1;  // that one execution makes
  LoadCost loads;
  std::int64_t stride = 0;  // between most neighbouring active lanes, where they share one
  bool has_stride = false;
  std::uint64_t hits = 0;              // not yet added to the site's totals
  mutable bool has_footprint = false;  // made when a check first asks
  mutable std::unique_ptr<Footprint> footprint;

  // Becomes the same but for hits and footprint, which it does not have yet.
  void take(const Pattern& other);
};
inline constexpr std::size_t kPatternsPerSite = 8;  // that are found without a hash

// The patterns of a site that came back after others had taken their place, by a hash of their offsets. One
// that comes but once, as those of random addresses do, is not kept; and a site whose patterns hardly ever
// come back is seldom asked.
struct KnownPatterns {
  static constexpr int kSlotBits = 6;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  std::array<std::uint32_t, kSlots> seen{};  // the hash of the slot's last new pattern
  std::array<std::uint32_t, kSlots> hash{};  // of the one that is kept
  std::array<std::unique_ptr<Pattern>, kSlots> kept;
  std::array<std::uint8_t, kPatternsPerSite> last{};  // the slot that was found last, of each place
  // To look costs about an eighth of learning a pattern. Each look takes one, each find gives kGain; below
  // none it rests.
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
  kNumber,  // of kinds
};
// What each is to the counters: counters/site_kinds.cpp.
inline constexpr auto kSiteKinds = static_cast<std::size_t>(SiteKind::kNumber);

// What ptxas makes of an atomic instruction (counters/atomic_forms.h finds it, counters/atomics.h counts it).
struct AtomicForm {
  // Where all lanes update one place, they may add up their values first, and one of them updates it.
  enum class Election : std::uint8_t { kNone, kAlways, kFullWarp };
  enum class Instruction : std::uint8_t {
    kPlain,         // ATOMG, REDG, ATOMS
    kCountLanes,    // ATOMS.POPC.INC
    kSwap,          // ATOMG.CAS, ATOMS.CAS
    kSwapLoop,      // LDS, the operation, ATOMS.CAST.SPIN, until every lane has had its turn
    kHalfWordLoop,  // a load of the word, the operation, ATOMG.CAS or ATOMS.CAS, again where that fails
    kHalfWordSwap,  // the same once: of atom.cas.b16
  };
  Election election = Election::kNone;
  Instruction instruction = Instruction::kPlain;
};

enum class AccessMode : std::uint8_t { kRead, kWrite, kReadWrite };
Message verb_of(AccessMode mode);  // "reads", "writes", "updates"

// What is known of a memory instruction before it runs. An instruction with a generic address has three sites
// in a row: as if global, as if shared, as if local.
struct SiteInfo {
  SiteKind kind{};
  int bytes_per_lane = 0;  // vector elements together
  int merged_bytes = -1;   // of a shared load that the card merges with others; 0: counted with another
  int counted_bytes() const { return merged_bytes < 0 ? bytes_per_lane : merged_bytes; }
  AtomicForm form;  // of an atomic
  std::uint32_t source = 0;
  std::uint32_t residue_mask =
      31;  // global: 31, the sector, of atomics more; shared: of a bank or the access, whichever is larger
  std::uint32_t index_shift = 2;    // which address bits choose the pattern entry
  bool volatile_or_atomic = false;  // ordered by definition: no race
  bool is_atomic = false;  // relaxed or stronger, or through the address that an atomic instruction updates
  bool releases = false;   // what came before is visible to whoever sees it
  bool is_for_block = false;              // of scope .cta: it synchronises the threads of one block only
  bool passes_l1 = false;                 // of a load that the L1 does not keep
  bool answers = false;                   // of an atomic: its result is used
  bool is_awaited = false;                // asks until somebody else has written (hand_overs/)
  std::uint32_t awaited_in = 0;           // the loop in which it does
  bool follows_values = false;            // of local memory: what it loads is followed (value_step.h)
  std::uint8_t vector = 0;                // elements of a load or store in registers d or slots; 0: neither
  std::uint8_t computed_elements = 0xff;  // which of them the function does more with than store them again
  // Of a shared address that was computed from a variable's: where that variable lies. Else: everywhere.
  std::int64_t shared_begin = 0, shared_end = std::int64_t{1} << 32;
};

struct SiteTotals {
  std::uint64_t executions = 0;  // by warps, in PTX
  std::uint64_t requests = 0, transactions = 0, fewest = 0, distinct_bytes = 0, lanes = 0;
  LoadCost loads;
};

struct SiteState {
  std::array<Pattern, kPatternsPerSite> patterns;  // the newest, by bits of the address
  Allocation* allocation = nullptr;                // the last one touched
  const SiteInfo* info = nullptr;
  std::unique_ptr<KnownPatterns> known;  // from the second pattern on
  SiteTotals totals;
  StrideCounts strides;  // between neighbouring lanes, where equal
};

// ---- counting ----------------------------------------------------------------------------------------
struct BasicBlockCount {
  std::uint64_t warps = 0, lanes = 0;  // executions of a basic block
  std::uint64_t divergent = 0;         // of them, how often the branch at its end parted the lanes
};

// ---- asynchronous copies -----------------------------------------------------------------------------
// A cp.async on its way. It was read when it was issued; it is written when its threads wait for it.
struct AsyncCopy {
  const Inst* inst = nullptr;
  std::uint64_t number = 0;                      // of all copies of the warp
  std::uint32_t lanes = 0;                       // that have not waited for it
  std::uint32_t tick = 0;                        // of the block's clock, when it was issued; 0: not checked
  std::array<std::uint32_t, kWarpSize> group{};  // by lane: how many groups were committed before
  std::array<std::uint64_t, kWarpSize> to{};     // generic addresses
  std::uint64_t begin = 0, end = 0;              // that all of them lie between
  std::array<std::array<std::byte, 16>, kWarpSize> data{};
};

struct AsyncCopies {
  std::vector<AsyncCopy> in_flight;                       // oldest first
  std::uint64_t issued = 0;                               // so far
  std::array<std::uint32_t, kWarpSize> committed{};       // groups, by lane
  std::array<std::uint32_t, kWarpSize> bulk_committed{};  // groups of bulk copies
};

// A cp.async.mbarrier.arrive on its way: a lane arrives at an mbarrier when its copies are done.
struct AsyncArrival {
  const Inst* inst = nullptr;
  Warp* warp = nullptr;
  int lane = 0;
  std::uint64_t copies = 0;    // that the warp had issued before
  std::uint64_t mbarrier = 0;  // byte of the block's shared memory
};

// A cp.async.bulk on its way: read when it was issued, written when somebody waits for it.
struct BulkCopy {
  const Inst* inst = nullptr;
  Warp* warp = nullptr;  // that issued it
  int lane = 0;
  std::uint64_t number = 0;        // of all copies of the block
  std::uint64_t to = 0, from = 0;  // generic addresses; shared ones without a rank
  std::vector<std::byte> data;
  std::uint64_t mbarrier = 0;  // byte of shared memory that counts what has arrived; kNoMbarrier: in groups
  std::uint32_t group = 0;     // how many groups the lane had committed before
  static constexpr std::uint64_t kNoMbarrier = ~std::uint64_t{0};
};

// ---- paths -------------------------------------------------------------------------------------------
// A call's activation for some lanes of a warp. Its registers are its own, so lanes can be in different
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

// Lanes of a warp that go the same way. Of several paths the one whose next instruction stands first runs, in
// the deepest call; code is laid out so that this brings lanes together again where their paths meet.
struct Path {
  const Inst* pc = nullptr;
  std::uint32_t mask = 0;
  int frame = 0;
  Wait wait = Wait::kNone;
  int barrier = 0;  // which, for Wait::kBarrier
  bool waits_at(int which) const { return wait == Wait::kBarrier && barrier == which; }
};

enum class Outcome : std::uint8_t { kRunning, kDone, kWaiting, kYielded };

struct Warp {
  std::array<std::byte*, 4> operand_file{};  // by OperandFile
  std::uint32_t exec = 0;                    // lanes that the current instruction acts on
  std::uint32_t active = 0;                  // lanes on the current path
  std::uint32_t live = 0;                    // lanes that have not exited
  std::uint32_t active_count = 0;            // popcount of active
  std::uint32_t carry = 0;                   // CC.CF, a bit a lane
  std::int64_t budget = 0;                   // instructions until the warp must yield
  std::int64_t clock = 0;                    // instructions granted so far; minus budget: executed
  std::int64_t unused = 0;                   // of the turn, given up because others must do something first
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
  const Instruments* instruments = nullptr;
  unsigned heard_by = 0;         // a bit for each Instrument (instrumentation.h) that is there
  bool holds_undefined = false;  // some register holds a value that nobody gave (value_step.h)

  int frame = 0;
  Outcome outcome = Outcome::kRunning;
  std::uint32_t index = 0;             // in the block
  int idle_quanta = 0;                 // yields in a row that changed no path
  int patience = 0;                    // idle quanta until another path gets a turn
  std::uint32_t polls = 0;             // in this turn: reads of memory that others may write meanwhile
  const Inst* stalled_at = nullptr;    // in this turn, it found the phase of an mbarrier incomplete,
  std::uint64_t stalled_mbarrier = 0;  // at this byte of shared memory
  // At the barrier of the cluster: lanes that have arrived in this round; lanes that must still wait for
  // theirs.
  std::uint32_t at_cluster_barrier = 0, owes_cluster_wait = 0;
  std::array<const Inst*, kWarpSize> left_by{};  // by lane: the last branch away from all barriers
  bool has_left = false;                         // by one of them
  std::vector<Path> parked;
  std::vector<Frame> frames;
  AsyncCopies copies;
  std::size_t frame_bytes = 0;  // of all frames' registers
};

// The lanes of an operand. Always inlined: the lane loops are compiled for several instruction sets.
template <class T>
[[gnu::always_inline]] inline T* lanes_at(const Warp& warp, Slot slot) {
  return reinterpret_cast<T*>(warp.operand_file[slot.bits & 3] + offset_of(slot));
}

inline const Inst* const kNoPath = reinterpret_cast<const Inst*>(~std::uintptr_t{0});

}  // namespace cudalab::vgpu
