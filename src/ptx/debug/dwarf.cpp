// Reads the DWARF debug information in PTX (versions 2 to 4): the sections' bytes, and their entries.
#include "ptx/debug/dwarf.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text.h"

namespace cudalab::ptx {
namespace {

struct DataDirective {
  std::string_view name;
  std::size_t bytes;
};
constexpr DataDirective kData[]{{".b8", 1}, {".b16", 2}, {".b32", 4}, {".b64", 8}};

std::optional<std::uint64_t> number_in(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return is_negative ? ~value + 1 : value;
}

class SectionReader {
 public:
  void read(std::string_view ptx) {
    while (!ptx.empty()) {
      const std::size_t end = ptx.find('\n');
      line(trimmed(ptx.substr(0, end)));
      ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
    }
  }
  // Replaces the names of sections, and of labels in them, by section offsets.
  std::map<std::string, DebugSection> take() {
    for (auto& [unused, section] : sections_)
      for (auto& [at, symbol] : section.symbols) resolve(symbol);
    return std::move(sections_);
  }

 private:
  // line ::= ".section" NAME | LABEL ":" | (".b8" | …) element ("," element)*
  void line(std::string_view text) {
    constexpr std::string_view kSection = ".section";
    if (text.starts_with(kSection)) {
      name_ = trimmed(text.substr(kSection.size()));
      name_ = name_.substr(0, name_.find_first_of(" \t{"));
    } else if (text.starts_with('}')) {
      name_.clear();
    } else if (!name_.empty() && text.ends_with(':')) {
      places_[std::string(text.substr(0, text.size() - 1))] = sections_[name_].bytes.size();
    } else if (!name_.empty()) {
      data(text);
    }
  }
  void data(std::string_view text) {
    for (const DataDirective& each : kData) {
      if (!text.starts_with(each.name) || text.size() <= each.name.size()) continue;
      if (text[each.name.size()] != ' ' && text[each.name.size()] != '\t') continue;
      std::string_view left = text.substr(each.name.size());
      for (std::size_t comma = 0; comma != std::string_view::npos; left.remove_prefix(comma + 1)) {
        comma = left.find(',');
        add(trimmed(left.substr(0, comma)), each.bytes);
        if (comma == std::string_view::npos) break;
      }
    }
  }
  // element ::= NUMBER | NAME ("+" NUMBER)?          a difference of two names is read as unknown
  void add(std::string_view element, std::size_t bytes) {
    DebugSection& section = sections_[name_];
    const auto number = number_in(element);
    if (!number) {
      const std::size_t plus = element.find('+');
      DebugSymbol symbol{std::string(trimmed(element.substr(0, plus))), 0};
      if (plus != std::string_view::npos)
        symbol.offset = number_in(trimmed(element.substr(plus + 1))).value_or(0);
      section.symbols[section.bytes.size()] = std::move(symbol);
    }
    for (std::size_t i = 0; i < bytes; ++i)
      section.bytes.push_back(static_cast<std::uint8_t>(number.value_or(0) >> 8 * i));
  }
  void resolve(DebugSymbol& symbol) const {
    if (sections_.contains(symbol.name)) {
      symbol.name.clear();
    } else if (const auto place = places_.find(symbol.name); place != places_.end()) {
      symbol.offset += place->second;
      symbol.name.clear();
    }
  }

  std::string name_;  // of the section that is being read
  std::map<std::string, DebugSection> sections_;
  std::map<std::string, std::uint64_t> places_;  // labels in sections, as byte offsets in their section
};

}  // namespace

std::map<std::string, DebugSection> debug_sections(std::string_view ptx) {
  const std::size_t first = ptx.find(".section");
  if (first == std::string_view::npos) return {};
  SectionReader reader;
  reader.read(ptx.substr(first));
  return reader.take();
}

namespace {

constexpr std::size_t kAddressBytes = 8, kOffsetBytes = 4;
constexpr std::size_t kMostEntries = 1u << 20;
constexpr int kMostOrigins =
    4;  // limit for chains of entries that refer to another entry as their declaration

// The encodings of values (DWARF 4, 7.5.4).
enum Form : std::uint32_t {
  kAddr = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlockAny = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSdata = 0x0d,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kRefAddr = 0x10,
  kRef1 = 0x11,
  kRef2 = 0x12,
  kRef4 = 0x13,
  kRef8 = 0x14,
  kRefUdata = 0x15,
  kSecOffset = 0x17,
  kExpression = 0x18,
  kFlagPresent = 0x19,
};

struct FixedForm {
  std::uint32_t form;
  std::size_t bytes;
  bool is_reference;  // an offset from the beginning of the unit
};
constexpr FixedForm kFixed[]{{kData1, 1, false}, {kData2, 2, false}, {kData8, 8, false},
                             {kFlag, 1, false},  {kRef1, 1, true},   {kRef2, 2, true},
                             {kRef4, 4, true},   {kRef8, 8, true},   {kFlagPresent, 0, false}};

DebugValue block_of(ByteReader& reader, std::uint64_t bytes) {
  DebugValue value;
  const std::size_t begin = reader.at();
  reader.skip(bytes);
  value.block = {begin, reader.at()};
  return value;
}

}  // namespace

// ---- bytes -------------------------------------------------------------------------------------------

std::uint64_t ByteReader::number(std::size_t bytes) {
  if (end_ - at_ < bytes) throw Unreadable{};
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{section_->bytes[at_++]} << 8 * i;
  return value;
}

std::uint64_t ByteReader::variable_length() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t byte = number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}

std::string ByteReader::text() {
  std::string text;
  while (const std::uint64_t character = number(1)) text += static_cast<char>(character);
  return text;
}

DebugSymbol ByteReader::symbol(std::size_t bytes) {
  const auto known = section_->symbols.find(at_);
  const std::uint64_t plain = number(bytes);
  return known == section_->symbols.end() ? DebugSymbol{"", plain} : known->second;
}

void ByteReader::skip(std::uint64_t bytes) {
  if (end_ - at_ < bytes) throw Unreadable{};
  at_ += bytes;
}

// ---- entries -----------------------------------------------------------------------------------------

const DebugValue* DebugEntry::find(std::uint32_t attribute) const {
  const auto found = std::ranges::find(values, attribute, &std::pair<std::uint32_t, DebugValue>::first);
  return found == values.end() ? nullptr : &found->second;
}

DebugEntries::DebugEntries(std::map<std::string, DebugSection> sections) : sections_(std::move(sections)) {
  try {
    ByteReader reader(information(), 0, information().bytes.size());
    while (!reader.is_at_end()) read_unit(reader);
  } catch (Unreadable) {
  }
  children_.resize(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].parent >= 0)
      children_[static_cast<std::size_t>(entries_[i].parent)].push_back(static_cast<int>(i));
}

const DebugSection& DebugEntries::section(const std::string& name) const {
  static const DebugSection none;
  const auto found = sections_.find(name);
  return found == sections_.end() ? none : found->second;
}

const DebugEntry* DebugEntries::at_offset(std::uint64_t offset) const {
  const auto found = by_offset_.find(offset);
  return found == by_offset_.end() ? nullptr : &entries_[static_cast<std::size_t>(found->second)];
}

const DebugValue* DebugEntries::find(const DebugEntry& entry, std::uint32_t attribute) const {
  const DebugEntry* of = &entry;
  for (int step = 0; of && step < kMostOrigins; ++step) {
    if (const DebugValue* value = of->find(attribute)) return value;
    const DebugValue* origin = of->find(dwarf::kOrigin);
    if (!origin) origin = of->find(dwarf::kSpecification);
    of = origin ? at_offset(origin->number) : nullptr;
  }
  return nullptr;
}

const DebugEntry* DebugEntries::type_of(const DebugEntry& entry) const {
  const DebugValue* type = find(entry, dwarf::kType);
  return type ? at_offset(type->number) : nullptr;
}

std::vector<const DebugEntry*> DebugEntries::children(const DebugEntry& entry) const {
  std::vector<const DebugEntry*> found;
  for (const int child : children_[static_cast<std::size_t>(&entry - entries_.data())])
    found.push_back(&entries_[static_cast<std::size_t>(child)]);
  return found;
}

// abbreviations ::= (code tag has_children (attribute form)* 0 0)* 0
DebugEntries::Abbreviations DebugEntries::read_abbreviations(std::uint64_t begin) const {
  const DebugSection& from = section(".debug_abbrev");
  ByteReader reader(from, begin, from.bytes.size());
  Abbreviations known;
  while (const std::uint64_t code = reader.variable_length()) {
    Abbreviation& entry = known[code];
    entry = {static_cast<std::uint32_t>(reader.variable_length()), reader.number(1) != 0, {}};
    while (true) {
      const auto attribute = static_cast<std::uint32_t>(reader.variable_length());
      const auto form = static_cast<std::uint32_t>(reader.variable_length());
      if (attribute == 0 && form == 0) break;
      entry.forms.push_back({attribute, form});
    }
  }
  return known;
}

DebugValue DebugEntries::read_value(ByteReader& reader, std::uint32_t form, std::size_t unit) const {
  DebugValue value;
  for (const FixedForm& each : kFixed) {
    if (each.form != form) continue;
    value.number = reader.number(each.bytes) + (each.is_reference ? unit : 0);
    return value;
  }
  switch (form) {
    case kAddr: value.symbol = reader.symbol(kAddressBytes); return value;
    case kString: value.text = reader.text(); return value;
    case kSdata:
    case kUdata: value.number = reader.variable_length(); return value;
    case kRefUdata: value.number = reader.variable_length() + unit; return value;
    case kData4:
    case kRefAddr:
    case kSecOffset:
      value.number = reader.symbol(kOffsetBytes).offset;
      value.is_section_offset = true;
      return value;
    case kStrp: {
      const DebugSection& texts = section(".debug_str");
      value.text = ByteReader(texts, reader.symbol(kOffsetBytes).offset, texts.bytes.size()).text();
      return value;
    }
    case kBlock1: return block_of(reader, reader.number(1));
    case kBlock2: return block_of(reader, reader.number(2));
    case kBlock4: return block_of(reader, reader.number(4));
    case kExpression:
    case kBlockAny: return block_of(reader, reader.variable_length());
    default: throw Unreadable{};
  }
}

// unit ::= length version abbreviations address_size entry*
// entry ::= code value*                                       code 0 ends the children of the entry around
void DebugEntries::read_unit(ByteReader& reader) {
  const std::size_t begin = reader.at();
  const std::uint64_t length = reader.number(kOffsetBytes);
  const std::size_t end = reader.at() + length;
  const std::uint64_t version = reader.number(2);
  if (version < 2 || version > 4) throw Unreadable{};
  const Abbreviations known = read_abbreviations(reader.symbol(kOffsetBytes).offset);
  if (reader.number(1) != kAddressBytes) throw Unreadable{};
  int around = -1;
  while (reader.at() < end) {
    const std::size_t offset = reader.at();
    const std::uint64_t code = reader.variable_length();
    if (code == 0) {
      if (around < 0) continue;  // padding at the end of the unit
      around = entries_[static_cast<std::size_t>(around)].parent;
      continue;
    }
    const auto kind = known.find(code);
    if (kind == known.end() || entries_.size() == kMostEntries) throw Unreadable{};
    DebugEntry entry{kind->second.tag, offset, around, {}};
    for (const Form& each : kind->second.forms)
      entry.values.emplace_back(each.attribute, read_value(reader, each.form, begin));
    by_offset_[offset] = static_cast<int>(entries_.size());
    if (kind->second.has_children) around = static_cast<int>(entries_.size());
    entries_.push_back(std::move(entry));
  }
}

}  // namespace cudalab::ptx
