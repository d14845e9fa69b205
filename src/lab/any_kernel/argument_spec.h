// What `--arg`, `--symbol` and `--print` say about a kernel's arguments.
//
//   argument = 'buf:' TYPE ':' COUNT [':' fill]            a pointer to memory
//            | TYPE ':' VALUE { ',' VALUE }                numbers, one after the other
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

// "-1", "0xff", "2.5e-3", "nan": its bytes; nothing where it is no number or not of the type's range.
std::optional<Bytes> scalar_from(ScalarType type, std::string_view text);

// The shortest text that reads back to the same value. `bytes` holds one element.
std::string scalar_text(ScalarType type, std::span<const std::byte> bytes);

// 0, 1, 2, … in the type's own arithmetic: u8 begins again after 255.
Bytes iota_values(ScalarType type, std::size_t count);

// Real numbers in [-1, 1), whole numbers over the type's whole range; the same for the same stream
// everywhere.
Bytes random_bytes(ScalarType type, std::size_t count, std::uint64_t stream);

// Numbers between blanks, commas or line ends. Throws Error(kUsage) that calls the text `name` and shows the
// first word that is no number of the type.
Bytes scalars_from_text(ScalarType type, std::string_view text, std::string_view name);

// One number a line.
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
  Bytes value;  // of numbers
  std::vector<ArgumentSpec> parts;
  ArrayShape shape;  // of a texture or surface
  Sampling sampling;
  bool is_array = false;  // a texture of one dimension that is no linear memory

  std::uint64_t bytes() const { return count * info(type).bytes; }  // of the elements or values
  bool has_elements() const {
    return kind == ArgumentKind::kBuffer || kind == ArgumentKind::kTexture || kind == ArgumentKind::kSurface;
  }
};

// Throws Error(kUsage) that says what is wrong with which part; `shown` is what the user wrote, option
// included.
ArgumentSpec parse_argument(std::string_view text, const std::string& shown);
ArgumentSpec parse_argument(std::string_view text);  // of --arg

// NAME=SPEC
std::pair<std::string, ArgumentSpec> parse_symbol(const std::string& text);

// How a kernel sees it: pointers and handles have 8 bytes.
std::size_t size_in_kernel(const ArgumentSpec& spec);
std::size_t alignment_in_kernel(const ArgumentSpec& spec);
// Where each part of a structure, or of a pointer's memory, begins; and, as the last, where all of it ends.
std::vector<std::size_t> offsets_of_parts(const ArgumentSpec& spec);

// ARG[:FIRST[:COUNT]]
struct PrintRange {
  std::string argument;
  std::uint64_t first = 0, count = 16;
};
PrintRange parse_print_range(std::string_view text);

// What a buffer holds before the launch; empty for Fill::kUnwritten. `position` is the argument's, beginning
// with 1: two buffers of one seed hold different numbers. A file is raw bytes, or text where its name ends in
// .txt or .csv. Throws Error(kUsage) when the file cannot be read or is not as long as the buffer.
Bytes initial_bytes(const ArgumentSpec& spec, const std::string& position);

bool is_text_file(std::string_view name);  // ends in .txt or .csv

}  // namespace cudalab::lab
