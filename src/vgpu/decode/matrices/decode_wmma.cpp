// wmma: matrices in fragments whose layout is the machine's own.
#include <bit>
#include <cstdio>

#include "vgpu/decode/matrices/fragments.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/control.h"
#include "vgpu/matrices/wmma.h"

namespace cudalab::vgpu {

// ---- fragments ---------------------------------------------------------------------------------------
void leave_out_implied(std::vector<std::string>& parts) {
  std::erase_if(parts, [](const std::string& part) { return is_one_of(part, {"xor", "popc", "rn"}); });
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

// Which matrix of a product wmma.load or wmma.store moves.
wmma::Tile moved_tile(const ptx::Instruction& instruction, std::string_view which, const ProductShape& shape,
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
  const std::string_view space = part_of(instruction, 7);
  const bool known = shape && (parts.size() == 8 ||
                               (parts.size() == 9 && (space == "global" || space.starts_with("shared"))));
  const auto& operands = instruction.operands;
  const auto* address = std::get_if<ptx::Address>(&operands.at(stores ? 0 : 1).value);
  if (!known || !address) unsupported(instruction);
  wmma::Tile tile =
      moved_tile(instruction, part_of(instruction, 2), *shape, element_of(instruction, parts.back()));
  tile.by_columns = part_of(instruction, 5) == "col";
  wait_for_whole_warp(scope);
  Inst made;
  made.a = scope.operands.generic_address(*address, parts.size() > 8 && space.starts_with("shared"));
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
  std::vector<std::string> parts = instruction.parts;
  wmma::Product product;
  product.types.saturates = std::erase(parts, "satfinite") > 0;
  product.types.ands = std::erase(parts, "and") > 0;
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

// wgmma.*: its operands are described by descriptors of shared memory, for warps of four.
void decode_warpgroup(FunctionScope&, const ptx::Instruction& instruction) {
  throw Unsupported{
      "opcode `" + instruction.opcode +
      "` multiplies matrices with four warps on compute capability 9.0a alone, which the virtual GPU "
      "does not do: use mma or wmma, which every card has"};
}

}  // namespace cudalab::vgpu
