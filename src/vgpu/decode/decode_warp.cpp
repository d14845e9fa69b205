// Instructions in which lanes of a warp read each other; most wait for the lanes that a mask names.
#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

bool is_sync(const ptx::Instruction& instruction) {
  return instruction.parts.size() > 1 && instruction.parts.at(1) == "sync";
}

}  // namespace

// Before the instruction, and before its guard: wait for the lanes of the mask.
Slot FunctionDecoder::wait_for_lanes(const ptx::Operand& mask, Handler wait) {
  const auto* literal = std::get_if<ptx::Immediate>(&mask.value);
  const bool names_all = literal && static_cast<std::uint32_t>(literal->bits) == kAllLanes;
  const Slot slot = source(mask, ptx::Type::kU32);
  Inst& inst = emit(wait);
  inst.a = slot;
  inst.imm = names_all;
  leading_.insert(leading_.end(), pending_.begin(), pending_.end());
  pending_.clear();
  return slot;
}

// d or d|p
void FunctionDecoder::set_results(Inst& made, const ptx::Operand& operand, ptx::Type type) {
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value)) {
    made.d = result(pair->elements[0], type);
    made.d2 = result(pair->elements[1], ptx::Type::kPred);
  } else {
    made.d = result(operand, type);
  }
}

void FunctionDecoder::finish(Inst made, const std::string& row) {
  made.run = internal_row(row).run;
  made.source = line_;
  pending_.push_back(made);
}

// shfl.sync.MODE.b32 d|p, a, b, c, mask;   before compute capability 7.0: shfl.MODE.b32 d|p, a, b, c
void FunctionDecoder::decode_shuffle(const ptx::Instruction& instruction) {
  const bool sync = is_sync(instruction);
  const auto& operands = instruction.operands;
  if (instruction.parts.size() != (sync ? 4u : 3u) || operands.size() != (sync ? 5u : 4u))
    unsupported(instruction);
  Inst made;
  if (sync) made.e = wait_for_lanes(operands.at(4), control::gather_lanes);
  made.a = source(operands.at(1), ptx::Type::kB32);
  made.b = source(operands.at(2), ptx::Type::kU32);
  made.c = source(operands.at(3), ptx::Type::kU32);
  set_results(made, operands.at(0), ptx::Type::kB32);
  finish(made, "shfl." + instruction.parts.at(sync ? 2 : 1));
}

// vote.sync.{all,any,uni}.pred d, {!}a, mask;   vote.sync.ballot.b32 d, {!}a, mask;   without .sync: no mask
void FunctionDecoder::decode_vote(const ptx::Instruction& instruction) {
  const bool sync = is_sync(instruction);
  const auto& operands = instruction.operands;
  if (instruction.parts.size() != (sync ? 4u : 3u) || operands.size() != (sync ? 3u : 2u))
    unsupported(instruction);
  const std::string& mode = instruction.parts.at(sync ? 2 : 1);
  Inst made;
  made.e =
      sync ? wait_for_lanes(operands.at(2), control::gather_lanes) : context_.constants.slot(kAllLanes, 4);
  made.a = source(operands.at(1), ptx::Type::kPred);
  made.d = result(operands.at(0), mode == "ballot" ? ptx::Type::kB32 : ptx::Type::kPred);
  finish(made, "vote." + mode);
}

// match.{any,all}.sync.{b32,b64} d{|p}, a, mask
void FunctionDecoder::decode_match(const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (parts.size() != 4 || parts.at(2) != "sync" || instruction.operands.size() != 3)
    unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(instruction.operands.at(2), control::gather_lanes);
  made.a = source(instruction.operands.at(1), parts.at(3) == "b64" ? ptx::Type::kB64 : ptx::Type::kB32);
  set_results(made, instruction.operands.at(0), ptx::Type::kB32);
  finish(made, "match." + parts.at(1) + "." + parts.at(3));
}

// redux.sync.OP.TYPE d, a, mask
void FunctionDecoder::decode_redux(const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (parts.size() != 4 || parts.at(1) != "sync" || instruction.operands.size() != 3)
    unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(instruction.operands.at(2), control::gather_lanes);
  made.a = source(instruction.operands.at(1), ptx::Type::kB32);
  made.d = result(instruction.operands.at(0), ptx::Type::kB32);
  finish(made, "redux." + parts.at(2) + "." + parts.at(3));
}

// activemask.b32 d
void FunctionDecoder::decode_active_mask(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 1) unsupported(instruction);
  Inst made;
  made.d = result(instruction.operands.at(0), ptx::Type::kB32);
  finish(made, "activemask");
}

// elect.sync d|p, mask
void FunctionDecoder::decode_elect(const ptx::Instruction& instruction) {
  if (!is_sync(instruction) || instruction.operands.size() != 2) unsupported(instruction);
  Inst made;
  made.e = wait_for_lanes(instruction.operands.at(1), control::gather_lanes);
  set_results(made, instruction.operands.at(0), ptx::Type::kB32);
  finish(made, "elect");
}

}  // namespace cudalab::vgpu
