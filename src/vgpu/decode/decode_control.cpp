// Decodes control flow and warp-wide instructions: branches, barriers, calls, shuffles and votes.
#include <fmt/format.h>

#include "messages/vgpu.h"
#include "vgpu/builtins/builtins.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/control.h"
#include "vgpu/value_taps.h"

namespace cudalab::vgpu {

// Warp-wide instructions; most of them wait for the lanes that a mask names.

// Emits code, before the instruction and its guard, that waits for the lanes of the mask.
Slot wait_for_lanes(FunctionScope& scope, const ptx::Operand& mask, Handler wait, bool asks_all) {
  const auto* literal = std::get_if<ptx::Immediate>(&mask.value);
  const bool names_all = literal && static_cast<std::uint32_t>(literal->bits) == kAllLanes;
  const Slot slot = scope.operands.source(mask, ptx::Type::kU32);
  Inst& inst = scope.code.emit(wait);
  inst.a = slot;
  inst.imm = (names_all ? control::kNamesAll : 0) | (asks_all ? control::kAsksAll : 0);
  scope.code.lead();
  return slot;
}

namespace {

bool is_sync(const ptx::Instruction& instruction) { return part_of(instruction, 1) == "sync"; }

// d or d|p
void set_results(FunctionScope& scope, Inst& made, const ptx::Operand& operand, ptx::Type type) {
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value)) {
    made.d = scope.operands.result(pair->elements[0], type);
    made.d2 = scope.operands.result(pair->elements[1], ptx::Type::kPred);
  } else {
    made.d = scope.operands.result(operand, type);
  }
}

void follow_shuffle(FunctionScope& scope, const ptx::Instruction& instruction, const Inst& shuffle) {
  using Mode = ValueStep::Mode;
  static constexpr Meaning<Mode> kModes[] = {
      {"up", Mode::kUp}, {"down", Mode::kDown}, {"bfly", Mode::kButterfly}, {"idx", Mode::kIndex}};
  ValueStep step = value_step(scope, value_use_of(instruction));
  for (const auto& [name, mode] : kModes)
    if (part_of(instruction, is_sync(instruction) ? 2 : 1) == name) step.mode = mode;
  step.distance = shuffle.b;
  step.clamp = shuffle.c;
  step.mask = shuffle.e;
  Inst made;
  made.imm = scope.program.value_steps.size();
  scope.program.value_steps.push_back(std::move(step));
  scope.code.add(made, control::follow_shuffle);
}

void note_question(FunctionScope& scope, ExchangeKind kind, const Inst& asks, bool is_wide = false) {
  Inst made;
  made.imm = scope.program.lane_questions.size();
  scope.program.lane_questions.push_back({kind, asks.a, asks.e, is_wide});
  scope.code.add(made, control::note_question);
}

}  // namespace

// shfl.sync.MODE.b32 d|p, a, b, c, mask;   before compute capability 7.0: shfl.MODE.b32 d|p, a, b, c
void decode_shuffle(FunctionScope& scope, const ptx::Instruction& instruction) {
  const bool sync = is_sync(instruction);
  const auto& operands = instruction.operands;
  if (instruction.parts.size() != (sync ? 4u : 3u)) unsupported(instruction);
  Inst made;
  if (sync) made.e = wait_for_lanes(scope, operands.at(4), control::gather_lanes);
  made.a = scope.operands.source(operands.at(1), ptx::Type::kB32);
  made.b = scope.operands.source(operands.at(2), ptx::Type::kU32);
  made.c = scope.operands.source(operands.at(3), ptx::Type::kU32);
  set_results(scope, made, operands.at(0), ptx::Type::kB32);
  follow_shuffle(scope, instruction, made);
  scope.code.add(made, internal_row(fmt::format("shfl.{}", instruction.parts.at(sync ? 2 : 1).text())));
}

// vote.sync.{all,any,uni}.pred d, {!}a, mask;   vote.sync.ballot.b32 d, {!}a, mask;   without .sync: no mask.
// CUB writes vote.ballot.sync.b32, which ptxas accepts as the same instruction.
void decode_vote(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<Word> parts = instruction.parts;
  const bool sync = std::erase(parts, Word("sync")) > 0;
  const auto& operands = instruction.operands;
  if (parts.size() != 3) unsupported(instruction);
  check_operand_count(instruction, sync ? 3 : 2);
  const Word mode = parts.at(1);
  Inst made;
  made.e = sync ? wait_for_lanes(scope, operands.at(2), control::gather_lanes, true)
                : scope.operands.constant(kAllLanes, 4);
  made.a = scope.operands.source(operands.at(1), ptx::Type::kPred);
  made.d = scope.operands.result(operands.at(0), mode == "ballot" ? ptx::Type::kB32 : ptx::Type::kPred);
  note_question(scope, ExchangeKind::kVote, made);
  scope.code.add(made, internal_row(fmt::format("vote.{}", mode.text())));
}

// match.{any,all}.sync.{b32,b64} d{|p}, a, mask
void decode_match(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (parts.size() != 4 || parts.at(2) != "sync") unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(scope, instruction.operands.at(2), control::gather_lanes, true);
  const bool is_wide = parts.at(3) == "b64";
  made.a = scope.operands.source(instruction.operands.at(1), is_wide ? ptx::Type::kB64 : ptx::Type::kB32);
  set_results(scope, made, instruction.operands.at(0), ptx::Type::kB32);
  note_question(scope, ExchangeKind::kMatch, made, is_wide);
  scope.code.add(made, internal_row(fmt::format("match.{}.{}", parts.at(1).text(), parts.at(3).text())));
}

// redux.sync.OP.TYPE d, a, mask
void decode_redux(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (parts.size() != 4 || parts.at(1) != "sync") unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(scope, instruction.operands.at(2), control::gather_lanes, true);
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kB32);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kB32);
  note_question(scope, ExchangeKind::kReduction, made);
  scope.code.add(made, internal_row(fmt::format("redux.{}.{}", parts.at(2).text(), parts.at(3).text())));
}

// activemask.b32 d
void decode_active_mask(FunctionScope& scope, const ptx::Instruction& instruction) {
  Inst made;
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kB32);
  scope.code.add(made, internal_row("activemask"));
}

// tap.{pred,b16,b32,b64} d, d, NUMBER{, address}: not of PTX (value_taps.h)
void decode_tap(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto* number = std::get_if<ptx::Immediate>(&instruction.operands.at(2).value);
  const auto type = ptx::type_named(part_of(instruction, 1));
  if (!scope.module.module->has_taps || !number || !type) unsupported(instruction);
  Inst made;
  made.d = scope.operands.result(instruction.operands.at(0), *type);
  if (instruction.operands.size() > 3)
    made.b = scope.operands.source(instruction.operands.at(3), ptx::Type::kU64);
  made.imm = number->bits * kTapSizes + ptx::info(*type).bytes;
  scope.code.add(made, tap_value);
}

// elect.sync d|p, mask
void decode_elect(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (!is_sync(instruction)) unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(scope, instruction.operands.at(1), control::gather_lanes);
  set_results(scope, made, instruction.operands.at(0), ptx::Type::kB32);
  scope.code.add(made, internal_row("elect"));
}

// ---- branches ----------------------------------------------------------------------------------------
// bra label: under a guard, or always
void decode_branch(FunctionScope& scope, const ptx::Instruction& instruction) {
  const std::vector<std::uint32_t> targets = scope.layout.targets_of(instruction);
  if (targets.empty()) wrong_operands(instruction);
  if (!instruction.guard && scope.layout.stands_next(targets[0])) return;
  Inst& inst = scope.code.emit(instruction.guard ? control::branch : control::jump);
  const std::size_t place = scope.code.last_emitted();
  scope.layout.patch_target(place, targets[0]);
  if (!instruction.guard) return;
  scope.ends_with(BasicBlockInfo::End::kBranch);
  inst.a = scope.operands.predicate(instruction.guard->predicate);
  inst.imm = instruction.guard->negated;
  inst.site = scope.current_count();
  scope.layout.patch_fallthrough(place, scope.layout.after());
}

// brx.idx index, list
void decode_branch_table(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<std::uint32_t> targets = scope.layout.targets_of(instruction);
  if (targets.empty()) unsupported(instruction);
  const std::string& list = std::get<ptx::Symbol>(instruction.operands[1].value).name;
  const std::size_t table = scope.layout.branch_table(list, std::move(targets), scope.program);
  const Slot index = scope.operands.source(instruction.operands[0], ptx::Type::kU32);
  Inst& inst = scope.code.emit(control::branch_table);
  inst.a = index;
  inst.imm = table;
  inst.site = scope.current_count();
  scope.ends_with(BasicBlockInfo::End::kBranch);
}

void decode_return(FunctionScope& scope, const ptx::Instruction&) { scope.code.emit(control::leave); }
void decode_exit(FunctionScope& scope, const ptx::Instruction&) { scope.code.emit(control::exit_kernel); }
void decode_trap(FunctionScope& scope, const ptx::Instruction&) { scope.code.emit(control::trap); }

// ---- barriers ----------------------------------------------------------------------------------------
// bar.warp.sync mask
void decode_warp_barrier(FunctionScope& scope, const ptx::Instruction& instruction) {
  wait_for_lanes(scope, instruction.operands[0], control::warp_barrier);
  scope.code.emit(control::order_lanes);
}

namespace {

// `bar` means `barrier….aligned`: all threads of a warp execute it together.
bool is_aligned(const ptx::Instruction& instruction) {
  return instruction.parts[0] == "bar" || instruction.parts.back() == "aligned";
}

// The parts after {bar,barrier}{.cta}.
std::vector<Word> barrier_parts(const ptx::Instruction& instruction) {
  const bool names_scope = part_of(instruction, 1) == "cta";
  return {instruction.parts.begin() + (names_scope ? 2 : 1), instruction.parts.end()};
}

}  // namespace

// bar{.cta}.sync a{, b};   bar{.cta}.arrive a, b
void decode_barrier(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  scope.ends_with(BasicBlockInfo::End::kBarrier);
  const Slot id = scope.operands.source(operands[0], ptx::Type::kU32);
  const Slot count = operands.size() > 1 ? scope.operands.source(operands[1], ptx::Type::kU32) : Slot{};
  const bool waits = barrier_parts(instruction)[0] == "sync";
  Inst& inst = scope.code.emit(waits ? control::barrier : control::barrier_arrive);
  inst.a = id;
  inst.b = count;
  inst.imm = is_aligned(instruction);
}

// bar{.cta}.red.popc.u32 d, a{, b}, {!}c;   bar{.cta}.red.{and,or}.pred d, a{, b}, {!}c
void decode_barrier_reduction(FunctionScope& scope, const ptx::Instruction& instruction) {
  struct Reduction {
    Word name;
    ptx::Type result;
    Handler read;
  };
  static constexpr Reduction kReductions[] = {{"popc", ptx::Type::kU32, control::barrier_count_result},
                                              {"and", ptx::Type::kPred, control::barrier_all_result},
                                              {"or", ptx::Type::kPred, control::barrier_any_result}};
  const std::vector<Word> parts = barrier_parts(instruction);
  const auto reduction =
      parts.size() < 3 ? std::end(kReductions) : std::ranges::find(kReductions, parts[1], &Reduction::name);
  if (reduction == std::end(kReductions)) unsupported(instruction);
  const auto& operands = instruction.operands;
  scope.ends_with(BasicBlockInfo::End::kBarrier);
  const Slot id = scope.operands.source(operands[1], ptx::Type::kU32);
  const Slot count = operands.size() > 3 ? scope.operands.source(operands[2], ptx::Type::kU32) : Slot{};
  const Slot predicate = scope.operands.source(operands.back(), ptx::Type::kPred);
  Inst& reduce = scope.code.emit(control::barrier_reduce);
  reduce.a = id;
  reduce.b = count;
  reduce.c = predicate;
  reduce.imm = is_aligned(instruction);
  const Slot to = scope.operands.result(operands[0], reduction->result);
  Inst& read = scope.code.emit(reduction->read);
  read.a = id;
  read.d = to;
}

// ---- calls -------------------------------------------------------------------------------------------
namespace {

// A `.param` variable or a register as an argument or result.
CallSlot call_slot(const FunctionScope& scope, const ptx::Instruction& call, const ptx::Operand& operand) {
  std::string name;
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) name = symbol->name;
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) name = reg->name;
  if (const auto found = scope.declarations.find_register(name); found && found->bytes > 0)
    return {found->slot, static_cast<std::uint32_t>(found->bytes)};
  const CallSlot* slot = scope.declarations.find_call_slot(name);
  if (!slot) unsupported(call);
  return *slot;
}

// Sets the called function or builtin by its name.
void set_callee(FunctionScope& scope, CallInfo& info, const std::string& name) {
  const auto found = scope.module.symbols.find(name);
  if (found != scope.module.symbols.end() && found->second.kind == SymbolValue::Kind::kFunction)
    scope.traits.callees.insert(info.function = static_cast<int>(found->second.value));
  else
    info.builtin = find_builtin(name);
  const ptx::Function* called = scope.module.module->find_function(name);
  if (called && called->is_entry) throw Unsupported{msg::call_of_kernel(Code{name})};
  if (info.function < 0 && info.builtin < 0) throw defined_elsewhere(name);
  scope.traits.asks_outside = scope.traits.asks_outside || info.builtin >= 0;
  if (info.builtin >= 0 && needs_block_order(info.builtin)) scope.traits.communicates = true;
  if (info.builtin >= 0 && launches_kernels(info.builtin)) scope.traits.launches = true;
}

}  // namespace

// call{.uni} {(results),} FUNCTION{, (arguments)};   call (results), register, (arguments), prototype
void decode_call(FunctionScope& scope, const ptx::Instruction& instruction) {
  CallInfo info;
  for (const ptx::Operand& operand : instruction.call_arguments)
    info.arguments.push_back(call_slot(scope, instruction, operand));
  for (const ptx::Operand& operand : instruction.call_returns)
    info.results.push_back(call_slot(scope, instruction, operand));
  Slot callee;
  if (scope.declarations.find_register(instruction.call_target)) {
    callee = scope.operands.source_register(instruction.call_target, ptx::Type::kU64);
    scope.traits.calls_any = true;
  } else {
    set_callee(scope, info, instruction.call_target);
  }
  Inst& inst = scope.code.emit(control::call);
  inst.a = callee;
  inst.imm = scope.program.calls.size();
  scope.program.calls.push_back(std::move(info));
}

}  // namespace cudalab::vgpu
