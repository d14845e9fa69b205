// Decodes tex, tld4, txq, suld, sust and suq: texture, coordinates and registers. Textures and surfaces are
// objects; references (`.texref` variables) are refused.
#include <algorithm>

#include "messages/vgpu.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"

namespace cudalab::vgpu {
namespace {

struct Geometry {
  std::string_view name;
  int dimensions;
  bool has_layer;
  bool is_cube = false;
};
constexpr Geometry kGeometries[] = {{"1d", 1, false},        {"2d", 2, false}, {"3d", 3, false},
                                    {"a1d", 1, true},        {"a2d", 2, true}, {"cube", 2, false, true},
                                    {"acube", 2, true, true}};

bool set_geometry(TextureOp& op, std::string_view name) {
  const auto found = std::ranges::find(kGeometries, name, &Geometry::name);
  if (found == std::end(kGeometries)) return false;
  op.dimensions = found->dimensions;
  op.has_layer = found->has_layer;
  op.is_cube = found->is_cube;
  op.is_layered = op.has_layer || op.is_cube;
  return true;
}

const ptx::Address& address_in(const ptx::Operand& operand) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (!address || !std::holds_alternative<std::monostate>(address->sampler))
    throw Unsupported{msg::texture_with_sampler()};
  return *address;
}

ptx::Operand as_operand(const std::variant<ptx::Register, ptx::Immediate>& coordinate) {
  if (const auto* name = std::get_if<ptx::Register>(&coordinate)) return {*name};
  return {std::get<ptx::Immediate>(coordinate)};
}

// [a, {x}], [a, {x, y}], [a, {x, y, z, unused}], [a, {layer, x}], [a, {layer, x, y, unused}],
// [a, {layer, x, y, z}]
void set_texel_address(FunctionScope& scope, TextureOp& op, Inst& made, const ptx::Instruction& instruction,
                       std::size_t operand) {
  const ptx::Address& address = address_in(instruction.operands[operand]);
  const auto* symbol = std::get_if<ptx::Symbol>(&address.base);
  if (symbol && !scope.declarations.find_register(symbol->name))
    throw Unsupported{msg::texture_reference_unsupported(Code{symbol->name})};
  const std::size_t first = op.has_layer ? 1 : 0, count = op.coordinate_count();
  if (address.coordinates.size() < first + count) wrong_operands(instruction);
  made.a = scope.operands.wide_address(address);
  const auto coordinate = [&](std::size_t index, ptx::Type type) {
    return scope.operands.source(as_operand(address.coordinates[index]), type);
  };
  if (op.has_layer) op.layer = coordinate(0, ptx::Type::kU32);
  const ptx::Type type = op.has_float_coordinates ? ptx::Type::kF32 : ptx::Type::kS32;
  for (std::size_t d = 0; d < count; ++d) op.coordinates[d] = coordinate(first + d, type);
}

void finish_texture(FunctionScope& scope, TextureOp op, Inst& made, const std::string& row, SiteKind kind) {
  SiteInfo site;
  site.kind = kind;
  // The texel size is only known from the texture; 4 keeps the race checks from tracking single bytes.
  site.bytes_per_lane = kind == SiteKind::kTexture ? 4 : static_cast<int>(op.access_bytes());
  made.site = scope.add_site(site);
  scope.traits.asks_outside = true;
  made.imm = scope.program.texture_ops.size();
  scope.program.texture_ops.push_back(std::move(op));
  scope.code.add(made, internal_row(row));
}

// Four results of 32 bits each.
void set_texel_results(FunctionScope& scope, TextureOp& op, const ptx::Instruction& instruction, Word type) {
  const auto* results = std::get_if<ptx::Vector>(&instruction.operands.at(0).value);
  if (!results || results->elements.size() != 4 || !is_one_of(type, {"f32", "s32", "u32"}))
    unsupported(instruction);
  for (std::size_t i = 0; i < 4; ++i)
    op.values[i] = scope.operands.result(results->elements[i], *ptx::type_named(type));
  op.value_count = 4;
}

void set_surface_values(FunctionScope& scope, TextureOp& op, const ptx::Instruction& instruction,
                        ptx::Type type, bool writes) {
  const ptx::Operand& operand = instruction.operands.at(writes ? 1 : 0);
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  const auto count = static_cast<std::size_t>(op.value_count);
  if (vector ? vector->elements.size() != count : count != 1) unsupported(instruction);
  if (op.access_bytes() > 16) unsupported(instruction);
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Operand& value = vector ? vector->elements[i] : operand;
    op.values[i] = writes ? scope.operands.source(value, type) : scope.operands.result(value, type);
  }
}

}  // namespace

namespace {

// One number per dimension; three dimensions are given as a vector of four.
void set_gradient(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t operand,
                  std::size_t dimensions, std::array<Slot, 3>& to) {
  const ptx::Operand& gradient = instruction.operands.at(operand);
  const auto* vector = std::get_if<ptx::Vector>(&gradient.value);
  if (vector ? vector->elements.size() < dimensions : dimensions != 1) wrong_operands(instruction);
  for (std::size_t d = 0; d < dimensions; ++d)
    to[d] = scope.operands.source(vector ? vector->elements[d] : gradient, ptx::Type::kF32);
}

void set_level(FunctionScope& scope, TextureOp& op, const ptx::Instruction& instruction) {
  const Word form = part_of(instruction, 1);
  if (!op.has_float_coordinates || !is_one_of(form, {"level", "grad"})) return;
  const bool is_gradient = form == "grad";
  if (is_gradient && op.is_cube) unsupported(instruction);
  if (instruction.operands.size() < (is_gradient ? 4u : 3u)) wrong_operands(instruction);
  op.level_from = is_gradient ? LevelFrom::kGradients : LevelFrom::kOperand;
  if (!is_gradient) {
    op.level = scope.operands.source(instruction.operands[2], ptx::Type::kF32);
    return;
  }
  for (std::size_t i = 0; i < op.gradients.size(); ++i)
    set_gradient(scope, instruction, 2 + i, static_cast<std::size_t>(op.dimensions), op.gradients[i]);
}

}  // namespace

// tex{.level,.grad}.GEOMETRY.v4.TYPE.COORDINATES {d}, [a, {c}]{, level | , gradients}
// tld4.CHANNEL.2d.v4.TYPE.f32 {d}, [a, {c}]
void decode_texture(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  const bool gathers = parts.at(0) == "tld4";
  const std::size_t at = gathers || is_one_of(part_of(instruction, 1), {"level", "grad"}) ? 2 : 1;
  TextureOp op;
  if (parts.size() != at + 4 || !set_geometry(op, parts.at(at)) || parts.at(at + 1) != "v4" ||
      !is_one_of(parts.at(at + 3), {"f32", "s32"}))
    unsupported(instruction);
  op.has_float_coordinates = parts.at(at + 3) == "f32";
  if (op.is_cube && (gathers || !op.has_float_coordinates)) unsupported(instruction);
  if (gathers) {
    static constexpr std::string_view kChannels = "rgba";
    op.channel = kChannels.find(parts.at(1).text());
    if (op.channel >= kChannels.size() || op.dimensions != 2 || !op.has_float_coordinates)
      unsupported(instruction);
  }
  Inst made;
  set_texel_address(scope, op, made, instruction, 1);
  if (!gathers) set_level(scope, op, instruction);
  set_texel_results(scope, op, instruction, parts.at(at + 2));
  finish_texture(scope, std::move(op), made, gathers ? "tld4" : "tex", SiteKind::kTexture);
}

// {txq,suq}.{width,height,depth,array_size}.b32 d, [a]
void decode_texture_query(FunctionScope& scope, const ptx::Instruction& instruction) {
  static constexpr std::string_view kQueries[] = {"width", "height", "depth",
                                                  "array_size"};  // as TextureQuery
  const auto& parts = instruction.parts;
  if (parts.size() != 3) unsupported(instruction);
  const auto query = std::ranges::find(kQueries, parts.at(1));
  if (query == std::end(kQueries) || parts.at(2) != "b32") unsupported(instruction);
  TextureOp none;
  none.dimensions = 0;
  Inst made;
  set_texel_address(scope, none, made, instruction, 1);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kB32);
  made.b.bits = parts.at(0) == "suq";
  made.imm = static_cast<std::uint64_t>(query - std::begin(kQueries));
  scope.code.add(made, internal_row("txq"));
}

// suld.b.GEOMETRY{.cache}{.v2,.v4}.TYPE.BOUNDARY {d}, [a, {c}]   sust.b.….TYPE.BOUNDARY [a, {c}], {b}
void decode_surface(FunctionScope& scope, const ptx::Instruction& instruction) {
  static constexpr std::pair<std::string_view, BoundaryMode> kBoundaries[] = {
      {"trap", BoundaryMode::kTrap}, {"clamp", BoundaryMode::kClamp}, {"zero", BoundaryMode::kZero}};
  std::vector<Word> parts = instruction.parts;
  std::erase_if(parts, [](Word part) { return is_one_of(part, {"ca", "cg", "cs", "cv", "wb", "wt"}); });
  const bool is_vector = parts.size() == 6 && is_one_of(parts.at(3), {"v2", "v4"});
  const bool writes = parts.at(0) == "sust";
  TextureOp op;
  if (parts.size() != (is_vector ? 6u : 5u) || parts.at(1) != "b" || !set_geometry(op, parts.at(2)) ||
      op.is_cube)
    unsupported(instruction);
  const auto type = ptx::type_named(parts.at(parts.size() - 2));
  const auto boundary =
      std::ranges::find(kBoundaries, parts.back(), &std::pair<std::string_view, BoundaryMode>::first);
  if (!type || !is_one_of(parts.at(parts.size() - 2), {"b8", "b16", "b32", "b64"}) ||
      boundary == std::end(kBoundaries))
    unsupported(instruction);
  op.boundary = boundary->second;
  op.value_bytes = ptx::info(*type).bytes;
  op.value_count = vector_elements(parts.at(3));
  Inst made;
  set_texel_address(scope, op, made, instruction, writes ? 0 : 1);
  set_surface_values(scope, op, instruction, *type, writes);
  finish_texture(scope, std::move(op), made, writes ? "sust" : "suld",
                 writes ? SiteKind::kSurfaceStore : SiteKind::kSurfaceLoad);
}

}  // namespace cudalab::vgpu
