// The code of a function while it is made: all before the current instruction, and what that led to so far.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/opcodes/table.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// A row that is not PTX text. Throws Unsupported where there is none of that name.
const Row& internal_row(const std::string& name);

// An instruction's code:  | leading | guard | emitted | following |
class CodeBuffer {
 public:
  void set_line(std::uint32_t line) { line_ = line; }  // of the current instruction, in Program::lines
  std::uint32_t line() const { return line_; }
  void set_statement(std::uint32_t statement) { statement_ = statement; }  // that what follows is the code of

  Inst& emit(Handler run);  // valid until the next one
  Inst& emit(const Row& row) { return emit(row.run); }
  void add(const Inst& made, Handler run);
  void add(const Inst& made, const Row& row) { add(made, row.run); }
  void follow(const Inst& made, Handler run);
  void follow(const Inst& made, const Row& row) { follow(made, row.run); }
  void lead();                       // what was emitted so far comes before the guard
  std::size_t last_emitted() const;  // where it will stand in the function, when nothing leads

  void flush();                                // the current instruction is complete
  void flush_under(Slot guard, bool negated);  // the same, where the guard holds
  void discard();                              // the current instruction is refused

  std::size_t size() const { return complete_.size(); }
  std::vector<Inst> take() { return std::move(complete_); }
  std::vector<std::uint32_t> take_statements() { return std::move(statements_); }

 private:
  void note_statement() { statements_.resize(complete_.size(), statement_); }

  std::uint32_t line_ = 0, statement_ = 0;
  std::vector<std::uint32_t> statements_;  // of each in complete_
  std::vector<Inst> complete_, leading_, emitted_, following_;
};

}  // namespace cudalab::vgpu
