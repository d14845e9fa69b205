// Branches, barriers, calls and returns: the instructions that end a basic block.
#include <stdexcept>

#include "vgpu/builtins/builtins.h"
#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

// Lanes where the guard holds go to `target`.
void FunctionDecoder::emit_conditional(const ptx::Guard& guard, std::uint32_t target,
                                       std::uint32_t fallthrough) {
  Inst& inst = emit(control::branch);
  inst.a = predicate_slot(guard.predicate);
  inst.imm = guard.negated;
  inst.site = current_count();
  const std::size_t index = body_.size() + pending_.size() - 1;
  fixups_.push_back({index, target, Fixup::Field::kTarget});
  fixups_.push_back({index, fallthrough, Fixup::Field::kFallthrough});
}

// The last instruction of a block. A guarded one other than a branch is jumped over where the guard does not
// hold.
void FunctionDecoder::emit_branch(const ptx::Instruction& instruction, std::uint32_t index,
                                  std::optional<std::uint32_t> next) {
  const std::string& name = instruction.parts.at(0);
  const std::uint32_t after = index + 1;  // always a block: find_blocks opens one behind every ender
  try {
    if (name == "bra") {
      const std::uint32_t target = branch_blocks(instruction).at(0);
      if (instruction.guard) {
        ends_with(BasicBlockInfo::End::kBranch);
        emit_conditional(*instruction.guard, target, after);
      } else if (next != target) {
        emit_jump(target);
      }
    } else {
      if (instruction.guard) {
        ptx::Guard opposite = *instruction.guard;
        opposite.negated = !opposite.negated;
        // Lanes that skip the instruction go to the next block, the others to the instruction itself, which
        // gets a block start of its own so that paths may wait there.
        emit_conditional(opposite, after, after);
        fixups_.pop_back();  // the fallthrough is the next instruction, not a block
        guarded_enders_.push_back(body_.size() + pending_.size() - 1);
        Inst& start = emit(control::basic_block_start);
        start.site = open_count({});
        flush();
      }
      if (name == "brx") emit_branch_table(instruction);
      if (name == "ret") emit(control::leave);
      if (name == "exit") emit(control::exit_kernel);
      if (name == "trap") emit(control::trap);
      if (name == "bar" || name == "barrier") decode_barrier(instruction);
      if (name == "call") decode_call(instruction);
      const bool is_warp_wide = name != "bar" && waits_for_lanes(instruction);
      if (is_warp_wide) decode_instruction(instruction);
      const bool goes_on = name == "bar" || name == "barrier" || is_warp_wide;
      if (goes_on) flush();
      if (goes_on && next != after) emit_jump(after);
      if (name == "call")
        fixups_.push_back({body_.size() + pending_.size() - 1, after, Fixup::Field::kTarget});
    }
  } catch (const Unsupported& reason) {
    refuse(instruction, reason.what);
  } catch (const std::out_of_range&) {  // it has fewer operands than its form needs
    refuse(instruction, "opcode `" + instruction.opcode + "` is not supported with these operands");
  }
  flush();
}

void FunctionDecoder::emit_branch_table(const ptx::Instruction& instruction) {
  std::vector<std::uint32_t> blocks = branch_blocks(instruction);
  if (blocks.empty() || instruction.operands.size() != 2) unsupported(instruction);
  const auto [table, is_new] = tables_.try_emplace(
      std::get<ptx::Symbol>(instruction.operands.back().value).name, context_.program->branch_tables.size());
  if (is_new) {
    table_fixups_.push_back({table->second, std::move(blocks)});
    context_.program->branch_tables.emplace_back();
  }
  const Slot index = source(instruction.operands.at(0), ptx::Type::kU32);
  Inst& inst = emit(control::branch_table);
  inst.a = index;
  inst.imm = table->second;
  inst.site = current_count();
  ends_with(BasicBlockInfo::End::kBranch);
}

// bar{.cta}.sync a{, b};  .arrive a, b;  .red.popc.u32 d, a{, b}, {!}c;  .red.{and,or}.pred d, …;
// bar.warp.sync mask
void FunctionDecoder::decode_barrier(const ptx::Instruction& instruction) {
  std::vector<std::string> parts = instruction.parts;
  if (parts.size() > 1 && parts.at(1) == "cta") parts.erase(parts.begin() + 1);
  const auto& operands = instruction.operands;
  if (parts.size() < 2 || operands.empty()) unsupported(instruction);
  if (parts.at(1) == "warp") {
    wait_for_lanes(operands.at(0), control::warp_barrier);
    emit(control::order_lanes);
    return;
  }
  ends_with(BasicBlockInfo::End::kBarrier);
  const bool aligned = parts.at(0) == "bar" || parts.back() == "aligned";
  if (parts.at(1) == "sync" || parts.at(1) == "arrive") {
    if (parts.at(1) == "arrive" && operands.size() != 2) unsupported(instruction);
    const Slot id = source(operands.at(0), ptx::Type::kU32);
    const Slot count = operands.size() > 1 ? source(operands.at(1), ptx::Type::kU32) : Slot{};
    Inst& inst = emit(parts.at(1) == "sync" ? control::barrier : control::barrier_arrive);
    inst.a = id;
    inst.b = count;
    inst.imm = aligned;
    return;
  }
  if (parts.at(1) != "red" || parts.size() < 4 || operands.size() < 3) unsupported(instruction);
  static constexpr std::pair<std::string_view, Handler> kResults[] = {{"popc", control::barrier_count_result},
                                                                      {"and", control::barrier_all_result},
                                                                      {"or", control::barrier_any_result}};
  for (const auto& [name, read_result] : kResults) {
    if (parts.at(2) != name) continue;
    const Slot id = source(operands.at(1), ptx::Type::kU32);
    const Slot count = operands.size() > 3 ? source(operands.at(2), ptx::Type::kU32) : Slot{};
    const Slot predicate = source(operands.back(), ptx::Type::kPred);
    Inst& reduce = emit(control::barrier_reduce);
    reduce.a = id;
    reduce.b = count;
    reduce.c = predicate;
    reduce.imm = aligned;
    const Slot to = result(operands.at(0), name == "popc" ? ptx::Type::kU32 : ptx::Type::kPred);
    Inst& read = emit(read_result);
    read.a = id;
    read.d = to;
    return;
  }
  unsupported(instruction);
}

void FunctionDecoder::decode_call(const ptx::Instruction& instruction) {
  CallInfo info;
  const auto blob = [&](const ptx::Operand& operand) -> CallSlot {
    std::string name;
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) name = symbol->name;
    if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) name = reg->name;
    if (const auto found = find_register(name); found && found->bytes > 0)
      return {found->slot, static_cast<std::uint32_t>(found->bytes)};
    const auto own = symbols_.find(name);
    if (own == symbols_.end() || own->second.kind != SymbolValue::Kind::kCallSlot) unsupported(instruction);
    return own->second.slot;
  };
  for (const ptx::Operand& operand : instruction.call_arguments) info.arguments.push_back(blob(operand));
  for (const ptx::Operand& operand : instruction.call_returns) info.results.push_back(blob(operand));
  Slot callee;
  if (find_register(instruction.call_target)) {
    callee = source_register(instruction.call_target, ptx::Type::kU64);
    traits_.calls_any = true;
  } else {
    const auto found = context_.symbols.find(instruction.call_target);
    if (found != context_.symbols.end() && found->second.kind == SymbolValue::Kind::kFunction)
      traits_.callees.insert(info.function = static_cast<int>(found->second.value));
    else
      info.builtin = find_builtin(instruction.call_target);
    const ptx::Function* called = context_.module->find_function(instruction.call_target);
    if (called && called->is_entry)
      throw Unsupported{"a call of the kernel `" + instruction.call_target + "`"};
    if (info.function < 0 && info.builtin < 0)
      throw Unsupported{"function `" + instruction.call_target +
                        "` is not defined in the module and not supported"};
  }
  if (info.builtin >= 0 && needs_block_order(info.builtin)) traits_.communicates = true;
  Inst& inst = emit(control::call);
  inst.a = callee;
  inst.imm = context_.program->calls.size();
  context_.program->calls.push_back(std::move(info));
}

}  // namespace cudalab::vgpu
