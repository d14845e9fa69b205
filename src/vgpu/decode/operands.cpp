// From operands in the text to slots: registers, immediates, special registers, addresses.
#include <bit>
#include <charconv>
#include <cstring>

#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

// The bits of a literal where an operand of the given type is wanted.
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

bool is_signed(ptx::Type type) {
  return type == ptx::Type::kS8 || type == ptx::Type::kS16 || type == ptx::Type::kS32 ||
         type == ptx::Type::kS64;
}

std::string integer_name(bool is_signed, std::size_t bytes) {
  return (is_signed ? "s" : "u") + std::to_string(8 * bytes);
}

}  // namespace

// ---- constants ---------------------------------------------------------------------------------------
Slot ConstantPool::slot(std::uint64_t bits, std::size_t lane_bytes) {
  if (lane_bytes > 0 && lane_bytes < 8) bits &= (1ull << (8 * lane_bytes)) - 1;
  const auto [found, is_new] = slots_.try_emplace({bits, lane_bytes});
  if (is_new) {
    constexpr std::uint32_t kMaxBytes = 1u << 28;  // a slot holds 30 bits
    if (size_ > kMaxBytes) throw usage_error("the PTX has more constants than the virtual GPU can hold");
    found->second = make_slot(kConstants, size_);
    size_ += static_cast<std::uint32_t>(std::max<std::size_t>(64, lane_bytes * kWarpSize));
  }
  return found->second;
}

HostBytes ConstantPool::contents() const {
  HostBytes bytes = allocate_host(size_);
  for (const auto& [key, slot] : slots_) {
    std::byte* to = bytes.get() + (slot.bits >> 2);
    if (key.second == 0) {
      const std::uint32_t mask = key.first ? kAllLanes : 0;
      std::memcpy(to, &mask, sizeof mask);
    } else {
      for (int lane = 0; lane < kWarpSize; ++lane)
        std::memcpy(to + lane * key.second, &key.first, key.second);
    }
  }
  return bytes;
}

Slot ModuleContext::special_slot(const SpecialRegister& special) {
  const auto [found, is_new] = specials.try_emplace(std::string(special.name));
  if (is_new) {
    if (program->special_bytes == 0) program->special_bytes = kFirstRegister;
    found->second = make_slot(kSpecials, program->special_bytes);
    program->special_bytes += kWarpSize * 4;
    program->specials.push_back({&special, found->second});
  }
  return found->second;
}

// ---- registers ---------------------------------------------------------------------------------------
std::optional<FunctionDecoder::RegisterInfo> FunctionDecoder::find_register(const std::string& name) const {
  if (const auto exact = registers_.find(name); exact != registers_.end()) return exact->second;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == name.size()) return std::nullopt;
  const auto block = register_blocks_.find(name.substr(0, digits));
  if (block == register_blocks_.end()) return std::nullopt;
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (parsed.ec != std::errc{} || number >= block->second.count) return std::nullopt;
  RegisterInfo info = block->second.first;
  info.slot = make_slot(kRegisters, (info.slot.bits >> 2) + number * block->second.step);
  return info;
}

Slot FunctionDecoder::predicate_slot(const std::string& name) const {
  const auto found = find_register(name);
  if (!found || found->bytes != 0)
    throw usage_error("{}: `{}` uses `{}` as a predicate, but declares no such predicate register",
                      context_.source_name, source_.name, name);
  return found->slot;
}

// A copy of a value with another width: cut, or extended as the type says.
Slot FunctionDecoder::resized(Slot from, std::size_t from_bytes, ptx::Type type) {
  const std::size_t to_bytes = ptx::info(type).bytes;
  if (from_bytes == to_bytes) return from;
  const bool sign = is_signed(type);
  Inst& inst =
      emit(internal_row("cvt." + integer_name(sign, to_bytes) + "." + integer_name(sign, from_bytes)));
  inst.a = from;
  inst.d = allocate(std::max<std::size_t>(64, to_bytes * kWarpSize));
  return inst.d;
}

Slot FunctionDecoder::clock(const std::string& name, ptx::Type type) {
  const bool wide = name == "%clock64" || name == "%globaltimer";
  if (!wide && name != "%clock" && name != "%clock_hi" && name != "%globaltimer_lo" &&
      name != "%globaltimer_hi")
    throw Unsupported{"register `" + name + "`"};
  const Slot to = allocate(8 * kWarpSize);
  emit(wide ? control::clock64 : control::clock32).d = to;
  return resized(to, wide ? 8 : 4, type);
}

void FunctionDecoder::use_grid_workspace() {
  traits_.waits_for_grid = true;
  Program& program = *context_.program;
  if (!program.grid_workspace)
    program.grid_workspace = program.memory->allocate("grid barrier", kGridWorkspaceBytes);
}

Slot FunctionDecoder::source_register(const std::string& name, ptx::Type type) {
  const std::size_t bytes = ptx::info(type).bytes;
  if (const auto found = find_register(name)) {
    if ((found->bytes == 0) != (bytes == 0))
      throw usage_error("{}: `{}` uses register `{}` as {}, which it is not", context_.source_name,
                        source_.name, name, bytes == 0 ? "a predicate" : "a value");
    return resized(found->slot, found->bytes, type);
  }
  if (name == kGridWorkspaceHigh || name == kGridWorkspaceLow) use_grid_workspace();
  if (const SpecialRegister* special = find_special_register(name))
    return resized(context_.special_slot(*special), 4, type);
  if (name.starts_with("%envreg")) return context_.constants.slot(0, bytes);
  return clock(name, type);
}

// ---- symbols -----------------------------------------------------------------------------------------
SymbolValue FunctionDecoder::symbol(const std::string& name) const {
  if (const auto own = symbols_.find(name); own != symbols_.end()) return own->second;
  if (const auto found = context_.symbols.find(source_.name + "::" + name); found != context_.symbols.end())
    return found->second;  // a .shared variable declared in this function
  if (const auto found = context_.symbols.find(name); found != context_.symbols.end()) return found->second;
  throw usage_error("{}: `{}` uses `{}`, which is not declared", context_.source_name, source_.name, name);
}

Slot FunctionDecoder::address_of(const ptx::Symbol& name, std::size_t bytes) {
  using Kind = SymbolValue::Kind;
  const SymbolValue value = symbol(name.name);
  const auto offset = static_cast<std::uint64_t>(name.offset);
  switch (value.kind) {
    case Kind::kGlobalAddress:
    case Kind::kSharedOffset: return context_.constants.slot(value.value + offset, bytes);
    case Kind::kFunction: return context_.constants.slot(kFunctionWindow + value.value, bytes);
    case Kind::kParameter: return context_.constants.slot(kParamWindow + value.value + offset, bytes);
    case Kind::kLocalOffset: {
      const Slot to = allocate(8 * kWarpSize);
      Inst& inst = emit(bytes == 4 ? control::local_address32 : control::local_address64);
      inst.d = to;
      inst.imm = value.value + offset;
      return to;
    }
    case Kind::kDynamicShared: {
      const Slot base = context_.special_slot(*find_special_register(kDynamicSharedBase));
      const Slot wide = resized(base, 4, bytes == 8 ? ptx::Type::kU64 : ptx::Type::kU32);
      if (offset == 0) return wide;
      const Slot to = allocate(8 * kWarpSize);
      Inst& inst = emit(internal_row(bytes == 8 ? "add.u64" : "add.u32"));
      inst.d = to;
      inst.a = wide;
      inst.b = context_.constants.slot(offset, bytes);
      return to;
    }
    case Kind::kCallSlot: break;
  }
  throw Unsupported{"the address of `" + name.name + "`, a function's parameter"};
}

// ---- operands ----------------------------------------------------------------------------------------
Slot FunctionDecoder::source(const ptx::Operand& operand, ptx::Type type) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) return source_register(name->name, type);
  if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value))
    return context_.constants.slot(literal_bits(*literal, type), ptx::info(type).bytes);
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) {
    if (find_register(name->name)) return source_register(name->name, type);
    return address_of(*name, ptx::info(type).bytes);
  }
  if (const auto* negated = std::get_if<ptx::Negated>(&operand.value)) {
    const Slot to = allocate(4);
    const Slot from = predicate_slot(negated->name.name);
    Inst& inst = emit(internal_row("not.pred"));
    inst.a = from;
    inst.d = to;
    return to;
  }
  throw Unsupported{"an operand of this form"};
}

// Where a result goes. A register wider than the type is filled by a conversion after the instruction.
Slot FunctionDecoder::result(const ptx::Operand& operand, ptx::Type type) {
  if (std::holds_alternative<ptx::Underscore>(operand.value)) return make_slot(kSink, 0);
  std::string name;
  if (const auto* named = std::get_if<ptx::Register>(&operand.value)) name = named->name;
  if (const auto* named = std::get_if<ptx::Symbol>(&operand.value)) name = named->name;
  const auto found = find_register(name);
  if (!found)
    throw usage_error("{}: `{}` writes to `{}`, which is not a register it declares", context_.source_name,
                      source_.name, name);
  const std::size_t bytes = ptx::info(type).bytes;
  if (found->bytes == bytes) return found->slot;
  if (bytes == 0 || found->bytes == 0)
    throw usage_error("{}: `{}` writes a {} to `{}`", context_.source_name, source_.name,
                      bytes == 0 ? "predicate" : "value", name);
  const bool sign = is_signed(type);
  Inst convert;
  convert.run = internal_row("cvt." + integer_name(sign, found->bytes) + "." + integer_name(sign, bytes)).run;
  convert.source = line_;
  convert.a = allocate(std::max<std::size_t>(64, bytes * kWarpSize));
  convert.d = found->slot;
  following_.push_back(convert);
  return convert.a;
}

const Slot* FunctionDecoder::keep(std::vector<Slot> slots) {
  return context_.program->slot_lists.emplace_back(std::move(slots)).data();
}

}  // namespace cudalab::vgpu
