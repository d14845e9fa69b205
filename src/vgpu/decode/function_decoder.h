// Decodes one function: private to the decoder's files (function_decoder.cpp, decode_*.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "ptx/module.h"
#include "vgpu/counters/shared_merging.h"
#include "vgpu/decode/control_flow.h"
#include "vgpu/decode/register_uses.h"
#include "vgpu/opcodes/table.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// Why an instruction cannot be decoded; collected, so that one error names them all.
struct Unsupported {
  std::string what;  // "opcode `foo.bar`"
};

// What a symbol stands for, wherever in the module it is declared.
struct SymbolValue {
  enum class Kind {
    kGlobalAddress,
    kSharedOffset,
    kDynamicShared,
    kFunction,
    kLocalOffset,
    kParameter,
    kCallSlot
  } kind;
  std::uint64_t value = 0;  // address, offset or function number
  CallSlot slot;            // kCallSlot
};

// The constants of a program: each 32 equal lanes.
class ConstantPool {
 public:
  Slot slot(std::uint64_t bits, std::size_t lane_bytes);  // 1, 2, 4 or 8; 0: a predicate
  HostBytes contents() const;

 private:
  std::map<std::pair<std::uint64_t, std::size_t>, Slot> slots_;
  std::uint32_t size_ = kFirstRegister;
};

// What the functions of a module share while they are decoded.
struct ModuleContext {
  const ptx::Module* module = nullptr;
  Program* program = nullptr;
  std::string source_name;
  std::unordered_map<std::string, SymbolValue> symbols;  // of the module
  std::map<std::string, Slot, std::less<>> specials;
  ConstantPool constants;
  std::map<std::pair<std::string, int>, std::uint32_t> line_numbers;
  std::vector<std::string> unsupported;

  Slot special_slot(const SpecialRegister& special);
  std::uint32_t line_index(const ptx::Instruction& instruction);
};

// What matters to a launch, of one function or of all that a kernel can reach.
struct FunctionTraits {
  bool communicates = false;    // through memory, with other blocks: the order of blocks matters
  bool waits_for_grid = false;  // asks for the grid's workspace, as grid.sync() does
  bool needs_stack = false;     // beyond the variables of the functions: alloca
  bool calls_any = false;       // through pointers: any function of the module
  std::set<int> callees;
  // Kinds of reductions in global memory. One kind alone gives the same result in any order of blocks.
  std::set<std::string> reductions;
};

// Warp-wide instructions wait for the lanes that a mask names.
bool waits_for_lanes(const ptx::Instruction& instruction);

class FunctionDecoder {
 public:
  FunctionDecoder(ModuleContext& context, const ptx::Function& source, FunctionCode& code);
  void decode();
  const FunctionTraits& traits() const { return traits_; }

 private:
  struct RegisterInfo {
    ptx::Type type{};
    std::size_t bytes = 0;  // a lane; 0: predicate
    Slot slot;
  };
  struct RegisterBlock {
    RegisterInfo first;
    std::uint32_t count = 0, step = 0;
  };
  struct BasicBlock {
    std::size_t begin = 0, end = 0;  // statements
    std::vector<std::uint32_t> successors;
    std::size_t start = 0;  // of its code
  };
  struct Fixup {
    std::size_t inst;
    std::uint32_t block;
    enum class Field { kTarget, kFallthrough } field;
  };
  struct TableFixup {
    std::size_t table;
    std::vector<std::uint32_t> blocks;
  };
  using Decode = void (FunctionDecoder::*)(const ptx::Instruction&);
  friend struct DecodeTable;

  // function_decoder.cpp: declarations, blocks, layout
  void declare_registers();
  void declare_vector(const ptx::RegisterRange& range, const std::string& name);
  void declare_variables();
  Slot allocate(std::size_t bytes);
  std::uint64_t shared_offset(const std::string& name) const;
  CallSlot declare_blob(const ptx::Variable& variable);
  void find_blocks();
  void connect_blocks();
  void connect_block(std::uint32_t index);
  std::vector<std::uint32_t> branch_blocks(const ptx::Instruction& instruction) const;
  BasicBlockInfo info_of(const BasicBlock& block) const;
  void emit_block(std::uint32_t index, std::optional<std::uint32_t> next);
  void emit_statement(const ptx::Instruction& instruction);
  void apply_fixups();
  std::uint32_t block_of_label(const std::string& label) const;
  const ptx::Instruction* instruction_at(std::size_t statement) const;

  // operands.cpp
  std::optional<RegisterInfo> find_register(const std::string& name) const;
  SymbolValue symbol(const std::string& name) const;
  Slot source(const ptx::Operand& operand, ptx::Type type);
  Slot source_register(const std::string& name, ptx::Type type);
  void use_grid_workspace();
  Slot clock(const std::string& name, ptx::Type type);
  Slot address_of(const ptx::Symbol& symbol, std::size_t bytes);
  Slot result(const ptx::Operand& operand, ptx::Type type);
  Slot resized(Slot from, std::size_t from_bytes, ptx::Type type);
  const Slot* keep(std::vector<Slot> slots);
  Slot predicate_slot(const std::string& name) const;

  // decode_data.cpp: rows of the table, mov, cvta
  void decode_instruction(const ptx::Instruction& instruction);
  ptx::Instruction with_vectors(ptx::Instruction instruction) const;
  void decode_row(const ptx::Instruction& instruction);
  void decode_compare(const ptx::Instruction& instruction, const Row& row);
  void decode_mov(const ptx::Instruction& instruction);
  void decode_cvta(const ptx::Instruction& instruction);
  void decode_nothing(const ptx::Instruction& instruction);
  void decode_fence(const ptx::Instruction& instruction);
  void decode_pack(const ptx::Instruction& instruction, const ptx::Vector& parts, std::size_t bytes);
  void decode_unpack(const ptx::Instruction& instruction, const ptx::Vector& parts, std::size_t bytes);

  // decode_set.cpp
  void decode_set(const ptx::Instruction& instruction);

  // decode_memory.cpp
  struct Access;
  Access parse_access(const ptx::Instruction& instruction);
  void decode_load(const ptx::Instruction& instruction);
  void decode_store(const ptx::Instruction& instruction);
  void decode_parameter_load(const ptx::Instruction& instruction, const Access& access);
  void decode_parameter_store(const ptx::Instruction& instruction, const Access& access);
  void set_address(Inst& inst, std::string& row, const ptx::Address& address, const Access& access);
  std::uint32_t add_sites(const Access& access, bool store);
  const RegisterUses& uses();

  // decode_atomic.cpp
  bool is_unused(const ptx::Operand& operand);
  void note_communication(bool with_other_blocks);
  std::uint32_t add_atomic_sites(std::uint32_t space, std::size_t bytes, bool reduction);
  Slot wide_address(const ptx::Address& address);
  void decode_atomic(const ptx::Instruction& instruction);

  // decode_texture.cpp
  void set_texel_address(TextureOp& op, Inst& made, const ptx::Operand& operand);
  void set_texel_results(TextureOp& op, const ptx::Instruction& instruction, std::string_view type);
  void set_surface_values(TextureOp& op, const ptx::Instruction& instruction, ptx::Type type, bool writes);
  void finish_texture(TextureOp op, Inst made, const std::string& row, SiteKind kind);
  void decode_texture(const ptx::Instruction& instruction);
  void decode_texture_query(const ptx::Instruction& instruction);
  void decode_surface(const ptx::Instruction& instruction);

  // decode_stack.cpp
  void use_stack();
  void decode_alloca(const ptx::Instruction& instruction);
  void decode_stack_mark(const ptx::Instruction& instruction);

  // decode_warp.cpp
  Slot wait_for_lanes(const ptx::Operand& mask, Handler wait);
  void set_results(Inst& made, const ptx::Operand& operand, ptx::Type type);
  void finish(Inst made, const std::string& row);
  void decode_shuffle(const ptx::Instruction& instruction);
  void decode_vote(const ptx::Instruction& instruction);
  void decode_match(const ptx::Instruction& instruction);
  void decode_redux(const ptx::Instruction& instruction);
  void decode_elect(const ptx::Instruction& instruction);
  void decode_active_mask(const ptx::Instruction& instruction);

  // decode_control.cpp
  void decode_barrier(const ptx::Instruction& instruction);
  void decode_call(const ptx::Instruction& instruction);
  void emit_branch(const ptx::Instruction& instruction, std::uint32_t index,
                   std::optional<std::uint32_t> next);
  void emit_conditional(const ptx::Guard& guard, std::uint32_t target, std::uint32_t fallthrough);
  void emit_branch_table(const ptx::Instruction& instruction);
  void emit_jump(std::uint32_t block);
  std::uint32_t open_count(
      const BasicBlockInfo& info);  // a new entry of Program::blocks, which the code that follows is of
  std::uint32_t current_count() const;
  void ends_with(BasicBlockInfo::End end);  // for that entry

  // decode_async.cpp
  void decode_async_copy(const ptx::Instruction& instruction);
  void decode_is_space(const ptx::Instruction& instruction);
  void decode_cache_policy(const ptx::Instruction& instruction);
  std::uint32_t add_async_sites(int bytes);
  Slot generic_address(const ptx::Address& address, bool in_shared);

  // decode_wmma.cpp
  void wait_for_whole_warp();
  void add_fragment(std::vector<Slot>& slots, const ptx::Instruction& instruction, std::size_t operand,
                    std::size_t registers, bool is_result);
  std::uint32_t add_fragment_sites(bool store);
  void decode_wmma(const ptx::Instruction& instruction);
  void decode_wmma_multiply(const ptx::Instruction& instruction);
  void decode_mma(const ptx::Instruction& instruction);
  void decode_load_matrices(const ptx::Instruction& instruction);

  void flush();  // the current instruction's code goes to the body
  Inst& emit(Handler run);
  Inst& emit(const Row& row);
  const Row& internal_row(const std::string& name) const;
  void refuse(const ptx::Instruction& instruction, const std::string& what);
  [[noreturn]] void unsupported(const ptx::Instruction& instruction) const;

  ModuleContext& context_;
  const ptx::Function& source_;
  FunctionCode& code_;
  std::unordered_map<std::string, RegisterInfo> registers_;
  std::unordered_map<std::string, RegisterBlock> register_blocks_;
  std::unordered_map<std::string, ptx::Vector> vectors_;  // vector registers by their bare names
  std::unordered_map<std::string, SymbolValue> symbols_;
  std::unordered_map<std::string, std::uint32_t> labels_;                    // to blocks
  std::unordered_map<std::string, const ptx::BranchTargets*> target_lists_;  // by label
  std::map<std::string, std::size_t> tables_;  // Program::branch_tables of these lists
  std::vector<BasicBlock> blocks_;
  std::vector<Inst> body_;       // all code so far
  std::vector<Inst> leading_;    // of the current instruction, before its guard
  std::vector<Inst> pending_;    // under its guard: operands first, then the instruction
  std::vector<Inst> following_;  // under its guard, to come last
  std::vector<Fixup> fixups_;
  std::vector<TableFixup> table_fixups_;
  std::vector<std::size_t> guarded_enders_;  // branches around the instruction that follows them
  std::uint32_t frame_bytes_ = kFirstRegister;
  std::uint64_t parameter_bytes_ = 0;  // of a kernel
  std::uint32_t line_ = 0;
  std::size_t statement_ = 0;  // being decoded
  MergedLoads merged_loads_;
  std::optional<RegisterUses> uses_;  // made when first asked for
  FunctionTraits traits_;
  std::unordered_map<std::string, int> mentions_;  // of registers, in the whole function; filled on first use
};

}  // namespace cudalab::vgpu
