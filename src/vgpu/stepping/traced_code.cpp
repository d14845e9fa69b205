// Describes the instructions of a program for traces: what they read and write, and the types of the values.
#include "vgpu/stepping/traced_code.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "ptx/opcode_parts.h"
#include "ptx/text.h"

namespace cudalab::vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool is_address(const Operand& operand) { return std::holds_alternative<ptx::Address>(operand.value); }

// ---- memory ------------------------------------------------------------------------------------------
// The kind of an instruction with one address per lane.
std::optional<AccessKind> kind_of(const Instruction& instruction) {
  if (instruction.parts[0] == "wmma") return std::nullopt;  // the warp has one address
  switch (instruction.facts->access) {
    case ptx::Access::kLoad: return AccessKind::kLoad;
    case ptx::Access::kStore: return AccessKind::kStore;
    case ptx::Access::kAtomic: return AccessKind::kAtomic;
    case ptx::Access::kReduction: return AccessKind::kReduction;
    default: return std::nullopt;
  }
}

ptx::Space space_of(ptx::Word part) {
  if (part == "global") return ptx::Space::kGlobal;
  if (ptx::is_one_of(part, {"shared", "shared::cta", "shared::cluster"})) return ptx::Space::kShared;
  if (part == "local") return ptx::Space::kLocal;
  if (part == "const") return ptx::Space::kConst;
  return ptx::is_one_of(part, {"param", "param::entry", "param::func"}) ? ptx::Space::kParam
                                                                        : ptx::Space::kNone;
}

std::vector<ptx::Space> spaces_of(const Instruction& instruction) {
  std::vector<ptx::Space> spaces;
  for (const ptx::Word part : instruction.parts)
    if (const ptx::Space space = space_of(part); space != ptx::Space::kNone) spaces.push_back(space);
  return spaces;
}

std::vector<ptx::Type> types_of(const Instruction& instruction) {
  std::vector<ptx::Type> types;
  for (const ptx::Word part : instruction.parts)
    if (const auto type = ptx::type_named(part)) types.push_back(*type);
  return types;
}

std::uint32_t vector_of(const Instruction& instruction) {
  for (const auto& [part, elements] :
       {std::pair{ptx::Word("v2"), 2u}, {ptx::Word("v4"), 4u}, {ptx::Word("v8"), 8u}})
    if (ptx::has_part(instruction, part)) return elements;
  return 1;
}

// For ldmatrix and stmatrix: each lane passes the address of a row of 16 bytes, 8 lanes per matrix.
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
  if (ptx::is_one_of(instruction.parts[0], {"ldmatrix", "stmatrix"})) {
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

bool has_result(const Instruction& instruction) {
  if (instruction.operands.empty() || !instruction.facts->has_result) return false;
  const auto& first = instruction.operands.front().value;
  return std::holds_alternative<ptx::Register>(first) || std::holds_alternative<ptx::Vector>(first) ||
         std::holds_alternative<ptx::DestinationPair>(first);
}

}  // namespace

std::vector<AddressUse> address_uses(const Instruction& instruction) {
  if (instruction.parts[0] == "cp" && ptx::has_part(instruction, "async") &&
      !ptx::has_part(instruction, "bulk"))
    return uses_of_copy(instruction);
  const auto kind = kind_of(instruction);
  if (!kind) return {};
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (!is_address(instruction.operands[i])) continue;
    const AddressUse use = use_of(instruction, i, *kind);
    return use.space == ptx::Space::kParam || use.bytes == 0 ? std::vector<AddressUse>{} : std::vector{use};
  }
  return {};
}

std::vector<const Operand*> shown_operands(const Instruction& instruction) {
  std::vector<const Operand*> shown;
  if (has_result(instruction)) add_shown(shown, instruction.operands.front());
  const auto kind = kind_of(instruction);
  if (!kind || *kind == AccessKind::kLoad) return shown;
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
  if (ptx::is_one_of(instruction.parts[0], {"cvt", "set", "slct"}))  // result type, then source type
    return is_result ? types.front() : types.back();
  if (!ptx::has_part(instruction, "wide") || !is_result) return types.back();
  switch (types.back()) {
    case ptx::Type::kU16: return ptx::Type::kU32;
    case ptx::Type::kS16: return ptx::Type::kS32;
    case ptx::Type::kU32: return ptx::Type::kU64;
    default: return ptx::Type::kS64;
  }
}

namespace {

constexpr int kRounds = 8;  // propagates types through copies of copies, also around loops

// Instructions whose result equals one of their sources, whatever its type.
bool is_copy(const ptx::Instruction& instruction) {
  return ptx::is_one_of(instruction.parts[0], {"mov", "selp", "shfl"});
}

const ptx::Register* register_in(const ptx::Operand& operand) {
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value))
    return std::get_if<ptx::Register>(&pair->elements.front().value);
  return std::get_if<ptx::Register>(&operand.value);
}

// For a copy: excludes the last source, which is a predicate or a lane number.
std::size_t end_of_copied(const ptx::Instruction& instruction) {
  return instruction.parts[0] == "selp" ? std::min<std::size_t>(3, instruction.operands.size())
                                        : std::min<std::size_t>(2, instruction.operands.size());
}

}  // namespace

bool is_mere_bits(ptx::Type type) {
  return type == ptx::Type::kB8 || type == ptx::Type::kB16 || type == ptx::Type::kB32 ||
         type == ptx::Type::kB64 || type == ptx::Type::kNone;
}

ValueTypes::ValueTypes(const ptx::Function& function) {
  bool learnt = true;
  for (int round = 0; round < kRounds && learnt; ++round) {
    learnt = false;
    for (const ptx::Statement& statement : function.body)
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
        learnt = learn(*instruction) || learnt;
  }
}

ptx::Type ValueTypes::of(const std::string& name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? ptx::Type::kNone : found->second;
}

bool ValueTypes::note(const std::string& name, ptx::Type type) {
  return !is_mere_bits(type) && types_.emplace(name, type).second;
}

bool ValueTypes::learn(const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  bool learnt = false;
  if (is_copy(instruction)) {
    ptx::Type type = type_of_operand(instruction, 1);
    for (std::size_t i = 0; i < end_of_copied(instruction); ++i)
      if (const auto* name = register_in(operands[i]); name && is_mere_bits(type)) type = of(name->name);
    for (std::size_t i = 0; i < end_of_copied(instruction); ++i)
      if (const auto* name = register_in(operands[i])) learnt = note(name->name, type) || learnt;
    return learnt;
  }
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (const auto* name = register_in(operands[i]))
      learnt = note(name->name, type_of_operand(instruction, i)) || learnt;
  if (ptx::is_one_of(instruction.parts[0], {"ld", "st"}))
    for (const ptx::Operand& operand : operands)
      if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
        for (const ptx::Operand& element : vector->elements)
          if (const auto* name = register_in(element))
            learnt = note(name->name, type_of_operand(instruction, 0)) || learnt;
  return learnt;
}

namespace {

std::optional<std::uint32_t> number_behind(const std::string& name, const NamedRegisters& range) {
  if (range.count == 0 || !name.starts_with(range.name)) return std::nullopt;
  const char *begin = name.data() + range.name.size(), *end = name.data() + name.size();
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(begin, end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || number >= range.count) return std::nullopt;
  return number;
}

std::size_t number_bytes(const ptx::Immediate& number) {
  return number.kind == ptx::Immediate::Kind::kF64Bits ? 8 : 4;
}

}  // namespace

std::optional<RegisterPlace> place_of_register(const FunctionCode& function, const std::string& name) {
  for (const NamedRegisters& range : function.registers) {
    if (range.count == 0 && range.name == name)
      return RegisterPlace{range.type, range.lane_bytes, offset_of(range.first)};
    if (const auto number = number_behind(name, range))
      return RegisterPlace{range.type, range.lane_bytes, offset_of(range.first) + *number * range.step};
  }
  return std::nullopt;
}

LaneBits read_lanes(const std::byte* frame, const RegisterPlace& place) {
  LaneBits lanes{};
  std::uint32_t predicates = 0;
  if (place.lane_bytes == 0) std::memcpy(&predicates, frame + place.offset, sizeof predicates);
  const std::size_t kept = std::min<std::size_t>(place.lane_bytes, sizeof lanes[0]);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (place.lane_bytes == 0)
      lanes[lane] = predicates >> lane & 1;
    else
      std::memcpy(&lanes[lane], frame + place.offset + lane * place.lane_bytes, kept);
  }
  return lanes;
}

void write_lane(std::byte* frame, const RegisterPlace& place, std::uint32_t lane, std::uint64_t bits) {
  if (place.lane_bytes > 0) {
    const std::size_t kept = std::min<std::size_t>(place.lane_bytes, sizeof bits);
    std::memcpy(frame + place.offset + lane * place.lane_bytes, &bits, kept);
    return;
  }
  std::uint32_t predicates = 0;
  std::memcpy(&predicates, frame + place.offset, sizeof predicates);
  predicates = bits ? predicates | 1u << lane : predicates & ~(1u << lane);
  std::memcpy(frame + place.offset, &predicates, sizeof predicates);
}

std::vector<ListedInstruction> listing_of(const ptx::Module& text) {
  std::vector<ListedInstruction> listing;
  for (const ptx::Function& function : text.functions) {
    std::string label;
    for (std::size_t i = 0; i < function.body.size(); ++i) {
      if (const auto* named = std::get_if<ptx::Label>(&function.body[i])) label = named->name;
      const auto* instruction = std::get_if<ptx::Instruction>(&function.body[i]);
      if (!instruction) continue;
      ListedInstruction& listed = listing.emplace_back();
      listed.code = {ptx::to_text(*instruction), function.name, instruction->where, instruction->inlined_at};
      listed.code.statement = static_cast<std::uint32_t>(i);
      listed.label = std::exchange(label, "");
    }
  }
  return listing;
}

const TracedCode::KnownFunction& TracedCode::known(const FunctionCode& function) {
  KnownFunction& entry = functions_[&function];
  if (entry.source) return entry;
  entry.source = text_.find_function(function.name);
  if (!entry.source) throw std::logic_error("a trace of a module that this text is not of");
  entry.types = std::make_unique<ValueTypes>(*entry.source);
  return entry;
}

void TracedCode::add_value(const ptx::Operand& operand, const FunctionCode& function, const ValueTypes& types,
                           TracedInstruction& traced, Entry& entry) const {
  if (const auto* number = std::get_if<ptx::Immediate>(&operand.value)) {
    const ptx::Type type = number->kind == ptx::Immediate::Kind::kInteger   ? ptx::Type::kS64
                           : number->kind == ptx::Immediate::Kind::kF32Bits ? ptx::Type::kF32
                                                                            : ptx::Type::kF64;
    traced.values.push_back(
        {ptx::to_text(operand), type, static_cast<std::uint32_t>(number_bytes(*number)), true});
    entry.places.emplace_back();
    entry.numbers.push_back(number->bits);
    return;
  }
  const std::string& name = std::get<ptx::Register>(operand.value).name;
  const auto place = place_of_register(function, name);
  if (!place) return;  // a special register
  const ptx::Type known = is_mere_bits(place->type) ? types.of(name) : place->type;
  traced.values.push_back({name, known == ptx::Type::kNone ? place->type : known, place->lane_bytes, false});
  entry.places.push_back(*place);
  entry.numbers.push_back(0);
}

std::uint32_t TracedCode::describe(const FunctionCode& function, std::uint32_t statement) {
  const auto [found, is_new] =
      index_.try_emplace({&function, statement}, static_cast<std::uint32_t>(entries_.size()));
  if (!is_new) return found->second;
  const KnownFunction& of = known(function);
  const auto& instruction = std::get<ptx::Instruction>(of.source->body.at(statement));
  TracedInstruction& traced = instructions_.emplace_back();
  Entry& entry = entries_.emplace_back();
  traced.text = ptx::to_text(instruction);
  traced.function = function.name;
  traced.where = instruction.where;
  traced.inlined_at = instruction.inlined_at;
  traced.statement = statement;
  entry.instruction = &instruction;
  entry.uses = address_uses(instruction);
  entry.is_barrier = is_block_barrier(instruction);
  for (const ptx::Operand* operand : shown_operands(instruction))
    add_value(*operand, function, *of.types, traced, entry);
  return found->second;
}

}  // namespace cudalab::vgpu
