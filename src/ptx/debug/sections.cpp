#include "ptx/debug/sections.h"

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
  // Names of sections, and of places in them, become numbers.
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
  // element ::= NUMBER | NAME ("+" NUMBER)?          of a difference of two names nothing is known
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

  std::string name_;  // of the section that is open
  std::map<std::string, DebugSection> sections_;
  std::map<std::string, std::uint64_t> places_;  // labels in sections, by bytes from the section's begin
};

}  // namespace

std::map<std::string, DebugSection> debug_sections(std::string_view ptx) {
  const std::size_t first = ptx.find(".section");
  if (first == std::string_view::npos) return {};
  SectionReader reader;
  reader.read(ptx.substr(first));
  return reader.take();
}

}  // namespace cudalab::ptx
