// The table of PTX's fundamental types, with their names and sizes.
#include "ptx/module.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace cudalab::ptx {

namespace {

// Rows are in the order of the enumeration. A test checks this.
constexpr std::array kTypes{
    TypeInfo{Type::kNone, "", 0},           TypeInfo{Type::kPred, "pred", 0},
    TypeInfo{Type::kB8, "b8", 1},           TypeInfo{Type::kB16, "b16", 2},
    TypeInfo{Type::kB32, "b32", 4},         TypeInfo{Type::kB64, "b64", 8},
    TypeInfo{Type::kB128, "b128", 16},      TypeInfo{Type::kU8, "u8", 1},
    TypeInfo{Type::kU16, "u16", 2},         TypeInfo{Type::kU32, "u32", 4},
    TypeInfo{Type::kU64, "u64", 8},         TypeInfo{Type::kS8, "s8", 1},
    TypeInfo{Type::kS16, "s16", 2},         TypeInfo{Type::kS32, "s32", 4},
    TypeInfo{Type::kS64, "s64", 8},         TypeInfo{Type::kF16, "f16", 2},
    TypeInfo{Type::kF16x2, "f16x2", 4},     TypeInfo{Type::kBF16, "bf16", 2},
    TypeInfo{Type::kBF16x2, "bf16x2", 4},   TypeInfo{Type::kTF32, "tf32", 4},
    TypeInfo{Type::kE4M3, "e4m3", 1},       TypeInfo{Type::kE5M2, "e5m2", 1},
    TypeInfo{Type::kF32, "f32", 4},         TypeInfo{Type::kF64, "f64", 8},
    TypeInfo{Type::kTexref, "texref", 8},   TypeInfo{Type::kSamplerref, "samplerref", 8},
    TypeInfo{Type::kSurfref, "surfref", 8},
};

}  // namespace

void set_opcode(Instruction& instruction, std::vector<Word> parts) {
  instruction.opcode = text_of(parts);
  instruction.facts = &facts_of(parts);
  instruction.parts = std::move(parts);
}

const TypeInfo& info(Type type) {
  assert(static_cast<std::size_t>(type) < kTypes.size());
  return kTypes[static_cast<std::size_t>(type)];
}

std::optional<Type> type_named(std::string_view name) {
  const auto row =
      std::find_if(kTypes.begin() + 1, kTypes.end(), [&](const TypeInfo& t) { return t.name == name; });
  if (row == kTypes.end()) return std::nullopt;
  return row->type;
}

namespace {

template <class Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Function* Module::find_function(std::string_view name) const {
  const Function* function = find_named(functions, name);
  if (function != nullptr && !function->is_declaration) return function;
  const Alias* alias = find_named(aliases, name);
  return alias == nullptr ? function : find_named(functions, alias->target);
}

const Variable* Module::find_variable(std::string_view name) const { return find_named(variables, name); }

}  // namespace cudalab::ptx
