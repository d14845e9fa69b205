#include "vgpu/time/waiting_features.h"

#include <algorithm>
#include <utility>

#include "core/digest.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/time/occupancy.h"
#include "vgpu/time/time_model.h"

namespace cudalab::vgpu {
namespace {

// Executions of each basic block by an average traced block.
std::vector<double> executions_of_block(const HandOverTrace& hand_overs, std::size_t basic_blocks) {
  std::vector<double> executions(basic_blocks);
  for (const HandOver& event : hand_overs.events())
    for (const auto& [basic_block, times] : hand_overs.sections()[event.section])
      executions[basic_block] += static_cast<double>(times) / hand_overs.blocks();
  return executions;
}

// Critical path of a fictitious block that executes every basic block as often as the busiest section does,
// so a loop that only one block runs still counts as a loop.
LongestChain chain_of_busiest(const Launch& launch, const HandOverTrace& hand_overs,
                              std::span<const SiteShares> shares) {
  std::vector<double> executions(launch.program->basic_blocks.size());
  std::vector<std::uint64_t> company(executions.size(), kFnvBasis);
  std::uint64_t number = 0;
  for (const Section& section : hand_overs.sections()) {
    ++number;
    for (const auto& [basic_block, times] : section) {
      executions[basic_block] = std::max<double>(executions[basic_block], times);
      company[basic_block] = fnv_hash(fnv_hash(company[basic_block], number), times);
    }
  }
  // Executions before the first counted one: the end of a loop comes before its beginning.
  std::vector<double> before = executions;
  const std::vector<double> of_block = executions_of_block(hand_overs, executions.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    if (of_block[i] < 2) before[i] = 0;
  return longest_chain(launch.program->timed, executions, shares, registers_of_thread(launch), Latencies{},
                       company, before);
}

// By basic block: waits of one polling round.
std::vector<Waits> chains_of_rounds(const Launch& launch, std::span<const SiteShares> shares) {
  const TimedCode& code = launch.program->timed;
  std::vector<Waits> rounds(code.basic_blocks.size());
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (code.basic_blocks[i].waits)
      rounds[i] =
          chain_of_round(code, code.basic_blocks[i], shares, registers_of_thread(launch), Latencies{});
  return rounds;
}

}  // namespace

const HandOverTrace* hand_overs_of(std::span<AccessTrace* const> traces) {
  for (const AccessTrace* trace : traces)
    if (trace->hand_overs()) return trace->hand_overs();
  return nullptr;
}

void find_shared_in_l2(const Program& program, std::vector<SiteShares>& shares) {
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (program.sites[i].volatile_or_atomic) shares[i].l2 += std::exchange(shares[i].dram, 0);
}

std::vector<BasicBlockCount> without_idle_rounds(std::span<const BasicBlockCount> counts,
                                                 std::span<AccessTrace* const> traces) {
  std::vector<BasicBlockCount> left(counts.begin(), counts.end());
  if (const HandOverTrace* hand_overs = hand_overs_of(traces))
    for (std::size_t i = 0; i < left.size(); ++i)
      left[i].warps -= std::min(left[i].warps, hand_overs->idle().basic_blocks[i]);
  return left;
}

std::vector<SiteTotals> without_idle_rounds(std::span<const SiteTotals> sites,
                                            std::span<AccessTrace* const> traces) {
  std::vector<SiteTotals> left(sites.begin(), sites.end());
  const HandOverTrace* const hand_overs = hand_overs_of(traces);
  for (std::size_t i = 0; hand_overs && i < left.size(); ++i) {
    SiteTotals& of = left[i];
    const std::uint64_t idle = hand_overs->idle().sites[i];
    if (idle == 0 || of.requests == 0) continue;
    const double part = 1 - std::min(1.0, static_cast<double>(idle) / static_cast<double>(of.requests));
    for (std::uint64_t* amount : {&of.requests, &of.transactions, &of.fewest, &of.distinct_bytes})
      *amount = static_cast<std::uint64_t>(static_cast<double>(*amount) * part);
  }
  return left;
}

HandOverPath path_of(const Launch& launch, const HandOverTrace& hand_overs,
                     std::span<const SiteShares> shares, const Occupancy& occupancy, double blocks) {
  return hand_over_path(
      hand_overs, chain_of_busiest(launch, hand_overs, shares).of_basic_block,
      chains_of_rounds(launch, shares), hand_over_clocks(*launch.card),
      static_cast<std::uint64_t>(std::max(occupancy.blocks, 1)) * launch.card->multiprocessors, blocks);
}

}  // namespace cudalab::vgpu
