#include "vgpu/time/timing_code.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "ptx/opcode_parts.h"
#include "ptx/operand_elements.h"
#include "vgpu/time/instruction_costs.h"

namespace cudalab::vgpu {
namespace {

// Whose first operand is no result.
constexpr std::array<std::string_view, 14> kWithoutResult{"st",  "red",  "bar",      "barrier", "bra",
                                                          "ret", "exit", "membar",   "fence",   "trap",
                                                          "brx", "call", "prefetch", "cp"};

bool writes_first_operand(const ptx::Instruction& instruction) {
  const bool stores =
      instruction.parts[0] == "wmma" && instruction.parts.size() > 1 && instruction.parts[1] == "store";
  return !stores && std::ranges::find(kWithoutResult, instruction.parts[0]) == kWithoutResult.end();
}

// That the address of an access begins with; nullptr: none.
const ptx::Register* base_of(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands)
    if (const ptx::Register* base = ptx::base_register_of(operand)) return base;
  return nullptr;
}

// None of what nobody writes while the kernel runs, or of a variable by its name.
std::uint8_t space_of(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 4> kAccesses{"ld", "st", "red", "atom"};
  if (std::ranges::find(kAccesses, instruction.parts[0]) == kAccesses.end()) return 0;
  if (has_part(instruction, "nc") || has_part(instruction, "const") || has_part(instruction, "param"))
    return 0;
  if (!base_of(instruction)) return 0;  // it is known where
  if (has_part(instruction, "global")) return kTimedGlobal;
  if (has_part(instruction, "local")) return kTimedLocal;
  return has_part(instruction, "shared") ? kTimedShared : kTimedAnywhere;
}

}  // namespace

void TimingCode::begin(std::size_t basic_block) {
  basic_block_ = basic_block;
  if (code_.basic_blocks.size() <= basic_block) code_.basic_blocks.resize(basic_block + 1);
  code_.basic_blocks[basic_block_].first_op = static_cast<std::uint32_t>(code_.ops.size());
  writes_.clear();
  moved_.clear();
  compared_.clear();
  strides_.begin();
  loads_.clear();
}

void TimingCode::add_register(const std::string& name, bool is_result, TimedOp& op) {
  constexpr std::uint8_t kMost = 255;
  std::uint8_t& count = is_result ? op.results : op.inputs;
  if (count == kMost) return;
  const auto [found, is_new] = numbers_.try_emplace(name, code_.register_count);
  if (is_new) ++code_.register_count;
  code_.registers.push_back(found->second);
  ++count;
}

void TimingCode::add_operand(const ptx::Operand& operand, bool is_result, TimedOp& op) {
  ptx::for_each_element(operand, [&](const ptx::Operand& element) {
    if (const ptx::Register* name = ptx::register_of(element)) add_register(name->name, is_result, op);
  });
  if (const auto* address = std::get_if<ptx::Address>(&operand.value); address && !is_result) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base)) add_register(base->name, false, op);
    for (const auto& coordinate : address->coordinates)
      if (const auto* name = std::get_if<ptx::Register>(&coordinate)) add_register(name->name, false, op);
  }
}

bool TimingCode::reads_three_registers(const TimedOp& op) const {
  const auto first = code_.registers.begin() + op.first_operand + op.results;
  std::set<std::uint32_t> read(first, first + op.inputs);
  std::erase_if(read, [&](std::uint32_t number) { return parameters_.contains(number); });
  return read.size() >= 3;
}

// `add i, i, 4` and `setp p, i, n`.
void TimingCode::follow_counters(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.parts[0];
  const std::string* result = writes_first_operand(instruction) ? register_at(instruction, 0) : nullptr;
  if (!result) return;
  ++writes_[*result];
  const bool has_constant = instruction.operands.size() > 2 &&
                            std::holds_alternative<ptx::Immediate>(instruction.operands[2].value);
  const std::string* moved = register_at(instruction, 1);
  if ((opcode == "add" || opcode == "sub") && moved && *moved == *result && has_constant)
    moved_.insert(*result);
  compared_.erase(*result);
  if (opcode != "setp") return;
  std::vector<std::string>& compared = compared_[*result];
  for (const std::size_t i : {1, 2})
    if (const std::string* name = register_at(instruction, i)) compared.push_back(*name);
}

bool TimingCode::asks_for_a_counter(const std::string& predicate) const {
  const auto compared = compared_.find(predicate);
  if (compared == compared_.end()) return false;
  int counters = 0;
  for (const std::string& name : compared->second) {
    const auto writes = writes_.find(name);
    if (writes == writes_.end()) continue;  // stays the same
    if (writes->second != 1 || !moved_.contains(name)) return false;
    ++counters;
  }
  return counters == 1;
}

// At the end of a loop's basic block.
void TimingCode::find_walks() {
  constexpr std::int64_t kLine = 128;
  for (const auto& [op, base] : loads_) {
    const std::optional<std::int64_t> stride = strides_.of(base);
    code_.ops[op].walks = stride && *stride > -kLine && *stride < kLine;
  }
}

void TimingCode::add(const ptx::Instruction& instruction, std::size_t first_site, std::size_t end_site) {
  if (instruction.parts.empty()) return;
  const InstructionCost cost = cost_of(instruction);
  TimedOp op;
  op.source = cost.source;
  op.latency = cost.latency;
  op.slots = cost.use[static_cast<std::size_t>(Unit::kIssue)];
  op.is_barrier = cost.is_barrier;
  op.is_apart = cost.is_apart;
  op.fence = cost.fence;
  op.space = space_of(instruction);
  op.writes = op.space != 0 && instruction.parts[0] != "ld";
  op.first_operand = static_cast<std::uint32_t>(code_.registers.size());
  if (first_site != end_site) op.site = static_cast<std::uint32_t>(first_site);
  const std::size_t results = writes_first_operand(instruction) && !instruction.operands.empty() ? 1 : 0;
  for (std::size_t i = 0; i < results; ++i) add_operand(instruction.operands[i], true, op);
  for (std::size_t i = results; i < instruction.operands.size(); ++i)
    add_operand(instruction.operands[i], false, op);
  UnitUse use = cost.use;
  if (instruction.parts[0] == "fma" && reads_three_registers(op)) {
    use[static_cast<std::size_t>(Unit::kThreeReads)] = use[static_cast<std::size_t>(Unit::kFp32)];
    use[static_cast<std::size_t>(Unit::kThreeReads64)] = use[static_cast<std::size_t>(Unit::kFp64)];
  }
  if (op.results == 1 && has_part(instruction, "param"))
    parameters_.insert(code_.registers[op.first_operand]);
  if (instruction.guard) add_register(instruction.guard->predicate, false, op);
  follow_counters(instruction);
  if (writes_first_operand(instruction)) strides_.add(instruction);
  if (op.source == Source::kL1 && op.results > 0)
    if (const ptx::Register* base = base_of(instruction)) loads_.emplace_back(code_.ops.size(), base->name);
  if (instruction.parts[0] == "bra" && instruction.guard) {
    code_.basic_blocks[basic_block_].is_counted = asks_for_a_counter(instruction.guard->predicate);
    find_walks();
  }
  code_.ops.push_back(op);
  TimedBasicBlock& basic_block = code_.basic_blocks[basic_block_];
  ++basic_block.ops;
  for (std::size_t unit = 0; unit < kUnits; ++unit) basic_block.use[unit] += use[unit];
}

}  // namespace cudalab::vgpu
