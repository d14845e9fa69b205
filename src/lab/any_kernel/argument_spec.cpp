// One function for each rule of the grammar in argument_spec.h.
#include "lab/any_kernel/argument_spec.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "lab/random.h"

namespace cudalab::lab {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;  // their bytes still fit into 64 bits

std::string type_names() {
  std::string names;
  for (const ScalarTypeInfo& row : kScalarTypes) names.append(names.empty() ? "" : " ").append(row.name);
  return names;
}

// Cuts what stands before the next `separator` off the front of `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return piece;
}

std::optional<std::uint64_t> natural(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

ScalarType type_from(std::string_view name, std::string_view spec) {
  if (const auto type = scalar_type_named(name)) return *type;
  throw usage_error("--arg {}: `{}` is no type; write buf:TYPE:COUNT or TYPE:VALUE with one of {}", spec,
                    name, type_names());
}

std::uint64_t count_from(std::string_view text, std::string_view spec) {
  const auto count = natural(text);
  if (!count || *count == 0 || *count > kMostElements)
    throw usage_error("--arg {}: `{}` is no number of elements; write buf:TYPE:COUNT, as in buf:f32:1024",
                      spec, text);
  return *count;
}

void read_fill(std::string_view text, ArgumentSpec& spec) {
  if (text.starts_with("file=")) {
    spec.fill = Fill::kFile;
    spec.file = text.substr(5);
    return;
  }
  std::string_view rest = text;
  const std::string_view name = cut(rest, ':');
  if (name == "zero")
    spec.fill = Fill::kZero;
  else if (name == "iota")
    spec.fill = Fill::kIota;
  else if (name == "random")
    spec.fill = Fill::kRandom;
  else
    throw usage_error("--arg {}: a buffer is filled by zero, iota, random[:SEED] or file=PATH, not `{}`",
                      spec.text, text);
  if (rest.empty()) return;
  const auto seed = natural(rest);
  if (!seed || spec.fill != Fill::kRandom)
    throw usage_error("--arg {}: `{}` is no seed; write random:SEED with a whole number", spec.text, rest);
  spec.seed = *seed;
}

void read_buffer(std::string_view rest, ArgumentSpec& spec) {
  spec.is_buffer = true;
  spec.type = type_from(cut(rest, ':'), spec.text);
  spec.count = count_from(cut(rest, ':'), spec.text);
  if (!rest.empty()) read_fill(rest, spec);
}

void read_values(std::string_view rest, ArgumentSpec& spec) {
  spec.type = type_from(cut(rest, ':'), spec.text);
  do {
    const std::string_view word = cut(rest, ',');
    const auto bytes = scalar_from(spec.type, word);
    if (!bytes)
      throw usage_error("--arg {}: `{}` is no {}; write {}:VALUE, or buf:{}:COUNT for a buffer", spec.text,
                        word, info(spec.type).name, info(spec.type).name, info(spec.type).name);
    spec.value.insert(spec.value.end(), bytes->begin(), bytes->end());
    ++spec.count;
  } while (!rest.empty());
}

// Numbers as text take more room than as bytes: so many characters are enough for any.
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
  throw usage_error("--arg {}: {} holds {} bytes, which are {} elements of {}; the buffer has {}", spec.text,
                    spec.file, bytes.size(), bytes.size() / size, info(spec.type).name, spec.count);
}

}  // namespace

ArgumentSpec parse_argument(std::string_view text) {
  ArgumentSpec spec;
  spec.text = text;
  if (text.starts_with("buf:"))
    read_buffer(text.substr(4), spec);
  else
    read_values(text, spec);
  return spec;
}

PrintRange parse_print_range(std::string_view text) {
  PrintRange range;
  std::string_view rest = text;
  range.argument = cut(rest, ':');
  for (std::uint64_t* number : {&range.first, &range.count}) {
    if (rest.empty()) continue;
    const std::string_view word = cut(rest, ':');
    const auto value = natural(word);
    if (!value)
      throw usage_error("--print {}: `{}` is no whole number; write ARG:FIRST:COUNT, as in y:0:16", text,
                        word);
    *number = *value;
  }
  if (!rest.empty() || range.argument.empty() || range.count == 0)
    throw usage_error("--print {}: write ARG:FIRST:COUNT, as in y:0:16, with a count of at least 1", text);
  return range;
}

Bytes initial_bytes(const ArgumentSpec& spec, std::size_t position) {
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
