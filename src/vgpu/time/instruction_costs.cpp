// The cost of a PTX instruction after ptxas has translated it, and which loads ptxas hoists above stores.
#include "vgpu/time/instruction_costs.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {

std::span<const TimedOp> ops_of(const TimedCode& code, const TimedBasicBlock& basic_block) {
  return std::span(code.ops).subspan(basic_block.first_op, basic_block.ops);
}

std::uint32_t base_of(const TimedCode& code, const TimedOp& op) {
  return op.inputs > 0 ? code.registers[op.first_operand + op.results] : kNoRegister;
}

bool mixes_loads(const TimedCode& code, std::span<const TimedBasicBlock* const> basic_blocks) {
  std::uint8_t stored = 0;
  std::uint32_t base = kNoRegister;
  for (const TimedBasicBlock* basic_block : basic_blocks)
    for (const TimedOp& op : ops_of(code, *basic_block)) {
      if (op.space == 0) continue;
      if (!op.writes && (op.space & stored) && base_of(code, op) != base) return true;
      if (op.writes) stored |= op.space, base = base_of(code, op);
    }
  return false;
}

std::vector<bool> loads_ahead_of_stores(const TimedCode& code, std::size_t sites) {
  std::vector<bool> ahead(sites);
  for (const TimedBasicBlock& basic_block : code.basic_blocks) {
    const TimedBasicBlock* const one[]{&basic_block};
    if (mixes_loads(code, one)) continue;
    const std::span<const TimedOp> ops = ops_of(code, basic_block);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const TimedOp& load = ops[i];
      if (load.space == 0 || load.writes || load.site >= sites) continue;
      const std::span<const TimedOp> before = ops.first(basic_block.is_counted ? ops.size() : i);
      ahead[load.site] = std::ranges::any_of(
          before, [&](const TimedOp& op) { return op.writes && base_of(code, op) == base_of(code, load); });
    }
  }
  return ahead;
}

namespace {

// The type at the end of an opcode for which a row holds.
enum class Of : std::uint8_t { kAny, kF64, kF32, kHalf, kFloat, kInteger64, kPredicate };

// Machine instructions per PTX instruction, by unit, and cycles until its result is available. Read off the
// machine code of ptxas 13.0 for sm_90 and the instruction counts of the calibration set. For 16-bit types,
// the column fp32 is Unit::kHalf.
struct CostRow {
  std::string_view opcode;  // the first words of the opcode
  Of type;
  float slots, fp32, multiply, logic, fp64, special;
  float latency;
  bool is_apart = false;  // see TimedOp
};

constexpr CostRow kCostRows[]{
    // opcode, type,  slots fp32 mul logic fp64 special latency
    {"div.rn", Of::kF64, 19, 0, 1, 2, 13.5f, 1, 124, true},
    {"div.full", Of::kF32, 3, 2, 0, 0, 0, 1, 36},
    {"div.approx", Of::kF32, 2, 1, 0, 0, 0, 1, 26},
    {"div", Of::kF32, 15, 7, 0, 1, 0, 1, 56, true},
    {"div", Of::kInteger64, 110, 10, 30, 40, 0, 3, 350, true},
    {"rem", Of::kInteger64, 110, 10, 30, 40, 0, 3, 350, true},
    {"div", Of::kAny, 15, 0, 6, 7, 0, 2, 90},
    {"rem", Of::kAny, 15, 0, 6, 7, 0, 2, 90},
    {"sqrt.approx.ftz", Of::kF32, 2, 1, 0, 0, 0, 1, 30},
    {"rsqrt.approx.ftz", Of::kF32, 1, 0, 0, 0, 0, 1, 24},
    {"rcp.approx.ftz", Of::kF32, 1, 0, 0, 0, 0, 1, 24},
    {"lg2.approx.ftz", Of::kF32, 1, 0, 0, 0, 0, 1, 24},
    {"ex2.approx.ftz", Of::kF32, 1, 0, 0, 0, 0, 1, 24},
    {"sqrt.approx", Of::kF32, 4, 2, 0, 1, 0, 1, 40},
    {"rsqrt.approx", Of::kF32, 4, 2, 0, 1, 0, 1, 40},
    {"rcp.approx", Of::kF32, 3, 1, 0, 1, 0, 1, 36},
    {"rsqrt.approx.ftz", Of::kF64, 2, 0, 0, 0, 0, 1, 40},
    {"rsqrt.approx", Of::kF64, 14, 0, 1, 2, 10, 1, 73, true},
    {"rcp.approx", Of::kF64, 2, 0, 0, 0, 0, 1, 40},
    {"sin.approx", Of::kF32, 2, 1, 0, 0, 0, 1, 28},
    {"cos.approx", Of::kF32, 2, 1, 0, 0, 0, 1, 28},
    {"lg2.approx", Of::kF32, 4, 2, 0, 1, 0, 1, 36},
    {"ex2.approx", Of::kF32, 4, 2, 0, 1, 0, 1, 36},
    // Measured for rounding to nearest, and assumed to be the same for the other modes.
    {"sqrt", Of::kF64, 19, 0, 1, 3, 13.5f, 1, 92, true},
    {"sqrt", Of::kF32, 11, 5, 0, 2, 0, 1, 54, true},
    {"rcp", Of::kF64, 12, 0, 1, 2, 8, 1, 72, true},
    {"rcp", Of::kF32, 11, 5, 0, 1, 0, 1, 76, true},
    {"tanh.approx", Of::kF32, 1, 0, 0, 0, 0, 1, 22},
    {"fma", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"add", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"sub", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"mul", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"mad", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"min", Of::kF64, 4, 0, 0, 2, 1, 0, 16},
    {"max", Of::kF64, 4, 0, 0, 2, 1, 0, 16},
    {"setp", Of::kF64, 1, 0, 0, 0, 1, 0, 12},
    {"neg", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"abs", Of::kF64, 1, 0, 0, 0, 1, 0, 8},
    {"fma", Of::kHalf, 1, 1, 0, 0, 0, 0, 4},
    {"fma", Of::kAny, 1, 1, 0, 0, 0, 0, 4},
    {"add", Of::kF32, 1, 1, 0, 0, 0, 0, 4},
    {"sub", Of::kF32, 1, 1, 0, 0, 0, 0, 4},
    {"mul", Of::kF32, 1, 1, 0, 0, 0, 0, 4},
    {"mad", Of::kF32, 1, 1, 0, 0, 0, 0, 4},
    {"add", Of::kHalf, 1, 1, 0, 0, 0, 0, 5},
    {"sub", Of::kHalf, 1, 1, 0, 0, 0, 0, 5},
    {"mul", Of::kHalf, 1, 1, 0, 0, 0, 0, 5},
    {"neg", Of::kFloat, 0, 0, 0, 0, 0, 0, 0},
    {"abs", Of::kFloat, 0, 0, 0, 0, 0, 0, 0},
    {"min", Of::kInteger64, 4, 0, 0, 4, 0, 0, 10},
    {"max", Of::kInteger64, 4, 0, 0, 4, 0, 0, 10},
    {"min", Of::kAny, 1, 0, 0, 1, 0, 0, 5},
    {"max", Of::kAny, 1, 0, 0, 1, 0, 0, 5},
    {"mul.wide", Of::kAny, 0.6f, 0, 0.6f, 0, 0, 0, 5},
    {"mad.wide", Of::kAny, 1, 0, 1, 0, 0, 0, 5},
    {"mul.hi", Of::kInteger64, 8, 0, 6, 0, 0, 0, 20},
    {"mul.lo", Of::kInteger64, 5, 0, 4, 0, 0, 0, 12},
    {"mad.lo", Of::kInteger64, 5, 0, 4, 0, 0, 0, 12},
    {"mul", Of::kAny, 1, 0, 1, 0, 0, 0, 4},
    {"mad", Of::kAny, 1, 0, 1, 0, 0, 0, 4},
    {"add", Of::kInteger64, 1.2f, 0, 0, 0.4f, 0, 0, 5},
    {"sub", Of::kInteger64, 2, 0, 0, 1, 0, 0, 5},
    {"neg", Of::kInteger64, 2, 0, 0, 1, 0, 0, 5},
    {"add", Of::kAny, 0.9f, 0, 0, 0, 0, 0, 4},
    {"sub", Of::kAny, 0.9f, 0, 0, 0, 0, 0, 4},
    {"neg", Of::kAny, 0.5f, 0, 0, 0, 0, 0, 4},
    {"abs", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"and", Of::kPredicate, 0.5f, 0, 0, 0.5f, 0, 0, 5},
    {"or", Of::kPredicate, 0.5f, 0, 0, 0.5f, 0, 0, 5},
    {"xor", Of::kPredicate, 0.5f, 0, 0, 0.5f, 0, 0, 5},
    {"not", Of::kPredicate, 0, 0, 0, 0, 0, 0, 0},
    {"and", Of::kInteger64, 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"or", Of::kInteger64, 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"xor", Of::kInteger64, 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"and", Of::kAny, 0.8f, 0, 0, 0.8f, 0, 0, 4},
    {"or", Of::kAny, 0.8f, 0, 0, 0.8f, 0, 0, 4},
    {"xor", Of::kAny, 0.8f, 0, 0, 0.8f, 0, 0, 4},
    {"not", Of::kAny, 0.3f, 0, 0, 0.3f, 0, 0, 4},
    {"lop3", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"shl", Of::kInteger64, 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"shr", Of::kInteger64, 2, 0, 0, 2, 0, 0, 5},
    {"shl", Of::kAny, 0.9f, 0, 0, 0.5f, 0, 0, 4},
    {"shr", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"shf", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"bfe", Of::kAny, 2, 0, 0, 2, 0, 0, 9},
    {"bfi", Of::kAny, 3, 0, 0, 3, 0, 0, 12},
    {"prmt", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"setp", Of::kInteger64, 1.6f, 0, 0, 1.6f, 0, 0, 10},
    {"setp", Of::kAny, 1, 0, 0, 1, 0, 0, 6},
    {"set", Of::kAny, 1, 0, 0, 1, 0, 0, 6},
    {"selp", Of::kInteger64, 2, 0, 0, 2, 0, 0, 5},
    {"selp", Of::kF64, 2, 0, 0, 2, 0, 0, 5},
    {"selp", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"slct", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"popc", Of::kAny, 1, 0, 0, 0, 0, 1, 14},
    {"brev", Of::kAny, 1, 0, 0, 0, 0, 1, 14},
    {"clz", Of::kAny, 2, 0, 0, 1, 0, 1, 18},
    {"bfind", Of::kAny, 1, 0, 0, 0, 0, 1, 14},
    {"cvta", Of::kAny, 0, 0, 0, 0, 0, 0, 0},
    {"vote", Of::kAny, 1, 0, 0, 1, 0, 0, 10},
    {"match", Of::kAny, 10, 0, 0, 10, 0, 0, 60},
    {"activemask", Of::kAny, 1, 0, 0, 1, 0, 0, 10},
    {"redux", Of::kAny, 1, 0, 0, 0, 0, 1, 20},
    {"dp4a", Of::kAny, 1, 0, 1, 0, 0, 0, 5},
    {"copysign", Of::kAny, 1, 0, 0, 1, 0, 0, 4},
    {"testp", Of::kAny, 1, 0, 0, 1, 0, 0, 6},
    {"bra", Of::kAny, 1, 0, 0, 0, 0, 0, 12},
    {"brx", Of::kAny, 4, 0, 0, 2, 0, 0, 20},
    {"call", Of::kAny, 6, 0, 0, 0, 0, 0, 20},
    {"ret", Of::kAny, 1, 0, 0, 0, 0, 0, 0},
    {"exit", Of::kAny, 1, 0, 0, 0, 0, 0, 0},
    {"bar", Of::kAny, 1, 0, 0, 0, 0, 0, 20},
    {"barrier", Of::kAny, 1, 0, 0, 0, 0, 0, 20},
    {"membar", Of::kAny, 2, 0, 0, 0, 0, 0, 17},  // of a block; wider ones: fence_of()
    {"fence", Of::kAny, 2, 0, 0, 0, 0, 0, 17},
    {"mov", Of::kAny, 0.15f, 0, 0, 0, 0, 0, 0},
    // For 16-bit types; not measured.
    {"ex2", Of::kAny, 1, 0, 0, 1, 0, 0, 5},
    {"tanh", Of::kAny, 1, 0, 0, 1, 0, 0, 5},
};

bool fits(Of wanted, ptx::Word type) {
  switch (wanted) {
    case Of::kAny: return true;
    case Of::kF64: return type == "f64";
    case Of::kF32: return type == "f32";
    case Of::kHalf: return ptx::is_one_of(type, {"f16", "f16x2", "bf16", "bf16x2"});
    case Of::kFloat: return ptx::is_one_of(type, {"f16", "f16x2", "f32", "f64"});
    case Of::kInteger64: return ptx::is_one_of(type, {"b64", "s64", "u64"});
    case Of::kPredicate: return type == "pred";
  }
  return false;
}

// The first matching row; null if there is none.
const CostRow* row_of(const ptx::Instruction& instruction) {
  static const ptx::OpcodeIndex<CostRow> index(kCostRows, &CostRow::opcode);
  const CostRow* found = nullptr;
  index.for_each(instruction.parts, [&](const CostRow& row, std::size_t) {
    if (!found && fits(row.type, instruction.parts.back())) found = &row;
  });
  return found;
}

UnitUse use_of_row(const CostRow& row) {
  UnitUse use{};
  use[static_cast<std::size_t>(Unit::kIssue)] = row.slots;
  use[static_cast<std::size_t>(row.type == Of::kHalf ? Unit::kHalf : Unit::kFp32)] = row.fp32;
  use[static_cast<std::size_t>(Unit::kMultiply)] = row.multiply;
  use[static_cast<std::size_t>(Unit::kLogic)] = row.logic;
  use[static_cast<std::size_t>(Unit::kFp64)] = row.fp64;
  use[static_cast<std::size_t>(Unit::kSpecial)] = row.special;
  return use;
}

InstructionCost cost_of_row(const CostRow& row) {
  InstructionCost cost;
  cost.use = use_of_row(row);
  cost.latency = row.latency;
  cost.is_apart = row.is_apart;
  return cost;
}

InstructionCost cost_on(Unit unit, float latency, float slots = 1) {
  InstructionCost cost;
  cost.use[static_cast<std::size_t>(Unit::kIssue)] = slots;
  cost.use[static_cast<std::size_t>(unit)] += slots;
  cost.latency = latency;
  return cost;
}

// ---- memory ------------------------------------------------------------------------------------------
Source source_of_load(const ptx::Instruction& instruction) {
  if (has_part(instruction, "shared") || has_part(instruction, "shared::cta")) return Source::kShared;
  if (has_part(instruction, "const")) return Source::kConstant;
  return Source::kL1;  // the site says which level
}

InstructionCost access_cost(const ptx::Instruction& instruction) {
  if (has_part(instruction, "param")) return {};
  InstructionCost cost = cost_on(Unit::kMemory, 0);
  cost.source = source_of_load(instruction);
  if (cost.source == Source::kConstant) cost = cost_on(Unit::kLogic, 0), cost.source = Source::kConstant;
  return cost;
}

constexpr float kRealUpdate = 2.4f;  // latency of a floating-point update relative to an integer's
InstructionCost atomic_cost(const ptx::Instruction& instruction) {
  const bool is_shared = source_of_load(instruction) == Source::kShared;
  InstructionCost cost = cost_on(Unit::kMemory, 0, is_shared ? 1 : 2);
  cost.source = is_shared ? Source::kShared : Source::kAtomic;
  const bool is_real =
      ptx::is_one_of(instruction.parts.back(), {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"});
  cost.latency = is_real ? kRealUpdate : 1;
  return cost;
}

InstructionCost converted(const ptx::Instruction& instruction) {
  const std::size_t words = instruction.parts.size();
  const std::string_view from = instruction.parts.back(),
                         to = words > 1 ? instruction.parts[words - 2].text() : "";
  const bool is_whole = !from.starts_with('f') && !to.starts_with('f') && !from.starts_with("bf");
  if (is_whole) {
    if (from == "s32" && to == "s64") return cost_on(Unit::kLogic, 4);
    return cost_on(Unit::kLogic, 2, 0.3f);
  }
  const bool is_wide = from.ends_with("64") || to.ends_with("64");
  const bool is_half = from == "f16" || to == "f16";
  if (is_half) return cost_on(Unit::kLogic, 6);
  if (from.size() > 1 && from[0] != 'f' && to == "f32" && !is_wide) return cost_on(Unit::kLogic, 6);  // I2FP
  return cost_on(Unit::kSpecial, is_wide ? 20 : 14, is_wide ? 4.0f : 1.0f);
}

// An m16n8k16 product of halves counts as 1, and so does any other mma shape; wmma counts as 2.
InstructionCost product_cost(const ptx::Instruction& instruction) {
  const bool is_load = has_part(instruction, "load") || has_part(instruction, "store");
  if (is_load) {
    InstructionCost cost = cost_on(Unit::kMemory, 0, 4);
    cost.source = source_of_load(instruction);
    return cost;
  }
  const bool is_wmma = instruction.parts[0] == "wmma";
  return cost_on(Unit::kTensor, 33, is_wmma ? 2.0f : 1.0f);
}

InstructionCost cost_from(Source source) {
  InstructionCost cost = cost_on(Unit::kMemory, 0);
  cost.source = source;
  return cost;
}

// ---- fences ------------------------------------------------------------------------------------------
// A releasing store or atomic has a fence before it.
TimedFence fence_of(const ptx::Instruction& instruction) {
  const bool is_fence = ptx::is_one_of(instruction.parts[0], {"membar", "fence"});
  const bool releases = has_part(instruction, "release") || has_part(instruction, "acq_rel");
  if (!is_fence && !(releases && instruction.facts->may_write_memory())) return TimedFence::kNone;
  if (has_part(instruction, "proxy") || has_part(instruction, "mbarrier_init")) return TimedFence::kNone;
  if (has_part(instruction, "sys")) return TimedFence::kSystem;
  return has_part(instruction, "gl") || has_part(instruction, "gpu") ? TimedFence::kCard : TimedFence::kNone;
}

// ---- divisions ---------------------------------------------------------------------------------------
// The reciprocal of a constant is a constant. For floats, the IEEE rounding of the product remains.
// (Measured.)
constexpr CostRow kDivisionByConstant{"div", Of::kF32, 11, 5, 0, 1, 0, 0, 49, true};

bool divides_float_by_constant(const ptx::Instruction& instruction) {
  return instruction.parts[0] == "div" && instruction.parts.back() == "f32" &&
         !has_part(instruction, "full") && !has_part(instruction, "approx") &&
         instruction.operands.size() > 2 &&
         std::holds_alternative<ptx::Immediate>(instruction.operands[2].value);
}

// ---- all instructions --------------------------------------------------------------------------------
std::optional<InstructionCost> cost_without_fence(const ptx::Instruction& instruction) {
  switch (instruction.facts->cost) {
    case ptx::Cost::kAccess: return access_cost(instruction);
    case ptx::Cost::kAtomic: return atomic_cost(instruction);
    case ptx::Cost::kConversion: return converted(instruction);
    case ptx::Cost::kMatrix: return product_cost(instruction);
    case ptx::Cost::kMatrixMove: return cost_from(Source::kShared);
    case ptx::Cost::kShuffle: return cost_on(Unit::kMemory, 25);
    case ptx::Cost::kTexture: return cost_from(Source::kTexture);
    case ptx::Cost::kUnmeasured: return cost_on(Unit::kLogic, 5);
    case ptx::Cost::kOfRow: break;
  }
  if (divides_float_by_constant(instruction)) return cost_of_row(kDivisionByConstant);
  const CostRow* row = row_of(instruction);
  return row ? std::optional(cost_of_row(*row)) : std::nullopt;
}

}  // namespace

std::optional<InstructionCost> cost_of(const ptx::Instruction& instruction) {
  std::optional<InstructionCost> cost = cost_without_fence(instruction);
  if (!cost) return cost;
  cost->is_barrier = ptx::is_one_of(instruction.parts[0], {"bar", "barrier"});
  cost->fence = fence_of(instruction);
  return cost;
}

}  // namespace cudalab::vgpu
