// Which variable in shared memory an address was computed from, as far as the text of a function shows it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/module.h"

namespace cudalab::vgpu {

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

}  // namespace cudalab::vgpu
