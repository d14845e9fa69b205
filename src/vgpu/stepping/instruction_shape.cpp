#include "vgpu/stepping/instruction_shape.h"

#include <algorithm>
#include <string_view>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool is_address(const Operand& operand) { return std::holds_alternative<ptx::Address>(operand.value); }

// ---- memory ------------------------------------------------------------------------------------------
// Instructions with one address for each lane, by their names.
struct Addressed {
  std::string_view name;
  AccessKind kind;
};
constexpr Addressed kAddressed[]{
    {"ld", AccessKind::kLoad},        {"ldu", AccessKind::kLoad},      {"st", AccessKind::kStore},
    {"atom", AccessKind::kAtomic},    {"red", AccessKind::kReduction}, {"ldmatrix", AccessKind::kLoad},
    {"stmatrix", AccessKind::kStore},
};

struct SpaceName {
  std::string_view name;
  ptx::Space space;
};
constexpr SpaceName kSpaces[]{{"global", ptx::Space::kGlobal},
                              {"shared", ptx::Space::kShared},
                              {"local", ptx::Space::kLocal},
                              {"const", ptx::Space::kConst},
                              {"param", ptx::Space::kParam}};

// "shared" and "shared::cta" are one.
ptx::Space space_of(std::string_view part) {
  for (const SpaceName& each : kSpaces)
    if (part == each.name || (part.starts_with(each.name) && part.substr(each.name.size()).starts_with("::")))
      return each.space;
  return ptx::Space::kNone;
}

std::vector<ptx::Space> spaces_of(const Instruction& instruction) {
  std::vector<ptx::Space> spaces;
  for (const std::string& part : instruction.parts)
    if (const ptx::Space space = space_of(part); space != ptx::Space::kNone) spaces.push_back(space);
  return spaces;
}

std::vector<ptx::Type> types_of(const Instruction& instruction) {
  std::vector<ptx::Type> types;
  for (const std::string& part : instruction.parts)
    if (const auto type = ptx::type_named(part)) types.push_back(*type);
  return types;
}

std::uint32_t vector_of(const Instruction& instruction) {
  for (const auto& [part, elements] : {std::pair{"v2", 2u}, {"v4", 4u}, {"v8", 8u}})
    if (ptx::has_part(instruction, part)) return elements;
  return 1;
}

// Of ldmatrix and stmatrix: each lane gives the address of a row of 16 bytes, 8 lanes for each matrix.
constexpr std::uint32_t kRowBytes = 16;
std::uint32_t lanes_with_rows(const Instruction& instruction) {
  if (ptx::has_part(instruction, "x4")) return kAllLanes;
  return ptx::has_part(instruction, "x2") ? 0xffffu : 0xffu;
}

std::vector<AddressUse> uses_of_copy(const Instruction& instruction) {
  const std::vector<ptx::Space> spaces = spaces_of(instruction);
  const auto& operands = instruction.operands;
  if (operands.size() < 3 || spaces.size() != 2 || !is_address(operands[0]) || !is_address(operands[1]))
    return {};
  const auto* bytes = std::get_if<ptx::Immediate>(&operands[2].value);
  if (!bytes) return {};
  const auto wide = static_cast<std::uint32_t>(bytes->bits);
  return {{1, spaces[1], AccessKind::kLoad, wide}, {0, spaces[0], AccessKind::kStore, wide}};
}

AddressUse use_of(const Instruction& instruction, std::size_t operand, AccessKind kind) {
  const std::vector<ptx::Space> spaces = spaces_of(instruction);
  const std::vector<ptx::Type> types = types_of(instruction);
  AddressUse use{operand, spaces.empty() ? ptx::Space::kNone : spaces.front(), kind};
  if (instruction.parts[0].ends_with("matrix")) {
    use.bytes = kRowBytes;
    use.lanes = lanes_with_rows(instruction);
  } else if (!types.empty()) {
    use.elements = vector_of(instruction);
    use.bytes = use.elements * static_cast<std::uint32_t>(ptx::info(types.back()).bytes);
  }
  return use;
}

// ---- values ------------------------------------------------------------------------------------------
void add_shown(std::vector<const Operand*>& shown, const Operand& operand) {
  if (std::holds_alternative<ptx::Register>(operand.value) ||
      std::holds_alternative<ptx::Immediate>(operand.value))
    shown.push_back(&operand);
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const Operand& element : vector->elements) add_shown(shown, element);
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value))
    for (const Operand& element : pair->elements) add_shown(shown, element);
}

bool is_stored_from(std::string_view name) { return ptx::is_one_of(name, {"st", "red", "stmatrix"}); }

bool has_result(const Instruction& instruction) {
  if (is_block_barrier(instruction)) return ptx::has_part(instruction, "red");
  if (instruction.operands.empty() ||
      ptx::is_one_of(instruction.parts[0], {"bra", "brx", "call", "nanosleep", "setmaxnreg"}))
    return false;
  const auto& first = instruction.operands.front().value;
  return std::holds_alternative<ptx::Register>(first) || std::holds_alternative<ptx::Vector>(first) ||
         std::holds_alternative<ptx::DestinationPair>(first);
}

}  // namespace

std::vector<AddressUse> address_uses(const Instruction& instruction) {
  if (instruction.parts[0] == "cp" && ptx::has_part(instruction, "async") &&
      !ptx::has_part(instruction, "bulk"))
    return uses_of_copy(instruction);
  const auto* row = std::ranges::find(kAddressed, instruction.parts[0], &Addressed::name);
  if (row == std::end(kAddressed)) return {};
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (!is_address(instruction.operands[i])) continue;
    const AddressUse use = use_of(instruction, i, row->kind);
    return use.space == ptx::Space::kParam || use.bytes == 0 ? std::vector<AddressUse>{} : std::vector{use};
  }
  return {};
}

std::vector<const Operand*> shown_operands(const Instruction& instruction) {
  std::vector<const Operand*> shown;
  if (has_result(instruction)) add_shown(shown, instruction.operands.front());
  const bool is_atomic = instruction.parts[0] == "atom";
  if (!is_stored_from(instruction.parts[0]) && !is_atomic) return shown;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) add_shown(shown, instruction.operands[i]);
  return shown;
}

bool is_block_barrier(const Instruction& instruction) {
  return ptx::is_one_of(instruction.parts[0], {"bar", "barrier"}) && !ptx::has_part(instruction, "warp");
}

ptx::Type type_of_operand(const Instruction& instruction, std::size_t operand) {
  const std::vector<ptx::Type> types = types_of(instruction);
  if (types.empty()) return ptx::Type::kNone;
  const bool is_result = operand == 0;
  if (ptx::is_one_of(instruction.parts[0], {"setp", "testp"}) && is_result) return ptx::Type::kPred;
  if (ptx::is_one_of(instruction.parts[0], {"cvt", "set", "slct"}))  // result, then source
    return is_result ? types.front() : types.back();
  if (!ptx::has_part(instruction, "wide") || !is_result) return types.back();
  switch (types.back()) {
    case ptx::Type::kU16: return ptx::Type::kU32;
    case ptx::Type::kS16: return ptx::Type::kS32;
    case ptx::Type::kU32: return ptx::Type::kU64;
    default: return ptx::Type::kS64;
  }
}

}  // namespace cudalab::vgpu
