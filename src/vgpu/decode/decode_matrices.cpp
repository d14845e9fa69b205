// Decodes matrix instructions: mma, wmma, and instructions that move their fragments.
#include <bit>
#include <cstdio>
#include <vector>

#include "messages/vgpu.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/control.h"
#include "vgpu/matrices/mma.h"
#include "vgpu/matrices/wmma.h"

namespace cudalab::vgpu {

// Common parts of decoding a warp's matrix instructions.

// All lanes of the warp must take part.
void wait_for_whole_warp(FunctionScope& scope);

// Adds the registers of a fragment, which all have one type.
void add_fragment(FunctionScope& scope, std::vector<Slot>& slots, const ptx::Instruction& instruction,
                  std::size_t operand, int registers, Element element, bool is_result);

// Adds a site per memory space that a generic address may be in. They count no requests, because it is
// unknown how a GPU splits them.
std::uint32_t add_fragment_sites(FunctionScope& scope, bool store, int bytes_per_lane);

// `m16n8k16`
std::optional<ProductShape> shape_named(std::string_view name);

// Removes parts of the opcode that have no alternative.
void leave_out_implied(std::vector<Word>& parts);

// Stores the product and emits the instruction that runs it.
void emit_product(FunctionScope& scope, const MatrixProduct& product, std::vector<Slot> slots, Inst made,
                  Handler run);

// Throws Unsupported for an unknown name.
Element element_of(const ptx::Instruction& instruction, std::string_view name);

// mma, and the instructions that move its matrices: ldmatrix, stmatrix, movmatrix.

namespace {

ProductTypes types_named(const ptx::Instruction& instruction, const std::vector<Word>& parts) {
  ProductTypes types;
  types.d = element_of(instruction, parts[6]);
  types.a = element_of(instruction, parts[7]);
  types.b = element_of(instruction, parts[8]);
  types.c = element_of(instruction, parts[9]);
  return types;
}

// mma.sync.aligned.m8n8k4.{row,col}.{row,col}.DTYPE.f16.f16.CTYPE d, a, b, c
void decode_quads(FunctionScope& scope, const ptx::Instruction& instruction) {
  const std::vector<Word>& parts = instruction.parts;
  const auto is_layout = [](Word part) { return is_one_of(part, {"row", "col"}); };
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
  const std::vector<Word>& parts = instruction.parts;
  return parts.size() == 10 && parts[1] == "sync" && parts[3] == "m8n8k4" && parts[7] == "f16";
}

}  // namespace

// mma.sync.aligned.SHAPE.row.col{.satfinite}.DTYPE.ATYPE.BTYPE.CTYPE{.xor,.and}{.popc} d, a, b, c
void decode_mma(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (is_quads(instruction)) return decode_quads(scope, instruction);
  std::vector<Word> parts = instruction.parts;
  const bool saturates = std::erase(parts, Word("satfinite")) > 0, ands = std::erase(parts, Word("and")) > 0;
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
  std::vector<Word> parts = instruction.parts;
  MatrixMove move;
  move.transposed = std::erase(parts, Word("trans")) > 0;
  move.in_shared = std::erase_if(parts, [](Word part) { return is_shared(part); }) > 0;
  const bool known =
      parts.size() == 6 && parts[3] == "m8n8" && is_one_of(parts[4], {"x1", "x2", "x4"}) && parts[5] == "b16";
  if (!known) unsupported(instruction);
  move.matrices = parts[4].text()[1] - '0';
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
  made.site = add_fragment_sites(scope, stores, mma::kRowBytes) + 1;  // the site for shared memory
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

// wmma: matrices in fragments whose layout PTX does not specify.

// ---- fragments ---------------------------------------------------------------------------------------
void leave_out_implied(std::vector<Word>& parts) {
  std::erase_if(parts, [](Word part) { return is_one_of(part, {"xor", "popc", "rn"}); });
}

void emit_product(FunctionScope& scope, const MatrixProduct& product, std::vector<Slot> slots, Inst made,
                  Handler run) {
  made.imm = scope.program.products.size();
  scope.program.products.push_back(product);
  made.slots = scope.module.keep(std::move(slots));
  scope.code.add(made, run);
}

void wait_for_whole_warp(FunctionScope& scope) {
  wait_for_lanes(scope, ptx::Operand{ptx::Immediate{ptx::Immediate::Kind::kInteger, kAllLanes}},
                 control::gather_lanes);
}

void add_fragment(FunctionScope& scope, std::vector<Slot>& slots, const ptx::Instruction& instruction,
                  std::size_t operand, int registers, Element element, bool is_result) {
  const ptx::Operand& given = instruction.operands.at(operand);
  const auto* vector = std::get_if<ptx::Vector>(&given.value);
  const std::size_t count = vector ? vector->elements.size() : 1;
  if (count != static_cast<std::size_t>(registers)) wrong_operands(instruction);
  const ptx::Type type = register_bits(element) == 64 ? ptx::Type::kF64 : ptx::Type::kB32;
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Operand& one = vector ? vector->elements[i] : given;
    slots.push_back(is_result ? scope.operands.result(one, type) : scope.operands.source(one, type));
  }
}

std::uint32_t add_fragment_sites(FunctionScope& scope, bool store, int bytes_per_lane) {
  std::uint32_t last = 0;
  const auto kinds = store ? std::array{SiteKind::kGlobalStore, SiteKind::kSharedStore, SiteKind::kLocalStore}
                           : std::array{SiteKind::kGlobalLoad, SiteKind::kSharedLoad, SiteKind::kLocalLoad};
  for (const SiteKind kind : kinds) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = bytes_per_lane;
    site.merged_bytes = 0;
    site.residue_mask = kSectorBytes - 1;
    site.index_shift =
        static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(std::max(bytes_per_lane, 4))));
    last = scope.add_site(site);
  }
  return last + 1 - static_cast<std::uint32_t>(kinds.size());
}

std::optional<ProductShape> shape_named(std::string_view name) {
  ProductShape shape;
  int consumed = 0;
  const std::string text(name);
  const int found = std::sscanf(text.c_str(), "m%dn%dk%d%n", &shape.m, &shape.n, &shape.k, &consumed);
  if (found != 3 || static_cast<std::size_t>(consumed) != text.size()) return std::nullopt;
  return shape;
}

Element element_of(const ptx::Instruction& instruction, std::string_view name) {
  const auto element = element_named(name);
  if (!element) unsupported(instruction);
  return *element;
}

namespace {

// The matrix of a product that wmma.load or wmma.store moves.
wmma::Tile moved_tile(const ptx::Instruction& instruction, Word which, const ProductShape& shape,
                      Element element) {
  wmma::Product product;
  product.shape = shape;
  const bool is_factor = which == "a" || which == "b";
  product.types.a = product.types.b = is_factor ? element : Element{};
  const wmma::Tile tile = which == "a" ? product.a() : which == "b" ? product.b() : product.sum(element);
  if (!wmma::is_tile(shape, element, is_factor)) unsupported(instruction);
  return tile;
}

}  // namespace

// wmma.load.{a,b,c}.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE {registers}, [from]{, stride}
// wmma.store.d.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE [to], {registers}{, stride}
void decode_wmma(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  const bool stores = parts.at(1) == "store";
  const auto shape = shape_named(part_of(instruction, 6));
  const Word space = part_of(instruction, 7);
  const bool known =
      shape && (parts.size() == 8 || (parts.size() == 9 && (space == "global" || is_shared(space))));
  const auto& operands = instruction.operands;
  const auto* address = std::get_if<ptx::Address>(&operands.at(stores ? 0 : 1).value);
  if (!known || !address) unsupported(instruction);
  wmma::Tile tile =
      moved_tile(instruction, part_of(instruction, 2), *shape, element_of(instruction, parts.back()));
  tile.by_columns = part_of(instruction, 5) == "col";
  wait_for_whole_warp(scope);
  Inst made;
  made.a = scope.operands.generic_address(*address, parts.size() > 8 && space != "global");
  made.b = operands.size() > 2 ? scope.operands.source(operands.at(2), ptx::Type::kU32)
                               : scope.operands.constant(static_cast<std::uint64_t>(tile.length()), 4);
  made.imm = std::bit_cast<std::uint64_t>(tile);
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, stores ? 1 : 0, tile.registers, tile.element, !stores);
  made.slots = scope.module.keep(std::move(slots));
  made.site = add_fragment_sites(scope, stores, tile.chunk_bytes());
  scope.code.add(made, stores ? wmma::store : wmma::load);
}

// wmma.mma.sync.aligned.ALAYOUT.BLAYOUT.SHAPE.DTYPE.CTYPE {d}, {a}, {b}, {c}: of f16
// wmma.mma{.xor,.and}{.popc}.sync.aligned.ALAYOUT.BLAYOUT.SHAPE.DTYPE.ATYPE.BTYPE.CTYPE{.satfinite,.rn} …
void decode_wmma_multiply(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<Word> parts = instruction.parts;
  wmma::Product product;
  product.types.saturates = std::erase(parts, Word("satfinite")) > 0;
  product.types.ands = std::erase(parts, Word("and")) > 0;
  leave_out_implied(parts);
  const auto shape = parts.size() == 9 || parts.size() == 11 ? shape_named(parts[6]) : std::nullopt;
  if (!shape) unsupported(instruction);
  product.shape = *shape;
  product.types.d = element_of(instruction, parts[7]);
  product.types.c = element_of(instruction, parts.back());
  product.types.a = parts.size() == 9 ? Element::kF16 : element_of(instruction, parts[8]);
  product.types.b = parts.size() == 9 ? Element::kF16 : element_of(instruction, parts[9]);
  if (!wmma::is_known(product)) unsupported(instruction);
  wait_for_whole_warp(scope);
  std::vector<Slot> slots;
  const auto add = [&](std::size_t operand, const wmma::Tile& tile) {
    add_fragment(scope, slots, instruction, operand, tile.registers, tile.element, operand == 0);
  };
  add(0, product.sum(product.types.d));
  add(1, product.a());
  add(2, product.b());
  add(3, product.sum(product.types.c));
  emit_product(scope, product, std::move(slots), {}, wmma::multiply);
}

// wgmma.* is not supported: its operands are given by shared memory descriptors, and it is executed by groups
// of four warps.
void decode_warpgroup(FunctionScope&, const ptx::Instruction& instruction) {
  throw Unsupported{msg::opcode_warpgroup_unsupported(Code{instruction.opcode})};
}

}  // namespace cudalab::vgpu
