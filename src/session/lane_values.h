// Values of variables and of memory as a debugger shows them, and their conversion to and from numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace cudalab::session {

// The location of a value: a variable of an open call, or bytes in memory.
struct ValuePlace {
  enum Kind : std::uint8_t { kNone, kLocal, kMemory };
  Kind kind = kNone;
  std::string name;  // "pair.x", "s[3]"
  std::uint32_t lane = 0;
  std::uint32_t call = 0;  // of a variable: its frame, as in vgpu::WarpStep
  ptx::Type type{};
  std::uint64_t address = 0, bytes = 0;  // of memory; a generic address
};

// A variable's value in one lane; structures and arrays have parts.
struct LaneVariable {
  std::string name, type, value;
  std::vector<LaneVariable> parts;
  ValuePlace place = {};
  bool is_argument = false;                  // of the function
  std::optional<std::uint64_t> memory = {};  // the generic address it has, or, for a pointer, holds
  // Elements that are read when they are shown, instead of parts.
  std::uint64_t elements = 0;
  std::function<std::vector<LaneVariable>(std::uint64_t first, std::uint64_t count)> read = {};
};

// The result of an expression: whole numbers exactly, others with nine significant digits.
std::string number_text(double number);

double number_of(ptx::Type type, std::uint64_t bytes, std::uint64_t bits);
// The bits of a number as this type, which truncates fractions like C. Empty if the number does not fit, or
// the type holds no number.
std::optional<std::uint64_t> bits_of_number(ptx::Type type, std::uint64_t bytes, double number);

// The type of elements that a word of C++ names, such as "float".
struct ElementType {
  std::string_view word;
  ptx::Type type;
  std::uint64_t bytes;
};
// The first type that the text names, such as that of "const float *"; nullptr if it names none.
const ElementType* element_type_in(std::string_view text);
std::vector<std::string> names_in(std::string_view text);
// The type in C++: "float" for "f32"; bits without a type keep their name in PTX.
std::string_view name_in_source(ptx::Type type);

// The name of the function whose body contains the line of a source; empty if there is none.
std::string function_around(std::string_view source, int line);

// The length of the first part: of "pair" in "pair.x", of "acc" in "acc[1][2]".
std::size_t end_of_part(std::string_view name);
// The first parts on one line.
std::string shown_parts(const LaneVariable& whole);
// Adds a value at its place in a tree of parts. `rest`: the value's name relative to `parts`.
void insert_part(std::vector<LaneVariable>& parts, std::string_view rest, const LaneVariable& value);
// Finds the variable or part with this name, at any depth.
const LaneVariable* found_in(const std::vector<LaneVariable>& variables, std::string_view name);
// Whether the expression is only a name with members and indices, such as "s[i + 1].x".
bool is_name_of_value(std::string_view expression);

}  // namespace cudalab::session
