// Reads and writes expected/h200/conformance.txt: the results of a GPU for the rows of the opcode table.
//
//     inputs 3 192 b32 b32 u32        input set 3: 192 values for each operand, and the operands' types
//     00000000ffffffff…    a line for each operand: per value, as many hexadecimal digits as its type needs
//     …
//     row prmt.b32 3 b32   an opcode, its input set, its results' types
//     00000000…            a line for each result
// A predicate is one digit. An operand of type `carry` is the carry in or out, also one digit.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace cudalab::vgpu::recorded {

struct Column {
  std::string type;  // as in PTX, or "carry"
  std::vector<std::uint64_t> values;
};

struct Result {
  std::string opcode;
  int inputs = 0;  // number of its input set
  std::vector<Column> columns;
};

struct Recording {
  std::map<int, std::vector<Column>> inputs;
  std::vector<Result> rows;
};

inline std::size_t digits_of(const std::string& type) {
  const auto known = ptx::type_named(type);
  const std::size_t bytes = known ? ptx::info(*known).bytes : 0;
  return bytes == 0 ? 1 : 2 * bytes;
}

inline std::string to_hex(const Column& column) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::size_t digits = digits_of(column.type);
  std::string text;
  text.reserve(digits * column.values.size());
  for (const std::uint64_t value : column.values)
    for (std::size_t digit = digits; digit-- > 0;) text += kDigits[value >> (4 * digit) & 15];
  return text;
}

inline std::vector<std::uint64_t> from_hex(const std::string& text, std::size_t digits) {
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at + digits <= text.size(); at += digits)
    values.push_back(std::stoull(text.substr(at, digits), nullptr, 16));
  return values;
}

inline void write_columns(std::ostream& out, const std::vector<Column>& columns) {
  for (const Column& column : columns) out << ' ' << column.type;
  out << '\n';
  for (const Column& column : columns) out << to_hex(column) << '\n';
}

inline void write(std::ostream& out, const Recording& recording) {
  for (const auto& [number, columns] : recording.inputs) {
    out << "inputs " << number << ' ' << columns.front().values.size();
    write_columns(out, columns);
  }
  for (const Result& row : recording.rows) {
    out << "row " << row.opcode << ' ' << row.inputs;
    write_columns(out, row.columns);
  }
}

inline std::vector<Column> read_columns(std::istream& in, std::istringstream& types) {
  std::vector<Column> columns;
  for (std::string type; types >> type;) columns.push_back({type, {}});
  for (Column& column : columns) {
    std::string line;
    std::getline(in, line);
    column.values = from_hex(line, digits_of(column.type));
  }
  return columns;
}

inline Recording read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  Recording recording;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, opcode;
    int number = 0;
    words >> kind;
    if (kind == "inputs") {
      std::size_t count = 0;
      words >> number >> count;
      recording.inputs[number] = read_columns(in, words);
      for (const Column& column : recording.inputs[number])
        if (column.values.size() != count)
          throw std::runtime_error("inputs " + std::to_string(number) + " are cut short");
    } else if (kind == "row") {
      words >> opcode >> number;
      recording.rows.push_back({opcode, number, read_columns(in, words)});
    } else if (!kind.empty() && kind != "#") {
      throw std::runtime_error("what is `" + kind + "` in " + path + "?");
    }
  }
  return recording;
}

}  // namespace cudalab::vgpu::recorded
