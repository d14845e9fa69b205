// Decodes ld, st and stack instructions: memory space, width, address, and the sites that count them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

// alloca, stacksave, stackrestore: memory on a thread's stack whose size is only known at run time.

namespace {

// Allocates the register for each lane's first free byte of the current function's stack.
void use_stack(FunctionScope& scope) {
  scope.traits.needs_stack = true;
  if (scope.result.stack_top.bits == 0)
    scope.result.stack_top = scope.declarations.allocate(kWarpSize * sizeof(std::uint32_t));
}

}  // namespace

// alloca.TYPE d, size{, alignment};   d is an address in local memory
void decode_alloca(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::uint64_t alignment = 8;
  if (operands.size() > 2) {
    const auto* literal = std::get_if<ptx::Immediate>(&operands.at(2).value);
    constexpr std::uint64_t kMostAlignment = 1 << 12;
    if (!literal || !std::has_single_bit(literal->bits) || literal->bits > kMostAlignment)
      unsupported(instruction);
    alignment = std::max<std::uint64_t>(literal->bits, 8);
  }
  use_stack(scope);
  const Slot size = scope.operands.source(operands.at(1), ptx::Type::kU64),
             to = scope.operands.result(operands.at(0), ptx::Type::kU64);
  Inst& inst = scope.code.emit(control::stack_allocate);
  inst.a = size;
  inst.d = to;
  inst.imm = alignment;
}

// stacksave.TYPE d
void decode_stack_save(FunctionScope& scope, const ptx::Instruction& instruction) {
  use_stack(scope);
  const Slot to = scope.operands.result(instruction.operands[0], ptx::Type::kU64);
  scope.code.emit(control::stack_save).d = to;
}

// stackrestore.TYPE a
void decode_stack_restore(FunctionScope& scope, const ptx::Instruction& instruction) {
  use_stack(scope);
  const Slot from = scope.operands.source(instruction.operands[0], ptx::Type::kU64);
  scope.code.emit(control::stack_restore).a = from;
}

namespace {

struct Access {
  enum class Space { kGeneric, kGlobal, kConst, kShared, kLocal, kParam } space = Space::kGeneric;
  ptx::Type type{};
  int vector = 1;
  bool strong = false;  // volatile, relaxed, acquire, release: visible to other threads
  bool is_atomic = false, releases = false, is_for_block = false;
  bool in_cluster = false;                // shared::cluster: the offset of a generic address in its window
  std::uint8_t computed_elements = 0xff;  // SiteInfo
  std::size_t element_bytes() const { return ptx::info(type).bytes; }
  std::size_t bytes() const { return element_bytes() * vector; }
};

// Modifiers without effect in the virtual GPU: caches, wide scopes, memory order.
bool is_access_hint(Word part) {
  return is_cache_hint(part) || is_scope(part) ||
         is_one_of(part, {"weak", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"});
}

bool is_strong(Word part) { return is_one_of(part, {"volatile", "relaxed", "acquire", "release", "mmio"}); }

// ld{.order}{.scope}{.space}{.cache}{.vector}.type
Access parse_access(const ptx::Instruction& instruction) {
  static constexpr Meaning<Access::Space> kSpaces[] = {
      {"global", Access::Space::kGlobal},      {"const", Access::Space::kConst},
      {"shared", Access::Space::kShared},      {"shared::cta", Access::Space::kShared},
      {"local", Access::Space::kLocal},        {"param", Access::Space::kParam},
      {"param::entry", Access::Space::kParam}, {"param::func", Access::Space::kParam}};
  Access access;
  const auto type = ptx::type_named(instruction.parts.back());
  if (!type || ptx::info(*type).bytes == 0) unsupported(instruction);
  access.type = *type;
  for (std::size_t i = 1; i + 1 < instruction.parts.size(); ++i) {
    const Word part = instruction.parts.at(i);
    const auto space = std::ranges::find(kSpaces, part, &Meaning<Access::Space>::word);
    if (part == "shared::cluster")
      access.in_cluster = true;
    else if (space != std::end(kSpaces))
      access.space = space->value;
    else if (vector_elements(part) > 1)
      access.vector = vector_elements(part);
    else if (part == "cta")
      access.is_for_block = true;
    else if (is_strong(part))
      access.strong = true, access.is_atomic = part != "volatile", access.releases = part == "release";
    else if (!is_access_hint(part))
      unsupported(instruction);
  }
  // .b128, which exists only as a scalar, and not for parameters.
  const bool is_wide = access.element_bytes() > 8;
  if (is_wide && (access.vector > 1 || access.space == Access::Space::kParam)) unsupported(instruction);
  return access;
}

std::uint32_t add_sites(FunctionScope& scope, const Access& access, const ptx::Address& address, bool store) {
  using Space = Access::Space;
  const auto bytes = static_cast<int>(access.bytes());
  const auto add = [&](SiteKind kind) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = bytes;
    if (kind == SiteKind::kSharedLoad && access.space == Space::kShared)
      if (const auto merged = scope.merged_loads.find(scope.statement); merged != scope.merged_loads.end())
        site.merged_bytes = merged->second;
    site.volatile_or_atomic = access.strong;
    site.is_atomic = access.is_atomic;
    site.releases = access.releases;
    site.is_for_block = access.is_for_block;
    site.follows_values = !store && access.space == Access::Space::kLocal;
    site.vector = static_cast<std::uint8_t>(access.vector);
    site.computed_elements = access.computed_elements;
    const bool banked = kind == SiteKind::kSharedLoad || kind == SiteKind::kSharedStore;
    site.residue_mask = banked
                            ? static_cast<std::uint32_t>(std::max({bytes, site.merged_bytes, kBankBytes})) - 1
                            : kSectorBytes - 1;
    site.index_shift =
        static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(std::max(bytes, 4))));
    if (banked && !access.in_cluster) scope.attribute(site, address);
    scope.add_site(site);
  };
  const auto index = static_cast<std::uint32_t>(scope.program.sites.size());
  if (access.space == Space::kConst) add(SiteKind::kConstantLoad);
  if (access.space == Space::kGlobal || access.space == Space::kGeneric)
    add(store ? SiteKind::kGlobalStore : SiteKind::kGlobalLoad);
  if (access.space == Space::kShared || access.space == Space::kGeneric)
    add(store ? SiteKind::kSharedStore : SiteKind::kSharedLoad);
  if (access.space == Space::kLocal || access.space == Space::kGeneric)
    add(store ? SiteKind::kLocalStore : SiteKind::kLocalLoad);
  return index;
}

// Sets base and displacement, and appends the width of the base to the row's name.
void set_address(FunctionScope& scope, Inst& inst, std::string& row, const ptx::Address& address,
                 const Access& access) {
  const bool windowed = access.space == Access::Space::kShared || access.space == Access::Space::kLocal;
  std::size_t bytes = 8;
  inst.imm = static_cast<std::uint64_t>(address.offset) + (access.in_cluster ? kSharedWindow : 0);
  if (const auto* base = std::get_if<ptx::Register>(&address.base)) {
    const auto found = scope.declarations.find_register(base->name);
    bytes = found && found->bytes == 4 ? 4 : 8;
    if (bytes == 4 && !windowed) bytes = 8;  // other 32-bit addresses are extended
    inst.a = scope.operands.source_register(base->name, bytes == 4 ? ptx::Type::kU32 : ptx::Type::kU64);
  } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) {
    bytes = windowed ? 4 : 8;
    inst.a = scope.operands.address_of(*symbol, bytes);
  } else {
    bytes = windowed ? 4 : 8;
    inst.a = scope.operands.constant(0, bytes);
  }
  if (bytes == 4) row += ".a32";
}

std::string row_name(std::string_view op, std::string_view space, std::size_t element_bytes, int vector) {
  return fmt::format("{}.{}.b{}{}", op, space, 8 * element_bytes,
                     vector > 1 ? fmt::format(".v{}", vector) : "");
}

std::vector<const ptx::Operand*> elements_of(const ptx::Operand& operand) {
  std::vector<const ptx::Operand*> elements;
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const ptx::Operand& element : vector->elements) elements.push_back(&element);
  else
    elements.push_back(&operand);
  return elements;
}

// ---- parameters --------------------------------------------------------------------------------------
// ld.param of a kernel's parameter gives the same value in all lanes; a call's parameter is different in each
// lane.
void decode_parameter_load(FunctionScope& scope, const ptx::Instruction& instruction, const Access& access) {
  const auto& address = std::get<ptx::Address>(instruction.operands.at(1).value);
  const auto* base = std::get_if<ptx::Symbol>(&address.base);
  const auto elements = elements_of(instruction.operands.at(0));
  if (static_cast<int>(elements.size()) != access.vector) unsupported(instruction);
  const SymbolValue value = scope.operands.symbol(base->name);
  const bool is_kernels = value.kind == SymbolValue::Kind::kParameter;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::uint64_t offset = base->offset + address.offset + i * access.element_bytes();
    Inst made;
    made.d = scope.operands.result(*elements[i], access.type);
    if (is_kernels) {
      made.imm = value.value + offset;
      if (made.imm + access.element_bytes() > scope.declarations.parameter_bytes()) unsupported(instruction);
    } else {
      if (offset + access.element_bytes() > value.slot.bytes) unsupported(instruction);
      made.a = make_slot(kRegisters, (offset_of(value.slot.slot)) + static_cast<std::uint32_t>(offset));
      made.imm = value.slot.bytes;
    }
    scope.code.add(
        made, internal_row(row_name("ld.param", is_kernels ? "entry" : "call", access.element_bytes(), 1)));
  }
}

void decode_parameter_store(FunctionScope& scope, const ptx::Instruction& instruction, const Access& access) {
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(0).value);
  const auto* base = address ? std::get_if<ptx::Symbol>(&address->base) : nullptr;
  const auto elements = elements_of(instruction.operands.at(1));
  if (!base || static_cast<int>(elements.size()) != access.vector) unsupported(instruction);
  const SymbolValue value = scope.operands.symbol(base->name);
  if (value.kind != SymbolValue::Kind::kCallSlot) unsupported(instruction);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::uint64_t offset = base->offset + address->offset + i * access.element_bytes();
    if (offset + access.element_bytes() > value.slot.bytes) unsupported(instruction);
    Inst made;
    made.d = scope.operands.source(*elements[i], access.type);
    made.a = make_slot(kRegisters, (offset_of(value.slot.slot)) + static_cast<std::uint32_t>(offset));
    made.imm = value.slot.bytes;
    scope.code.add(made, internal_row(row_name("st.param", "call", access.element_bytes(), 1)));
  }
}

// Whether the destination is one whole register that holds exactly the value's bits.
bool fills_register(const FunctionScope& scope, const Access& access, const ptx::Instruction& instruction) {
  const auto* to = std::get_if<ptx::Register>(&instruction.operands.at(0).value);
  const auto found = to ? scope.declarations.find_register(to->name) : std::nullopt;
  return access.vector == 1 && access.bytes() >= 4 && found && found->bytes == access.bytes();
}

}  // namespace

// ---- ld and st ---------------------------------------------------------------------------------------
void decode_load(FunctionScope& scope, const ptx::Instruction& instruction) {
  using Space = Access::Space;
  Access access = parse_access(instruction);
  if (access.space == Space::kParam) {
    const auto* at = std::get_if<ptx::Address>(&instruction.operands.at(1).value);
    if (at && std::holds_alternative<ptx::Symbol>(at->base))
      return decode_parameter_load(scope, instruction, access);
    access.space = Space::kGeneric;  // through an address taken by mov: parameters have a generic window
  }
  static constexpr std::string_view kSpaceNames[] = {"generic", "global", "global", "shared", "local"};
  std::string name =
      row_name("ld", kSpaceNames[static_cast<int>(access.space)], access.element_bytes(), access.vector);
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(1).value);
  const auto elements = elements_of(instruction.operands.at(0));
  if (!address || static_cast<int>(elements.size()) != access.vector) unsupported(instruction);
  Inst made;
  set_address(scope, made, name, *address, access);
  std::vector<Slot> slots;
  for (const ptx::Operand* element : elements) slots.push_back(scope.operands.result(*element, access.type));
  made.d = slots[0];
  if (access.vector > 1) made.slots = scope.module.keep(std::move(slots));
  access.computed_elements = 0;
  for (std::size_t i = 0; i < elements.size(); ++i)
    access.computed_elements |= static_cast<std::uint8_t>(scope.uses().is_computed_with(*elements[i]) << i);
  access.is_atomic = access.is_atomic || scope.uses().is_updated_atomically(*address) ||
                     (elements.size() == 1 && scope.uses().is_expected_by_swap(*elements[0], *address));
  made.site = add_sites(scope, access, *address, false);
  const bool is_shared = access.space == Space::kShared || access.in_cluster;
  if (access.strong) note_communication(scope, !is_shared && access.space != Space::kLocal);
  scope.code.add(made, internal_row(name));
  if (access.strong && !is_shared)
    note_awaited(scope, made.site, fills_register(scope, access, instruction) ? made.d : Slot{},
                 access.bytes());
}

void decode_store(FunctionScope& scope, const ptx::Instruction& instruction) {
  using Space = Access::Space;
  Access access = parse_access(instruction);
  if (access.space == Space::kParam) return decode_parameter_store(scope, instruction, access);
  if (access.space == Space::kConst) unsupported(instruction);
  static constexpr std::string_view kSpaceNames[] = {"generic", "global", "", "shared", "local"};
  std::string name =
      row_name("st", kSpaceNames[static_cast<int>(access.space)], access.element_bytes(), access.vector);
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(0).value);
  const auto elements = elements_of(instruction.operands.at(1));
  if (!address || static_cast<int>(elements.size()) != access.vector) unsupported(instruction);
  Inst made;
  set_address(scope, made, name, *address, access);
  std::vector<Slot> slots;
  for (const ptx::Operand* element : elements) slots.push_back(scope.operands.source(*element, access.type));
  made.d = slots[0];
  if (access.vector > 1) made.slots = scope.module.keep(std::move(slots));
  access.is_atomic = access.is_atomic || scope.uses().is_updated_atomically(*address);
  made.site = add_sites(scope, access, *address, true);
  const bool is_shared = access.space == Space::kShared || access.in_cluster;
  if (access.strong && !is_shared && access.space != Space::kLocal) scope.traits.communicates = true;
  scope.code.add(made, internal_row(name));
}

}  // namespace cudalab::vgpu
