// What decoding an instruction needs of its function and may add to it: code, operands, and slots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/counters/shared_merging.h"
#include "vgpu/counters/uniformity.h"
#include "vgpu/decode/module_context.h"
#include "vgpu/decode/reading/basic_block_layout.h"
#include "vgpu/decode/reading/register_uses.h"
#include "vgpu/flow/shared_memory.h"
#include "vgpu/flow/undefined_flow.h"
#include "vgpu/hand_overs/wait_loops.h"
#include "vgpu/opcodes/table.h"
#include "vgpu/time/timing_code.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The code of a function while it is made: all before the current instruction, and what that led to so far.

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

// From operands in the text to slots: registers, immediates, special registers, addresses. Where that takes
// code, such as a conversion to another width, it is emitted.

// The bits of a literal where a value of the given type is wanted.
std::uint64_t literal_bits(const ptx::Immediate& literal, ptx::Type type);

class Operands {
 public:
  Operands(ModuleContext& module, const ptx::Function& source, Declarations& declarations, CodeBuffer& code,
           FunctionTraits& traits);

  Slot source(const ptx::Operand& operand, ptx::Type type);
  Slot source_register(const std::string& name, ptx::Type type);
  Slot predicate(const std::string& name) const;
  Slot constant(std::uint64_t bits, std::size_t lane_bytes);  // 1, 2, 4 or 8; 0: a predicate
  // Where a result goes. A register wider than the type is filled by a conversion after the instruction.
  Slot result(const ptx::Operand& operand, ptx::Type type);

  SymbolValue symbol(const std::string& name) const;
  Slot address_of(const ptx::Symbol& symbol, std::size_t bytes);
  // The address of an operand in brackets, 64 bits wide; the displacement is not part of it.
  Slot wide_address(const ptx::Address& address);
  // The whole 64-bit address of an operand in brackets; in shared memory the generic one.
  Slot generic_address(const ptx::Address& address, bool in_shared);

 private:
  Slot wide_register(const ptx::Operand& operand) const;
  Slot resized(Slot from, std::size_t from_bytes, ptx::Type type);
  Slot is_set(Slot special);
  Slot clock(const std::string& name, ptx::Type type);
  Slot local_address(std::uint64_t offset, std::size_t bytes);
  Slot dynamic_shared_address(std::uint64_t offset, std::size_t bytes);
  void use_grid_workspace();

  ModuleContext& module_;
  const ptx::Function& source_;
  Declarations& declarations_;
  CodeBuffer& code_;
  FunctionTraits& traits_;
};

// What decoding an instruction needs to know of its function, and may add to it.

struct FunctionScope {
  FunctionScope(ModuleContext& module, const ptx::Function& source, FunctionCode& result);

  ModuleContext& module;
  Program& program;
  const ptx::Function& source;
  FunctionCode& result;
  FunctionTraits traits;
  CodeBuffer code;
  Declarations declarations;
  Operands operands;
  BasicBlockLayout layout;
  MergedLoads merged_loads;
  TimingCode timing;
  std::size_t statement = 0;  // being decoded

  const RegisterUses& uses();
  const Uniformity& uniformity();
  const UndefinedFlow& undefined();
  const AwaitedReads& awaited();
  bool draws(std::size_t statement);  // work that others may get as well (wait_loops.h)
  // Lets a site in shared memory know which variable it is meant for.
  void attribute(SiteInfo& site, const ptx::Address& address);

  // The entry of Program::basic_blocks that counts the code which follows.
  std::uint32_t open_count(const BasicBlockInfo& info);
  std::uint32_t current_count() const;
  void ends_with(BasicBlockInfo::End end);

  std::uint32_t add_site(SiteInfo site);  // of the current line; its index

 private:
  std::optional<RegisterUses> uses_;  // these are made when first asked for
  std::optional<Uniformity> uniformity_;
  std::optional<UndefinedFlow> undefined_;
  std::optional<SharedBases> shared_bases_;
  std::optional<AwaitedReads> awaited_;
  std::optional<Drawings> drawings_;
};

// Before the instruction, and before its guard: waits for the lanes of the mask. `asks_all`: the result
// depends on each of them.
Slot wait_for_lanes(FunctionScope& scope, const ptx::Operand& mask, Handler wait, bool asks_all = false);
// Memory is read or written that other threads, perhaps of other blocks, may use at the same time.
void note_communication(FunctionScope& scope, bool with_other_blocks);
// Follows a read of memory that waits for others, whose sites are those from first_site on: `to`, of so many
// bytes, is what it reads; none where it is a vector.
void note_awaited(FunctionScope& scope, std::uint32_t first_site, Slot to, std::size_t bytes);
// Tells the checks what the instruction does with values that may be undefined; of a shuffle, decode_shuffle
// does.
void follow_values(FunctionScope& scope, const ptx::Instruction& instruction);
ValueStep value_step(const FunctionScope& scope, const ValueUse& use);
// An instruction that is a row of the opcode table.
void decode_row(FunctionScope& scope, const ptx::Instruction& instruction);

}  // namespace cudalab::vgpu
