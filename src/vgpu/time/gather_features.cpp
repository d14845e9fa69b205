#include "vgpu/time/gather_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "vgpu/time/cache_replay.h"
#include "vgpu/time/instruction_costs.h"
#include "vgpu/time/longest_chain.h"
#include "vgpu/time/occupancy.h"
#include "vgpu/time/waiting_features.h"

namespace cudalab::vgpu {
namespace {

bool loads_memory(SiteKind kind) {
  return kind == SiteKind::kGlobalLoad || kind == SiteKind::kLocalLoad || kind == SiteKind::kAsyncLoad;
}
bool stores_memory(SiteKind kind) { return kind == SiteKind::kGlobalStore || kind == SiteKind::kLocalStore; }
bool updates_memory(SiteKind kind) {
  return kind == SiteKind::kGlobalAtomic || kind == SiteKind::kGlobalReduction;
}
bool reads_texels(SiteKind kind) { return kind == SiteKind::kTexture || kind == SiteKind::kSurfaceLoad; }
bool is_for_shared(SiteKind kind) {
  return kind == SiteKind::kSharedLoad || kind == SiteKind::kSharedStore || kind == SiteKind::kSharedAtomic;
}

void add_counts(const Card& card, const TimedCode& code, std::span<const BasicBlockCount> counts,
                LaunchFeatures& features) {
  for (std::size_t i = 0; i < counts.size() && i < code.basic_blocks.size(); ++i) {
    const TimedBasicBlock& basic_block = code.basic_blocks[i];
    const auto times = static_cast<double>(counts[i].warps);
    for (std::size_t unit = 0; unit < kUnits; ++unit)
      features.use[unit] += static_cast<float>(times) * basic_block.use[unit];
    for (std::uint32_t op = 0; op < basic_block.ops; ++op)
      if (code.ops[basic_block.first_op + op].is_barrier) features.barriers += times;
  }
  // Instructions on 16-bit numbers yield two results per lane; the FMA pipe executes them at their own rate.
  const double fp32_of_half = 2 * card.fp32_lanes / std::max(1.0, card.half_lanes);
  features.use[static_cast<std::size_t>(Unit::kFp32)] +=
      static_cast<float>(fp32_of_half) *
      std::exchange(features.use[static_cast<std::size_t>(Unit::kHalf)], 0.0f);
}

void add_site_totals(const SiteInfo& info, const SiteTotals& totals, const Touches& touches,
                     LaunchFeatures& features) {
  const auto sectors = static_cast<double>(totals.transactions),
             requests = static_cast<double>(totals.requests);
  if (loads_memory(info.kind)) {
    features.load_requests += requests;
    features.load_lines += touches.lines;
    features.load_pieces += touches.pieces;
  }
  if (stores_memory(info.kind)) {
    features.store_requests += requests;
    features.store_lines += touches.lines;
    features.store_pieces += touches.pieces;
  }
  if (info.kind == SiteKind::kSharedAtomic) {
    const auto rounds = static_cast<double>(totals.loads.requests);
    features.swap_rounds += rounds;
    if (requests > 0) features.swap_passes += rounds * (rounds / requests + 1) / 2;
  }
  if (is_for_shared(info.kind)) features.shared_wavefronts += sectors;
  if (updates_memory(info.kind)) {
    features.l2_updates += sectors;
    features.update_requests += requests;
    features.update_pieces += touches.pieces;
  }
  if (info.kind == SiteKind::kConstantLoad) features.constant_passes += sectors;
  if (reads_texels(info.kind)) features.texture_requests += requests;
  if (loads_memory(info.kind)) features.l1_sectors += sectors;
  if (loads_memory(info.kind) || stores_memory(info.kind)) features.l1_wavefronts += touches.passes;
}

// ---- caches ------------------------------------------------------------------------------------------
std::uint64_t l1_bytes(const Launch& launch, const Occupancy& occupancy) {
  const std::uint64_t of_block = launch.shared_bytes + launch.card->shared_reserved_per_block;
  return l1_bytes_beside(*launch.card, static_cast<std::uint64_t>(occupancy.blocks) * of_block);
}

CacheShapes cache_shapes(const Launch& launch, const Occupancy& occupancy) {
  CacheShapes shapes;
  shapes.multiprocessors = launch.card->multiprocessors;
  shapes.l1_lines = l1_bytes(launch, occupancy) / kLineBytes;
  shapes.l2_lines = launch.card->l2_bytes / kLineBytes;
  shapes.l2_parts = architecture_of(*launch.card).l2_parts;
  shapes.resident_blocks = static_cast<std::uint64_t>(std::max(occupancy.blocks, 1));
  return shapes;
}

double share_of(double part, double whole, double otherwise) { return whole > 0 ? part / whole : otherwise; }

// If no line of a site is in the sample, the site touches few lines. They are assumed to be in the L2 if this
// is true, else in the L1.
bool passes_l1(const SiteInfo& info) {
  return updates_memory(info.kind) || info.passes_l1 || info.volatile_or_atomic;
}

// The sample yields hit rates for each site; the number of sectors was counted exactly. All texture sites
// share one count.
void add_reads(const Program& program, std::span<const SiteTotals> sites, const Traffic& traffic,
               LaunchFeatures& features) {
  const auto add = [&](const SiteHits& hits, double sectors, bool passes) {
    features.l2_read_sectors += sectors * share_of(hits.l2_reads, hits.asked, passes ? 1 : 0);
    features.dram_read_sectors += sectors * share_of(hits.dram_reads, hits.asked, 0);
  };
  SiteHits texels;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const SiteInfo& info = program.sites[i];
    const SiteHits& hits = traffic.of_site[i];
    if (loads_memory(info.kind) || updates_memory(info.kind)) {
      add(hits, static_cast<double>(sites[i].transactions), passes_l1(info));
    } else if (reads_texels(info.kind)) {
      texels.asked += hits.asked;
      texels.l2_reads += hits.l2_reads;
      texels.dram_reads += hits.dram_reads;
    }
  }
  add(texels, features.texture_sectors, false);
}

// Writes are not counted by site, so the totals are scaled.
void add_writes(const Traffic& traffic, double loaded, double stored, LaunchFeatures& features) {
  const double loads = share_of(loaded, traffic.loads, 1), stores = share_of(stored, traffic.stores, 1),
               both = share_of(loaded + stored, traffic.loads + traffic.stores, 1);
  features.l2_write_sectors = traffic.l2_writes * stores;
  features.dram_write_sectors = traffic.dram_writes * stores;
  features.flushed_sectors = traffic.flushed * std::min({both, std::max(loads, 1.0), std::max(stores, 1.0)});
}

bool writes_in_part(const SiteTotals& totals) {
  return totals.distinct_bytes < kSectorBytes * totals.transactions;
}

// Stores that write only part of a sector, and atomics, need the sector's other bytes.
void add_fills(const Program& program, const Traffic& traffic, std::span<const SiteTotals> sites,
               std::span<const Touches> touches, LaunchFeatures& features) {
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const SiteKind kind = program.sites[i].kind;
    const SiteHits& hits = traffic.of_site[i];
    const double brought = static_cast<double>(sites[i].transactions) * share_of(hits.brought, hits.asked, 0);
    if (updates_memory(kind)) features.updated_sectors += brought;
    if (!stores_memory(kind) || !writes_in_part(sites[i])) continue;
    features.partial_writes += static_cast<double>(sites[i].transactions);
    features.partial_lines += touches[i].lines;
    features.partial_bytes += static_cast<double>(sites[i].distinct_bytes);
    features.filled_sectors += brought;
  }
}

// A warp waits for the last of its lines, or for the last of its shared memory wavefronts.
SiteShares shares_of(const SiteInfo& info, const SiteHits& hits, const SiteTotals& totals,
                     const Touches& touches) {
  constexpr double kLinesOfClock = 2;
  const double passes = std::max(touches.passes, touches.lines / kLinesOfClock);
  const double requests = std::max<double>(static_cast<double>(totals.requests), 1);
  const double all = hits.l1 + hits.l2 + hits.dram;
  SiteShares shares;
  shares.registers = std::max(info.bytes_per_lane / 4, 1);
  if (stores_memory(info.kind)) {
    const double parts = static_cast<double>(totals.transactions) + touches.lines;
    if (writes_in_part(totals)) shares.passes = std::max(1.0, kPartialStoreClocks * parts / requests);
    return shares;
  }
  shares.passes = std::max(
      1.0, (is_for_shared(info.kind) ? static_cast<double>(totals.transactions) : passes) / requests);
  if (info.kind == SiteKind::kSharedAtomic)
    shares.rounds = static_cast<double>(totals.loads.requests) / requests;
  if (all <= 0) {
    if (passes_l1(info)) std::swap(shares.l1, shares.l2);
    return shares;
  }
  shares.l1 = hits.l1 / all;
  shares.l2 = hits.l2 / all;
  shares.dram = hits.dram / all;
  shares.dram_pieces =
      std::max(1.0, share_of(hits.dram_lines, hits.dram, 1) * share_of(touches.pieces, touches.lines, 1));
  return shares;
}

// ---- a warp ------------------------------------------------------------------------------------------
// An instruction with a generic address has three sites; the first one represents all three.
std::vector<SiteShares> shares_of_sites(const Program& program, const Traffic& traffic,
                                        std::span<const SiteTotals> sites, std::span<const Touches> touches) {
  std::vector<SiteShares> shares(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i)
    shares[i] = shares_of(program.sites[i], traffic.of_site[i], sites[i], touches[i]);
  return shares;
}

// The DRAM waits of the most-waiting warp of a block relative to the average warp's, less two standard
// deviations of chance.
double most_waiting_warp(std::span<const double> waits, double warps) {
  double most = 0, sum = 0;
  for (const double of_warp : waits) most = std::max(most, of_warp), sum += of_warp;
  const double mean = sum / warps;
  return mean > 0 ? std::max(1.0, (most - 2 * std::sqrt(most)) / mean) : 1;
}

LongestChain chain_of(const Launch& launch, const TimedCode& code, std::span<const BasicBlockCount> counts,
                      const LaunchFeatures& features, std::span<const SiteShares> shares) {
  std::vector<double> executions;
  for (const BasicBlockCount& count : counts)
    executions.push_back(static_cast<double>(count.warps) / (features.blocks * features.warps));
  return longest_chain(code, executions, shares, registers_of_thread(launch), Latencies{});
}

const LongestBlock& longest_block_of(std::span<AccessTrace* const> traces) {
  const LongestBlock* longest = &traces.front()->longest_block();
  for (const AccessTrace* trace : traces) {
    const LongestBlock& one = trace->longest_block();
    if (one.comes_before(*longest)) longest = &one;
  }
  return *longest;
}

// Executions by the longest warp of the longest block. The surplus over an average block is attributed to
// this warp alone, to all warps equally, or in between, such that the warp's instruction count comes out
// right.
std::vector<double> executions_of_longest_warp(const TimedCode& code, const LongestBlock& longest,
                                               std::span<const BasicBlockCount> counts,
                                               const LaunchFeatures& features) {
  const std::size_t basic_blocks = std::min(longest.executions.size(), code.basic_blocks.size());
  std::vector<double> as_others(basic_blocks), more(basic_blocks);
  double instructions = 0, more_instructions = 0;
  for (std::size_t i = 0; i < basic_blocks; ++i) {
    const double own = static_cast<double>(longest.executions[i]),
                 average = std::min(own, static_cast<double>(counts[i].warps) / features.blocks);
    as_others[i] = average / features.warps;
    more[i] = own - average;
    instructions += as_others[i] * code.basic_blocks[i].ops;
    more_instructions += more[i] * code.basic_blocks[i].ops;
  }
  const double part = std::clamp(share_of(longest.longest_warp - instructions, more_instructions, 1),
                                 1 / features.warps, 1.0);
  for (std::size_t i = 0; i < basic_blocks; ++i) as_others[i] += part * more[i];
  return as_others;
}

// Often one block does different work: for example, the last block adds up the results of all.
void add_longest_block(const Launch& launch, const LongestBlock& longest,
                       std::span<const BasicBlockCount> counts, std::span<const SiteShares> shares,
                       LaunchFeatures& features) {
  constexpr double kUnlike = 1.3;
  if (features.longest_block < kUnlike || longest.executions.empty()) return;
  const TimedCode& code = launch.program->timed;
  const std::vector<double> executions = executions_of_longest_warp(code, longest, counts, features);
  double instructions = 0;
  for (std::size_t i = 0; i < executions.size(); ++i)
    instructions += executions[i] * code.basic_blocks[i].ops;
  features.longest_block_waits =
      longest_chain(code, executions, shares, registers_of_thread(launch), Latencies{}).waits;
  for (double& wait : features.longest_block_waits) wait *= share_of(longest.longest_warp, instructions, 1);
}

// ---- spilled registers -------------------------------------------------------------------------------
// ptxas reports how many bytes spill, not where. Spills are assumed evenly distributed over the executed
// instructions.
double executed_spills(const Program& program, std::span<const BasicBlockCount> counts, double of_thread) {
  double ops = 0, executed = 0;
  for (std::size_t i = 0; i < counts.size() && i < program.timed.basic_blocks.size(); ++i) {
    if (counts[i].warps == 0) continue;
    ops += program.timed.basic_blocks[i].ops;
    executed += static_cast<double>(counts[i].warps) * program.timed.basic_blocks[i].ops;
  }
  return ops > 0 ? of_thread * executed / ops : 0;
}

void add_spills(const Launch& launch, const Occupancy& occupancy, std::span<const BasicBlockCount> counts,
                double l1_bytes, LaunchFeatures& features) {
  constexpr double kRegisterBytes = 4;
  if (!launch.kernel->resources) return;
  const KernelResources& resources = *launch.kernel->resources;
  if (resources.spill_load_bytes + resources.spill_store_bytes == 0) return;
  features.spill_loads = executed_spills(*launch.program, counts,
                                         static_cast<double>(resources.spill_load_bytes) / kRegisterBytes);
  features.spill_stores = executed_spills(*launch.program, counts,
                                          static_cast<double>(resources.spill_store_bytes) / kRegisterBytes);
  const double blocks =
      std::min<double>(occupancy.blocks, std::ceil(features.blocks / launch.card->multiprocessors));
  const double stacks = static_cast<double>(resources.stack_bytes) * features.threads * blocks;
  // With LRU and cyclic access, data that nearly fills the cache evicts itself.
  features.spill_misses = std::clamp(2 * stacks / l1_bytes - 1, 0.0, 1.0);
}

// ---- a sample of blocks ------------------------------------------------------------------------------
double blocks_that_ran(std::span<AccessTrace* const> traces) {
  double blocks = 0;
  for (const AccessTrace* trace : traces) blocks += static_cast<double>(trace->balance().blocks);
  return blocks;
}

// Blocks that did not run are assumed to be like those that did.
void scale(LaunchFeatures& features, double times) {
  if (times <= 1) return;
  for (double* amount : {&features.blocks,
                         &features.barriers,
                         &features.shared_wavefronts,
                         &features.l1_wavefronts,
                         &features.l1_sectors,
                         &features.load_requests,
                         &features.store_requests,
                         &features.load_lines,
                         &features.store_lines,
                         &features.update_requests,
                         &features.load_pieces,
                         &features.store_pieces,
                         &features.update_pieces,
                         &features.slice_updates,
                         &features.slice_writes,
                         &features.partial_bytes,
                         &features.filled_sectors,
                         &features.updated_sectors,
                         &features.swap_rounds,
                         &features.swap_passes,
                         &features.spill_loads,
                         &features.spill_stores,
                         &features.constant_passes,
                         &features.texture_requests,
                         &features.texture_sectors,
                         &features.l2_read_sectors,
                         &features.l2_write_sectors,
                         &features.l2_updates,
                         &features.most_updates,
                         &features.dram_read_sectors,
                         &features.dram_write_sectors,
                         &features.partial_writes,
                         &features.partial_lines,
                         &features.flushed_sectors})
    *amount *= times;
  for (float& use : features.use) use *= static_cast<float>(times);
}

// ---- the grid ----------------------------------------------------------------------------------------
MostWanted most_wanted(std::span<AccessTrace* const> traces) {
  MostWanted most;
  for (std::size_t cell = 0; cell < AccessTrace::kAddressCells; ++cell) {
    double sum = 0, of_word = 0;
    for (const AccessTrace* trace : traces) {
      sum += trace->atomic_cells()[cell];
      of_word += trace->word_cells()[cell];
    }
    if (sum > most.updates) most = {sum, of_word / sum};
  }
  return most;
}

// A hash of the address selects the L2 slice.
using Cells = std::array<std::uint32_t, AccessTrace::kAddressCells>;
double busiest_slice(const Card& card, std::span<AccessTrace* const> traces,
                     const Cells& (AccessTrace::*cells)() const) {
  std::vector<double> slices(l2_slices(card));
  for (const AccessTrace* trace : traces) {
    const Cells& own = (trace->*cells)();
    for (std::size_t cell = 0; cell < own.size(); ++cell) slices[cell % slices.size()] += own[cell];
  }
  return std::ranges::max(slices);
}

// Cost of the average atomic, relative to an integer's. Floating-point atomics take longer only if successive
// additions go to the same word, from lanes of one warp or from several warps.
double clocks_of_update(const TimedCode& code, std::span<const SiteTotals> sites, double of_one_word) {
  constexpr double kTogether = 16;  // lanes per word
  double updates = 0, clocks = 0;
  for (const TimedOp& op : code.ops) {
    if (op.source != Source::kAtomic || op.site >= sites.size()) continue;
    const auto of_site = static_cast<double>(sites[op.site].transactions);
    const double of_word = share_of(of_site, static_cast<double>(sites[op.site].fewest), 1);
    updates += of_site;
    const double in_a_row = std::max(of_one_word, std::clamp((of_word - 1) / (kTogether - 1), 0.0, 1.0));
    clocks += of_site * (1 + (op.latency - 1) * in_a_row);
  }
  return share_of(clocks, updates, 1);
}

// A request for one line takes one wavefront. For several lines, the average of the requests that were
// counted is used. Stores, and sites without counted requests, take one wavefront per 128 bytes.
double passes_of(const SiteInfo& info, const SiteTotals& totals, const Touches& touches) {
  const auto requests = static_cast<double>(totals.requests),
             sectors = static_cast<double>(totals.transactions);
  if (!loads_memory(info.kind) || touches.tried == 0) return std::max(requests, sectors / 4);
  return std::max(0.0, requests - touches.wide) + touches.wide * touches.passes_of_tried / touches.tried;
}

std::vector<Touches> touches_of_sites(std::span<AccessTrace* const> traces, const Program& program,
                                      std::span<const SiteTotals> sites) {
  std::vector<Touches> sums(sites.size());
  for (const AccessTrace* trace : traces)
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const SiteTouches& one = trace->touches_of(i);
      sums[i].lines += static_cast<double>(one.lines);
      sums[i].pieces += static_cast<double>(one.pieces);
      sums[i].wide += static_cast<double>(one.wide);
      sums[i].tried += static_cast<double>(one.tried);
      sums[i].passes_of_tried += static_cast<double>(one.passes);
    }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    // Lines were counted lane by lane, so a line that lanes return to was counted again.
    if (!reads_texels(program.sites[i].kind))
      sums[i].lines = std::min(sums[i].lines, static_cast<double>(sites[i].transactions));
    sums[i].pieces = std::min(sums[i].pieces, sums[i].lines);
    sums[i].passes = passes_of(program.sites[i], sites[i], sums[i]);
  }
  return sums;
}

// Adds the requests that the counters leave out, because their split into requests of the GPU is unknown.
// They are estimated from the warps' accesses: as many sectors as their bytes need.
void add_uncounted(std::span<AccessTrace* const> traces, std::span<SiteTotals> sites) {
  for (const AccessTrace* trace : traces)
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const SiteTouches& one = trace->touches_of(i);
      if (one.requests == 0) continue;
      sites[i].requests += one.requests;
      sites[i].transactions += std::max(one.lines, one.bytes / static_cast<std::uint64_t>(kSectorBytes));
      sites[i].distinct_bytes += one.bytes;
    }
}

Balance sum_of_balances(std::span<AccessTrace* const> traces) {
  Balance sum;
  for (const AccessTrace* trace : traces) {
    const Balance& one = trace->balance();
    sum.blocks += one.blocks;
    sum.warps += one.warps;
    sum.instructions += one.instructions;
    sum.longest_warps += one.longest_warps;
    sum.of_multiprocessor.resize(one.of_multiprocessor.size());
    for (std::size_t i = 0; i < one.of_multiprocessor.size(); ++i)
      sum.of_multiprocessor[i] += one.of_multiprocessor[i];
  }
  return sum;
}

// Whether blocks fetch work dynamically. The interpreter's first block then gets all of it; on a GPU, all
// blocks get about the same amount.
bool draws_work(const Program& program, std::span<const BasicBlockCount> counts) {
  for (std::size_t i = 0; i < counts.size() && i < program.timed.basic_blocks.size(); ++i)
    if (program.timed.basic_blocks[i].draws && counts[i].warps > 0) return true;
  return false;
}

void add_balance(const Balance& balance, const LongestBlock& longest, LaunchFeatures& features) {
  const auto blocks = static_cast<double>(balance.blocks), warps = static_cast<double>(balance.warps);
  features.longest_warp = share_of(balance.longest_warps / blocks, balance.instructions / warps, 1);
  features.longest_block = share_of(longest.longest_warp, balance.longest_warps / blocks, 1);
  const double busiest = *std::ranges::max_element(balance.of_multiprocessor);
  const double busy = std::min<double>(blocks, static_cast<double>(balance.of_multiprocessor.size()));
  features.busiest_multiprocessor = share_of(busiest, balance.longest_warps / busy, 1);
}

}  // namespace

LaunchCosts costs_of(const Launch& launch, const Occupancy& occupancy,
                     std::span<const BasicBlockCount> all_counts, std::span<const SiteTotals> all_sites,
                     std::span<AccessTrace* const> traces) {
  LaunchCosts costs;
  costs.counts = without_idle_rounds(all_counts, traces);
  costs.sites = without_idle_rounds(all_sites, traces);
  add_uncounted(traces, costs.sites);
  costs.touches = touches_of_sites(traces, *launch.program, costs.sites);
  std::vector<double> lines_of_request(costs.sites.size());
  for (std::size_t i = 0; i < costs.sites.size(); ++i)
    lines_of_request[i] = share_of(costs.touches[i].lines, static_cast<double>(costs.sites[i].requests), 1);
  costs.traffic = replay(traces, cache_shapes(launch, occupancy), lines_of_request,
                         loads_ahead_of_stores(launch.program->timed, costs.sites.size()));
  costs.slice_updates = busiest_slice(*launch.card, traces, &AccessTrace::atomic_cells);
  costs.slice_writes = busiest_slice(*launch.card, traces, &AccessTrace::store_cells);
  costs.most_wanted = most_wanted(traces);
  return costs;
}

LaunchFeatures features_of(const Launch& launch, const Occupancy& occupancy, const LaunchCosts& costs,
                           std::span<AccessTrace* const> traces) {
  const std::vector<BasicBlockCount>& counts = costs.counts;
  const std::vector<SiteTotals>& sites = costs.sites;
  const Traffic& traffic = costs.traffic;
  const TimedCode& code = costs.code ? *costs.code : launch.program->timed;
  LaunchFeatures features;
  features.blocks = blocks_that_ran(traces);
  features.threads = static_cast<double>(launch.request->spec.block.volume());
  features.warps = std::ceil(features.threads / kWarpSize);
  add_counts(*launch.card, code, counts, features);
  double stored = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    add_site_totals(launch.program->sites[i], sites[i], costs.touches[i], features);
    if (stores_memory(launch.program->sites[i].kind)) stored += static_cast<double>(sites[i].transactions);
  }
  for (const AccessTrace* trace : traces) features.texture_sectors += trace->texture_sectors();
  add_reads(*launch.program, sites, traffic, features);
  add_writes(traffic, features.l1_sectors + features.texture_sectors, stored, features);
  add_fills(*launch.program, traffic, sites, costs.touches, features);
  features.slice_updates = costs.slice_updates;
  features.slice_writes = costs.slice_writes;
  features.block_places = static_cast<double>(block_places(launch));
  features.most_updates =
      costs.most_wanted.updates * clocks_of_update(code, sites, costs.most_wanted.of_one_word);
  std::vector<SiteShares> shares = shares_of_sites(*launch.program, traffic, sites, costs.touches);
  if (hand_overs_of(traces)) find_shared_in_l2(*launch.program, shares);
  const LongestChain chain = chain_of(launch, code, counts, features, shares);
  features.waits = chain.waits;
  features.dram_warp = most_waiting_warp(traffic.slowest_of_warp, features.warps);
  if (costs.has_spills)
    add_spills(launch, occupancy, counts, static_cast<double>(l1_bytes(launch, occupancy)), features);
  if (!draws_work(*launch.program, counts)) {
    const LongestBlock& longest = longest_block_of(traces);
    add_balance(sum_of_balances(traces), longest, features);
    add_longest_block(launch, longest, counts, shares, features);
  }
  scale(features, static_cast<double>(launch.request->spec.grid.volume()) / std::max(features.blocks, 1.0));
  if (const HandOverTrace* hand_overs = hand_overs_of(traces); hand_overs && hand_overs->waits() > 0)
    features.path = path_of(launch, *hand_overs, shares, occupancy, features.blocks);
  return features;
}

}  // namespace cudalab::vgpu
