// Reads the DWARF debug information in PTX (versions 2 to 4): the sections' bytes, and their entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::ptx {

// A position in the bytes that holds the address of a symbol. PTX does not state the address itself.
struct DebugSymbol {
  std::string name;  // a label or variable of the code; empty: a position in a section, given by `offset`
  std::uint64_t offset = 0;
};

struct DebugSection {
  std::vector<std::uint8_t> bytes;
  std::map<std::size_t, DebugSymbol> symbols;  // by the offset of their bytes
};

// The debug sections by name, such as ".debug_info". Skips lines that contain no data.
std::map<std::string, DebugSection> debug_sections(std::string_view ptx);

// The tags, attributes and operations that describe variables (DWARF 4, 7.5 and 7.7).
namespace dwarf {
enum Tag : std::uint32_t {
  kArray = 0x01,
  kClass = 0x02,
  kEnumeration = 0x04,
  kParameter = 0x05,
  kBlock = 0x0b,
  kMember = 0x0d,
  kPointer = 0x0f,
  kReference = 0x10,
  kStructure = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInheritance = 0x1c,
  kInlined = 0x1d,
  kSubrange = 0x21,
  kBaseType = 0x24,
  kConst = 0x26,
  kFunction = 0x2e,
  kVariable = 0x34,
  kVolatile = 0x35,
  kRvalueReference = 0x42,
};
enum Attribute : std::uint32_t {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kBitSize = 0x0d,
  kLowPc = 0x11,
  kHighPc = 0x12,
  kUpperBound = 0x2f,
  kOrigin = 0x31,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kLine = 0x3b,
  kEncoding = 0x3e,
  kSpecification = 0x47,
  kType = 0x49,
};
enum Encoding : std::uint64_t { kBoolean = 2, kFloat = 4, kSigned = 5, kSignedChar = 6 };
enum Operation : std::uint8_t { kAddress = 0x03, kPlusConstant = 0x23, kRegisterNamed = 0x90 };
}  // namespace dwarf

// Reads a range of a section from its beginning. Throws Unreadable at the end of the range.
struct Unreadable {};
class ByteReader {
 public:
  ByteReader(const DebugSection& section, std::size_t begin, std::size_t end)
      : section_(&section), at_(begin), end_(end) {
    if (begin > end || end > section.bytes.size()) throw Unreadable{};
  }
  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ == end_; }
  std::uint64_t number(std::size_t bytes);
  std::uint64_t variable_length();  // unsigned LEB128
  std::string text();               // up to a null character
  DebugSymbol symbol(std::size_t bytes);
  void skip(std::uint64_t bytes);

 private:
  const DebugSection* section_;
  std::size_t at_, end_;
};

// The value of one attribute of an entry.
struct DebugValue {
  std::uint64_t number = 0;
  std::string text;
  DebugSymbol symbol;                                        // for an address
  std::optional<std::pair<std::size_t, std::size_t>> block;  // range of bytes in .debug_info
  bool is_section_offset = false;
};

struct DebugEntry {
  std::uint32_t tag = 0;
  std::size_t offset = 0;                                    // in .debug_info
  int parent = -1;                                           // index of the enclosing entry
  std::vector<std::pair<std::uint32_t, DebugValue>> values;  // keyed by dwarf::Attribute
  const DebugValue* find(std::uint32_t attribute) const;
};

class DebugEntries {
 public:
  // Skips an entry that cannot be read, and the rest of its unit.
  explicit DebugEntries(std::map<std::string, DebugSection> sections);

  const std::vector<DebugEntry>& all() const { return entries_; }
  const DebugEntry* at_offset(std::uint64_t offset) const;
  // Also searches the entry of which this one is an instance.
  const DebugValue* find(const DebugEntry& entry, std::uint32_t attribute) const;
  const DebugEntry* type_of(const DebugEntry& entry) const;
  std::vector<const DebugEntry*> children(const DebugEntry& entry) const;

  const DebugSection& information() const { return section(".debug_info"); }
  const DebugSection& locations() const { return section(".debug_loc"); }

 private:
  struct Form {
    std::uint32_t attribute = 0, form = 0;
  };
  struct Abbreviation {
    std::uint32_t tag = 0;
    bool has_children = false;
    std::vector<Form> forms;
  };
  using Abbreviations = std::map<std::uint64_t, Abbreviation>;

  const DebugSection& section(const std::string& name) const;
  Abbreviations read_abbreviations(std::uint64_t begin) const;
  void read_unit(ByteReader& reader);
  DebugValue read_value(ByteReader& reader, std::uint32_t form, std::size_t unit) const;

  std::map<std::string, DebugSection> sections_;
  std::vector<DebugEntry> entries_;
  std::map<std::uint64_t, int> by_offset_;
  std::vector<std::vector<int>> children_;
};

}  // namespace cudalab::ptx
