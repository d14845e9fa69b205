// Collects the hazards of a launch: describes the accesses that checks see, merges equal hazards, and removes
// redundant advice.
#include "vgpu/checks/hazard_log.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "messages/core.h"
#include "messages/vgpu.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

bool names_line(const Hazard& hazard, const SourceLine& line) {
  return !line.file.empty() && (hazard.where == line || (hazard.other && *hazard.other == line));
}

bool share_a_line(const Hazard& a, const Hazard& b) {
  return names_line(a, b.where) || (b.other && names_line(a, *b.other));
}

bool is_at_same_memory(const Hazard& a, const Hazard& b) { return a.kind == b.kind && a.buffer == b.buffer; }

bool is_pair_of_readers_and_writers(const Hazard& hazard) {
  return hazard.pair != RacePair::kNone && hazard.pair != RacePair::kWriters;
}

// The race on the hazard's lines with the best advice for it; nullptr if no race has better advice.
const Hazard* better_advised(const Hazard& hazard, const std::vector<Hazard>& all) {
  const Hazard* best = nullptr;
  for (const Hazard& other : all) {
    if (other.pair == RacePair::kNone || !share_a_line(other, hazard)) continue;
    const bool writers = other.pair == RacePair::kWriters && is_at_same_memory(hazard, other);
    const bool wider = hazard.pair == RacePair::kLanes && other.pair == RacePair::kThreads;
    const bool cause = hazard.kind == HazardKind::kUninitialisedRead && other.buffer == hazard.buffer;
    if ((is_pair_of_readers_and_writers(hazard) && (writers || wider)) || cause)
      if (!best || other.pair > best->pair) best = &other;
  }
  return best;
}

// The line of a read of unwritten memory is in a race with the line that writes later.
void explain_by_race(Hazard& read, const Hazard& race) {
  if (read.other || !race.other) return;
  read.other = *race.other == read.where ? race.where : *race.other;
  if (race.fix.id() == "advice_syncthreads_after_read")
    read.fix = msg::advice_all_writes_first(line_argument(*read.other, read.where));
}

}  // namespace

void agree(std::vector<Hazard>& hazards) {
  const std::vector<Hazard> before = hazards;
  for (Hazard& hazard : hazards)
    if (const Hazard* better = better_advised(hazard, before)) {
      // Advice with the same id is kept, because its arguments may name the hazard's own lines.
      if (better->fix.id() != hazard.fix.id()) hazard.fix = better->fix;
      if (hazard.kind == HazardKind::kUninitialisedRead) explain_by_race(hazard, *better);
    }
}

void put_out_of_bounds_first(std::vector<Hazard>& hazards) {
  // Past the end only: an address before the memory may result from the unwritten value, as a pointer or an
  // index.
  const auto is_beyond = [](const Hazard& hazard) {
    return hazard.kind == HazardKind::kOutOfBounds && !hazard.buffer.empty() &&
           hazard.what.id().find("_past_") != std::string_view::npos;
  };
  const auto outside = std::ranges::find_if(hazards, is_beyond);
  if (outside == hazards.end()) return;
  const auto is_consequence = [&](const Hazard& hazard) {
    return hazard.where == outside->where &&
           (hazard.kind == HazardKind::kUninitialisedRead || hazard.pair == RacePair::kWriters);
  };
  if (std::all_of(hazards.begin(), outside, is_consequence))
    std::rotate(hazards.begin(), outside, outside + 1);
}

std::uint64_t ObservedAccess::element_address(int lane, std::int64_t granule) const {
  const std::int64_t first = pattern->offset[lane], at = granule * (std::int64_t{1} << granule_shift);
  const bool is_inside = at >= first && at < first + info->bytes_per_lane;
  return base + static_cast<std::uint64_t>(is_inside ? at - (at - first) % element_bytes() : at);
}

const std::byte* stored_value(const ObservedAccess& access, int lane, std::int64_t granule) {
  if (access.mode != AccessMode::kWrite || access.info->vector == 0) return nullptr;
  const std::int64_t at = granule * (std::int64_t{1} << access.granule_shift) - access.pattern->offset[lane];
  const int element_bytes = access.info->bytes_per_lane / access.info->vector;
  if (at < 0 || at >= access.info->bytes_per_lane) return nullptr;
  const Slot slot = access.info->vector == 1 ? access.inst->d : access.inst->slots[at / element_bytes];
  return lanes_at<const std::byte>(*access.warp, slot) + lane * element_bytes + at % element_bytes;
}

bool stores_what_is_there(const ObservedAccess& access, int lane, std::int64_t granule) {
  const std::byte* value = stored_value(access, lane, granule);
  const std::size_t bytes = std::size_t{1} << access.granule_shift;
  return value && std::memcmp(value, access.host + granule * static_cast<std::int64_t>(bytes), bytes) == 0;
}

Message verb_of(const ObservedAccess& access) { return verb_of(access.mode); }

Message past_verb_of(bool was_write, std::uint32_t record) {
  if (was_write && (record & kAtomic)) return msg::earlier_updated();
  return was_write ? msg::earlier_wrote() : msg::earlier_read();
}

namespace {

// `_ZZ9transposePfE4tile` -> "tile"; also `_ZZ9transposePfE4tile_$_0`, a part of an array that the compiler
// split.
std::string demangled_name(const std::string& whole) {
  const std::string symbol = whole.substr(0, whole.rfind("_$_"));
  if (!symbol.starts_with("_Z")) return symbol;  // `x` would be demangled to `long long`
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !demangled) return symbol;
  const std::string name = demangled.get();
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

// A hazard may occur millions of times in a launch, and demangling takes longer than all else that it costs.
const std::string& short_name(const std::string& symbol) {
  thread_local std::unordered_map<std::string, std::string> names;
  const auto known = names.find(symbol);
  return known != names.end() ? known->second : names.emplace(symbol, demangled_name(symbol)).first->second;
}

}  // namespace

bool is_half_of_update(const ObservedAccess& access) {
  const Program& program = *access.warp->launch->program;
  const Inst& own = *access.inst;
  const AccessKind other_half = access.writes() ? AccessKind::kLoad : AccessKind::kStore;
  const auto is_other_half = [&](const Inst& inst) {
    return inst.source == own.source && inst.a.bits == own.a.bits && inst.imm == own.imm &&
           inst.site < program.sites.size() && program.sites[inst.site].source == own.source &&
           class_of(program.sites[inst.site].kind).access == other_half;
  };
  for (const auto& function : program.functions) {
    const std::vector<Inst>& code = function->code;
    if (&own >= code.data() && &own < code.data() + code.size())
      return std::ranges::any_of(code, is_other_half);
  }
  return false;
}

bool is_of_kernel(const SharedVariable& variable, const Launch& launch) {
  return std::ranges::find(variable.kernels, launch.code->function) != variable.kernels.end();
}

namespace {

Place shared_place(const Launch& launch, std::uint64_t offset) {
  for (const SharedVariable& variable : launch.program->shared_variables) {
    if (!is_of_kernel(variable, launch)) continue;
    if (offset - variable.offset < variable.bytes)
      return {&variable, short_name(variable.name), offset - variable.offset, variable.bytes, {}};
  }
  const std::uint64_t base = launch.dynamic_shared_base;
  if (offset >= base)
    return {&launch, "the dynamic shared memory", offset - base, 0, msg::place_dynamic_shared()};
  return {launch.program, "shared memory", offset, 0, msg::place_shared()};
}

}  // namespace

Argument Place::element(int element_bytes) const {
  const bool is_variable = !name.empty() && name.find(' ') == std::string::npos;
  const auto bytes = static_cast<std::uint64_t>(std::max(element_bytes, 1));
  if (is_variable && is_whole(bytes)) return Code{name};
  const bool is_element = offset % bytes == 0 && (is_variable ? element_bytes > 0 : bytes > 1);
  if (!is_element) return msg::byte_of(offset, called());
  if (!described.empty()) return msg::element_of(offset / bytes, described);
  return cudalab::Element{name, {static_cast<std::int64_t>(offset / bytes)}};
}

Argument Place::called() const {
  if (!described.empty()) return described;
  const bool is_variable = !name.empty() && name.find(' ') == std::string::npos;
  return is_variable ? Argument(Code{name}) : Argument(name);
}

Place place_of(const Launch& launch, std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) return shared_place(launch, address - kSharedWindow);
  if (address - kLocalWindow < kWindowBytes)
    return {&launch, "its local memory", address - kLocalWindow, 0, msg::place_own_local()};
  const Allocation* allocation = launch.memory->find(address);
  if (!allocation) return {nullptr, "", address, 0, {}};
  return {allocation, short_name(allocation->name), address - allocation->base, 0, {}};
}

std::size_t HazardLog::Hash::operator()(const Key& key) const {
  std::size_t value = static_cast<std::size_t>(key.kind);
  for (const std::size_t part :
       {std::size_t{key.line}, std::size_t{key.other_line}, reinterpret_cast<std::size_t>(key.buffer)})
    value = (value ^ part) * 0x9e3779b97f4a7c15ull;
  return value;
}

Hazard* HazardLog::counted(Key key, RacePair pair, bool is_with_plain_load) {
  // The order of the two lines of a race does not matter.
  if (pair != RacePair::kNone && key.line > key.other_line) std::swap(key.line, key.other_line);
  if (!last_ || last_->first != key) {
    const auto found = known_.find(key);
    if (found == known_.end()) {
      if (in_block_ == kMostInBlock || known_.size() == kMost) return nullptr;
      ++in_block_;
      known_.emplace(key, block_->hazards.size());
      Hazard& added = block_->hazards.emplace_back();
      added.pair = pair;
      added.is_with_plain_load = is_with_plain_load;
      return &added;
    }
    last_ = *found;
  }
  Hazard& known = block_->hazards[last_->second];
  ++known.occurrences;
  known.is_with_plain_load = known.is_with_plain_load && is_with_plain_load;
  return std::exchange(known.pair, std::max(known.pair, pair)) < pair ? &known : nullptr;
}

}  // namespace cudalab::vgpu
