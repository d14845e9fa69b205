#include "vgpu/hand_overs/hand_over_trace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace cudalab::vgpu {
namespace {

std::int64_t executed_by(const Warp& warp) { return warp.clock - warp.budget; }

std::uint32_t site_of(const Warp& warp, const SiteState& site) {
  return static_cast<std::uint32_t>(&site - warp.sites);
}

constexpr int kPartShift = 9;  // L2 parts of 512 bytes

// Whether the warp repeats the same poll, so the last one found nothing.
bool asks_again(const FollowedBlock::OfWarp& state) {
  return state.waits && !state.has_taken && state.loop == state.next_loop &&
         state.lanes == state.next_lanes && state.addresses == state.next_addresses;
}

bool publishes(const SiteInfo& info) {
  return info.kind == SiteKind::kGlobalStore || info.kind == SiteKind::kGlobalAtomic ||
         info.kind == SiteKind::kGlobalReduction;
}

}  // namespace

HandOverTrace::HandOverTrace(const Program& program, GlobalMemory& memory, std::size_t warps)
    : program_(program), memory_(memory), warps_(warps), basic_blocks_(program.basic_blocks.size()) {
  idle_.basic_blocks.resize(basic_blocks_);
  idle_.sites.resize(program.sites.size());
}

HandOverTrace::~HandOverTrace() = default;

bool HandOverTrace::is_needed(const Program& program) {
  return std::ranges::any_of(program.sites, &SiteInfo::is_awaited);
}

// ---- blocks ------------------------------------------------------------------------------------------
void HandOverTrace::begin_block(Block& block, std::vector<BasicBlockCount>& counts) {
  const bool is_followed = blocks_ < kMostBlocks && is_whole();
  block.followed = nullptr;
  for (Warp& warp : block.warps) warp.counts = counts.data();
  if (!is_followed) return;
  if (free_.empty()) {
    free_.push_back(std::make_unique<FollowedBlock>());
    used_.reserve(used_.size() + 1);
  }
  FollowedBlock& followed = *used_.emplace_back(std::move(free_.back()));
  free_.pop_back();
  followed.index = blocks_++;
  followed.place = used_.size() - 1;
  followed.counts.assign(warps_ * basic_blocks_, {});
  followed.before.assign(warps_ * basic_blocks_, 0);
  followed.polled.assign(warps_ * basic_blocks_, 0);
  followed.warps.assign(warps_, {});
  followed.published.clear();
  followed.last_warp = followed.waits_until = 0;
  block.followed = &followed;
  for (Warp& warp : block.warps) warp.counts = followed.counts.data() + warp.index * basic_blocks_;
}

void HandOverTrace::end_block(Block& block, std::vector<BasicBlockCount>& counts) {
  if (!block.followed) return;
  FollowedBlock& followed = *block.followed;
  end_waits(followed);
  add_event(followed, followed.last_warp, {.kind = HandOver::Kind::kEnd},
            counts_now(followed, followed.last_warp));
  for (std::size_t i = 0; i < followed.counts.size(); ++i) {
    BasicBlockCount& sum = counts[i % basic_blocks_];
    const BasicBlockCount& own = followed.counts[i];
    sum.warps += own.warps, sum.lanes += own.lanes, sum.divergent += own.divergent;
  }
  const std::size_t place = followed.place;
  free_.push_back(std::move(used_[place]));
  used_[place] = std::move(used_.back());
  used_.pop_back();
  if (place < used_.size()) used_[place]->place = place;
  block.followed = nullptr;
}

// ---- events ------------------------------------------------------------------------------------------
std::span<const std::uint64_t> HandOverTrace::counts_now(const FollowedBlock& block, std::uint32_t warp) {
  now_.resize(basic_blocks_);
  for (std::size_t i = 0; i < basic_blocks_; ++i) now_[i] = block.counts[warp * basic_blocks_ + i].warps;
  return now_;
}

std::uint32_t HandOverTrace::section_number(Section section) {
  const auto [found, is_new] = numbers_.try_emplace(section, static_cast<std::uint32_t>(sections_.size()));
  if (is_new) sections_.push_back(std::move(section));
  return found->second;
}

// `until`: executions of the warp's basic blocks up to the event.
std::uint32_t HandOverTrace::add_event(FollowedBlock& block, std::uint32_t warp, HandOver event,
                                       std::span<const std::uint64_t> until) {
  const std::span before = std::span(block.before).subspan(warp * basic_blocks_, basic_blocks_);
  Section section;
  for (std::uint32_t i = 0; i < basic_blocks_; ++i) {
    if (program_.basic_blocks[i].end == BasicBlockInfo::End::kBarrier)
      event.barriers += static_cast<std::uint32_t>(until[i]);
    if (until[i] <= before[i]) continue;
    section.emplace_back(i, static_cast<std::uint32_t>(until[i] - before[i]));
  }
  std::ranges::copy(until, before.begin());
  event.block = block.index;
  event.warp = static_cast<std::uint8_t>(warp);
  event.section = section_number(std::move(section));
  block.last_warp = warp;
  events_.push_back(event);
  return static_cast<std::uint32_t>(events_.size() - 1);
}

HandOverTrace::Word& HandOverTrace::word_at(std::uint64_t address) {
  const auto [word, is_new] = words_.try_emplace(address);
  if (is_new) {
    word->second.number = static_cast<std::uint32_t>(part_of_word_.size());
    part_of_word_.push_back(address >> kPartShift);
  }
  return word->second;
}

void HandOverTrace::publish(FollowedBlock& block, std::uint32_t warp, std::uint64_t address, int bytes,
                            HandOver event, std::span<const std::uint64_t> until) {
  Word& word = word_at(address);
  event.kind = HandOver::Kind::kPublish;
  event.word = word.number;
  if (!event.takes) event.lanes = static_cast<std::uint8_t>(std::popcount(block.warps[warp].lanes));
  if (const auto before = block.published.find(address);
      before != block.published.end() && before->second < block.waits_until && !event.takes)
    event.earlier = before->second, event.wait_between = block.waits_until - 1;
  const std::uint32_t number = add_event(block, warp, event, until);
  if (event.takes)
    block.published.erase(address);
  else
    block.published[address] = number;
  const std::uint64_t value = value_in_memory(address, bytes);  // the value before this publish
  if (word.versions.empty())
    word.value_before = value, word.bytes = bytes;
  else
    word.versions.back().value = value;
  word.versions.push_back({number, 0});
}

// The warp has received what it waited for.
void HandOverTrace::end_wait(FollowedBlock& block, std::uint32_t warp) {
  FollowedBlock::OfWarp& state = block.warps[warp];
  if (!std::exchange(state.waits, false)) return;
  take_out_equal_rounds(block, warp);
  HandOver event{.kind = HandOver::Kind::kWait, .by_atomic = state.by_atomic, .looks_back = state.looks_back};
  event.lanes = static_cast<std::uint8_t>(std::popcount(state.lanes));
  event.word = word_at(state.addresses.front()).number;
  event.first_value = static_cast<std::uint32_t>(values_.size());
  event.values = static_cast<std::uint32_t>(state.values.size());
  values_.insert(values_.end(), state.values.begin(), state.values.end());
  const std::span<const std::uint64_t> until =
      std::span<const std::uint64_t>(block.polled).subspan(warp * basic_blocks_, basic_blocks_);
  add_event(block, warp, event, until);
  ++waits_;
  block.waits_until = static_cast<std::uint32_t>(events_.size());
  if (!state.takes || !state.has_taken) return;  // an atomic that left the word unchanged publishes nothing
  const std::size_t all = state.addresses.size();
  const auto lanes = static_cast<std::uint8_t>((event.lanes + all - 1) / all);
  for (std::size_t i = 0; i < all; ++i) {
    const auto words = std::ranges::count(state.addresses, state.addresses[i] >> kPartShift,
                                          [](std::uint64_t address) { return address >> kPartShift; });
    publish(block, warp, state.addresses[i], state.bytes,
            {.takes = true,
             .goes_on = i > 0,
             .lanes = lanes,
             .words = static_cast<std::uint8_t>(words),
             .asks_in = state.asks_in},
            until);
  }
}

void HandOverTrace::end_waits(FollowedBlock& block) {
  for (std::uint32_t warp = 0; warp < warps_; ++warp) end_wait(block, warp);
}

bool HandOverTrace::access(const Warp& warp, const SiteState& site, const Pattern& pattern,
                           std::uint64_t base) {
  FollowedBlock* const block = warp.block->followed;
  if (!block || !is_whole()) return false;
  const SiteInfo& info = *site.info;
  if (!info.is_awaited && !publishes(info)) return false;
  const bool is_alone = (pattern.active & (pattern.active - 1)) == 0;
  if (!info.is_awaited && !info.volatile_or_atomic && !info.is_atomic && !is_alone) return false;
  FollowedBlock::OfWarp& state = block->warps[warp.index];
  if (info.is_awaited) {
    state.next_site = site_of(warp, site);
    state.next_loop = info.awaited_in;
    state.next_lanes = pattern.active;
    state.next_addresses.clear();
  } else {
    end_waits(*block);
  }
  std::uint64_t last = 0;
  for (std::uint32_t left = pattern.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = base + static_cast<std::uint64_t>(pattern.offset[lane]);
    if (info.is_awaited) state.next_of_lane[static_cast<std::size_t>(lane)] = address;
    if (address == std::exchange(last, address)) continue;
    if (info.is_awaited)
      state.next_addresses.push_back(address);
    else
      publish(*block, warp.index, address, info.bytes_per_lane, {.answers = info.answers},
              counts_now(*block, warp.index));
  }
  return info.is_awaited && asks_again(state);
}

// ---- waits -------------------------------------------------------------------------------------------
void HandOverTrace::asked(const Inst* wait, const Warp& warp) {
  FollowedBlock* const block = warp.block->followed;
  if (!block || !is_whole()) return;
  FollowedBlock::OfWarp& state = block->warps[warp.index];
  if (state.next_addresses.empty()) return;  // not in global memory
  if (asks_again(state)) {
    ++idle_.sites[state.site];
    state.idle += executed_by(warp) - state.executed;
    if (is_as_the_last_round(state, warp)) {
      ++state.rounds;
      state.has_taken = has_changed_a_word(wait, warp, state);
      state.executed = executed_by(warp);
      state.next_addresses.clear();
      return;
    }
    take_out_idle_round(*block, warp);
  } else {
    end_wait(*block, warp.index);
    state.round.clear();
  }
  state.waits = true;
  state.site = state.next_site;
  state.loop = state.next_loop;
  state.bytes = static_cast<int>(wait->imm & kAwaitedBytes);
  state.takes = (wait->imm & kAwaitedTakes) != 0;
  state.by_atomic = program_.sites[state.site].kind == SiteKind::kGlobalAtomic;
  state.has_taken = has_changed_a_word(wait, warp, state);
  state.asks_in = static_cast<std::uint32_t>(wait->imm >> kAwaitedInShift);
  state.looks_back = (wait->imm & kAwaitedLooksBack) != 0;
  state.lanes = state.next_lanes;
  state.addresses.swap(state.next_addresses);
  state.next_addresses.clear();
  state.executed = executed_by(warp);
  std::ranges::copy(counts_now(*block, warp.index),
                    block->polled.begin() + static_cast<std::ptrdiff_t>(warp.index * basic_blocks_));
  find_values(wait, warp, state);
}

// Whether the read just made changed a word: some lane's result differs from the word's value now.
bool HandOverTrace::has_changed_a_word(const Inst* wait, const Warp& warp,
                                       const FollowedBlock::OfWarp& state) const {
  if ((wait->imm & kAwaitedTakes) == 0) return false;
  const std::size_t bytes = wait->imm & kAwaitedBytes;
  for (std::uint32_t left = state.next_lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    std::uint64_t found = 0;
    std::memcpy(&found, lanes_at<const std::byte>(warp, wait->d) + lane * bytes,
                std::min(bytes, sizeof found));
    if (found != value_in_memory(state.next_of_lane[lane], static_cast<int>(bytes))) return true;
  }
  return false;
}

// Fast path for thousands of equal rounds: same instruction count, and the word has not been written since.
bool HandOverTrace::is_as_the_last_round(const FollowedBlock::OfWarp& state, const Warp& warp) const {
  if (state.round.empty() || executed_by(warp) - state.executed != state.round_executed) return false;
  if (state.addresses.size() != 1) return false;
  const auto word = words_.find(state.addresses.front());
  return (word == words_.end() ? 0 : word->second.versions.size()) == state.versions;
}

// Removes a polling round: everything that the warp has executed since its last poll.
void HandOverTrace::take_out_idle_round(FollowedBlock& block, const Warp& warp) {
  take_out_equal_rounds(block, warp.index);
  FollowedBlock::OfWarp& state = block.warps[warp.index];
  state.round_executed = executed_by(warp) - state.executed;
  state.round.clear();
  const std::span<const std::uint64_t> now = counts_now(block, warp.index);
  const std::size_t first = warp.index * basic_blocks_;
  for (std::uint32_t i = 0; i < basic_blocks_; ++i)
    if (now[i] > block.polled[first + i])
      state.round.emplace_back(i, static_cast<std::uint32_t>(now[i] - block.polled[first + i]));
  state.rounds = 1;
  take_out_equal_rounds(block, warp.index);
}

void HandOverTrace::take_out_equal_rounds(FollowedBlock& block, std::uint32_t warp) {
  FollowedBlock::OfWarp& state = block.warps[warp];
  const std::size_t first = warp * basic_blocks_;
  const std::uint64_t rounds = std::exchange(state.rounds, 0);
  for (const auto& [basic_block, times] : state.round) {
    block.before[first + basic_block] += rounds * times;
    block.polled[first + basic_block] += rounds * times;
    idle_.basic_blocks[basic_block] += rounds * times;
  }
}

void HandOverTrace::find_values(const Inst* wait, const Warp& warp, FollowedBlock::OfWarp& state) {
  constexpr std::uint32_t kNone = HandOver::kNone;
  state.values.clear();
  for (const std::uint64_t address : state.addresses) {
    const auto word = words_.find(address);
    state.versions = word == words_.end() ? 0 : word->second.versions.size();
    if (state.versions == 0) continue;
    std::uint32_t value = word->second.versions.back().event;
    if (state.addresses.size() == 1 && (wait->imm & kAwaitedCanBeTried))
      value = first_that_ends(wait, warp, address, word->second);
    if (value != kNone) state.values.push_back(value);
  }
}

std::uint64_t HandOverTrace::value_in_memory(std::uint64_t address, int bytes) const {
  std::uint64_t value = 0;
  if (const Allocation* allocation = memory_.find(address); allocation && bytes <= 8)
    std::memcpy(&value, allocation->host.get() + (address - allocation->base),
                std::min<std::size_t>(static_cast<std::size_t>(bytes), allocation->end() - address));
  return value;
}

// The first value of the word from which on all values end the loop; kNone if the value before all writes
// ended it.
std::uint32_t HandOverTrace::first_that_ends(const Inst* wait, const Warp& warp, std::uint64_t address,
                                             const Word& word) {
  constexpr std::size_t kMost = 4096;
  std::size_t first = word.versions.size() - 1;
  prepare_trial(warp);
  if (!would_end(wait, value_in_memory(address, word.bytes))) return word.versions.back().event;
  for (std::size_t tried = 0; tried < kMost; ++tried) {
    const std::uint64_t before = first > 0 ? word.versions[first - 1].value : word.value_before;
    if (!would_end(wait, before)) break;
    if (first-- == 0) return HandOver::kNone;
  }
  return word.versions[first].event;
}

// Sets up a warp of one lane with its own registers.
void HandOverTrace::prepare_trial(const Warp& warp) {
  const std::size_t bytes = warp.frames[static_cast<std::size_t>(warp.frame)].function->frame_bytes;
  if (!trial_) trial_ = std::make_unique<Warp>();
  if (trial_bytes_ < bytes) trial_registers_ = allocate_host(bytes), trial_bytes_ = bytes;
  std::memcpy(trial_registers_.get(), warp.operand_file[kRegisters], bytes);
  trial_->operand_file = warp.operand_file;
  trial_->operand_file[kRegisters] = trial_registers_.get();
  trial_lane_ = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
  trial_->exec = trial_->active = trial_->live = 1u << trial_lane_;
  trial_->active_count = 1;
  trial_->block = warp.block;
  trial_->launch = warp.launch;
}

// Executes the instructions between the read and the branch.
bool HandOverTrace::would_end(const Inst* wait, std::uint64_t value) {
  const std::size_t bytes = wait->imm & kAwaitedBytes;
  std::memcpy(lanes_at<std::byte>(*trial_, wait->d) + trial_lane_ * bytes, &value, bytes);
  constexpr int kMost = 64;
  const Inst* inst = wait + 1;
  for (int i = 0; i < kMost && inst && !inst->target; ++i) inst = inst->run(inst, *trial_);
  if (!inst || !inst->target) return true;
  const bool holds = (*lanes_at<const std::uint32_t>(*trial_, inst->a) >> trial_lane_ & 1) != 0;
  const bool is_taken = holds != ((inst->imm & 1) != 0);
  return is_taken == ((wait->imm & kAwaitedLeavesWhenTaken) != 0);
}

}  // namespace cudalab::vgpu
