// Shared memory of a module: its layout per kernel, and the variable that an address was computed from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace cudalab::vgpu {

// Finds the shared variable that an address was computed from, as far as the text of a function shows it.

// Follows a variable's address through moves, conversions, sums with integers, selections and loops. If a
// register may hold addresses of two variables, or if a pointer is transformed other than by a sum, the
// result is unknown.
class SharedBases {
 public:
  // `is_variable`: whether a symbol is a shared variable with a size.
  SharedBases(const ptx::Function& function, std::function<bool(const std::string&)> is_variable);

  // The variable's name; "" if it is unknown or if there is none. Valid as long as the function.
  std::string_view of(const ptx::Address& address) const;

 private:
  // The value of a register in the whole function. Changes only to a kind further down the list.
  struct Value {
    enum class Kind : std::uint8_t { kUnseen, kInteger, kAddress, kUnknown } kind = Kind::kUnseen;
    std::string_view variable{};  // of kAddress
    friend bool operator==(const Value&, const Value&) = default;
  };
  using IsVariable = std::function<bool(const std::string&)>;
  static Value met(const Value& a, const Value& b);
  static Value sum(const Value& a, const Value& b);
  static Value difference(const Value& a, const Value& b);
  static Value mixed(const Value& a, const Value& b);

  Value of_symbol(const std::string& name) const;
  Value of_operand(const ptx::Operand& operand) const;
  Value result_of(const ptx::Instruction& instruction) const;
  bool learn(const ptx::Instruction& instruction);
  template <class Function>
  void for_each_result(const ptx::Instruction& instruction, const Function& function);

  std::function<bool(const std::string&)> is_variable_;
  std::unordered_map<std::string, Value> registers_;  // those that the function writes
};

// The kernels that reach each shared variable of a module, and the offsets of the variables in a block's
// shared memory.

// A kernel has space for the variables that it, or a function that it may call, names; as in ptxas:
//
//   one kernel:      | x      | of both      | its own variables | dynamic |
//   another kernel:  | y |    | of both      | its own variables | dynamic |
struct SharedLayout {
  struct Place {
    std::uint64_t offset = 0;
    std::vector<int> kernels;  // that reach it, as indices into `functions`
  };
  std::vector<Place> variables;  // by index in Module::variables; offset 0 and no kernels for other variables
  std::vector<std::uint64_t> ends;  // by function: end of the module's variables that it reaches
};

// functions: those of the module that have a body.
SharedLayout lay_out_shared(const ptx::Module& module, std::span<const ptx::Function* const> functions);

}  // namespace cudalab::vgpu
