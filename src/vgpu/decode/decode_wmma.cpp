// Matrix instructions of half precision, with sums in half or single precision: wmma, mma, ldmatrix.
#include <algorithm>
#include <bit>

#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/opcode_names.h"
#include "vgpu/execute/control.h"
#include "vgpu/matrices/mma.h"
#include "vgpu/matrices/wmma.h"

namespace cudalab::vgpu {
namespace {

struct TileShape {
  std::string_view name;
  std::uint8_t m, n, k;
};
constexpr TileShape kShapes[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}};

const TileShape* shape_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kShapes), std::end(kShapes),
                                  [&](const TileShape& shape) { return shape.name == name; });
  return found == std::end(kShapes) ? nullptr : found;
}

// 0 for other types.
std::uint8_t element_bytes(std::string_view type) { return type == "f16" ? 2 : type == "f32" ? 4 : 0; }

// All lanes of the warp take part.
void wait_for_whole_warp(FunctionScope& scope) {
  wait_for_lanes(scope, ptx::Operand{ptx::Immediate{ptx::Immediate::Kind::kInteger, kAllLanes}},
                 control::gather_lanes);
}

// The registers of a fragment; all of one type.
void add_fragment(FunctionScope& scope, std::vector<Slot>& slots, const ptx::Instruction& instruction,
                  std::size_t operand, std::size_t registers, bool is_result) {
  const auto* vector = std::get_if<ptx::Vector>(&instruction.operands.at(operand).value);
  if (!vector || vector->elements.size() != registers) unsupported(instruction);
  for (const ptx::Operand& element : vector->elements)
    slots.push_back(is_result ? scope.operands.result(element, ptx::Type::kB32)
                              : scope.operands.source(element, ptx::Type::kB32));
}

// One a space that a generic address may be in. They count no requests: how the card splits them is not
// known.
std::uint32_t add_fragment_sites(FunctionScope& scope, bool store) {
  std::uint32_t last = 0;
  const auto kinds = store ? std::array{SiteKind::kGlobalStore, SiteKind::kSharedStore, SiteKind::kLocalStore}
                           : std::array{SiteKind::kGlobalLoad, SiteKind::kSharedLoad, SiteKind::kLocalLoad};
  for (const SiteKind kind : kinds) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = 16;
    site.merged_bytes = 0;
    site.residue_mask = kSectorBytes - 1;
    site.index_shift = 4;
    last = scope.add_site(site);
  }
  return last + 1 - static_cast<std::uint32_t>(kinds.size());
}

}  // namespace

// wmma.load.{a,b,c}.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE {registers}, [from]{, stride}
// wmma.store.d.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE [to], {registers}{, stride}
void decode_wmma(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  const bool stores = parts.at(1) == "store";
  const TileShape* shape = shape_named(part_of(instruction, 6));
  const std::uint8_t bytes = element_bytes(parts.back());
  const std::string_view which = part_of(instruction, 2), space = part_of(instruction, 7);
  const bool is_factor = which == "a" || which == "b";
  const bool known = shape && bytes && (!is_factor || bytes == 2) &&
                     (parts.size() == 8 || space == "global" || space.starts_with("shared"));
  const auto& operands = instruction.operands;
  const auto* address = std::get_if<ptx::Address>(&operands.at(stores ? 0 : 1).value);
  if (!known || !address) unsupported(instruction);
  wait_for_whole_warp(scope);
  wmma::Tile tile;
  tile.rows = which == "b" ? shape->k : shape->m;
  tile.columns = which == "a" ? shape->k : shape->n;
  tile.element_bytes = bytes;
  tile.registers = !is_factor && bytes == 2 ? 4 : 8;
  tile.by_columns = part_of(instruction, 5) == "col";
  Inst made;
  made.a = scope.operands.generic_address(*address, parts.size() > 8 && space.starts_with("shared"));
  made.b = operands.size() > 2 ? scope.operands.source(operands.at(2), ptx::Type::kU32)
                               : scope.operands.constant(static_cast<std::uint64_t>(tile.length()), 4);
  made.imm = std::bit_cast<std::uint64_t>(tile);
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, stores ? 1 : 0, tile.registers, !stores);
  made.slots = scope.module.keep(std::move(slots));
  made.site = add_fragment_sites(scope, stores);
  scope.code.add(made, stores ? wmma::store : wmma::load);
}

// wmma.mma.sync.aligned.ALAYOUT.BLAYOUT.SHAPE.DTYPE.CTYPE {d}, {a}, {b}, {c}
void decode_wmma_multiply(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  const TileShape* shape = parts.size() == 9 ? shape_named(parts.at(6)) : nullptr;
  if (!shape || !element_bytes(parts.at(7)) || !element_bytes(parts.at(8))) unsupported(instruction);
  wait_for_whole_warp(scope);
  wmma::Multiplication product;
  product.m = shape->m, product.n = shape->n, product.k = shape->k;
  product.d_bytes = element_bytes(parts.at(7)), product.c_bytes = element_bytes(parts.at(8));
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, 0, product.sum(product.d_bytes).registers, true);
  add_fragment(scope, slots, instruction, 1, product.a().registers, false);
  add_fragment(scope, slots, instruction, 2, product.b().registers, false);
  add_fragment(scope, slots, instruction, 3, product.sum(product.c_bytes).registers, false);
  Inst made;
  made.imm = std::bit_cast<std::uint64_t>(product);
  made.slots = scope.module.keep(std::move(slots));
  scope.code.add(made, wmma::multiply);
}

// mma.sync.aligned.m16n8k{8,16}.row.col.DTYPE.{f16,bf16}.{f16,bf16}.CTYPE d, a, b, c
void decode_mma(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (parts.size() != 10) unsupported(instruction);
  const std::string &shape = parts.at(3), &d = parts.at(6), &a = parts.at(7), &b = parts.at(8),
                    &c = parts.at(9);
  const bool known = parts.at(1) == "sync" && (shape == "m16n8k16" || shape == "m16n8k8") &&
                     parts.at(4) == "row" && part_of(instruction, 5) == "col" && a == b &&
                     (a == "f16" || a == "bf16") && element_bytes(c) && element_bytes(d);
  if (!known) unsupported(instruction);
  wait_for_whole_warp(scope);
  mma::Product product;
  product.k = shape == "m16n8k8" ? 8 : 16;
  product.is_bfloat = a == "bf16";
  product.c_is_half = c == "f16", product.d_is_half = d == "f16";
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, 0,
               static_cast<std::size_t>(mma::Product::sum_registers(product.d_is_half)), true);
  add_fragment(scope, slots, instruction, 1, static_cast<std::size_t>(product.a_registers()), false);
  add_fragment(scope, slots, instruction, 2, static_cast<std::size_t>(product.b_registers()), false);
  add_fragment(scope, slots, instruction, 3,
               static_cast<std::size_t>(mma::Product::sum_registers(product.c_is_half)), false);
  Inst made;
  made.imm = std::bit_cast<std::uint64_t>(product);
  made.slots = scope.module.keep(std::move(slots));
  scope.code.add(made, mma::multiply);
}

// wgmma.*: its operands are described by descriptors of shared memory, for warps of four.
void decode_warpgroup(FunctionScope&, const ptx::Instruction& instruction) {
  throw Unsupported{
      "opcode `" + instruction.opcode +
      "` multiplies matrices with four warps on compute capability 9.0a alone, which the virtual GPU "
      "does not do: use mma or wmma, which every card has"};
}

// ldmatrix.sync.aligned.m8n8.x{1,2,4}{.trans}{.shared}.b16 registers, [address]
void decode_load_matrices(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<std::string> parts = instruction.parts;
  const bool transposed = std::erase(parts, "trans") > 0;
  const bool in_shared =
      std::erase_if(parts, [](const std::string& part) { return part.starts_with("shared"); }) > 0;
  const std::string count = parts.size() == 6 ? parts.at(4) : "";
  const auto& operands = instruction.operands;
  const auto* address = std::get_if<ptx::Address>(&operands.at(1).value);
  const bool known =
      (count == "x1" || count == "x2" || count == "x4") && parts.at(3) == "m8n8" && parts.back() == "b16";
  if (!known || !address) unsupported(instruction);
  wait_for_whole_warp(scope);
  const auto matrices = static_cast<std::size_t>(count[1] - '0');
  Inst made;
  made.a = scope.operands.generic_address(*address, in_shared);
  made.imm = matrices | (transposed ? mma::kTransposed : 0);
  std::vector<Slot> slots;
  add_fragment(scope, slots, instruction, 0, matrices, true);
  made.slots = scope.module.keep(std::move(slots));
  made.site = add_fragment_sites(scope, false) + 1;  // shared memory alone
  scope.code.add(made, mma::load_matrices);
}

}  // namespace cudalab::vgpu
