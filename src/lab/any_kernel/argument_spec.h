// Parses `--arg`, `--symbol` and `--print`, which describe a kernel's arguments. The grammar:
//
//   argument = 'buf:' TYPE ':' COUNT [':' fill]            a pointer to memory
//            | TYPE ':' VALUE { ',' VALUE }                numbers in sequence
//            | '{' parts '}'                               a structure
//            | '[' parts ']'                               a pointer to memory that holds the parts
//            | ( 'tex:' | 'surf:' ) TYPE ['x' CHANNELS] ':' WIDTH ['x' HEIGHT ['x' DEPTH]]
//              [':' fill] { ':' reading }                  the handle of a texture or a surface
//   parts    = part { ',' part }
//   part     = [COUNT '*'] argument | 'pad:' BYTES         at its natural alignment
//   fill     = 'zero' | 'iota' | 'random' [':' SEED] | 'file=' PATH
//   reading  = 'linear' | 'normalized' | 'wrap' | 'mirror' | 'border' | 'as-float' | 'array'
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scalar_type.h"
#include "core/texture.h"

namespace cudalab::lab {

using Bytes = std::vector<std::byte>;

bool is_floating(ScalarType type);

// The bytes of "-1", "0xff", "2.5e-3" or "nan"; empty if it is not a number or out of the type's range.
std::optional<Bytes> scalar_from(ScalarType type, std::string_view text);

// The shortest text that reads back to the same value. `bytes` holds one element.
std::string scalar_text(ScalarType type, std::span<const std::byte> bytes);

// 0, 1, 2, … in the type's own arithmetic: u8 wraps after 255.
Bytes iota_values(ScalarType type, std::size_t count);

// Real numbers in [-1, 1), or whole numbers over the type's whole range. A stream gives the same numbers on
// every machine.
Bytes random_bytes(ScalarType type, std::size_t count, std::uint64_t stream);

// Numbers separated by blanks, commas or line ends. Throws Error(kUsage), which calls the text `name` and
// shows the first word that is not a number of the type.
Bytes scalars_from_text(ScalarType type, std::string_view text, std::string_view name);

// One number per line.
std::string text_of_scalars(ScalarType type, std::span<const std::byte> bytes);

enum class ArgumentKind { kValue, kBuffer, kStruct, kPointers, kTexture, kSurface, kPadding };
enum class Fill { kUnwritten, kZero, kIota, kRandom, kFile };

struct ArgumentSpec {
  std::string text;  // as the user wrote it
  ArgumentKind kind = ArgumentKind::kValue;
  ScalarType type{};
  std::uint64_t count = 0;  // elements of a buffer or texture, values, or bytes of padding
  Fill fill = Fill::kUnwritten;
  std::uint64_t seed = 1;
  std::string file;
  Bytes value;  // the bytes of numbers
  std::vector<ArgumentSpec> parts;
  ArrayShape shape;  // of a texture or surface
  Sampling sampling;
  bool is_array = false;  // a one-dimensional texture in an array instead of linear memory

  std::uint64_t bytes() const { return count * info(type).bytes; }  // the size of its elements or values
  bool has_elements() const {
    return kind == ArgumentKind::kBuffer || kind == ArgumentKind::kTexture || kind == ArgumentKind::kSurface;
  }
};

// Throws Error(kUsage), which says what is wrong with which part; `shown` is the user's text, including the
// option.
ArgumentSpec parse_argument(std::string_view text, const std::string& shown);
ArgumentSpec parse_argument(std::string_view text);  // an argument of --arg

// Parses NAME=SPEC.
std::pair<std::string, ArgumentSpec> parse_symbol(const std::string& text);

// Size and alignment as a kernel sees them: pointers and handles have 8 bytes.
std::size_t size_in_kernel(const ArgumentSpec& spec);
std::size_t alignment_in_kernel(const ArgumentSpec& spec);
// The offset of each part of a structure, or of the memory behind a pointer; the last entry is the total
// size.
std::vector<std::size_t> offsets_of_parts(const ArgumentSpec& spec);

// ARG[:FIRST[:COUNT]]
struct PrintRange {
  std::string argument;
  std::uint64_t first = 0, count = 16;
};
PrintRange parse_print_range(std::string_view text);

// The contents of a buffer before the launch; empty for Fill::kUnwritten. `position` is the argument's
// position, from 1: it makes two buffers with one seed differ. A file is raw bytes, or text if its name ends
// in .txt or .csv. Throws Error(kUsage) if the file cannot be read or does not have the buffer's length.
Bytes initial_bytes(const ArgumentSpec& spec, const std::string& position);

bool is_text_file(std::string_view name);  // ends in .txt or .csv

}  // namespace cudalab::lab
