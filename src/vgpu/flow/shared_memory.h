// Shared memory of a module: its layout per kernel, and which variable an address was computed from.
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

// Which variable in shared memory an address was computed from, as far as the text of a function shows it.

// Follows a variable's address through moves, conversions, sums with integers, selections and loops. Where
// two variables meet in a register, or a pointer becomes an integer that is no sum any more, it says nothing.
class SharedBases {
 public:
  // `is_variable`: whether a symbol is a variable in shared memory with a size.
  SharedBases(const ptx::Function& function, std::function<bool(const std::string&)> is_variable);

  // The variable's name; "" where it is not certain, or where there is none. Valid as long as the function.
  std::string_view of(const ptx::Address& address) const;

 private:
  // What a register holds, over the whole function. Only ever changes to one that stands further down.
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

// Which kernels reach a module's shared variables, and where in a block's shared memory these lie.

// A kernel has room for the variables that it or a function it may call names, as ptxas gives it:
//
//   one kernel:      | x      | of both      | its own variables | dynamic |
//   another kernel:  | y |    | of both      | its own variables | dynamic |
struct SharedLayout {
  struct Place {
    std::uint64_t offset = 0;
    std::vector<int> kernels;  // that reach it, by their places in the list of functions
  };
  std::vector<Place> variables;     // by place in Module::variables; offset 0 and no kernels of all others
  std::vector<std::uint64_t> ends;  // by function: of the module's variables that it reaches
};

// functions: those of the module that have a body.
SharedLayout lay_out_shared(const ptx::Module& module, std::span<const ptx::Function* const> functions);

}  // namespace cudalab::vgpu
