// Finds the variables of functions in DWARF entries, with their types, scopes and locations.
#include "ptx/debug/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/debug/dwarf.h"

namespace cudalab::ptx {
namespace {

constexpr int kMostDepth = 32;  // limit for nested types and nested blocks

// ---- types -------------------------------------------------------------------------------------------

struct BaseType {
  std::uint64_t encoding, bytes;
  Type type;
};
constexpr BaseType kBaseTypes[]{
    {dwarf::kFloat, 2, Type::kF16},  {dwarf::kFloat, 4, Type::kF32},     {dwarf::kFloat, 8, Type::kF64},
    {dwarf::kSigned, 1, Type::kS8},  {dwarf::kSigned, 2, Type::kS16},    {dwarf::kSigned, 4, Type::kS32},
    {dwarf::kSigned, 8, Type::kS64}, {dwarf::kSignedChar, 1, Type::kS8}, {dwarf::kBoolean, 1, Type::kU8},
};

Type unsigned_type(std::uint64_t bytes) {
  switch (bytes) {
    case 1: return Type::kU8;
    case 2: return Type::kU16;
    case 4: return Type::kU32;
    case 8: return Type::kU64;
    default: return Type::kNone;
  }
}

Type type_of_base(std::uint64_t encoding, std::uint64_t bytes) {
  for (const BaseType& each : kBaseTypes)
    if (each.encoding == encoding && each.bytes == bytes) return each.type;
  return encoding == dwarf::kFloat ? Type::kNone : unsigned_type(bytes);
}

// Classes of the toolkit's headers that hold one number, such as __half.
struct NumberClass {
  std::string_view name;
  Type type;
};
constexpr NumberClass kNumberClasses[]{{"__half", Type::kF16}, {"__nv_bfloat16", Type::kBF16}};

// How the name of a derived type, such as a pointer, is formed from the name of its base type.
struct TypeMaker {
  std::uint32_t tag;
  std::string_view before, behind;
  bool has_own_value;  // the variable itself holds an address
};
constexpr TypeMaker kTypeMakers[]{
    {dwarf::kPointer, "", "*", true},           {dwarf::kReference, "", "&", true},
    {dwarf::kRvalueReference, "", "&&", true},  {dwarf::kConst, "const ", "", false},
    {dwarf::kVolatile, "volatile ", "", false}, {dwarf::kTypedef, "", "", false},
};
const TypeMaker* maker_of(const DebugEntry& type) {
  const auto found = std::ranges::find(kTypeMakers, type.tag, &TypeMaker::tag);
  return found == std::end(kTypeMakers) ? nullptr : &*found;
}

bool is_class(const DebugEntry& type) {
  return type.tag == dwarf::kStructure || type.tag == dwarf::kClass || type.tag == dwarf::kUnion;
}

class Reader {
 public:
  explicit Reader(std::string_view ptx) : entries_(debug_sections(ptx)) {}

  std::vector<DebugFunction> functions() {
    std::vector<DebugFunction> functions;
    for (const DebugEntry& entry : entries_.all()) {
      if (entry.tag != dwarf::kFunction) continue;
      const DebugRange range = range_of(entry);
      if (range.begin.empty()) continue;  // a declaration
      DebugFunction& function = functions.emplace_back();
      function.begin = range.begin;
      add_variables(entry, range, kMostDepth, function.variables);
    }
    return functions;
  }

 private:
  std::uint64_t number(const DebugEntry& entry, std::uint32_t attribute) const {
    const DebugValue* value = entries_.find(entry, attribute);
    return value ? value->number : 0;
  }
  std::string text(const DebugEntry& entry, std::uint32_t attribute) const {
    const DebugValue* value = entries_.find(entry, attribute);
    return value ? value->text : "";
  }
  DebugRange range_of(const DebugEntry& entry) const {
    const DebugValue *low = entry.find(dwarf::kLowPc), *high = entry.find(dwarf::kHighPc);
    return low && high ? DebugRange{low->symbol.name, high->symbol.name} : DebugRange{};
  }

  // ---- variables and scopes --------------------------------------------------------------------------
  void add_variables(const DebugEntry& block, const DebugRange& scope, int depth,
                     std::vector<DebugVariable>& variables) const {
    if (depth == 0) return;
    for (const DebugEntry* entry : entries_.children(block)) {
      if (entry->tag == dwarf::kVariable || entry->tag == dwarf::kParameter)
        add_variable(*entry, scope, variables);
      if (entry->tag != dwarf::kBlock && entry->tag != dwarf::kInlined) continue;
      const DebugRange inner = range_of(*entry);
      add_variables(*entry, inner.begin.empty() ? scope : inner, depth - 1, variables);
    }
  }
  void add_variable(const DebugEntry& entry, const DebugRange& scope,
                    std::vector<DebugVariable>& variables) const {
    const DebugEntry* type = entries_.type_of(entry);
    DebugVariable variable{text(entry, dwarf::kName),
                           name_of(type, kMostDepth),
                           static_cast<int>(number(entry, dwarf::kLine)),
                           scope,
                           {},
                           {},
                           entry.tag == dwarf::kParameter};
    if (const DebugValue* location = entries_.find(entry, dwarf::kLocation))
      variable.places = places_in(*location);
    if (type) add_parts(*type, variable.name, 0, kMostDepth, variable.parts);
    if (!variable.name.empty() && !variable.places.empty() && !variable.parts.empty())
      variables.push_back(std::move(variable));
  }

  // ---- types ----------------------------------------------------------------------------------------
  std::string name_of(const DebugEntry* type, int depth) const {
    if (!type || depth == 0) return "void";
    if (std::string name = text(*type, dwarf::kName); !name.empty()) return name;
    const DebugEntry* inner = entries_.type_of(*type);
    if (const TypeMaker* maker = maker_of(*type))
      return fmt::format("{}{}{}", maker->before, name_of(inner, depth - 1), maker->behind);
    if (type->tag != dwarf::kArray) return "struct";
    std::string extents;
    for (const std::uint64_t extent : extents_of(*type)) extents += fmt::format("[{}]", extent);
    return name_of(inner, depth - 1) + extents;
  }
  std::vector<std::uint64_t> extents_of(const DebugEntry& array) const {
    std::vector<std::uint64_t> extents;
    for (const DebugEntry* range : entries_.children(array)) {
      if (range->tag != dwarf::kSubrange) continue;
      const DebugValue* last = range->find(dwarf::kUpperBound);
      extents.push_back(last ? last->number + 1 : number(*range, dwarf::kCount));
    }
    return extents;
  }
  std::uint64_t bytes_of(const DebugEntry* type, int depth) const {
    if (!type || depth == 0) return 0;
    if (const std::uint64_t bytes = number(*type, dwarf::kByteSize)) return bytes;
    const TypeMaker* maker = maker_of(*type);
    if (maker && maker->has_own_value) return sizeof(std::uint64_t);
    std::uint64_t bytes = bytes_of(entries_.type_of(*type), depth - 1);
    if (type->tag == dwarf::kArray)
      for (const std::uint64_t extent : extents_of(*type)) bytes *= extent;
    return bytes;
  }

  // ---- parts of a variable ---------------------------------------------------------------------------
  void add_parts(const DebugEntry& type, const std::string& name, std::uint64_t offset, int depth,
                 std::vector<DebugPart>& parts) const {
    if (depth == 0 || parts.size() == kMostParts) return;
    const TypeMaker* maker = maker_of(type);
    const DebugEntry* inner = entries_.type_of(type);
    if (maker && maker->has_own_value) {
      parts.push_back({name, Type::kU64, offset});
    } else if (maker && inner) {
      add_parts(*inner, name, offset, depth - 1, parts);
    } else if (type.tag == dwarf::kArray && inner) {
      add_elements(*inner, extents_of(type), name, offset, depth, parts);
    } else if (is_class(type)) {
      add_members(type, name, offset, depth, parts);
    } else {
      const std::uint64_t bytes = number(type, dwarf::kByteSize);
      const Type number_type = type.tag == dwarf::kEnumeration
                                   ? unsigned_type(bytes)
                                   : type_of_base(number(type, dwarf::kEncoding), bytes);
      if (number_type != Type::kNone) parts.push_back({name, number_type, offset});
    }
  }
  void add_elements(const DebugEntry& type, const std::vector<std::uint64_t>& extents,
                    const std::string& name, std::uint64_t offset, int depth,
                    std::vector<DebugPart>& parts) const {
    const std::uint64_t bytes = bytes_of(&type, kMostDepth);
    std::uint64_t elements = bytes ? 1 : 0;
    for (const std::uint64_t extent : extents) elements *= std::min<std::uint64_t>(extent, kMostParts + 1);
    for (std::uint64_t element = 0; element < elements && parts.size() < kMostParts; ++element) {
      std::string indices;
      std::uint64_t left = element;
      for (auto extent = extents.rbegin(); extent != extents.rend(); left /= *extent++)
        indices = fmt::format("[{}]{}", left % *extent, indices);
      add_parts(type, name + indices, offset + element * bytes, depth - 1, parts);
    }
  }
  void add_members(const DebugEntry& type, const std::string& name, std::uint64_t offset, int depth,
                   std::vector<DebugPart>& parts) const {
    const std::string own = text(type, dwarf::kName);
    for (const NumberClass& each : kNumberClasses)
      if (own == each.name) return parts.push_back({name, each.type, offset});
    for (const DebugEntry* member : entries_.children(type)) {
      const bool is_base = member->tag == dwarf::kInheritance;
      const DebugValue* at = member->find(dwarf::kMemberLocation);
      const DebugEntry* inner = entries_.type_of(*member);
      if ((member->tag != dwarf::kMember && !is_base) || !inner || member->find(dwarf::kBitSize)) continue;
      if (!at && type.tag != dwarf::kUnion) continue;  // a static member
      const std::string part = is_base ? name : fmt::format("{}.{}", name, text(*member, dwarf::kName));
      add_parts(*inner, part, offset + (at ? member_offset(*at) : 0), depth - 1, parts);
    }
  }
  std::uint64_t member_offset(const DebugValue& at) const {
    if (!at.block) return at.number;
    try {
      ByteReader reader(entries_.information(), at.block->first, at.block->second);
      return reader.number(1) == dwarf::kPlusConstant ? reader.variable_length() : 0;
    } catch (Unreadable) {
      return 0;
    }
  }

  // ---- locations -------------------------------------------------------------------------------------
  std::vector<DebugPlace> places_in(const DebugValue& location) const {
    std::vector<DebugPlace> places;
    try {
      if (location.block) {
        add_place(ByteReader(entries_.information(), location.block->first, location.block->second), {},
                  places);
      } else if (location.is_section_offset) {
        add_list(location.number, places);
      }
    } catch (Unreadable) {
      places.clear();
    }
    return places;
  }
  // list ::= (from to length expression)* 0 0
  void add_list(std::uint64_t begin, std::vector<DebugPlace>& places) const {
    const DebugSection& from = entries_.locations();
    ByteReader reader(from, begin, from.bytes.size());
    while (true) {
      DebugRange range{reader.symbol(8).name, reader.symbol(8).name};
      if (range.begin.empty() || range.end.empty()) return;
      const std::uint64_t length = reader.number(2);
      const std::size_t at = reader.at();
      reader.skip(length);
      add_place(ByteReader(from, at, at + length), std::move(range), places);
    }
  }
  // expression ::= register | address ("plus" NUMBER)?           other expressions yield no location
  static void add_place(ByteReader reader, DebugRange range, std::vector<DebugPlace>& places) {
    DebugPlace place;
    place.range = std::move(range);
    const std::uint64_t operation = reader.number(1);
    if (operation == dwarf::kRegisterNamed) {
      // DWARF encodes the register's name as a number with the last character in the lowest byte.
      for (std::uint64_t name = reader.variable_length(); name; name >>= 8)
        place.name.insert(place.name.begin(), static_cast<char>(name & 0xff));
    } else if (operation == dwarf::kAddress) {
      place.kind = DebugPlace::kMemory;
      const DebugSymbol symbol = reader.symbol(8);
      place.name = symbol.name;
      place.offset = symbol.offset;
      if (!reader.is_at_end() && reader.number(1) == dwarf::kPlusConstant)
        place.offset += reader.variable_length();
    }
    if (reader.is_at_end() && !place.name.empty()) places.push_back(std::move(place));
  }

  DebugEntries entries_;
};

}  // namespace

std::vector<DebugFunction> debug_functions(std::string_view ptx) { return Reader(ptx).functions(); }

}  // namespace cudalab::ptx
