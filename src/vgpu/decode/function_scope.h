// The context for decoding an instruction: the function's code, operands and slots.
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

// The code of a function under construction: all code before the current instruction, and that instruction's
// code so far.

// A row that is not PTX text. Throws Unsupported if there is none of that name.
const Row& internal_row(const std::string& name);

// An instruction's code:  | leading | guard | emitted | following |
class CodeBuffer {
 public:
  void set_line(std::uint32_t line) { line_ = line; }  // of the current instruction, in Program::lines
  std::uint32_t line() const { return line_; }
  void set_statement(std::uint32_t statement) { statement_ = statement; }  // statement whose code follows
  // The instructions of the basic block from that statement on.
  void set_left(std::uint64_t instructions) { left_ = instructions; }
  std::uint64_t left() const { return left_; }

  Inst& emit(Handler run);  // valid until the next one
  Inst& emit(const Row& row) { return emit(row.run); }
  void add(const Inst& made, Handler run);
  void add(const Inst& made, const Row& row) { add(made, row.run); }
  void follow(const Inst& made, Handler run);
  void follow(const Inst& made, const Row& row) { follow(made, row.run); }
  void lead();                       // moves the code emitted so far before the guard
  std::size_t last_emitted() const;  // its later index in the function, if nothing leads

  void flush();                                // completes the current instruction
  void flush_under(Slot guard, bool negated);  // the same under a guard
  void discard();                              // drops the current instruction, which is refused

  std::size_t size() const { return complete_.size(); }
  std::vector<Inst> take() { return std::move(complete_); }
  std::vector<std::uint32_t> take_statements() { return std::move(statements_); }

 private:
  void note_statement() { statements_.resize(complete_.size(), statement_); }

  std::uint32_t line_ = 0, statement_ = 0;
  std::uint64_t left_ = 0;
  std::vector<std::uint32_t> statements_;  // parallel to complete_
  std::vector<Inst> complete_, leading_, emitted_, following_;
};

// Translates operands of the text to slots: registers, immediates, special registers, addresses. Emits code
// if that is necessary, for example for a conversion to another width.

// The bits of a literal as a value of this type.
std::uint64_t literal_bits(const ptx::Immediate& literal, ptx::Type type);

class Operands {
 public:
  Operands(ModuleContext& module, const ptx::Function& source, Declarations& declarations, CodeBuffer& code,
           FunctionTraits& traits);

  Slot source(const ptx::Operand& operand, ptx::Type type);
  Slot source_register(const std::string& name, ptx::Type type);
  Slot predicate(const std::string& name) const;
  Slot constant(std::uint64_t bits, std::size_t lane_bytes);  // 1, 2, 4 or 8; 0: a predicate
  // The slot for a result. If the register is wider than the type, a conversion after the instruction fills
  // it.
  Slot result(const ptx::Operand& operand, ptx::Type type);

  SymbolValue symbol(const std::string& name) const;
  Slot address_of(const ptx::Symbol& symbol, std::size_t bytes);
  // The 64-bit base of an address operand, without its displacement.
  Slot wide_address(const ptx::Address& address);
  // The complete 64-bit address of an address operand; for shared memory, the generic address.
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

// The context for decoding an instruction.

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
  std::size_t statement = 0;  // the current one

  const RegisterUses& uses();
  const Uniformity& uniformity();
  const UndefinedFlow& undefined();
  const AwaitedReads& awaited();
  bool draws(std::size_t statement);  // whether the statement fetches work dynamically (wait_loops.h)
  // Records in a shared memory site the variable that it is meant for.
  void attribute(SiteInfo& site, const ptx::Address& address);

  // Adds an entry in Program::basic_blocks, which counts the following code.
  std::uint32_t open_count(const BasicBlockInfo& info);
  std::uint32_t current_count() const;
  void ends_with(BasicBlockInfo::End end);

  std::uint32_t add_site(SiteInfo site);  // a site of the current line; returns its index

 private:
  std::optional<RegisterUses> uses_;  // created at first use
  std::optional<Uniformity> uniformity_;
  std::optional<UndefinedFlow> undefined_;
  std::optional<SharedBases> shared_bases_;
  std::optional<AwaitedReads> awaited_;
  std::optional<Drawings> drawings_;
};

// Emits code, before the instruction and its guard, that waits for the lanes of the mask. `asks_all`: the
// result depends on all of them.
Slot wait_for_lanes(FunctionScope& scope, const ptx::Operand& mask, Handler wait, bool asks_all = false);
// Notes an access to memory that other threads, possibly of other blocks, may use at the same time.
void note_communication(FunctionScope& scope, bool with_other_blocks);
// Emits code after a read that polls memory. The read's sites begin with first_site; `to`, of `bytes` bytes,
// is its result; empty if that is a vector.
void note_awaited(FunctionScope& scope, std::uint32_t first_site, Slot to, std::size_t bytes);
// Emits code that reports the instruction's use of possibly undefined values to the checks. Shuffles are
// handled by decode_shuffle().
void follow_values(FunctionScope& scope, const ptx::Instruction& instruction);
ValueStep value_step(const FunctionScope& scope, const ValueUse& use);
// Decodes an instruction that is a row of the opcode table.
void decode_row(FunctionScope& scope, const ptx::Instruction& instruction);

}  // namespace cudalab::vgpu
