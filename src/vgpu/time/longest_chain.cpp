#include "vgpu/time/longest_chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "vgpu/time/instruction_costs.h"

namespace cudalab::vgpu {
namespace {

// A point in time, and the waits that led to it.
struct ChainMoment {
  double clock = 0;
  Waits waits{};
  void wait(Source source, double times, double clocks) {
    clock += times * clocks;
    waits[static_cast<std::size_t>(source)] += source == Source::kArithmetic ? times * clocks : times;
  }
};

const ChainMoment& later_of(const ChainMoment& a, const ChainMoment& b) { return a.clock < b.clock ? b : a; }

// Stores to one memory space: when the last of them could begin, by base register of the address.
class Stores {
 public:
  void add(std::uint32_t base, const ChainMoment& begun) {
    if (std::exchange(base_, base) != base) other_ = last_;
    last_ = later_of(last_, begun);
  }
  const ChainMoment& behind(std::uint32_t base, bool is_mixed) const {
    return base == base_ && !is_mixed ? other_ : last_;
  }

 private:
  std::uint32_t base_ = ~0u;
  // `last_`: of all stores; `other_`: of those before the latest run of stores with `base_`.
  ChainMoment last_, other_;
};

class WarpChain {
 public:
  WarpChain(const TimedCode& code, std::span<const SiteShares> sites, int registers,
            const Latencies& latencies)
      : code_(code),
        sites_(sites),
        latencies_(latencies),
        registers_(registers),
        ready_(code.register_count),
        written_in_(code.register_count),
        is_of_loads_(code.register_count) {}

  // Executes the basic blocks, unrolled `times` times, and returns the waits that this adds. Instructions are
  // reordered freely except for data dependencies and the cases in which the compiler keeps the order
  // (in_order, computes_with_loads).
  Waits add(std::span<const TimedBasicBlock* const> basic_blocks, std::uint32_t times) {
    const ChainMoment begin = now_;
    issued_ = end_ = begin;
    branch_ = 0;
    in_flight_ = 0;
    most_in_flight_ = room_beside(basic_blocks);
    stores_ = {};
    apart_ = {};
    std::ranges::fill(is_of_loads_, std::uint8_t{0});
    is_mixed_ = mixes_loads(code_, basic_blocks);
    find_walks(basic_blocks, times);
    for (std::uint32_t count = 0; count < times; ++count)
      for (const TimedBasicBlock* basic_block : basic_blocks)
        for (std::uint32_t i = 0; i < basic_block->ops; ++i)
          issue(code_.ops[basic_block->first_op + i], begin);
    now_ = later_of(end_, issued_);
    now_.wait(Source::kArithmetic, branch_, 1);
    if (basic_blocks.front()->waits) let_all_arrive();
    Waits added;
    for (std::size_t i = 0; i < kSources; ++i) added[i] = now_.waits[i] - begin.waits[i];
    return added;
  }

 private:
  // While the warp waits for another block, its outstanding results arrive.
  void let_all_arrive() {
    for (ChainMoment& ready : ready_)
      if (ready.clock > now_.clock) ready = now_;
    if (loaded_.clock > now_.clock) loaded_ = now_;
  }

  void issue(const TimedOp& op, const ChainMoment& begin) {
    if (op.fence != TimedFence::kNone) pass(op.fence);
    issued_.wait(Source::kArithmetic, op.slots, 1);
    ChainMoment start = ready_at(op, begin_of_part_ > begin.clock ? part_ : begin);
    if (op.source == Source::kL1 && op.results > 0) start = later_of(start, with_room_for(op));
    if (op.space != 0) start = in_order(op, start);
    if (op.source == Source::kL1) start = through_pipe(op, start);
    if (computes_with_loads(op)) start = later_of(start, apart_);
    end_ = later_of(end_, start);
    if (op.is_barrier) pass_barrier();
    if (rounds_of(op) > 0) end_ = later_of(end_, swapped(op, start));
    if (op.results == 0 && op.source == Source::kArithmetic && !op.is_barrier) branch_ = op.latency;
    finish(op, start);
  }

  std::uint32_t base_of(const TimedOp& op) const { return vgpu::base_of(code_, op); }

  // Loads are not hoisted above stores that may alias, and these stores wait for their values. Addresses with
  // the same base register are known to differ. But if some load with another base must stay below the
  // stores, the compiler hoists no load at all. (Read off machine code.)
  ChainMoment in_order(const TimedOp& op, ChainMoment start) {
    const std::uint32_t base = base_of(op);
    for (std::size_t space = 0; space < stores_.size(); ++space) {
      if (!(op.space >> space & 1)) continue;
      start = later_of(start, stores_[space].behind(base, is_mixed_));
      if (op.writes) stores_[space].add(base, start);
    }
    return start;
  }

  // A warp's accesses leave in order. A store to many partial sectors delays the accesses after it, but not
  // loads hoisted above it.
  ChainMoment through_pipe(const TimedOp& op, ChainMoment start) {
    if (start.clock >= pipe_taken_) start = later_of(start, pipe_free_);
    if (op.results > 0 || op.site >= sites_.size()) return start;
    pipe_taken_ = start.clock;
    pipe_free_ = start;
    pipe_free_.wait(Source::kArithmetic, sites_[op.site].passes - 1, 1);
    return start;
  }

  // The compiler computes addresses, and loads from them, before the branches that slow-path instructions
  // (is_apart) contain. Everything computed from loaded values comes after them.
  bool computes_with_loads(const TimedOp& op) {
    const std::uint32_t* registers = code_.registers.data() + op.first_operand;
    bool with_loads = op.is_apart;
    for (int i = op.results; i < op.results + op.inputs; ++i) with_loads |= is_of_loads_[registers[i]] != 0;
    for (int i = 0; i < op.results; ++i)
      is_of_loads_[registers[i]] = with_loads || op.source == Source::kL1 || op.source == Source::kShared;
    return with_loads;
  }

  // Loads that walk through the same lines side by side: the first to reach a sector fetches it, the others
  // hit. The first load is charged with the waits of all. Not valid if stores with the same base lie between
  // them.
  void find_walks(std::span<const TimedBasicBlock* const> basic_blocks, std::uint32_t times) {
    walks_.clear();
    for (const TimedBasicBlock* basic_block : basic_blocks)
      for (const TimedOp& op : ops_of(code_, *basic_block)) {
        if (!op.walks || op.site >= sites_.size()) continue;
        Walk& walk = walks_.try_emplace(base_of(op)).first->second;
        walk.dram += times * sites_[op.site].dram;
        walk.l2 += times * sites_[op.site].l2;
      }
    if (!is_mixed_) return;
    for (const TimedBasicBlock* basic_block : basic_blocks)
      for (const TimedOp& op : ops_of(code_, *basic_block))
        if (op.writes) walks_.erase(base_of(op));
  }

  // Instructions after a barrier begin after it.
  void pass_barrier() {
    ChainMoment at = end_;
    at.wait(Source::kArithmetic, 20, 1);
    begin_part(at);
  }
  void begin_part(const ChainMoment& at) {
    part_ = at;
    begin_of_part_ = at.clock;
  }

  // Loads have completed when a fence begins. Everything stored since the previous fence is in flight until
  // then, however long ago it was stored. (Measured on an H200, docs/time-model.md.)
  void pass(TimedFence fence) {
    constexpr double kOfCard = 273, kOfSystem = 1030;
    ChainMoment at = later_of(later_of(end_, issued_), loaded_);
    at.wait(Source::kArithmetic, fence == TimedFence::kCard ? kOfCard : kOfSystem, 1);
    if (fence == TimedFence::kCard && has_stored_) at.wait(Source::kL2, 1, latencies_.l2);
    has_stored_ = false;
    end_ = at;
    begin_part(at);
  }

  ChainMoment ready_at(const TimedOp& op, ChainMoment earliest) const {
    const std::uint32_t* registers = code_.registers.data() + op.first_operand + op.results;
    for (int i = 0; i < op.inputs; ++i) earliest = later_of(earliest, ready_[registers[i]]);
    return earliest;
  }

  double rounds_of(const TimedOp& op) const { return op.site < sites_.size() ? sites_[op.site].rounds : 0; }

  // A compare-and-swap loop: instructions after it begin when it has ended.
  ChainMoment swapped(const TimedOp& op, ChainMoment at) {
    constexpr double kOfARound = 40;  // the operation, the swap, the branch
    at.wait(Source::kShared, 2 * rounds_of(op), latencies_.shared);
    at.wait(Source::kArithmetic, kOfARound * rounds_of(op), 1);
    begin_part(at);
    return at;
  }

  // Registers left for values in flight: all registers less the live-in values used here, computed addresses,
  // and values just computed. Loads that only copy to shared memory need an address each for the store; ptxas
  // overlaps few of them, and none if live-through values leave no registers within the warp's allocation.
  // (Read off machine code.)
  int room_beside(std::span<const TimedBasicBlock* const> basic_blocks) {
    constexpr double kRegistersOfValue = 1.5;  // some values have 64 bits
    constexpr int kJustNow = 6, kMostAddresses = 4, kFewestInFlight = 8, kAllocated = 8;
    constexpr int kFewCopies = 2, kMostOfCopies = 4;
    if (registers_ == 0) return kMany;
    const RegisterUse use = registers_used_by(basic_blocks);
    const int now = 2 * std::min(use.addresses, kMostAddresses) + kJustNow;
    if (use.copies <= kFewCopies)
      return std::max(registers_ - static_cast<int>(kRegistersOfValue * use.from_before) - now,
                      kFewestInFlight);
    const int others = basic_blocks.front()->unused_registers + use.words_from_before + now;
    const int allocated = (registers_ + kAllocated - 1) / kAllocated * kAllocated;
    const int fewest = use.copies > kMostOfCopies ? 2 : 1;
    return std::clamp(allocated - others, fewest, kMostOfCopies);
  }

  struct RegisterUse {
    int from_before = 0, words_from_before = 0, addresses = 0;
    int copies = 0;  // stores to shared memory
  };
  RegisterUse registers_used_by(std::span<const TimedBasicBlock* const> basic_blocks) {
    constexpr std::uint8_t kSeenBefore = 1, kWrittenHere = 2;
    std::ranges::fill(written_in_, std::uint8_t{0});
    RegisterUse use;
    for (const TimedBasicBlock* basic_block : basic_blocks)
      for (const TimedOp& op : ops_of(code_, *basic_block)) {
        const std::uint32_t* registers = code_.registers.data() + op.first_operand;
        use.copies += op.writes && op.space == kTimedShared;
        for (int i = op.results; i < op.results + op.inputs; ++i) {
          std::uint8_t& state = written_in_[registers[i]];
          use.addresses += state == kWrittenHere && op.source == Source::kL1;
          if (state != 0) continue;
          ++use.from_before;
          use.words_from_before += code_.words[registers[i]];
          state = kSeenBefore;
        }
        for (int i = 0; i < op.results; ++i)
          if (written_in_[registers[i]] == 0) written_in_[registers[i]] = kWrittenHere;
      }
    return use;
  }

  // When registers are free for the loaded values: if too many are in flight, after the earlier loads.
  ChainMoment with_room_for(const TimedOp& op) {
    const int registers = op.site < sites_.size() ? sites_[op.site].registers : op.results;
    in_flight_ += registers;
    if (in_flight_ > most_in_flight_) {
      in_flight_ = registers;
      room_at_ = last_load_;
    }
    return room_at_;
  }

  void finish(const TimedOp& op, ChainMoment at) {
    const bool is_in_memory = op.source == Source::kL1 || op.source == Source::kAtomic;
    has_stored_ = has_stored_ || (is_in_memory && op.results == 0);
    if (op.results == 0) return;
    wait_for_result(op, at);
    if (is_in_memory) loaded_ = later_of(loaded_, at);
    if (op.source == Source::kL1) last_load_ = later_of(last_load_, at);
    const std::uint32_t* registers = code_.registers.data() + op.first_operand;
    for (int i = 0; i < op.results; ++i) ready_[registers[i]] = at;
    if (op.is_apart) apart_ = at, end_ = later_of(end_, at);
  }

  void wait_for_result(const TimedOp& op, ChainMoment& at) {
    if (op.site < sites_.size()) at.wait(Source::kArithmetic, sites_[op.site].passes - 1, 1);
    switch (op.source) {
      case Source::kShared: return at.wait(op.source, 1, latencies_.shared);
      case Source::kConstant: return at.wait(op.source, 1, latencies_.constant);
      case Source::kAtomic: return at.wait(op.source, 1, latencies_.atomic);
      case Source::kTexture: at.wait(op.source, 1, latencies_.texture); return wait_for_memory(op, at);
      case Source::kL1: return wait_for_memory(op, at);
      default: return at.wait(Source::kArithmetic, op.latency, 1);
    }
  }

  // Latency of the slowest of several DRAM segments relative to that of one. (Measured on an H200: 48 ns more
  // for each doubling, from 1 to 32 segments at random addresses; 35 ns at even distances.)
  static double slowest_of(double pieces) {
    constexpr double kTwiceAsMany = 0.12;
    return 1 + kTwiceAsMany * std::log2(std::max(pieces, 1.0));
  }

  void wait_for_memory(const TimedOp& op, ChainMoment& at) {
    if (op.site >= sites_.size()) return;
    SiteShares shares = sites_[op.site];
    if (const auto walk = walks_.find(base_of(op)); op.walks && walk != walks_.end()) {
      shares.dram = std::min(1.0, walk->second.dram);
      shares.l2 = std::min(1 - shares.dram, walk->second.l2);
      shares.l1 = 1 - shares.dram - shares.l2;
      walk->second = {};
    }
    if (op.source != Source::kTexture) at.wait(Source::kL1, shares.l1, latencies_.l1);
    at.wait(Source::kL2, shares.l2, latencies_.l2);
    at.wait(Source::kDram, shares.dram * slowest_of(shares.dram_pieces), latencies_.dram);
  }

  // Requests that wait, summed over all loads of the walk.
  struct Walk {
    double dram = 0, l2 = 0;
  };

  const TimedCode& code_;
  std::span<const SiteShares> sites_;
  const Latencies& latencies_;
  static constexpr int kMany = 1 << 20;
  int registers_, most_in_flight_ = kMany, in_flight_ = 0;
  std::vector<ChainMoment> ready_;
  std::vector<std::uint8_t> written_in_;   // by register: whether its value is from before, or written here
  std::vector<std::uint8_t> is_of_loads_;  // by register: whether its value depends on loads
  ChainMoment now_, part_, room_at_, last_load_;
  ChainMoment loaded_;       // when all outstanding loads have completed
  double pipe_taken_ = 0;    // since when a store has occupied the pipe
  ChainMoment pipe_free_;    // when the next access after it can leave
  bool has_stored_ = false;  // since the last fence
  // State of the basic blocks that are being added:
  ChainMoment issued_, end_;
  std::array<Stores, 3> stores_;         // by bit of TimedOp::space
  bool is_mixed_ = false;                // result of mixes_loads()
  ChainMoment apart_;                    // when the last is_apart result was available
  std::map<std::uint32_t, Walk> walks_;  // by base register of the address
  double branch_ = 0;                    // cycles from the branch to the first instruction after it
  double begin_of_part_ = -1;
};

// ptxas unrolls short counted loops four times. For loops that load, the size limit is higher, so the loads
// of four rounds overlap. (Read off its machine code for 150 loops.)
std::uint32_t iterations_together(const TimedCode& code, const TimedBasicBlock& basic_block) {
  constexpr std::uint32_t kTogether = 4, kMostWithLoads = 46, kMostWithout = 20;
  if (!basic_block.is_counted) return 1;
  bool loads = false;
  for (std::uint32_t i = 0; i < basic_block.ops; ++i) {
    const TimedOp& op = code.ops[basic_block.first_op + i];
    if (op.is_barrier || op.is_apart || op.source == Source::kAtomic || (op.site != ~0u && op.results == 0))
      return 1;
    loads |= (op.source == Source::kL1 || op.source == Source::kShared) && op.results > 0;
  }
  return basic_block.ops <= (loads ? kMostWithLoads : kMostWithout) ? kTogether : 1;
}

// Outside loops, ptxas merges consecutive basic blocks that all warps execute: a small `if` is predicated. A
// loop that waits for another thread is not merged.
std::vector<const TimedBasicBlock*> blocks_together(const TimedCode& code, std::span<const double> executions,
                                                    std::span<const std::uint64_t> company, std::size_t first,
                                                    bool is_loop) {
  constexpr double kAlike = 0.02;
  std::vector<const TimedBasicBlock*> together;
  for (std::size_t i = first; i < executions.size(); ++i) {
    const bool is_alike = std::abs(executions[i] - executions[first]) <= kAlike * executions[first] &&
                          (company.empty() || company[i] == company[first]);
    const bool waits = code.basic_blocks[i].waits || code.basic_blocks[first].waits;
    if (executions[first] <= 0 || !is_alike || ((is_loop || waits) && i > first)) break;
    together.push_back(&code.basic_blocks[i]);
  }
  return together;
}

// End of a group of neighbouring basic blocks that are executed about equally often: a loop, or the code
// between loops.
std::size_t end_of_group(std::span<const double> executions, std::size_t first) {
  constexpr double kAlike = 2.5;
  std::size_t end = first + 1;
  double most = executions[first];
  while (end < executions.size()) {
    const double now = executions[end];
    if (now > 0 && (now > kAlike * most || (most > 1.5 && now < most / kAlike / kAlike))) break;
    most = std::max(most, now);
    ++end;
  }
  return end;
}

constexpr int kRepeats = 3;  // iterations until their waits are stable

// Executes all basic blocks once.
LongestChain pass_through(WarpChain& chain, const TimedCode& code, std::span<const double> executions,
                          std::span<const std::uint64_t> company) {
  constexpr double kLoop = 1.5;
  LongestChain longest;
  longest.of_basic_block.resize(code.basic_blocks.size());
  const std::size_t basic_blocks = std::min(executions.size(), code.basic_blocks.size());
  for (std::size_t first = 0; first < basic_blocks;) {
    const std::size_t end = end_of_group(executions.first(basic_blocks), first);
    const bool is_loop = std::any_of(executions.begin() + static_cast<std::ptrdiff_t>(first),
                                     executions.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](double times) { return times > kLoop; });
    for (int repeat = is_loop ? kRepeats : 1; repeat > 0; --repeat)
      for (std::size_t i = first; i < end;) {
        const std::vector<const TimedBasicBlock*> together =
            blocks_together(code, executions.subspan(0, end), company, i, is_loop);
        const double times_executed = executions[i];
        i += std::max<std::size_t>(together.size(), 1);
        if (times_executed <= 0 || together.empty()) continue;
        const std::uint32_t times =
            end == first + 1 && is_loop ? iterations_together(code, *together.front()) : 1;
        Waits added = chain.add(together, times);
        for (double& wait : added) wait /= times;
        for (std::size_t source = 0; repeat == 1 && source < kSources; ++source)
          longest.waits[source] += times_executed * added[source];
        longest.of_basic_block[static_cast<std::size_t>(together.front() - code.basic_blocks.data())] = added;
      }
    first = end;
  }
  return longest;
}

}  // namespace

Waits chain_of_round(const TimedCode& code, const TimedBasicBlock& basic_block,
                     std::span<const SiteShares> sites, int registers, const Latencies& latencies) {
  WarpChain chain(code, sites, registers, latencies);
  const TimedBasicBlock* const round[]{&basic_block};
  for (int repeat = 1; repeat < kRepeats; ++repeat) chain.add(round, 1);
  return chain.add(round, 1);
}

LongestChain longest_chain(const TimedCode& code, std::span<const double> executions,
                           std::span<const SiteShares> sites, int registers, const Latencies& latencies,
                           std::span<const std::uint64_t> company, std::span<const double> before) {
  WarpChain chain(code, sites, registers, latencies);
  pass_through(chain, code, before, company);
  return pass_through(chain, code, executions, company);
}

}  // namespace cudalab::vgpu
