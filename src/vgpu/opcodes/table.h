// The opcode table: for every opcode, the types of its operands and the function that executes it for a warp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The layout of an opcode's operands in an Inst.
enum class Shape : std::uint8_t {
  kLanewise,      // d = f(a, b, c, e) in every lane; a predicate operand has one bit per lane
  kCompare,       // setp: d (and d2) = comparison of a and b, optionally combined with the predicate c
  kComparePairs,  // setp on two 16-bit numbers per register: d for the low halves, d2 for the high halves
  kInternal,      // not PTX text: the decoder looks it up by an internal name, such as "ld.global.b32.v1.a64"
};

struct Row {
  std::string opcode;  // complete, as in PTX
  Shape shape{};
  ptx::Type result = ptx::Type::kNone;
  int source_count = 0;
  std::array<ptx::Type, 4> sources{};
  Handler run = nullptr;
  bool uses_carry = false;  // reads or writes Warp::carry
};

class OpcodeTable {
 public:
  // A second row of the same name is a programming error (std::logic_error).
  void add(Row row);
  // The same, not inlined: it is called for about 2000 rows, which otherwise would double the size of the
  // code.
  void add(std::string_view opcode, Shape shape, ptx::Type result, int source_count,
           std::array<ptx::Type, 4> sources, Handler run);
  const Row* find(std::string_view opcode) const;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
};

// The table for the best instruction-set level of this host; created at first use.
const OpcodeTable& opcode_table();

// The tables for every level that this host supports, best first; tests compare their results.
std::vector<std::pair<std::string_view, const OpcodeTable*>> opcode_tables();

}  // namespace cudalab::vgpu
