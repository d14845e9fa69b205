// Traces a warp: records each instruction that it executes and its memory accesses.
#include "vgpu/stepping/warp_tracer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/paths.h"
#include "vgpu/memory/memory.h"
#include "vgpu/stepping/traced_code.h"

namespace cudalab::vgpu {

// Memory accesses of an instruction's lanes, computed before it is executed.

namespace {

std::optional<std::uint64_t> address_of_symbol(const TracedCode& code, const Launch& launch,
                                               const std::string& name) {
  for (const SharedVariable& variable : launch.program->shared_variables)
    if (variable.name == name && is_of_kernel(variable, launch)) return variable.offset;
  for (const VariableInfo& variable : launch.program->variables)
    if (variable.symbol == name) return variable.address;
  const ptx::Variable* dynamic = code.text().find_variable(name);
  if (dynamic && dynamic->space == ptx::Space::kShared) return launch.dynamic_shared_base;
  return std::nullopt;
}

std::optional<LaneBits> base_of(const TracedCode& code, const ptx::Address& address, const Warp& warp) {
  const Frame& frame = warp.frames[warp.frame];
  LaneBits lanes{};
  if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) {
    const auto at = address_of_symbol(code, *warp.launch, symbol->name);
    if (!at) return std::nullopt;
    lanes.fill(*at);
  } else if (const auto* name = std::get_if<ptx::Register>(&address.base)) {
    const auto place = place_of_register(*frame.function, name->name);
    if (!place) return std::nullopt;
    lanes = read_lanes(frame.registers.get(), *place);
    const bool is_narrow = place->lane_bytes <= 4;
    for (std::uint64_t& lane : lanes) {
      lane += static_cast<std::uint64_t>(address.offset);
      if (is_narrow) lane = static_cast<std::uint32_t>(lane);
    }
    return lanes;
  }
  for (std::uint64_t& lane : lanes) lane += static_cast<std::uint64_t>(address.offset);
  return lanes;
}

struct Window {
  MemorySpace space;
  std::uint64_t begin;  // of generic addresses
};

// `address`: of the first lane.
Window window_of(ptx::Space space, std::uint64_t address) {
  const bool is_generic = space == ptx::Space::kNone;
  if (space == ptx::Space::kShared || (is_generic && address - kSharedWindow < kWindowBytes))
    return {MemorySpace::kShared, kSharedWindow};
  if (space == ptx::Space::kLocal || (is_generic && address - kLocalWindow < kWindowBytes))
    return {MemorySpace::kLocal, kLocalWindow};
  return {space == ptx::Space::kConst ? MemorySpace::kConstant : MemorySpace::kGlobal, 0};
}

void count(TracedAccess& access) {
  const WarpAccess asked{access.address, access.lanes, static_cast<int>(access.bytes)};
  if (access.kind == AccessKind::kAtomic || access.kind == AccessKind::kReduction) return;
  if (access.space == MemorySpace::kShared) {
    const WavefrontCount cost = count_wavefronts(
        asked, access.kind == AccessKind::kLoad ? SharedAccess::kLoad : SharedAccess::kStore);
    access.transactions = cost.wavefronts;
    access.fewest = cost.groups;
  } else if (access.space == MemorySpace::kGlobal) {
    const SectorCount cost = count_sectors(asked);
    access.transactions = cost.sectors;
    access.fewest = (cost.distinct_bytes + kSectorBytes - 1) / kSectorBytes;
  }
}

bool is_aligned(const TracedAccess& access) {
  for (std::uint32_t left = access.lanes; left; left &= left - 1)
    if (access.address[std::countr_zero(left)] % access.bytes != 0) return false;
  return std::has_single_bit(access.bytes);
}

// Empty if the address cannot be determined, or if no lane is active.
std::optional<TracedAccess> trace_access(const TracedCode& code, const TracedCode::Entry& entry,
                                         const AddressUse& use, const Warp& warp, std::uint32_t executing) {
  TracedAccess access;
  access.lanes = executing & use.lanes;
  const auto& address = std::get<ptx::Address>(entry.instruction->operands[use.operand].value);
  const auto lanes = access.lanes ? base_of(code, address, warp) : std::nullopt;
  if (!lanes) return std::nullopt;
  const std::uint64_t first = (*lanes)[std::countr_zero(access.lanes)];
  const Window window = window_of(use.space, first);
  const bool is_offset = use.space != ptx::Space::kNone;  // already relative to the window
  access.space = window.space;
  access.kind = use.kind;
  access.bytes = use.bytes;
  access.elements = use.elements;
  for (std::size_t lane = 0; lane < lanes->size(); ++lane)
    access.address[lane] = (*lanes)[lane] - (is_offset ? 0 : window.begin);
  const Place place = place_of(*warp.launch, access.address[std::countr_zero(access.lanes)] + window.begin);
  access.buffer = place.name;
  access.begin = access.address[std::countr_zero(access.lanes)] - place.offset;
  if (is_aligned(access)) count(access);
  return access;
}

// The host's copy of the bytes from a generic address on; empty if no memory is there.
std::span<std::byte> bytes_at(const Warp& warp, std::uint64_t address, std::uint32_t lane) {
  if (const std::uint64_t at = address - kSharedWindow; at < kWindowBytes)
    return at < warp.shared_bytes ? std::span(warp.shared + at, warp.shared_bytes - at)
                                  : std::span<std::byte>{};
  if (const std::uint64_t at = address - kLocalWindow; at < kWindowBytes)
    return at < warp.local_bytes ? std::span(warp.local + lane * warp.local_bytes + at, warp.local_bytes - at)
                                 : std::span<std::byte>{};
  const Allocation* const found = warp.launch->memory->find(address);
  if (!found) return {};
  return {found->host.get() + (address - found->base), found->end() - address};
}

void make(const TraceChange& change, Warp& warp) {
  if (!change.in_register.empty()) {
    if (change.call >= warp.frames.size()) return;
    Frame& frame = warp.frames[change.call];
    const auto place = frame.function ? place_of_register(*frame.function, change.in_register) : std::nullopt;
    if (!place) return;
    std::uint64_t bits = 0;
    std::memcpy(&bits, change.bytes.data(), std::min(change.bytes.size(), sizeof bits));
    return write_lane(frame.registers.get(), *place, change.lane, bits);
  }
  const Allocation* const global = warp.launch->memory->find(change.address);
  const std::span<std::byte> target = bytes_at(warp, change.address, change.lane);
  if (target.size() < change.bytes.size() || (global && global->read_only)) return;
  std::ranges::copy(change.bytes, target.begin());
  if (global) warp.launch->memory->note_written(change.address, change.bytes.size());
}

std::uint64_t occurrences(const std::vector<Hazard>& hazards) {
  std::uint64_t sum = 0;
  for (const Hazard& hazard : hazards) sum += hazard.occurrences;
  return sum;
}

std::uint32_t executing_lanes(const ptx::Instruction& instruction, const Warp& warp) {
  if (!instruction.guard) return warp.active;
  const Frame& frame = warp.frames[warp.frame];
  const auto place = place_of_register(*frame.function, instruction.guard->predicate);
  if (!place) return warp.active;
  const LaneBits holds = read_lanes(frame.registers.get(), *place);
  std::uint32_t lanes = 0;
  for (std::size_t lane = 0; lane < holds.size(); ++lane)
    if ((holds[lane] != 0) != instruction.guard->negated) lanes |= 1u << lane;
  return lanes & warp.active;
}

bool may_part(const Inst* inst) { return control::is_branch(*inst) || inst->run == control::branch_table; }

WarpState state_of(const Warp& warp) {
  if (warp.live == 0) return {WarpState::kEnded, 0, 0};
  if (warp.active != 0 || has_runnable_path(warp) || warp.parked.empty()) return {};
  const Path& path = warp.parked.front();
  switch (path.wait) {
    case Wait::kBarrier: return {WarpState::kAtBarrier, path.barrier, path.mask};
    case Wait::kCluster: return {WarpState::kAtClusterBarrier, 0, path.mask};
    default: return {WarpState::kWaitsForLanes, 0, path.mask};
  }
}

}  // namespace

WarpTracer::WarpTracer(const ptx::Module& text, const TraceRequest& wanted)
    : WarpWatch(wanted.block, wanted.warp), wanted_(wanted), code_(text) {
  trace_.block = wanted.block;
  trace_.warp = wanted.warp;
  if (wanted.variables && !wanted.variables->empty()) variables_.emplace(text, *wanted.variables);
}

bool WarpTracer::watches(std::uint32_t warp) const {
  return warp == this->warp() || std::ranges::any_of(wanted_.changes, [&](const TraceChange& change) {
           return change.warp == warp && change.block == block();
         });
}

bool WarpTracer::goes_on(const Open& open, const FunctionCode& function, std::uint32_t statement,
                         const Inst* inst, const Warp& warp) {
  return open.function == &function && open.statement == statement && open.frame == warp.frame &&
         open.next == inst;
}

// Counts the steps of another warp as open() and close() count those of the traced one.
void WarpTracer::follow_other(const Inst* inst, Warp& warp) {
  Other& other = others_[warp.index];
  const FunctionCode& function = *warp.frames[warp.frame].function;
  const std::uint32_t statement = function.statements[static_cast<std::size_t>(inst - function.code.data())];
  if (goes_on(other.open, function, statement, inst, warp)) return;
  other.open.function = nullptr;
  if (statement == kNoStatement) return;
  other.open.function = &function;
  other.open.statement = statement;
  other.open.frame = warp.frame;
  change(warp, other.steps++, kPrivate | kCommon);
}

// Makes the changes that belong to a step of the warp.
void WarpTracer::change(Warp& warp, std::uint64_t step, unsigned kinds) {
  for (const TraceChange& each : wanted_.changes) {
    if (each.block != block() || each.warp != warp.index || each.step != step) continue;
    const bool is_private = !each.in_register.empty() || each.address - kLocalWindow < kWindowBytes;
    if (kinds & (is_private ? kPrivate : kCommon)) make(each, warp);
  }
}

void WarpTracer::before(const Inst* inst, Warp& warp) {
  if (warp.index != this->warp()) return follow_other(inst, warp);
  const FunctionCode& function = *warp.frames[warp.frame].function;
  const std::uint32_t statement = function.statements[static_cast<std::size_t>(inst - function.code.data())];
  if (!goes_on(open_, function, statement, inst, warp)) {
    close(warp);
    if (statement != kNoStatement) open(function, statement, warp);
  }
  if (may_part(inst)) open_.divergent = warp.counts[inst->site].divergent;
}

void WarpTracer::after(const Inst* inst, Warp& warp, const Inst* next) {
  if (warp.index != this->warp()) {
    others_[warp.index].open.next = next;
    return;
  }
  open_.next = next;
  if (may_part(inst) && warp.counts[inst->site].divergent != open_.divergent) open_.step.parts = true;
  if (next) return;
  close(warp);
  others_ran_ = true;
  keep_shared(warp);
  if (warp.live != 0) return;
  trace_.ended = true;
  throw WatchedEnough{};
}

void WarpTracer::fault(Warp& warp, const Hazard& hazard) {
  if (warp.index != this->warp()) return;
  trace_.ended = true;
  if (open_.function && is_kept()) {
    ++open_.step.hazards;
    trace_.hazards.push_back({hazard.kind, hazard.what, hazard.fix});
  } else {
    trace_.stopped_by = {hazard.kind, hazard.what, hazard.fix};
  }
  close(warp);
  keep_shared(warp);
}

void WarpTracer::open(const FunctionCode& function, std::uint32_t statement, Warp& warp) {
  const std::uint32_t entry = code_.describe(function, statement);
  open_ = {&function, statement, warp.frame, entry, nullptr, occurrences(warp.block->hazards), 0, {}, {}};
  WarpStep& step = open_.step;
  step.number = steps_++;
  step.instruction = entry;
  step.active = warp.active;
  step.is_barrier = code_[entry].is_barrier;
  step.meets = last_active_ != 0 && (last_active_ & ~warp.active) == 0 && last_active_ != warp.active;
  last_active_ = warp.active;
  change(warp, step.number, step.number == 0 ? kPrivate | kCommon : kCommon);
  if (step.number == wanted_.view_at) view(warp);
  if (!is_kept() && !variables_) return;
  step.executing = executing_lanes(*code_[entry].instruction, warp);
  step.call = static_cast<std::uint32_t>(warp.frame);
  step.first_hazard = static_cast<std::uint32_t>(trace_.hazards.size());
  for (const AddressUse& use : code_[entry].uses)
    if (auto access = trace_access(code_, code_[entry], use, warp, step.executing))
      open_.accesses.push_back(std::move(*access));
}

void WarpTracer::keep_accesses() {
  open_.step.first_access = static_cast<std::uint32_t>(trace_.accesses.size());
  open_.step.accesses = static_cast<std::uint32_t>(open_.accesses.size());
  std::ranges::move(open_.accesses, std::back_inserter(trace_.accesses));
}

void WarpTracer::watch_variables(const Warp& warp) {
  if (!variables_) return;
  const VariableWatch::Moment moment{*open_.function,
                                     open_.statement,
                                     *code_[open_.entry].instruction,
                                     warp.frames[static_cast<std::size_t>(open_.frame)],
                                     open_.step.call,
                                     open_.step.executing,
                                     code_.described(open_.entry).values,
                                     open_.accesses};
  open_.step.first_change = static_cast<std::uint32_t>(trace_.changes.size());
  variables_->look(moment, warp, is_kept() ? &trace_ : nullptr);
  open_.step.changes = static_cast<std::uint32_t>(trace_.changes.size()) - open_.step.first_change;
}

void WarpTracer::keep_values(const Warp& warp) {
  const TracedCode::Entry& entry = code_[open_.entry];
  const std::byte* frame = warp.frames[open_.frame].registers.get();
  open_.step.first_value = static_cast<std::uint32_t>(trace_.values.size());
  for (std::size_t i = 0; i < entry.places.size(); ++i) {
    LaneBits& lanes = trace_.values.emplace_back();
    if (entry.places[i].offset)
      lanes = read_lanes(frame, entry.places[i]);
    else
      lanes.fill(entry.numbers[i]);
  }
}

void WarpTracer::keep_new_hazards(const Warp& warp) {
  const std::vector<Hazard>& all = warp.block->hazards;
  if (all.empty() || occurrences(all) == open_.hazards) return;
  // The newest hazard; or, if a known one occurred again, one of this line.
  const Hazard& hazard = all.back();
  const Hazard* told = &hazard;
  for (const Hazard& each : all)
    if (each.where == code_[open_.entry].instruction->where) told = &each;
  trace_.hazards.push_back({told->kind, told->what, told->fix});
  ++open_.step.hazards;
}

void WarpTracer::keep_state(const Warp& warp) {
  const bool may_have_changed = others_ran_ || open_.step.is_barrier || warp.live == 0;
  if (may_have_changed || trace_.states.empty()) {
    std::vector<WarpState> states;
    for (const Warp& each : warp.block->warps) states.push_back(state_of(each));
    if (trace_.states.empty() || trace_.states.back() != states) trace_.states.push_back(std::move(states));
    others_ran_ = false;
  }
  open_.step.state = static_cast<std::uint32_t>(trace_.states.size() - 1);
}

void WarpTracer::keep_shared(const Warp& warp) {
  trace_.shared.assign(warp.shared, warp.shared + warp.shared_bytes);
  if (!trace_.shared_variables.empty()) return;
  for (const SharedVariable& variable : warp.launch->program->shared_variables)
    if (is_of_kernel(variable, *warp.launch))
      trace_.shared_variables.push_back(
          {place_of(*warp.launch, kSharedWindow + variable.offset).name, variable.offset, variable.bytes});
}

void WarpTracer::view(const Warp& warp) {
  WarpView& view = trace_.view.emplace();
  view.call = static_cast<std::uint32_t>(warp.frame);
  view.shared.assign(warp.shared, warp.shared + warp.shared_bytes);
  for (const auto& allocation : warp.launch->memory->allocations())
    view.buffers.push_back({allocation->name, allocation->base, allocation->bytes, allocation->read_only});
  for (const MemoryRange& range : wanted_.view_ranges) {
    const std::span<std::byte> found = bytes_at(warp, range.address, range.lane);
    const auto kept = found.first(std::min<std::size_t>(found.size(), range.bytes));
    view.memory.emplace_back(kept.begin(), kept.end());
  }
  if (variables_) view.places = variables_->places(view.call);
}

void WarpTracer::close(Warp& warp) {
  if (!open_.function) return;
  change(warp, steps_, kPrivate);
  watch_variables(warp);
  if (is_kept()) {
    keep_new_hazards(warp);
    keep_values(warp);
    keep_accesses();
    keep_state(warp);
    trace_.steps.push_back(open_.step);
  }
  open_.function = nullptr;
  if (trace_.steps.size() < wanted_.most) return;
  keep_shared(warp);
  throw WatchedEnough{};
}

WarpTrace WarpTracer::take() {
  trace_.instructions = code_.take();
  if (variables_) trace_.locals = variables_->take();
  if (wanted_.lists_module) trace_.listing = listing_of(code_.text());
  return std::move(trace_);
}

}  // namespace cudalab::vgpu
