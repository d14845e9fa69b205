#include "vgpu/decode/async/async_operands.h"

#include "vgpu/decode/reading/opcode_names.h"

namespace cudalab::vgpu {

std::optional<std::uint64_t> number_in(const ptx::Operand& operand) {
  const auto* literal = std::get_if<ptx::Immediate>(&operand.value);
  if (!literal || literal->kind != ptx::Immediate::Kind::kInteger) return std::nullopt;
  return literal->bits;
}

Slot address_operand(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t operand,
                     std::string_view space) {
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(operand).value);
  if (!address || !address->coordinates.empty()) wrong_operands(instruction);
  return scope.operands.generic_address(*address, space.starts_with("shared"));
}

std::uint32_t add_uncounted_site(FunctionScope& scope, SiteKind kind, int bytes) {
  SiteInfo site;
  site.kind = kind;
  site.bytes_per_lane = bytes;
  site.merged_bytes = 0;
  return scope.add_site(site);
}

}  // namespace cudalab::vgpu
