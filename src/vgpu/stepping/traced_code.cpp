#include "vgpu/stepping/traced_code.h"

#include <charconv>
#include <cstring>

#include "ptx/text.h"

namespace cudalab::vgpu {
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
  entry.instruction = &instruction;
  entry.uses = address_uses(instruction);
  entry.is_barrier = is_block_barrier(instruction);
  for (const ptx::Operand* operand : shown_operands(instruction))
    add_value(*operand, function, *of.types, traced, entry);
  return found->second;
}

}  // namespace cudalab::vgpu
