// The cost of a PTX instruction after ptxas has translated it, and which loads ptxas hoists above stores.
#include "vgpu/time/instruction_costs.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

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

// Machine instructions for each PTX instruction, by unit, and cycles until its result is available. Read off
// the machine code of ptxas 13.0 for sm_90 and the instruction counts of the calibration set.
struct CostRow {
  std::string_view opcode;  // the first parts of the opcode
  // Its last part: "f32", "b*" any of that letter, "*64" any integer of that width; "" any.
  std::string_view type;
  float slots, fp32, multiply, logic, fp64, special;
  float latency;
  bool is_apart = false;  // see TimedOp
};

constexpr CostRow kCostRows[]{
    // opcode, type,  slots fp32 mul logic fp64 special latency
    {"div.rn", "f64", 19, 0, 1, 2, 13.5f, 1, 124, true},
    {"div.full", "f32", 3, 2, 0, 0, 0, 1, 36},
    {"div.approx", "f32", 2, 1, 0, 0, 0, 1, 26},
    {"div", "f32", 15, 7, 0, 1, 0, 1, 56, true},
    {"div", "*64", 110, 10, 30, 40, 0, 3, 350, true},
    {"rem", "*64", 110, 10, 30, 40, 0, 3, 350, true},
    {"div", "", 15, 0, 6, 7, 0, 2, 90},
    {"rem", "", 15, 0, 6, 7, 0, 2, 90},
    {"sqrt.rn", "f64", 19, 0, 1, 3, 13.5f, 1, 92, true},
    {"sqrt.rn", "f32", 11, 5, 0, 2, 0, 1, 54, true},
    {"rcp.rn", "f64", 12, 0, 1, 2, 8, 1, 72, true},
    {"rcp.rn", "f32", 11, 5, 0, 1, 0, 1, 76, true},
    {"sqrt.approx.ftz", "f32", 2, 1, 0, 0, 0, 1, 30},
    {"rsqrt.approx.ftz", "f32", 1, 0, 0, 0, 0, 1, 24},
    {"rcp.approx.ftz", "f32", 1, 0, 0, 0, 0, 1, 24},
    {"lg2.approx.ftz", "f32", 1, 0, 0, 0, 0, 1, 24},
    {"ex2.approx.ftz", "f32", 1, 0, 0, 0, 0, 1, 24},
    {"sqrt.approx", "f32", 4, 2, 0, 1, 0, 1, 40},
    {"rsqrt.approx", "f32", 4, 2, 0, 1, 0, 1, 40},
    {"rcp.approx", "f32", 3, 1, 0, 1, 0, 1, 36},
    {"rsqrt.approx.ftz", "f64", 2, 0, 0, 0, 0, 1, 40},
    {"rsqrt.approx", "f64", 14, 0, 1, 2, 10, 1, 73, true},
    {"rcp.approx", "f64", 2, 0, 0, 0, 0, 1, 40},
    {"sin.approx", "f32", 2, 1, 0, 0, 0, 1, 28},
    {"cos.approx", "f32", 2, 1, 0, 0, 0, 1, 28},
    {"lg2.approx", "f32", 4, 2, 0, 1, 0, 1, 36},
    {"ex2.approx", "f32", 4, 2, 0, 1, 0, 1, 36},
    {"tanh.approx", "f32", 1, 0, 0, 0, 0, 1, 22},
    {"fma", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"add", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"sub", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"mul", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"mad", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"min", "f64", 4, 0, 0, 2, 1, 0, 16},
    {"max", "f64", 4, 0, 0, 2, 1, 0, 16},
    {"setp", "f64", 1, 0, 0, 0, 1, 0, 12},
    {"neg", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"abs", "f64", 1, 0, 0, 0, 1, 0, 8},
    {"fma", "", 1, 1, 0, 0, 0, 0, 4},
    {"add", "f32", 1, 1, 0, 0, 0, 0, 4},
    {"sub", "f32", 1, 1, 0, 0, 0, 0, 4},
    {"mul", "f32", 1, 1, 0, 0, 0, 0, 4},
    {"mad", "f32", 1, 1, 0, 0, 0, 0, 4},
    {"add", "f16*", 1, 1, 0, 0, 0, 0, 5},
    {"sub", "f16*", 1, 1, 0, 0, 0, 0, 5},
    {"mul", "f16*", 1, 1, 0, 0, 0, 0, 5},
    {"neg", "f*", 0, 0, 0, 0, 0, 0, 0},
    {"abs", "f*", 0, 0, 0, 0, 0, 0, 0},
    {"min", "*64", 4, 0, 0, 4, 0, 0, 10},
    {"max", "*64", 4, 0, 0, 4, 0, 0, 10},
    {"min", "", 1, 0, 0, 1, 0, 0, 5},
    {"max", "", 1, 0, 0, 1, 0, 0, 5},
    {"mul.wide", "", 0.6f, 0, 0.6f, 0, 0, 0, 5},
    {"mad.wide", "", 1, 0, 1, 0, 0, 0, 5},
    {"mul.hi", "*64", 8, 0, 6, 0, 0, 0, 20},
    {"mul.lo", "*64", 5, 0, 4, 0, 0, 0, 12},
    {"mad.lo", "*64", 5, 0, 4, 0, 0, 0, 12},
    {"mul", "", 1, 0, 1, 0, 0, 0, 4},
    {"mad", "", 1, 0, 1, 0, 0, 0, 4},
    {"add", "*64", 1.2f, 0, 0, 0.4f, 0, 0, 5},
    {"sub", "*64", 2, 0, 0, 1, 0, 0, 5},
    {"neg", "*64", 2, 0, 0, 1, 0, 0, 5},
    {"add", "", 0.9f, 0, 0, 0, 0, 0, 4},
    {"sub", "", 0.9f, 0, 0, 0, 0, 0, 4},
    {"neg", "", 0.5f, 0, 0, 0, 0, 0, 4},
    {"abs", "", 1, 0, 0, 1, 0, 0, 4},
    {"and", "pred", 0.5f, 0, 0, 0.5f, 0, 0, 5},
    {"or", "pred", 0.5f, 0, 0, 0.5f, 0, 0, 5},
    {"xor", "pred", 0.5f, 0, 0, 0.5f, 0, 0, 5},
    {"not", "pred", 0, 0, 0, 0, 0, 0, 0},
    {"and", "*64", 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"or", "*64", 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"xor", "*64", 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"and", "", 0.8f, 0, 0, 0.8f, 0, 0, 4},
    {"or", "", 0.8f, 0, 0, 0.8f, 0, 0, 4},
    {"xor", "", 0.8f, 0, 0, 0.8f, 0, 0, 4},
    {"not", "", 0.3f, 0, 0, 0.3f, 0, 0, 4},
    {"lop3", "", 1, 0, 0, 1, 0, 0, 4},
    {"shl", "*64", 1.5f, 0, 0, 1.5f, 0, 0, 5},
    {"shr", "*64", 2, 0, 0, 2, 0, 0, 5},
    {"shl", "", 0.9f, 0, 0, 0.5f, 0, 0, 4},
    {"shr", "", 1, 0, 0, 1, 0, 0, 4},
    {"shf", "", 1, 0, 0, 1, 0, 0, 4},
    {"bfe", "", 2, 0, 0, 2, 0, 0, 9},
    {"bfi", "", 3, 0, 0, 3, 0, 0, 12},
    {"prmt", "", 1, 0, 0, 1, 0, 0, 4},
    {"setp", "*64", 1.6f, 0, 0, 1.6f, 0, 0, 10},
    {"setp", "", 1, 0, 0, 1, 0, 0, 6},
    {"set", "", 1, 0, 0, 1, 0, 0, 6},
    {"selp", "*64", 2, 0, 0, 2, 0, 0, 5},
    {"selp", "f64", 2, 0, 0, 2, 0, 0, 5},
    {"selp", "", 1, 0, 0, 1, 0, 0, 4},
    {"slct", "", 1, 0, 0, 1, 0, 0, 4},
    {"popc", "", 1, 0, 0, 0, 0, 1, 14},
    {"brev", "", 1, 0, 0, 0, 0, 1, 14},
    {"clz", "", 2, 0, 0, 1, 0, 1, 18},
    {"bfind", "", 1, 0, 0, 0, 0, 1, 14},
    {"cvta", "", 0, 0, 0, 0, 0, 0, 0},
    {"vote", "", 1, 0, 0, 1, 0, 0, 10},
    {"match", "", 10, 0, 0, 10, 0, 0, 60},
    {"activemask", "", 1, 0, 0, 1, 0, 0, 10},
    {"redux", "", 1, 0, 0, 0, 0, 1, 20},
    {"dp4a", "", 1, 0, 1, 0, 0, 0, 5},
    {"copysign", "", 1, 0, 0, 1, 0, 0, 4},
    {"testp", "", 1, 0, 0, 1, 0, 0, 6},
    {"bra", "", 1, 0, 0, 0, 0, 0, 12},
    {"brx", "", 4, 0, 0, 2, 0, 0, 20},
    {"call", "", 6, 0, 0, 0, 0, 0, 20},
    {"ret", "", 1, 0, 0, 0, 0, 0, 0},
    {"exit", "", 1, 0, 0, 0, 0, 0, 0},
    {"bar", "", 1, 0, 0, 0, 0, 0, 20},
    {"barrier", "", 1, 0, 0, 0, 0, 0, 20},
    {"membar", "", 2, 0, 0, 0, 0, 0, 17},  // of a block; wider ones: fence_of()
    {"fence", "", 2, 0, 0, 0, 0, 0, 17},
    {"mov", "", 0.15f, 0, 0, 0, 0, 0, 0},
};

bool fits_type(std::string_view pattern, std::string_view type) {
  if (pattern.empty() || pattern == type) return true;
  if (pattern.front() == '*') return type.ends_with(pattern.substr(1)) && !type.starts_with('f');
  return pattern.back() == '*' && type.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool names_opcode(std::string_view opcode, std::string_view row) {
  return opcode.starts_with(row) && (opcode.size() == row.size() || opcode[row.size()] == '.');
}

UnitUse use_of_row(const CostRow& row) {
  UnitUse use{};
  use[static_cast<std::size_t>(Unit::kIssue)] = row.slots;
  use[static_cast<std::size_t>(Unit::kFp32)] = row.fp32;
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
  cost.is_barrier = row.opcode == "bar" || row.opcode == "barrier";
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
      instruction.parts.back().starts_with("f") || instruction.parts.back().starts_with("bf");
  cost.latency = is_real ? kRealUpdate : 1;
  return cost;
}

InstructionCost converted(const ptx::Instruction& instruction) {
  const std::span<const std::string> parts = instruction.parts;
  const auto type_at = [&](std::size_t from_end) {
    return parts.size() > from_end ? std::string_view(parts[parts.size() - 1 - from_end])
                                   : std::string_view();
  };
  const std::string_view from = type_at(0), to = type_at(1);
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

struct SpecialCost {
  std::string_view opcode;
  InstructionCost (*cost)(const ptx::Instruction&);
};
constexpr SpecialCost kSpecialCosts[]{
    {"ld", access_cost},
    {"st", access_cost},
    {"ldu", access_cost},
    {"atom", atomic_cost},
    {"red", atomic_cost},
    {"cvt", converted},
    {"wmma", product_cost},
    {"mma", product_cost},
    {"ldmatrix",
     [](const ptx::Instruction&) {
       InstructionCost cost = cost_on(Unit::kMemory, 0);
       cost.source = Source::kShared;
       return cost;
     }},
    {"shfl", [](const ptx::Instruction&) { return cost_on(Unit::kMemory, 25); }},
    {"tex",
     [](const ptx::Instruction&) {
       InstructionCost cost = cost_on(Unit::kMemory, 0);
       cost.source = Source::kTexture;
       return cost;
     }},
};

// ---- fences ------------------------------------------------------------------------------------------
// A releasing store or atomic has a fence before it.
TimedFence fence_of(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.parts[0];
  const bool is_fence = opcode == "membar" || opcode == "fence";
  const bool releases = has_part(instruction, "release") || has_part(instruction, "acq_rel");
  if (!is_fence && !(releases && (opcode == "st" || opcode == "atom" || opcode == "red")))
    return TimedFence::kNone;
  if (has_part(instruction, "proxy") || has_part(instruction, "mbarrier_init")) return TimedFence::kNone;
  if (has_part(instruction, "sys")) return TimedFence::kSystem;
  return has_part(instruction, "gl") || has_part(instruction, "gpu") ? TimedFence::kCard : TimedFence::kNone;
}

// ---- divisions ---------------------------------------------------------------------------------------
// The reciprocal of a constant is a constant. For floats, the IEEE rounding of the product remains.
// (Measured.)
constexpr CostRow kDivisionByConstant{"div", "f32", 11, 5, 0, 1, 0, 0, 49, true};

bool divides_float_by_constant(const ptx::Instruction& instruction) {
  return instruction.parts[0] == "div" && instruction.parts.back() == "f32" &&
         !has_part(instruction, "full") && !has_part(instruction, "approx") &&
         instruction.operands.size() > 2 &&
         std::holds_alternative<ptx::Immediate>(instruction.operands[2].value);
}

// ---- all instructions --------------------------------------------------------------------------------
InstructionCost cost_without_fence(const ptx::Instruction& instruction) {
  for (const SpecialCost& special : kSpecialCosts)
    if (instruction.parts[0] == special.opcode) return special.cost(instruction);
  const std::string_view type = instruction.parts.back();
  if (divides_float_by_constant(instruction)) return cost_of_row(kDivisionByConstant);
  for (const CostRow& row : kCostRows)
    if (names_opcode(instruction.opcode, row.opcode) && fits_type(row.type, type)) return cost_of_row(row);
  return cost_on(Unit::kLogic, 5);
}

}  // namespace

InstructionCost cost_of(const ptx::Instruction& instruction) {
  if (instruction.parts.empty()) return {};
  InstructionCost cost = cost_without_fence(instruction);
  cost.fence = fence_of(instruction);
  return cost;
}

}  // namespace cudalab::vgpu
