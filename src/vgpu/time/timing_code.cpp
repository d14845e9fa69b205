// Collects what the time model keeps of instructions while a function is decoded, including live registers
// and strides of loops.
#include "vgpu/time/timing_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "ptx/opcode_parts.h"
#include "vgpu/time/instruction_costs.h"

namespace cudalab::vgpu {
namespace {

// A set of registers of the function.
class RegisterSet {
 public:
  explicit RegisterSet(std::size_t registers) : bits_((registers + kBits - 1) / kBits) {}
  void add(std::uint32_t reg) { bits_[reg / kBits] |= std::uint64_t{1} << reg % kBits; }
  void drop(std::uint32_t reg) { bits_[reg / kBits] &= ~(std::uint64_t{1} << reg % kBits); }
  // Returns whether the set has grown.
  bool add(const RegisterSet& others) {
    std::uint64_t more = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      more |= others.bits_[i] & ~bits_[i];
      bits_[i] |= others.bits_[i];
    }
    return more != 0;
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      for (std::uint64_t left = bits_[i]; left; left &= left - 1)
        visit(static_cast<std::uint32_t>(i * kBits) + static_cast<std::uint32_t>(std::countr_zero(left)));
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  std::vector<std::uint64_t> bits_;
};

// Returns whether it is the first time in this basic block.
bool stamp(std::vector<std::size_t>& last, std::uint32_t reg, std::size_t basic_block) {
  if (last.size() <= reg) last.resize(reg + 1);
  return std::exchange(last[reg], basic_block) != basic_block;
}

}  // namespace

void LiveRegisters::begin(std::uint32_t number, std::vector<std::uint32_t> successors) {
  basic_blocks_.push_back({number, std::move(successors), {}, {}});
}

void LiveRegisters::read(std::uint32_t reg) {
  const bool is_written = reg < written_in_.size() && written_in_[reg] == basic_blocks_.size();
  if (!is_written && stamp(read_in_, reg, basic_blocks_.size())) basic_blocks_.back().reads.push_back(reg);
}

void LiveRegisters::write(std::uint32_t reg) {
  if (stamp(written_in_, reg, basic_blocks_.size())) basic_blocks_.back().writes.push_back(reg);
}

std::vector<int> LiveRegisters::unused(const std::function<int(std::uint32_t)>& words_of) const {
  std::uint32_t registers = 0, numbers = 0;
  for (const BasicBlock& one : basic_blocks_) {
    numbers = std::max(numbers, one.number + 1);
    for (const auto* used : {&one.reads, &one.writes})
      for (const std::uint32_t reg : *used) registers = std::max(registers, reg + 1);
  }
  // Larger functions than any written by hand: live registers are not computed.
  constexpr std::size_t kMostBits = std::size_t{1} << 28;
  if (std::size_t{registers} * numbers > kMostBits) return std::vector<int>(basic_blocks_.size());
  // Liveness at the start of each basic block: registers that it reads, and live registers of its successors
  // that it does not write. Computed backwards until nothing changes.
  std::vector<RegisterSet> wanted(numbers, RegisterSet(registers));
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock& one : basic_blocks_ | std::views::reverse) {
      RegisterSet now(registers);
      for (const std::uint32_t next : one.successors)
        if (next < numbers) now.add(wanted[next]);
      for (const std::uint32_t reg : one.writes) now.drop(reg);
      for (const std::uint32_t reg : one.reads) now.add(reg);
      changed |= wanted[one.number].add(now);
    }
  }
  std::vector<int> unused;
  for (const BasicBlock& one : basic_blocks_) {
    RegisterSet across = wanted[one.number];
    for (const std::uint32_t reg : one.reads) across.drop(reg);
    int words = 0;
    across.for_each([&](std::uint32_t reg) { words += words_of(reg); });
    unused.push_back(words);
  }
  return unused;
}

namespace {

std::optional<std::int64_t> constant_at(const ptx::Instruction& instruction, std::size_t i) {
  if (i >= instruction.operands.size()) return std::nullopt;
  const auto* found = std::get_if<ptx::Immediate>(&instruction.operands[i].value);
  if (!found || found->kind != ptx::Immediate::Kind::kInteger) return std::nullopt;
  return static_cast<std::int64_t>(found->bits);
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                                std::int64_t sign = 1) {
  if (!a || !b) return std::nullopt;
  const auto b_bits = static_cast<std::uint64_t>(*b);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*a) + (sign < 0 ? 0 - b_bits : b_bits));
}

std::optional<std::int64_t> product(std::optional<std::int64_t> stride, std::optional<std::int64_t> times) {
  if (stride == 0) return 0;
  if (!stride || !times) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*stride) * static_cast<std::uint64_t>(*times));
}

}  // namespace

const std::string* register_at(const ptx::Instruction& instruction, std::size_t i) {
  const ptx::Register* found =
      i < instruction.operands.size() ? ptx::register_of(instruction.operands[i]) : nullptr;
  return found ? &found->name : nullptr;
}

void RoundStrides::begin() {
  writes_.clear();
  found_.clear();
}

void RoundStrides::add(const ptx::Instruction& instruction) {
  const std::string* const name = register_at(instruction, 0);
  if (!name) return;
  const bool is_new = writes_.try_emplace(*name, &instruction).second;
  if (!is_new || instruction.guard) writes_[*name] = nullptr;
  found_.clear();
}

std::optional<std::int64_t> RoundStrides::of(std::string_view name) {
  const auto write = writes_.find(name);
  if (write == writes_.end()) return 0;
  const auto [known, is_new] = found_.try_emplace(name, std::nullopt);
  if (!is_new || !write->second) return known->second;
  const ptx::Instruction& instruction = *write->second;
  const std::string* const moved = register_at(instruction, 1);
  std::optional<std::int64_t> by;
  if (moved && *moved == name) {  // its value in the previous round
    const ptx::Linear linear = instruction.facts->linear;
    const bool subtracts = linear == ptx::Linear::kDifference;
    if (subtracts || linear == ptx::Linear::kSum)
      by = product(subtracts ? -1 : 1, constant_at(instruction, 2));
  } else {
    by = computed(instruction);
  }
  return found_[name] = by;
}

std::optional<std::int64_t> RoundStrides::of_operand(const ptx::Instruction& instruction, std::size_t i) {
  if (const std::string* name = register_at(instruction, i)) return of(*name);
  if (i >= instruction.operands.size()) return std::nullopt;
  const auto& value = instruction.operands[i].value;
  const bool is_constant =
      std::holds_alternative<ptx::Immediate>(value) || std::holds_alternative<ptx::Symbol>(value);
  return is_constant ? std::optional<std::int64_t>(0) : std::nullopt;
}

std::optional<std::int64_t> RoundStrides::computed(const ptx::Instruction& instruction) {
  const auto operand = [&](std::size_t i) { return of_operand(instruction, i); };
  switch (instruction.facts->linear) {
    case ptx::Linear::kCopy: return operand(1);
    case ptx::Linear::kSum: return sum(operand(1), operand(2));
    case ptx::Linear::kDifference: return sum(operand(1), operand(2), -1);
    case ptx::Linear::kProduct: return product(operand(1), constant_at(instruction, 2));
    case ptx::Linear::kProductAndSum:
      return sum(product(operand(1), constant_at(instruction, 2)), operand(3));
    case ptx::Linear::kShiftLeft: {
      const std::optional<std::int64_t> places = constant_at(instruction, 2);
      if (!places || *places < 0 || *places >= 32) return std::nullopt;
      return product(operand(1), std::int64_t{1} << *places);
    }
    case ptx::Linear::kNone: return std::nullopt;
  }
  return std::nullopt;
}

namespace {

// Base register of the instruction's address; nullptr if none.
const ptx::Register* base_of(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands)
    if (const ptx::Register* base = ptx::base_register_of(operand)) return base;
  return nullptr;
}

// Memory spaces that an access may touch. Read-only spaces, and variables addressed by name, have no alias
// class.
std::uint8_t space_of(const ptx::Instruction& instruction) {
  if (!ptx::is_one_of(instruction.parts[0], {"ld", "st", "red", "atom"})) return 0;
  if (has_part(instruction, "nc") || has_part(instruction, "const") || has_part(instruction, "param"))
    return 0;
  if (!base_of(instruction)) return 0;  // the address is known
  if (has_part(instruction, "global")) return kTimedGlobal;
  if (has_part(instruction, "local")) return kTimedLocal;
  return has_part(instruction, "shared") ? kTimedShared : kTimedAnywhere;
}

}  // namespace

void TimingCode::begin(std::size_t basic_block, std::uint32_t of_function,
                       std::vector<std::uint32_t> successors) {
  basic_block_ = basic_block;
  begun_.push_back(basic_block);
  live_.begin(of_function, std::move(successors));
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

// Recognizes `add i, i, 4` and `setp p, i, n`.
void TimingCode::follow_counters(const ptx::Instruction& instruction) {
  const std::string* result = instruction.facts->has_result ? register_at(instruction, 0) : nullptr;
  if (!result) return;
  ++writes_[*result];
  const bool has_constant = instruction.operands.size() > 2 &&
                            std::holds_alternative<ptx::Immediate>(instruction.operands[2].value);
  const std::string* moved = register_at(instruction, 1);
  const ptx::Linear linear = instruction.facts->linear;
  const bool moves = linear == ptx::Linear::kSum || linear == ptx::Linear::kDifference;
  if (moves && moved && *moved == *result && has_constant) moved_.insert(*result);
  compared_.erase(*result);
  if (instruction.parts[0] != "setp") return;
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
    if (writes == writes_.end()) continue;  // is not changed by the loop
    if (writes->second != 1 || !moved_.contains(name)) return false;
    ++counters;
  }
  return counters == 1;
}

// Called at the end of a loop's basic block.
void TimingCode::find_walks() {
  constexpr std::int64_t kLine = 128;
  for (const auto& [op, base] : loads_) {
    const std::optional<std::int64_t> stride = strides_.of(base);
    code_.ops[op].walks = stride && *stride > -kLine && *stride < kLine;
  }
}

// Whether all writes of a register copy a parameter, a variable's address or a number.
bool TimingCode::is_constant(std::uint32_t reg) const {
  const auto written = written_.find(reg);
  return written != written_.end() && written->second[0] == written->second[1];
}
bool TimingCode::is_constant(const ptx::Instruction& instruction, const TimedOp& op) const {
  if (instruction.guard || op.results != 1) return false;
  if (instruction.facts->access == ptx::Access::kLoad)
    return has_part(instruction, "param") && op.inputs == 0;
  if (instruction.parts[0] != "mov" && instruction.parts[0] != "cvta") return false;
  if (op.inputs == 1) return is_constant(code_.registers[op.first_operand + 1]);
  return op.inputs == 0;
}

void TimingCode::follow_values(const ptx::Instruction& instruction, const TimedOp& op) {
  const std::uint32_t* registers = code_.registers.data() + op.first_operand;
  const bool constant = is_constant(instruction, op);
  for (int i = op.results; i < op.results + op.inputs; ++i) live_.read(registers[i]);
  if (op.space == kTimedShared) shared_addresses_.insert(registers[op.results]);
  for (int i = 0; i < op.results; ++i) {
    if (instruction.guard) live_.read(registers[i]);
    live_.write(registers[i]);
    std::array<int, 2>& written = written_[registers[i]];
    ++written[0];
    written[1] += constant;
  }
}

void TimingCode::end(const std::function<std::size_t(const std::string&)>& bytes_of) {
  constexpr std::size_t kBytes = 4;
  code_.words.resize(code_.register_count);
  for (const auto& [name, number] : numbers_) {
    if (is_constant(number)) continue;
    const std::size_t bytes = shared_addresses_.contains(number) ? kBytes : bytes_of(name);
    code_.words[number] = static_cast<std::uint8_t>((bytes + kBytes - 1) / kBytes);
  }
  const std::vector<int> unused = live_.unused([&](std::uint32_t number) { return code_.words[number]; });
  for (std::size_t i = 0; i < begun_.size(); ++i) code_.basic_blocks[begun_[i]].unused_registers = unused[i];
}

bool TimingCode::add(const ptx::Instruction& instruction, std::size_t first_site, std::size_t end_site) {
  const std::optional<InstructionCost> cost = cost_of(instruction);
  if (!cost) return false;
  TimedOp op;
  op.source = cost->source;
  op.latency = cost->latency;
  op.slots = cost->use[static_cast<std::size_t>(Unit::kIssue)];
  op.is_barrier = cost->is_barrier;
  op.is_apart = cost->is_apart;
  op.fence = cost->fence;
  op.space = space_of(instruction);
  op.writes = op.space != 0 && instruction.facts->may_write_memory();
  op.first_operand = static_cast<std::uint32_t>(code_.registers.size());
  if (first_site != end_site) op.site = static_cast<std::uint32_t>(first_site);
  const std::size_t results = instruction.facts->has_result && !instruction.operands.empty() ? 1 : 0;
  for (std::size_t i = 0; i < results; ++i) add_operand(instruction.operands[i], true, op);
  for (std::size_t i = results; i < instruction.operands.size(); ++i)
    add_operand(instruction.operands[i], false, op);
  UnitUse use = cost->use;
  if (instruction.parts[0] == "fma" && reads_three_registers(op)) {
    use[static_cast<std::size_t>(Unit::kThreeReads)] =
        use[static_cast<std::size_t>(Unit::kFp32)] + use[static_cast<std::size_t>(Unit::kHalf)];
    use[static_cast<std::size_t>(Unit::kThreeReads64)] = use[static_cast<std::size_t>(Unit::kFp64)];
  }
  if (op.results == 1 && has_part(instruction, "param"))
    parameters_.insert(code_.registers[op.first_operand]);
  if (instruction.guard) add_register(instruction.guard->predicate, false, op);
  follow_values(instruction, op);
  follow_counters(instruction);
  if (instruction.facts->has_result) strides_.add(instruction);
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
  return true;
}

}  // namespace cudalab::vgpu
