// The context for decoding an instruction: the function's code, operands and slots.
#include "vgpu/decode/function_scope.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

#include "core/error.h"
#include "messages/vgpu.h"
#include "ptx/text.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

void append(std::vector<Inst>& to, std::vector<Inst>& from) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

}  // namespace

const Row& internal_row(const std::string& name) {
  const Row* row = opcode_table().find(name);
  if (!row) throw Unsupported{msg::opcode_unsupported(Code{name})};
  return *row;
}

Inst& CodeBuffer::emit(Handler run) {
  Inst& inst = emitted_.emplace_back();
  inst.run = run;
  inst.source = line_;
  return inst;
}

void CodeBuffer::add(const Inst& made, Handler run) {
  Inst& inst = emitted_.emplace_back(made);
  inst.run = run;
  inst.source = line_;
}

void CodeBuffer::follow(const Inst& made, Handler run) {
  Inst& inst = following_.emplace_back(made);
  inst.run = run;
  inst.source = line_;
}

void CodeBuffer::lead() { append(leading_, emitted_); }

std::size_t CodeBuffer::last_emitted() const { return complete_.size() + emitted_.size() - 1; }

void CodeBuffer::flush() {
  append(complete_, leading_);
  append(complete_, emitted_);
  append(complete_, following_);
  note_statement();
}

void CodeBuffer::flush_under(Slot guard, bool negated) {
  append(complete_, leading_);
  note_statement();
  const std::size_t guarded = emitted_.size() + following_.size();
  if (guarded == 0) return;
  Inst& inst = complete_.emplace_back();
  inst.run = control::guard;
  inst.a = guard;
  inst.imm = negated;
  inst.site = static_cast<std::uint32_t>(guarded);
  inst.source = line_;
  flush();
}

void CodeBuffer::discard() { leading_.clear(), emitted_.clear(), following_.clear(); }

namespace {

bool is_signed(ptx::Type type) {
  return type == ptx::Type::kS8 || type == ptx::Type::kS16 || type == ptx::Type::kS32 ||
         type == ptx::Type::kS64;
}

std::string integer_name(bool is_signed, std::size_t bytes) {
  return (is_signed ? "s" : "u") + std::to_string(8 * bytes);
}

}  // namespace

std::uint64_t literal_bits(const ptx::Immediate& literal, ptx::Type type) {
  using Kind = ptx::Immediate::Kind;
  if (literal.kind == Kind::kInteger) {
    if (type == ptx::Type::kF64)
      return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(literal.bits)));
    if (type == ptx::Type::kF32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(literal.bits)));
    return literal.bits;
  }
  if (literal.kind == Kind::kF32Bits) {
    if (type == ptx::Type::kF64)
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits))));
    return literal.bits & 0xffffffffu;
  }
  if (type == ptx::Type::kF32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(literal.bits)));
  return literal.bits;
}

Operands::Operands(ModuleContext& module, const ptx::Function& source, Declarations& declarations,
                   CodeBuffer& code, FunctionTraits& traits)
    : module_(module), source_(source), declarations_(declarations), code_(code), traits_(traits) {}

Slot Operands::constant(std::uint64_t bits, std::size_t lane_bytes) {
  return module_.constants.slot(bits, lane_bytes);
}

// ---- registers ---------------------------------------------------------------------------------------
Slot Operands::predicate(const std::string& name) const {
  const auto found = declarations_.find_register(name);
  if (!found || found->bytes != 0)
    throw usage_error(msg::predicate_undeclared(module_.source_name, Code{source_.name}, Code{name}));
  return found->slot;
}

// A copy of a value with another width: truncated, or extended according to the type.
Slot Operands::resized(Slot from, std::size_t from_bytes, ptx::Type type) {
  const std::size_t to_bytes = ptx::info(type).bytes;
  if (from_bytes == to_bytes) return from;
  if (from_bytes > 8) throw Unsupported{msg::conversion_from_128_bits()};
  const bool sign = is_signed(type);
  Inst& inst =
      code_.emit(internal_row("cvt." + integer_name(sign, to_bytes) + "." + integer_name(sign, from_bytes)));
  inst.a = from;
  inst.d = declarations_.allocate(std::max<std::size_t>(64, to_bytes * kWarpSize));
  return inst.d;
}

// Converts a special register that has predicate type in PTX.
Slot Operands::is_set(Slot special) {
  Inst& inst = code_.emit(internal_row("setp.ne.u32"));
  inst.a = special;
  inst.b = constant(0, 4);
  inst.d = declarations_.allocate(4);
  return inst.d;
}

namespace {

struct TimeRegister {
  std::string_view name;
  Handler read;
  std::size_t bytes;
};
constexpr TimeRegister kTimeRegisters[] = {
    {"%clock64", control::clock64, 8},          {"%clock", control::clock_low, 4},
    {"%clock_hi", control::clock_high, 4},      {"%globaltimer", control::timer64, 8},
    {"%globaltimer_lo", control::timer_low, 4}, {"%globaltimer_hi", control::timer_high, 4},
};

}  // namespace

Slot Operands::clock(const std::string& name, ptx::Type type) {
  const auto* found = std::ranges::find(kTimeRegisters, name, &TimeRegister::name);
  if (found == std::end(kTimeRegisters)) throw Unsupported{msg::register_unsupported(Code{name})};
  const Slot to = declarations_.allocate(8 * kWarpSize);
  traits_.asks_outside = true;
  Inst& read = code_.emit(found->read);
  read.d = to;
  read.imm = code_.left();
  return resized(to, found->bytes, type);
}

void Operands::use_grid_workspace() {
  traits_.waits_for_grid = true;
  Program& program = *module_.program;
  if (!program.grid_workspace)
    program.grid_workspace = program.memory->allocate("grid barrier", kGridWorkspaceBytes);
}

Slot Operands::source_register(const std::string& name, ptx::Type type) {
  const std::size_t bytes = ptx::info(type).bytes;
  if (const auto found = declarations_.find_register(name)) {
    if ((found->bytes == 0) != (bytes == 0))
      throw usage_error((bytes == 0 ? msg::register_is_no_predicate : msg::register_is_predicate)(
          module_.source_name, Code{source_.name}, Code{name}));
    return resized(found->slot, found->bytes, type);
  }
  if (name == kGridWorkspaceHigh || name == kGridWorkspaceLow) use_grid_workspace();
  if (const SpecialRegister* special = find_special_register(name); special && bytes == 0)
    return is_set(module_.special_slot(*special));
  else if (special)
    return resized(module_.special_slot(*special), 4, type);
  if (name.starts_with("%envreg") || name == "%current_graph_exec") return constant(0, bytes);
  return clock(name, type);
}

// ---- symbols -----------------------------------------------------------------------------------------
SymbolValue Operands::symbol(const std::string& name) const {
  if (const SymbolValue* found = declarations_.find_symbol(name)) return *found;
  if (module_.module->find_function(name)) throw defined_elsewhere(name);
  throw usage_error(msg::name_undeclared(module_.source_name, Code{source_.name}, Code{name}));
}

Slot Operands::local_address(std::uint64_t offset, std::size_t bytes) {
  Inst& inst = code_.emit(bytes == 4 ? control::local_address32 : control::local_address64);
  inst.d = declarations_.allocate(8 * kWarpSize);
  inst.imm = offset;
  return inst.d;
}

Slot Operands::dynamic_shared_address(std::uint64_t offset, std::size_t bytes) {
  const Slot base = module_.special_slot(*find_special_register(kDynamicSharedBase));
  const Slot wide = resized(base, 4, bytes == 8 ? ptx::Type::kU64 : ptx::Type::kU32);
  if (offset == 0) return wide;
  Inst& inst = code_.emit(internal_row(bytes == 8 ? "add.u64" : "add.u32"));
  inst.d = declarations_.allocate(8 * kWarpSize);
  inst.a = wide;
  inst.b = constant(offset, bytes);
  return inst.d;
}

Slot Operands::address_of(const ptx::Symbol& name, std::size_t bytes) {
  using Kind = SymbolValue::Kind;
  const SymbolValue value = symbol(name.name);
  const auto offset = static_cast<std::uint64_t>(name.offset);
  switch (value.kind) {
    case Kind::kGlobalAddress:
    case Kind::kSharedOffset: return constant(value.value + offset, bytes);
    case Kind::kFunction:
      module_.address_taken.insert(static_cast<int>(value.value));
      return constant(kFunctionWindow + value.value, bytes);
    case Kind::kParameter: return constant(kParamWindow + value.value + offset, bytes);
    case Kind::kLocalOffset: return local_address(value.value + offset, bytes);
    case Kind::kDynamicShared: return dynamic_shared_address(offset, bytes);
    case Kind::kCallSlot: break;
  }
  throw Unsupported{msg::parameter_address_unsupported(Code{name.name})};
}

Slot Operands::wide_address(const ptx::Address& address) {
  if (const auto* base = std::get_if<ptx::Register>(&address.base))
    return source_register(base->name, ptx::Type::kU64);
  if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) {
    if (declarations_.find_register(symbol->name)) return source_register(symbol->name, ptx::Type::kU64);
    return address_of(*symbol, 8);
  }
  return constant(0, 8);
}

Slot Operands::generic_address(const ptx::Address& address, bool in_shared) {
  const std::uint64_t displacement =
      static_cast<std::uint64_t>(address.offset) + (in_shared ? kSharedWindow : 0);
  const Slot base = wide_address(address);
  if (displacement == 0) return base;
  Inst& inst = code_.emit(internal_row("add.u64"));
  inst.a = base;
  inst.b = constant(displacement, 8);
  inst.d = declarations_.allocate(8 * kWarpSize);
  return inst.d;
}

// ---- operands ----------------------------------------------------------------------------------------
namespace {

void refuse_part(const ptx::Operand& operand) {
  const auto* name = std::get_if<ptx::Register>(&operand.value);
  if (name && !name->part.empty()) throw Unsupported{msg::register_part_unsupported(Code{to_text(operand)})};
}

}  // namespace

// PTX has neither literals nor conversions of 128 bits.
Slot Operands::wide_register(const ptx::Operand& operand) const {
  const auto* name = std::get_if<ptx::Register>(&operand.value);
  const auto* plain = std::get_if<ptx::Symbol>(&operand.value);
  const auto found = name    ? declarations_.find_register(name->name)
                     : plain ? declarations_.find_register(plain->name)
                             : std::nullopt;
  if (!found || found->bytes != 16) throw Unsupported{msg::operand_not_128_bits()};
  return found->slot;
}

Slot Operands::source(const ptx::Operand& operand, ptx::Type type) {
  refuse_part(operand);
  if (ptx::info(type).bytes > 8) return wide_register(operand);
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) return source_register(name->name, type);
  if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value))
    return constant(literal_bits(*literal, type), ptx::info(type).bytes);
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) {
    if (declarations_.find_register(name->name)) return source_register(name->name, type);
    return address_of(*name, ptx::info(type).bytes);
  }
  if (const auto* negated = std::get_if<ptx::Negated>(&operand.value)) {
    const Slot to = declarations_.allocate(4);
    const Slot from = predicate(negated->name.name);
    Inst& inst = code_.emit(internal_row("not.pred"));
    inst.a = from;
    inst.d = to;
    return to;
  }
  throw Unsupported{msg::operand_form_unsupported()};
}

Slot Operands::result(const ptx::Operand& operand, ptx::Type type) {
  refuse_part(operand);
  if (std::holds_alternative<ptx::Underscore>(operand.value)) return make_slot(kSink, 0);
  std::string name;
  if (const auto* named = std::get_if<ptx::Register>(&operand.value)) name = named->name;
  if (const auto* named = std::get_if<ptx::Symbol>(&operand.value)) name = named->name;
  const auto found = declarations_.find_register(name);
  if (!found) throw usage_error(msg::result_undeclared(module_.source_name, Code{source_.name}, Code{name}));
  const std::size_t bytes = ptx::info(type).bytes;
  if (found->bytes == bytes) return found->slot;
  if (std::max(found->bytes, bytes) > 8) throw Unsupported{msg::conversion_128_bits()};
  if (bytes == 0 || found->bytes == 0)
    throw usage_error((bytes == 0 ? msg::predicate_written_to : msg::value_written_to)(
        module_.source_name, Code{source_.name}, Code{name}));
  const bool sign = is_signed(type);
  const Row& row = internal_row("cvt." + integer_name(sign, found->bytes) + "." + integer_name(sign, bytes));
  Inst convert;
  convert.a = declarations_.allocate(std::max<std::size_t>(64, bytes * kWarpSize));
  convert.d = found->slot;
  code_.follow(convert, row);
  return convert.a;
}

}  // namespace cudalab::vgpu
