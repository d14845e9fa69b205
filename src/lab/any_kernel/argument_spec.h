// What `--arg` and `--print` say about a kernel's arguments.
//
//   argument = 'buf:' TYPE ':' COUNT [':' fill] | TYPE ':' VALUE { ',' VALUE }
//   fill     = 'zero' | 'iota' | 'random' [':' SEED] | 'file=' PATH
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/any_kernel/scalars.h"

namespace cudalab::lab {

enum class Fill { kUnwritten, kZero, kIota, kRandom, kFile };

struct ArgumentSpec {
  std::string text;  // as the user wrote it
  ScalarType type{};
  bool is_buffer = false;
  std::uint64_t count = 0;  // elements of a buffer, or values
  Fill fill = Fill::kUnwritten;
  std::uint64_t seed = 1;
  std::string file;
  Bytes value;  // of what is no buffer
  std::uint64_t bytes() const { return count * info(type).bytes; }
};

// Throws Error(kUsage) that says what is wrong with which part.
ArgumentSpec parse_argument(std::string_view text);

// ARG[:FIRST[:COUNT]]
struct PrintRange {
  std::string argument;
  std::uint64_t first = 0, count = 16;
};
PrintRange parse_print_range(std::string_view text);

// What a buffer holds before the launch; empty for Fill::kUnwritten. `position` is the argument's, beginning
// with 1: two buffers of one seed hold different numbers. A file is raw bytes, or text where its name ends in
// .txt or .csv. Throws Error(kUsage) when the file cannot be read or is not as long as the buffer.
Bytes initial_bytes(const ArgumentSpec& spec, std::size_t position);

bool is_text_file(std::string_view name);  // ends in .txt or .csv

}  // namespace cudalab::lab
