// Parses arguments: one function per rule of the grammar in argument_spec.h; and makes their initial bytes.
#include "lab/any_kernel/argument_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/alignment.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "device/textures.h"
#include "lab/random.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;  // their bytes still fit into 64 bits
constexpr std::size_t kPointerBytes = 8;

std::string type_names() {
  std::string names;
  for (const ScalarTypeInfo& row : kScalarTypes) names.append(names.empty() ? "" : " ").append(row.name);
  return names;
}

// Removes the text before the next `separator`, and the separator, from the front of `rest`; returns the
// text.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return piece;
}

class Parser {
 public:
  explicit Parser(const std::string& shown) : shown_(shown) {}

  ArgumentSpec argument(std::string_view text) const {
    ArgumentSpec spec;
    spec.text = text;
    if (text.starts_with('{') || text.starts_with('['))
      read_parts(text, spec);
    else if (text.starts_with("buf:"))
      read_buffer(text.substr(4), spec);
    else if (text.starts_with("tex:") || text.starts_with("surf:"))
      read_texture(text, spec);
    else
      read_values(text, spec);
    return spec;
  }

 private:
  [[noreturn]] void refuse(Message what) const { throw usage_error(msg::at_place(shown_, std::move(what))); }

  ScalarType type_from(std::string_view name) const {
    if (const auto type = scalar_type_named(name)) return *type;
    refuse(msg::argument_type_unknown(name, type_names()));
  }

  std::uint64_t count_from(std::string_view text, std::string_view example) const {
    const auto count = natural(text);
    if (!count || *count == 0 || *count > kMostElements) refuse(msg::argument_count_wrong(text, example));
    return *count;
  }

  // The rule `fill`; false if `name` is not a fill.
  bool read_fill(std::string_view name, std::string_view& rest, ArgumentSpec& spec) const {
    if (name == "zero")
      spec.fill = Fill::kZero;
    else if (name == "iota")
      spec.fill = Fill::kIota;
    else if (name == "random")
      spec.fill = Fill::kRandom;
    else
      return false;
    const bool has_seed = !rest.empty() && (spec.kind == ArgumentKind::kBuffer || is_digit(rest.front()));
    if (!has_seed) return true;
    const std::string_view word = cut(rest, ':');
    const auto seed = natural(word);
    if (!seed || spec.fill != Fill::kRandom) refuse(msg::argument_seed_wrong(word));
    spec.seed = *seed;
    return true;
  }

  bool read_file_name(std::string_view text, ArgumentSpec& spec) const {
    if (!text.starts_with("file=")) return false;
    spec.fill = Fill::kFile;
    spec.file = text.substr(5);
    return true;
  }

  void read_buffer(std::string_view rest, ArgumentSpec& spec) const {
    spec.kind = ArgumentKind::kBuffer;
    spec.type = type_from(cut(rest, ':'));
    spec.count = count_from(cut(rest, ':'), "buf:TYPE:COUNT, as in buf:f32:1024");
    if (rest.empty() || read_file_name(rest, spec)) return;
    const std::string_view all = rest, name = cut(rest, ':');
    if (!read_fill(name, rest, spec)) refuse(msg::argument_fill_unknown(all));
    if (!rest.empty()) refuse(msg::argument_too_much(rest, name));
  }

  void read_values(std::string_view rest, ArgumentSpec& spec) const {
    spec.type = type_from(cut(rest, ':'));
    do {
      const std::string_view word = cut(rest, ',');
      const auto bytes = scalar_from(spec.type, word);
      if (!bytes) refuse(msg::argument_value_wrong(word, info(spec.type).name));
      spec.value.insert(spec.value.end(), bytes->begin(), bytes->end());
      ++spec.count;
    } while (!rest.empty());
  }

  // ---- structures and memory that holds pointers -----------------------------------------------------

  void read_parts(std::string_view text, ArgumentSpec& spec) const {
    const char open = text.front(), close = open == '{' ? '}' : ']';
    if (text.size() < 3 || text.back() != close)
      refuse(msg::argument_not_closed(text, std::string(1, close)));
    if (++depth_ > kDeepest) refuse(msg::argument_nested_too_deep(kDeepest));
    spec.kind = open == '{' ? ArgumentKind::kStruct : ArgumentKind::kPointers;
    for (const std::string& piece : pieces(text.substr(1, text.size() - 2))) read_part(piece, spec);
    --depth_;
  }

  // "buf:f32:4,f32:1,2" -> "buf:f32:4", "f32:1,2"
  std::vector<std::string> pieces(std::string_view text) const {
    std::vector<std::string> found;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const char c = at < text.size() ? text[at] : ',';
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth < 0) refuse(msg::argument_closes_too_much(text));
      if (c != ',' || (depth > 0 && at < text.size())) continue;
      const std::string_view piece = text.substr(begin, at - begin);
      const bool begins_one = piece.find_first_of(":{[") != std::string_view::npos;
      if (begins_one || found.empty())
        found.emplace_back(piece);
      else
        found.back().append(",").append(piece);
      begin = at + 1;
    }
    return found;
  }

  void read_part(std::string_view piece, ArgumentSpec& spec) const {
    std::uint64_t times = 1;
    const std::size_t star = piece.find('*');
    if (const auto count = natural(piece.substr(0, star)); star != std::string_view::npos && count) {
      times = *count;
      piece.remove_prefix(star + 1);
    }
    if (times == 0 || times > kMostParts || spec.parts.size() + times > kMostParts)
      refuse(msg::argument_parts_wrong(times, kMostParts));
    const ArgumentSpec part = piece.starts_with("pad:") ? padding(piece) : argument(piece);
    spec.parts.insert(spec.parts.end(), times, part);
  }

  ArgumentSpec padding(std::string_view piece) const {
    ArgumentSpec spec;
    spec.text = piece;
    spec.kind = ArgumentKind::kPadding;
    spec.type = ScalarType::kU8;
    spec.count = count_from(piece.substr(4), "pad:BYTES, as in pad:4");
    if (spec.count > kMostParts) refuse(msg::argument_padding_too_large(piece, kMostParts));
    return spec;
  }

  // ---- textures and surfaces -------------------------------------------------------------------------

  void read_texture(std::string_view text, ArgumentSpec& spec) const {
    std::string_view rest = text;
    spec.kind = cut(rest, ':') == "tex" ? ArgumentKind::kTexture : ArgumentKind::kSurface;
    spec.shape.has_surface = spec.kind == ArgumentKind::kSurface;
    spec.fill = Fill::kZero;
    read_texel_type(cut(rest, ':'), spec);
    read_extent(cut(rest, ':'), spec);
    spec.count = spec.shape.texels() * static_cast<std::uint64_t>(spec.shape.format.channels);
    while (!rest.empty()) {
      if (read_file_name(rest, spec)) break;
      const std::string_view word = cut(rest, ':');
      if (!read_fill(word, rest, spec)) read_reading(word, spec);
    }
  }

  void read_texel_type(std::string_view text, ArgumentSpec& spec) const {
    const std::size_t times = text.rfind('x');
    const auto channels = times == std::string_view::npos ? 1 : natural(text.substr(times + 1));
    spec.type = type_from(text.substr(0, times));
    if (!channels || (*channels != 1 && *channels != 2 && *channels != 4))
      refuse(msg::argument_channels_wrong(text));
    spec.shape.format = device::texel_format(spec.type, static_cast<int>(*channels));
  }

  void read_extent(std::string_view text, ArgumentSpec& spec) const {
    std::string_view rest = text;
    for (std::size_t* side : {&spec.shape.width, &spec.shape.height, &spec.shape.depth}) {
      if (rest.empty() && side != &spec.shape.width) return;
      *side = count_from(cut(rest, 'x'), "tex:TYPE:WIDTHxHEIGHT, as in tex:f32:64x64");
      if (*side > kLongestSide) refuse(msg::argument_side_too_long(text, kLongestSide));
    }
    if (!rest.empty()) refuse(msg::argument_too_many_sides(text));
  }

  void read_reading(std::string_view word, ArgumentSpec& spec) const {
    struct Address {
      std::string_view name;
      AddressMode mode;
    };
    static constexpr std::array<Address, 4> kAddresses{{{"clamp", AddressMode::kClamp},
                                                        {"wrap", AddressMode::kWrap},
                                                        {"mirror", AddressMode::kMirror},
                                                        {"border", AddressMode::kBorder}}};
    const auto address = std::ranges::find(kAddresses, word, &Address::name);
    if (address != kAddresses.end())
      spec.sampling.address.fill(address->mode);
    else if (word == "linear")
      spec.sampling.filter = FilterMode::kLinear;
    else if (word == "normalized")
      spec.sampling.normalized_coordinates = true;
    else if (word == "as-float")
      spec.sampling.read = ReadMode::kNormalizedFloat;
    else if (word != "array")
      refuse(msg::argument_reading_unknown(word));
    spec.is_array |= word != "as-float";
  }

  static constexpr std::size_t kMostParts = 4096, kLongestSide = std::size_t{1} << 28;
  static constexpr int kDeepest = 16;
  const std::string& shown_;
  mutable int depth_ = 0;
};

// Text files are larger than the bytes that they describe. No number needs more characters than this.
constexpr std::size_t kLongestNumber = 64;

Bytes read_file(const ArgumentSpec& spec) {
  const std::string content =
      read_bytes(spec.file, std::max(kLargestText, kLongestNumber * static_cast<std::size_t>(spec.bytes())));
  if (is_text_file(spec.file)) return scalars_from_text(spec.type, as_text(content), spec.file);
  const auto bytes = std::as_bytes(std::span(content));
  return Bytes(bytes.begin(), bytes.end());
}

Bytes file_bytes(const ArgumentSpec& spec) {
  Bytes bytes = read_file(spec);
  const std::size_t size = info(spec.type).bytes;
  if (bytes.size() == spec.bytes()) return bytes;
  throw usage_error(msg::argument_file_wrong_size(spec.text, spec.file, bytes.size(), bytes.size() / size,
                                                  info(spec.type).name, spec.count));
}

}  // namespace

ArgumentSpec parse_argument(std::string_view text, const std::string& shown) {
  return Parser(shown).argument(text);
}

ArgumentSpec parse_argument(std::string_view text) {
  return parse_argument(text, "--arg " + std::string(text));
}

std::pair<std::string, ArgumentSpec> parse_symbol(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw usage_error(msg::symbol_malformed(text));
  return {text.substr(0, equals),
          parse_argument(std::string_view(text).substr(equals + 1), "--symbol " + text)};
}

std::size_t alignment_in_kernel(const ArgumentSpec& spec) {
  switch (spec.kind) {
    case ArgumentKind::kPadding: return 1;
    case ArgumentKind::kValue: return info(spec.type).bytes;
    case ArgumentKind::kStruct: break;
    default: return kPointerBytes;
  }
  std::size_t most = 1;
  for (const ArgumentSpec& part : spec.parts) most = std::max(most, alignment_in_kernel(part));
  return most;
}

std::vector<std::size_t> offsets_of_parts(const ArgumentSpec& spec) {
  std::vector<std::size_t> offsets;
  std::size_t end = 0, most = 1;
  for (const ArgumentSpec& part : spec.parts) {
    const std::size_t alignment = alignment_in_kernel(part);
    offsets.push_back(round_up(end, alignment));
    end = offsets.back() + size_in_kernel(part);
    most = std::max(most, alignment);
  }
  offsets.push_back(round_up(end, most));
  return offsets;
}

std::size_t size_in_kernel(const ArgumentSpec& spec) {
  switch (spec.kind) {
    case ArgumentKind::kPadding:
    case ArgumentKind::kValue: return spec.bytes();
    case ArgumentKind::kStruct: return offsets_of_parts(spec).back();
    default: return kPointerBytes;
  }
}

namespace {

// Cuts off the text before the first single colon: "physics::total" is one name.
std::string_view cut_name(std::string_view& rest) {
  std::size_t end = rest.find(':');
  while (end != std::string_view::npos && rest.substr(end).starts_with("::")) end = rest.find(':', end + 2);
  const std::string_view name = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return name;
}

}  // namespace

PrintRange parse_print_range(std::string_view text) {
  PrintRange range;
  std::string_view rest = text;
  range.argument = cut_name(rest);
  for (std::uint64_t* number : {&range.first, &range.count}) {
    if (rest.empty()) continue;
    const std::string_view word = cut(rest, ':');
    const auto value = natural(word);
    if (!value) throw usage_error(msg::print_number_wrong(text, word));
    *number = *value;
  }
  if (!rest.empty() || range.argument.empty() || range.count == 0)
    throw usage_error(msg::print_malformed(text));
  return range;
}

Bytes initial_bytes(const ArgumentSpec& spec, const std::string& position) {
  switch (spec.fill) {
    case Fill::kUnwritten: break;
    case Fill::kZero: return Bytes(spec.bytes());
    case Fill::kIota: return iota_values(spec.type, spec.count);
    case Fill::kRandom:
      return random_bytes(spec.type, spec.count,
                          random_stream(spec.seed, fmt::format("argument {}", position)));
    case Fill::kFile: return file_bytes(spec);
  }
  return {};
}

bool is_text_file(std::string_view name) { return name.ends_with(".txt") || name.ends_with(".csv"); }

}  // namespace cudalab::lab
