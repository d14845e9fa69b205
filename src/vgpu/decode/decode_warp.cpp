// Instructions in which lanes of a warp read each other; most wait for the lanes that a mask names.
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

// Before the instruction, and before its guard: wait for the lanes of the mask.
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

}  // namespace

namespace {

void follow_shuffle(FunctionScope& scope, const ptx::Instruction& instruction, const Inst& shuffle) {
  using Mode = ValueStep::Mode;
  static constexpr std::pair<std::string_view, Mode> kModes[] = {
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
  scope.code.add(made, internal_row("shfl." + instruction.parts.at(sync ? 2 : 1)));
}

// vote.sync.{all,any,uni}.pred d, {!}a, mask;   vote.sync.ballot.b32 d, {!}a, mask;   without .sync: no mask.
// CUB writes vote.ballot.sync.b32, which ptxas takes for the same.
void decode_vote(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<std::string> parts = instruction.parts;
  const bool sync = std::erase(parts, "sync") > 0;
  const auto& operands = instruction.operands;
  if (parts.size() != 3) unsupported(instruction);
  check_operand_count(instruction, sync ? 3 : 2);
  const std::string& mode = parts.at(1);
  Inst made;
  made.e = sync ? wait_for_lanes(scope, operands.at(2), control::gather_lanes, true)
                : scope.operands.constant(kAllLanes, 4);
  made.a = scope.operands.source(operands.at(1), ptx::Type::kPred);
  made.d = scope.operands.result(operands.at(0), mode == "ballot" ? ptx::Type::kB32 : ptx::Type::kPred);
  note_question(scope, ExchangeKind::kVote, made);
  scope.code.add(made, internal_row("vote." + mode));
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
  scope.code.add(made, internal_row("match." + parts.at(1) + "." + parts.at(3)));
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
  scope.code.add(made, internal_row("redux." + parts.at(2) + "." + parts.at(3)));
}

// activemask.b32 d
void decode_active_mask(FunctionScope& scope, const ptx::Instruction& instruction) {
  Inst made;
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kB32);
  scope.code.add(made, internal_row("activemask"));
}

// elect.sync d|p, mask
void decode_elect(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (!is_sync(instruction)) unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(scope, instruction.operands.at(1), control::gather_lanes);
  set_results(scope, made, instruction.operands.at(0), ptx::Type::kB32);
  scope.code.add(made, internal_row("elect"));
}

}  // namespace cudalab::vgpu
