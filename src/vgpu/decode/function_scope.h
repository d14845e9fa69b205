// What decoding an instruction needs to know of its function, and may add to it.
#pragma once

#include <cstdint>
#include <optional>

#include "vgpu/counters/shared_merging.h"
#include "vgpu/counters/uniformity.h"
#include "vgpu/decode/code_buffer.h"
#include "vgpu/decode/operands.h"
#include "vgpu/decode/reading/basic_block_layout.h"
#include "vgpu/decode/reading/register_uses.h"
#include "vgpu/flow/shared_bases.h"
#include "vgpu/flow/undefined_flow.h"
#include "vgpu/hand_overs/wait_loops.h"
#include "vgpu/time/timing_code.h"

namespace cudalab::vgpu {

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
