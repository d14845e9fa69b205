#include "vgpu/time/longest_chain.h"

#include <algorithm>

namespace cudalab::vgpu {
namespace {

// A moment, and what was waited for until then.
struct ChainMoment {
  double clock = 0;
  Waits waits{};
  void wait(Source source, double times, double clocks) {
    clock += times * clocks;
    waits[static_cast<std::size_t>(source)] += source == Source::kArithmetic ? times * clocks : times;
  }
};

const ChainMoment& later_of(const ChainMoment& a, const ChainMoment& b) { return a.clock < b.clock ? b : a; }

class WarpChain {
 public:
  WarpChain(const TimedCode& code, std::span<const SiteShares> sites, const Latencies& latencies)
      : code_(code), sites_(sites), latencies_(latencies), ready_(code.register_count) {}

  // What executing the basic block once more adds.
  Waits add(const TimedBasicBlock& block, std::uint32_t times) {
    const ChainMoment begin = now_;
    ChainMoment issued = begin, end = begin;
    double branch = 0;  // until the first instruction behind it
    for (std::uint32_t count = 0; count < times * block.ops; ++count) {
      const std::uint32_t i = count % block.ops;
      const TimedOp& op = code_.ops[block.first_op + i];
      issued.wait(Source::kArithmetic, op.slots, 1);
      ChainMoment start = ready_at(op, begin_of_part_ > begin.clock ? part_ : begin);
      end = later_of(end, start);
      if (op.is_barrier) start_part(end);
      if (op.results == 0 && op.source == Source::kArithmetic && !op.is_barrier) branch = op.latency;
      finish(op, start);
    }
    now_ = later_of(end, issued);
    now_.wait(Source::kArithmetic, branch, 1);
    Waits added;
    for (std::size_t i = 0; i < kSources; ++i) added[i] = now_.waits[i] - begin.waits[i];
    return added;
  }

 private:
  // Nothing behind a barrier begins before it.
  void start_part(ChainMoment at) {
    at.wait(Source::kArithmetic, 20, 1);
    part_ = at;
    begin_of_part_ = at.clock;
  }

  ChainMoment ready_at(const TimedOp& op, ChainMoment earliest) const {
    const std::uint32_t* registers = code_.registers.data() + op.first_operand + op.results;
    for (int i = 0; i < op.inputs; ++i) earliest = later_of(earliest, ready_[registers[i]]);
    return earliest;
  }

  void finish(const TimedOp& op, ChainMoment at) {
    if (op.results == 0) return;
    wait_for_result(op, at);
    const std::uint32_t* registers = code_.registers.data() + op.first_operand;
    for (int i = 0; i < op.results; ++i) ready_[registers[i]] = at;
  }

  void wait_for_result(const TimedOp& op, ChainMoment& at) const {
    switch (op.source) {
      case Source::kShared: return at.wait(op.source, 1, latencies_.shared);
      case Source::kConstant: return at.wait(op.source, 1, latencies_.constant);
      case Source::kAtomic: return at.wait(op.source, 1, latencies_.atomic);
      case Source::kTexture: return at.wait(op.source, 1, latencies_.texture);
      case Source::kL1: return wait_for_memory(op, at);
      default: return at.wait(Source::kArithmetic, op.latency, 1);
    }
  }

  void wait_for_memory(const TimedOp& op, ChainMoment& at) const {
    if (op.site >= sites_.size()) return;
    const SiteShares& shares = sites_[op.site];
    at.wait(Source::kL1, shares.l1, latencies_.l1);
    at.wait(Source::kL2, shares.l2, latencies_.l2);
    at.wait(Source::kDram, shares.dram, latencies_.dram);
  }

  const TimedCode& code_;
  std::span<const SiteShares> sites_;
  const Latencies& latencies_;
  std::vector<ChainMoment> ready_;
  ChainMoment now_, part_;
  double begin_of_part_ = -1;
};

// ptxas goes on unrolling a loop that the front end has unrolled: the loads of two rounds go together.
std::uint32_t iterations_together(const TimedCode& code, const TimedBasicBlock& block) {
  constexpr int kUnrolled = 4;
  int loads = 0;
  for (std::uint32_t i = 0; i < block.ops; ++i) {
    const TimedOp& op = code.ops[block.first_op + i];
    if (op.is_barrier || op.source == Source::kAtomic || (op.site != ~0u && op.results == 0)) return 1;
    loads += (op.source == Source::kL1 || op.source == Source::kShared) && op.results > 0;
  }
  return loads >= kUnrolled ? 2 : 1;
}

// Neighbouring basic blocks that are executed about as often: a loop, or what stands between loops.
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

}  // namespace

Waits longest_chain(const TimedCode& code, std::span<const double> executions,
                    std::span<const SiteShares> sites, const Latencies& latencies) {
  constexpr double kLoop = 1.5;
  constexpr int kRepeats = 3;  // until what one iteration leaves to the next stays the same
  WarpChain chain(code, sites, latencies);
  Waits sum{};
  const std::size_t blocks = std::min(executions.size(), code.blocks.size());
  for (std::size_t first = 0; first < blocks;) {
    const std::size_t end = end_of_group(executions.first(blocks), first);
    const bool is_loop = std::any_of(executions.begin() + static_cast<std::ptrdiff_t>(first),
                                     executions.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](double times) { return times > kLoop; });
    for (int repeat = is_loop ? kRepeats : 1; repeat > 0; --repeat)
      for (std::size_t i = first; i < end; ++i) {
        if (executions[i] <= 0 || code.blocks[i].ops == 0) continue;
        const std::uint32_t times =
            end == first + 1 && is_loop ? iterations_together(code, code.blocks[i]) : 1;
        Waits added = chain.add(code.blocks[i], times);
        for (double& wait : added) wait /= times;
        for (std::size_t source = 0; repeat == 1 && source < kSources; ++source)
          sum[source] += executions[i] * added[source];
      }
    first = end;
  }
  return sum;
}

}  // namespace cudalab::vgpu
