// The context that a module's functions share: symbols, constants, special registers, and declarations of
// functions.
#include "vgpu/decode/module_context.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/alignment.h"
#include "core/error.h"
#include "messages/vgpu.h"

namespace cudalab::vgpu {
namespace {

std::size_t register_bytes(std::size_t lane_bytes) {
  return lane_bytes == 0 ? 4 : std::max<std::size_t>(64, lane_bytes * kWarpSize);
}

}  // namespace

Declarations::Declarations(const ModuleContext& module, const ptx::Function& source, FunctionCode& code)
    : module_(module), source_(source) {
  declare_registers();
  declare_parameters(code);
  declare_variables(code);
}

Slot Declarations::allocate(std::size_t bytes) {
  constexpr std::uint64_t kMaxFrameBytes = 1ull
                                           << 26;  // beyond any compiler's output; a block has 32 such frames
  const std::uint32_t offset = frame_bytes_;
  if (bytes > kMaxFrameBytes - offset)
    throw usage_error(msg::function_frame_too_large(module_.source_name, Code{source_.name}));
  frame_bytes_ += static_cast<std::uint32_t>(round_up(bytes, 64));
  return make_slot(kRegisters, offset);
}

// ---- registers ---------------------------------------------------------------------------------------
// `.reg .v2 .b32 pair` declares pair.x and pair.y; the bare name stands for {pair.x, pair.y}.
void Declarations::declare_vector(const ptx::RegisterRange& range, const std::string& name) {
  const std::size_t lane = ptx::info(range.type).bytes;
  ptx::Vector elements;
  for (int i = 0; i < std::min(range.vector_width, 4); ++i) {
    const std::string element = name + "." + "xyzw"[i];
    registers_[element] = {range.type, lane, allocate(register_bytes(lane))};
    registers_[name + "." + "rgba"[i]] = registers_[element];
    elements.elements.push_back({ptx::Register{element}});
  }
  vectors_[name] = std::move(elements);
}

void Declarations::declare_registers() {
  for (const ptx::RegisterRange& range : source_.registers) {
    if (range.vector_width > 1) {
      if (range.count == 0) declare_vector(range, range.name);
      for (std::uint32_t i = 0; i < range.count; ++i) declare_vector(range, range.name + std::to_string(i));
      continue;
    }
    const std::size_t lane = ptx::info(range.type).bytes;
    const std::size_t bytes = register_bytes(lane);
    if (range.count == 0) {
      registers_[range.name] = {range.type, lane, allocate(bytes)};
      continue;
    }
    const auto step = static_cast<std::uint32_t>(bytes);
    const Slot first = allocate(std::size_t{step} * range.count);
    numbered_registers_[range.name] = {{range.type, lane, first}, range.count, step};
  }
}

std::optional<RegisterInfo> Declarations::find_register(const std::string& name) const {
  if (const auto exact = registers_.find(name); exact != registers_.end()) return exact->second;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == name.size()) return std::nullopt;
  const auto numbered = numbered_registers_.find(name.substr(0, digits));
  if (numbered == numbered_registers_.end()) return std::nullopt;
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (parsed.ec != std::errc{} || number >= numbered->second.count) return std::nullopt;
  RegisterInfo info = numbered->second.first;
  info.slot = make_slot(kRegisters, offset_of(info.slot) + number * numbered->second.step);
  return info;
}

std::vector<NamedRegisters> Declarations::named_registers() const {
  std::vector<NamedRegisters> named;
  for (const auto& [name, info] : registers_)
    named.push_back({name, 0, info.type, static_cast<std::uint32_t>(info.bytes), info.slot, 0});
  for (const auto& [name, numbered] : numbered_registers_)
    named.push_back({name, numbered.count, numbered.first.type,
                     static_cast<std::uint32_t>(numbered.first.bytes), numbered.first.slot, numbered.step});
  return named;
}

Slot Declarations::scratch(const std::string& name, ptx::Type type) {
  const auto known = registers_.find(name);
  if (known != registers_.end()) return known->second.slot;
  const std::size_t lane = ptx::info(type).bytes;
  return registers_.emplace(name, RegisterInfo{type, lane, allocate(register_bytes(lane))})
      .first->second.slot;
}

Slot Declarations::scratch_predicate(const std::string& name) { return scratch(name, ptx::Type::kPred); }
Slot Declarations::scratch_word(const std::string& name) { return scratch(name, ptx::Type::kB32); }

ptx::Instruction Declarations::with_vectors(ptx::Instruction instruction) const {
  for (ptx::Operand& operand : instruction.operands) {
    const auto* name = std::get_if<ptx::Register>(&operand.value);
    const auto found = name ? vectors_.find(name->name) : vectors_.end();
    if (found != vectors_.end()) operand.value = found->second;
  }
  return instruction;
}

// ---- variables ---------------------------------------------------------------------------------------
CallSlot Declarations::declare_blob(const ptx::Variable& variable) {
  const auto bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(variable.bytes(), 1));
  const CallSlot blob{allocate(std::size_t{bytes} * kWarpSize), bytes};
  if (variable.space == ptx::Space::kReg)
    registers_[variable.name] = {variable.type, variable.bytes(), blob.slot};
  else
    symbols_[variable.name] = {SymbolValue::Kind::kCallSlot, 0, blob};
  return blob;
}

void Declarations::declare_parameters(FunctionCode& code) {
  if (!source_.is_entry) {
    for (const ptx::Variable& variable : source_.parameters)
      code.parameters.push_back(declare_blob(variable));
    for (const ptx::Variable& variable : source_.returns) code.returns.push_back(declare_blob(variable));
    return;
  }
  for (const ptx::Variable& parameter : source_.parameters) {
    const std::uint64_t offset = round_up(parameter_bytes_, parameter.alignment());
    symbols_[parameter.name] = {SymbolValue::Kind::kParameter, offset, {}};
    parameter_bytes_ = offset + parameter.bytes();
  }
}

void Declarations::declare_variables(FunctionCode& code) {
  std::uint64_t local = 0;
  for (const ptx::Variable& variable : source_.variables) {
    if (variable.space == ptx::Space::kParam) declare_blob(variable);
    if (variable.space != ptx::Space::kLocal) continue;
    local = round_up(local, variable.alignment());
    symbols_[variable.name] = {SymbolValue::Kind::kLocalOffset, local, {}};
    local += variable.bytes();
  }
  const std::size_t most = module_.program->card_local_bytes;
  if (local > most)
    throw usage_error(
        msg::function_local_memory_too_large(module_.source_name, Code{source_.name}, local, most));
  code.local_bytes = static_cast<std::uint32_t>(round_up(local, 16));
}

// ---- symbols -----------------------------------------------------------------------------------------
const SymbolValue* Declarations::find_symbol(const std::string& name) const {
  if (const auto own = symbols_.find(name); own != symbols_.end()) return &own->second;
  // The first name is that of a .shared variable declared in this function.
  for (const std::string& scoped : {source_.name + "::" + name, name})
    if (const auto found = module_.symbols.find(scoped); found != module_.symbols.end())
      return &found->second;
  return nullptr;
}

const CallSlot* Declarations::find_call_slot(const std::string& name) const {
  const auto own = symbols_.find(name);
  if (own == symbols_.end() || own->second.kind != SymbolValue::Kind::kCallSlot) return nullptr;
  return &own->second.slot;
}

const SharedVariable* Declarations::find_shared_variable(const std::string& name) const {
  const SymbolValue* symbol = find_symbol(name);
  if (!symbol || symbol->kind != SymbolValue::Kind::kSharedOffset) return nullptr;
  const auto& all = module_.program->shared_variables;
  const auto found = std::ranges::find_if(all, [&](const SharedVariable& variable) {
    return variable.name == name && variable.offset == symbol->value;
  });
  return found == all.end() ? nullptr : &*found;
}

std::uint64_t Declarations::shared_offset(const std::string& name) const {
  for (const std::string& scoped : {source_.name + "::" + name, name}) {
    const auto found = module_.symbols.find(scoped);
    if (found == module_.symbols.end()) continue;
    if (found->second.kind == SymbolValue::Kind::kSharedOffset) return found->second.value;
    if (found->second.kind == SymbolValue::Kind::kDynamicShared) return 0;  // begins at a multiple of 16
  }
  return 1;
}

Slot ConstantPool::slot(std::uint64_t bits, std::size_t lane_bytes) {
  if (lane_bytes > 0 && lane_bytes < 8) bits &= (1ull << (8 * lane_bytes)) - 1;
  const auto [found, is_new] = slots_.try_emplace({bits, lane_bytes});
  if (is_new) {
    constexpr std::uint32_t kMaxBytes = 1u << 28;  // a slot holds 30 bits
    if (size_ > kMaxBytes) throw usage_error(msg::constants_too_many());
    found->second = make_slot(kConstants, size_);
    size_ += static_cast<std::uint32_t>(std::max<std::size_t>(64, lane_bytes * kWarpSize));
  }
  return found->second;
}

HostBytes ConstantPool::contents() const {
  HostBytes bytes = allocate_host(size_);
  for (const auto& [key, slot] : slots_) {
    std::byte* to = bytes.get() + offset_of(slot);
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

const Slot* ModuleContext::keep(std::vector<Slot> slots) {
  return program->slot_lists.emplace_back(std::move(slots)).data();
}

// ---- lines -------------------------------------------------------------------------------------------
namespace {

bool names_file(const SourceLine& line, std::string_view name) {
  return line.file == name || (line.file.size() > name.size() && line.file.ends_with(name) &&
                               line.file[line.file.size() - name.size() - 1] == '/');
}

// Headers of the CUDA Toolkit, of cudalab and of the system.
bool is_of_compiler(std::string_view file) {
  return file.find("/targets/") != file.npos || file.find("/include/cudalab/") != file.npos ||
         file.starts_with("/usr/");
}

}  // namespace

// The innermost source line in the user's own file, because a header's line says little to its user. If there
// is none, as in a whole program whose files are not specified: the innermost line in a .cu file, else in a
// header of the user.
const SourceLine& ModuleContext::line_of_user(const ptx::Instruction& instruction) const {
  const auto innermost = [&](const auto& is_users) -> const SourceLine* {
    if (is_users(instruction.where)) return &instruction.where;
    const auto found = std::ranges::find_if(instruction.inlined_at, is_users);
    return found == instruction.inlined_at.end() ? nullptr : &*found;
  };
  const SourceLine* found = innermost([&](const SourceLine& line) { return names_file(line, source_name); });
  if (!found) found = innermost([](const SourceLine& line) { return line.file.ends_with(".cu"); });
  if (!found) found = innermost([](const SourceLine& line) { return !is_of_compiler(line.file); });
  return found ? *found : instruction.where;
}

std::uint32_t ModuleContext::line_index(const ptx::Instruction& instruction) {
  return line_index(line_of_user(instruction));
}

std::uint32_t ModuleContext::call_line_index(const ptx::Instruction& instruction) {
  const auto is_users = [&](const SourceLine& line) { return names_file(line, source_name); };
  const std::vector<SourceLine>& outer = instruction.inlined_at;
  auto call = std::ranges::find_if(outer, is_users);
  if (!is_users(instruction.where) && call != outer.end())
    call = std::find_if(call + 1, outer.end(), is_users);
  return call == outer.end() ? 0 : line_index(*call);
}

std::uint32_t ModuleContext::line_index(const SourceLine& line) {
  if (line.line == 0) return 0;
  const auto [found, is_new] =
      line_numbers.try_emplace({line.file, line.line}, static_cast<std::uint32_t>(program->lines.size()));
  if (is_new)
    program->lines.push_back(names_file(line, source_name) ? SourceLine{source_name, line.line} : line);
  return found->second;
}

}  // namespace cudalab::vgpu
