// mma, and what moves its matrices: ldmatrix, stmatrix, movmatrix.
#include "vgpu/decode/matrices/fragments.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/matrices/mma.h"
#include "vgpu/matrices/quads.h"

namespace cudalab::vgpu {

namespace {

ProductTypes types_named(const ptx::Instruction& instruction, const std::vector<std::string>& parts) {
  ProductTypes types;
  types.d = element_of(instruction, parts[6]);
  types.a = element_of(instruction, parts[7]);
  types.b = element_of(instruction, parts[8]);
  types.c = element_of(instruction, parts[9]);
  return types;
}

// mma.sync.aligned.m8n8k4.{row,col}.{row,col}.DTYPE.f16.f16.CTYPE d, a, b, c
void decode_quads(FunctionScope& scope, const ptx::Instruction& instruction) {
  const std::vector<std::string>& parts = instruction.parts;
  const auto is_layout = [](const std::string& part) { return is_one_of(part, {"row", "col"}); };
  const ProductTypes types = types_named(instruction, parts);
  if (!is_layout(parts[4]) || !is_layout(parts[5]) || types.b != Element::kF16 ||
      !mma::has_quad_sums(types.c, types.d))
    unsupported(instruction);
  wait_for_whole_warp(scope);
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, 0, mma::quad_sum_registers(types.d), types.d, true);
  add_fragment(scope, slots, instruction, 1, mma::kQuadFactorRegisters, types.a, false);
  add_fragment(scope, slots, instruction, 2, mma::kQuadFactorRegisters, types.b, false);
  add_fragment(scope, slots, instruction, 3, mma::quad_sum_registers(types.c), types.c, false);
  Inst made;
  made.e.bits = (parts[4] == "col" ? mma::kColumnsOfA : 0u) | (parts[5] == "col" ? mma::kColumnsOfB : 0u);
  emit_product(scope, {types, mma::kQuadShape}, std::move(slots), made, mma::multiply_quads);
}

bool is_quads(const ptx::Instruction& instruction) {
  const std::vector<std::string>& parts = instruction.parts;
  return parts.size() == 10 && parts[1] == "sync" && parts[3] == "m8n8k4" && parts[7] == "f16";
}

}  // namespace

// mma.sync.aligned.SHAPE.row.col{.satfinite}.DTYPE.ATYPE.BTYPE.CTYPE{.xor,.and}{.popc} d, a, b, c
void decode_mma(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (is_quads(instruction)) return decode_quads(scope, instruction);
  std::vector<std::string> parts = instruction.parts;
  const bool saturates = std::erase(parts, "satfinite") > 0, ands = std::erase(parts, "and") > 0;
  leave_out_implied(parts);
  const bool has_form = parts.size() == 10 && parts[1] == "sync" && parts[4] == "row" && parts[5] == "col";
  const auto shape = has_form ? shape_named(parts[3]) : std::nullopt;
  if (!shape) unsupported(instruction);
  mma::Product product{{types_named(instruction, parts), *shape}};
  product.types.saturates = saturates;
  product.types.ands = ands;
  if (!mma::is_known(product)) unsupported(instruction);
  wait_for_whole_warp(scope);
  std::vector<Slot> slots;
  const auto& types = product.types;
  add_fragment(scope, slots, instruction, 0, product.sum_registers(types.d), types.d, true);
  add_fragment(scope, slots, instruction, 1, product.a_registers(), types.a, false);
  add_fragment(scope, slots, instruction, 2, product.b_registers(), types.b, false);
  add_fragment(scope, slots, instruction, 3, product.sum_registers(types.c), types.c, false);
  emit_product(scope, product, std::move(slots), {}, mma::multiply);
}

namespace {

struct MatrixMove {
  int matrices = 0;
  bool transposed = false, in_shared = false;
};

// {ldmatrix,stmatrix}.sync.aligned.m8n8.x{1,2,4}{.trans}{.shared{::cta}}.b16
MatrixMove parse_move(const ptx::Instruction& instruction) {
  std::vector<std::string> parts = instruction.parts;
  MatrixMove move;
  move.transposed = std::erase(parts, "trans") > 0;
  move.in_shared =
      std::erase_if(parts, [](const std::string& part) { return part.starts_with("shared"); }) > 0;
  const bool known =
      parts.size() == 6 && parts[3] == "m8n8" && is_one_of(parts[4], {"x1", "x2", "x4"}) && parts[5] == "b16";
  if (!known) unsupported(instruction);
  move.matrices = parts[4][1] - '0';
  return move;
}

void move_matrices(FunctionScope& scope, const ptx::Instruction& instruction, bool stores) {
  const MatrixMove move = parse_move(instruction);
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(stores ? 0 : 1).value);
  if (!address) wrong_operands(instruction);
  wait_for_whole_warp(scope);
  Inst made;
  made.a = scope.operands.generic_address(*address, move.in_shared);
  made.imm = static_cast<std::uint64_t>(move.matrices) | (move.transposed ? mma::kTransposed : 0);
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, stores ? 1 : 0, move.matrices, Element::kF16, !stores);
  made.slots = scope.module.keep(std::move(slots));
  made.site = add_fragment_sites(scope, stores, mma::kRowBytes) + 1;  // shared memory alone
  scope.code.add(made, stores ? mma::store_matrices : mma::load_matrices);
}

}  // namespace

// ldmatrix… registers, [address];   stmatrix… [address], registers
void decode_load_matrices(FunctionScope& scope, const ptx::Instruction& instruction) {
  move_matrices(scope, instruction, false);
}
void decode_store_matrices(FunctionScope& scope, const ptx::Instruction& instruction) {
  move_matrices(scope, instruction, true);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
void decode_transpose_matrix(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (instruction.opcode != "movmatrix.sync.aligned.m8n8.trans.b16") unsupported(instruction);
  wait_for_whole_warp(scope);
  Inst made;
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kB32);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kB32);
  scope.code.add(made, mma::transpose_matrix);
}

}  // namespace cudalab::vgpu
