#include "vgpu/hand_overs/wait_loops.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

using ptx::has_part;
using ptx::is_one_of;
using ptx::part_of;

// ---- effects of instructions -------------------------------------------------------------------------
bool is_in_own_memory(const ptx::Instruction& instruction) {
  return std::ranges::any_of(instruction.parts, [](ptx::Word part) {
    return is_one_of(
        part, {"shared", "shared::cta", "shared::cluster", "local", "param", "param::entry", "param::func"});
  });
}

bool is_constant(const ptx::Operand& operand, std::uint64_t bits) {
  const auto* value = std::get_if<ptx::Immediate>(&operand.value);
  return value && value->kind == ptx::Immediate::Kind::kInteger && value->bits == bits;
}

// atom… d, [a], 0: reads the word without changing it.
bool leaves_the_word(const ptx::Instruction& instruction) {
  if (instruction.operands.size() < 3) return false;
  const ptx::Operand& value = instruction.operands[2];
  if (has_part(instruction, "and")) return is_constant(value, ~0ull) || is_constant(value, 0xffffffff);
  const bool keeps_with_zero =
      has_part(instruction, "add") || has_part(instruction, "or") || has_part(instruction, "xor") ||
      (has_part(instruction, "max") && instruction.parts.back().text().starts_with('u'));
  return keeps_with_zero && is_constant(value, 0);
}

bool is_strong_load(const ptx::Instruction& instruction) {
  return instruction.facts->access == ptx::Access::kLoad &&
         std::ranges::any_of(instruction.parts, [](ptx::Word part) {
           return is_one_of(part, {"volatile", "relaxed", "acquire", "mmio"});
         });
}

bool is_atomic(const ptx::Instruction& instruction) {
  return instruction.facts->access == ptx::Access::kAtomic;
}

bool takes(const ptx::Instruction& instruction) {
  return is_atomic(instruction) && (has_part(instruction, "cas") || has_part(instruction, "exch"));
}

bool may_be_awaited(const ptx::Instruction& instruction) {
  if (is_in_own_memory(instruction)) return false;
  return is_strong_load(instruction) || takes(instruction) ||
         (is_atomic(instruction) && leaves_the_word(instruction));
}

// Whether other threads could observe an execution of the instruction.
bool has_an_effect(const ptx::Instruction& instruction, bool may_store) {
  if (is_atomic(instruction)) return !may_be_awaited(instruction);
  if (instruction.facts->access == ptx::Access::kStore) return !may_store;
  return instruction.facts->is_observable;
}

// Whether both read the same word in the same way.
bool are_the_same_question(const ptx::Instruction& one, const ptx::Instruction& other) {
  if (one.parts != other.parts || one.operands.size() < 2 || other.operands.size() < 2) return false;
  const auto* first = std::get_if<ptx::Address>(&one.operands[1].value);
  const auto* second = std::get_if<ptx::Address>(&other.operands[1].value);
  if (!first || !second || first->offset != second->offset) return false;
  const auto* base = std::get_if<ptx::Register>(&first->base);
  const auto* other_base = std::get_if<ptx::Register>(&second->base);
  return base && other_base && base->name == other_base->name;
}

void add_registers(std::vector<std::string>& names, const ptx::Operand& operand) {
  ptx::for_each_element(operand, [&](const ptx::Operand& element) {
    if (const ptx::Register* name = ptx::register_of(element)) names.push_back(name->name);
  });
}

std::vector<std::string> results_of(const ptx::Instruction& instruction) {
  std::vector<std::string> names;
  if (!instruction.operands.empty()) add_registers(names, instruction.operands[0]);
  return names;
}

std::vector<std::string> inputs_of(const ptx::Instruction& instruction) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) add_registers(names, instruction.operands[i]);
  if (instruction.guard) names.push_back(instruction.guard->predicate);
  return names;
}

// Whether its results depend only on the registers it reads, lane by lane.
bool only_computes(const ptx::Instruction& instruction) {
  return !instruction.guard && instruction.facts->is_pure;
}

// ---- loops -------------------------------------------------------------------------------------------
using Members = std::set<std::uint32_t>;  // basic blocks

class WaitLoops {
 public:
  WaitLoops(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks)
      : function_(function), basic_blocks_(basic_blocks), predecessors_(basic_blocks.size()) {
    for (std::uint32_t i = 0; i < basic_blocks.size(); ++i)
      for (const std::uint32_t next : basic_blocks[i].successors) predecessors_[next].push_back(i);
  }

  std::optional<AwaitedRead> awaited(std::size_t statement, std::uint32_t basic_block) const {
    if (const auto loop = smallest_loop(basic_block))
      if (const auto read = awaited_in(*loop, *loop, statement, basic_block)) return read;
    for (const std::uint32_t next : basic_blocks_[basic_block].successors) {
      const auto loop = smallest_loop(next);
      if (!loop || loop->contains(basic_block) || !asks_the_same(*loop, statement)) continue;
      Members with_first = *loop;
      with_first.insert(basic_block);
      return awaited_in(*loop, with_first, statement, basic_block);
    }
    return std::nullopt;
  }

  bool is_in_a_loop(std::uint32_t basic_block) const { return smallest_loop(basic_block).has_value(); }

  const ptx::Instruction* instruction_at(std::size_t statement) const {
    return std::get_if<ptx::Instruction>(&function_.body[statement]);
  }

 private:
  // `all`: the loop, and the basic block of the read if that is before the loop.
  std::optional<AwaitedRead> awaited_in(const Members& loop, const Members& all, std::size_t statement,
                                        std::uint32_t basic_block) const {
    AwaitedRead read;
    read.takes = takes(*instruction_at(statement));
    if (has_effects(loop, read.takes) || !ends_by(all, statement)) return std::nullopt;
    read.loop = *loop.begin();
    if (!read.takes) find_the_way_out(all, statement, basic_block, read);
    return read;
  }

  bool asks_the_same(const Members& loop, std::size_t statement) const {
    bool asks = false;
    visit(loop, [&](const ptx::Instruction& one, std::uint32_t) {
      asks = asks || are_the_same_question(one, *instruction_at(statement));
    });
    return asks;
  }

  // The smallest natural loop that contains the basic block. Back edges go to an earlier or the same basic
  // block.
  std::optional<Members> smallest_loop(std::uint32_t basic_block) const {
    std::optional<Members> smallest;
    for (std::uint32_t end = 0; end < basic_blocks_.size(); ++end)
      for (const std::uint32_t head : basic_blocks_[end].successors) {
        if (head > end || head > basic_block) continue;
        Members members = between(head, end);
        if (!members.contains(basic_block) || (smallest && smallest->size() <= members.size())) continue;
        smallest = std::move(members);
      }
    return smallest;
  }

  // All basic blocks that reach `end` without passing `head`, and these two.
  Members between(std::uint32_t head, std::uint32_t end) const {
    constexpr std::size_t kMost = 32;  // maximum size of a polling loop
    Members members{head, end};
    std::vector<std::uint32_t> open{end};
    while (!open.empty() && members.size() <= kMost) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (at == head) continue;
      for (const std::uint32_t before : predecessors_[at])
        if (members.insert(before).second) open.push_back(before);
    }
    return members.size() <= kMost ? members : Members{};
  }

  template <class Visit>
  void visit(const Members& loop, Visit visit) const {
    for (const std::uint32_t member : loop)
      for (std::size_t i = basic_blocks_[member].begin; i < basic_blocks_[member].end; ++i)
        if (const ptx::Instruction* instruction = instruction_at(i)) visit(*instruction, member);
  }

  bool has_effects(const Members& loop, bool may_store) const {
    bool has = false;
    visit(loop,
          [&](const ptx::Instruction& one, std::uint32_t) { has = has || has_an_effect(one, may_store); });
    return has;
  }

  bool leaves(const Members& loop, std::uint32_t basic_block) const {
    return std::ranges::any_of(basic_blocks_[basic_block].successors,
                               [&](std::uint32_t next) { return !loop.contains(next); });
  }

  // Whether a branch out of the loop depends on the read's result.
  bool ends_by(const Members& loop, std::size_t statement) const {
    std::set<std::string> followed;
    for (const std::string& name : results_of(*instruction_at(statement))) followed.insert(name);
    const auto asks = [&](const ptx::Instruction& one) {
      return std::ranges::any_of(inputs_of(one), [&](const auto& name) { return followed.contains(name); });
    };
    for (std::size_t before = 0; before != followed.size();) {
      before = followed.size();
      visit(loop, [&](const ptx::Instruction& one, std::uint32_t) {
        if (asks(one) && one.parts[0] != "bra")
          for (const std::string& name : results_of(one)) followed.insert(name);
      });
    }
    bool ends = false;
    visit(loop, [&](const ptx::Instruction& one, std::uint32_t member) {
      ends = ends || (one.parts[0] == "bra" && asks(one) && leaves(loop, member));
    });
    return ends;
  }

  // Whether a statement outside of (statement, last] uses the read's result.
  bool is_used_outside(std::size_t statement, std::size_t last) const {
    const std::vector<std::string> results = results_of(*instruction_at(statement));
    for (std::size_t i = 0; i < function_.body.size(); ++i) {
      const ptx::Instruction* one = instruction_at(i);
      if (!one || (i >= statement && i <= last)) continue;
      std::vector<std::string> taken = inputs_of(*one);
      for (const ptx::Operand& operand : one->operands)
        if (const ptx::Register* base = ptx::base_register_of(operand)) taken.push_back(base->name);
      if (std::ranges::any_of(results, [&](const auto& name) { return std::ranges::count(taken, name) > 0; }))
        return true;
    }
    return false;
  }

  // Follows straight-line code from the read to the branch.
  void find_the_way_out(const Members& loop, std::size_t statement, std::uint32_t basic_block,
                        AwaitedRead& read) const {
    for (std::size_t i = statement + 1; i < basic_blocks_[basic_block].end; ++i) {
      const ptx::Instruction* one = instruction_at(i);
      if (!one) return;
      if (one->parts[0] != "bra") {
        if (!only_computes(*one)) return;
        continue;
      }
      const auto& ways = basic_blocks_[basic_block].successors;  // the taken one first
      if (!one->guard || ways.size() != 2 || loop.contains(ways[0]) == loop.contains(ways[1])) return;
      if (is_used_outside(statement, i)) return;
      read.can_be_tried = true;
      read.leaves_when_taken = !loop.contains(ways[0]);
      return;
    }
  }

  const ptx::Function& function_;
  std::span<const BasicBlockSpan> basic_blocks_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
};

// Calls visit(statement, instruction, basic block) for each instruction.
template <class Visit>
void for_each_instruction(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks,
                          Visit visit) {
  for (std::uint32_t i = 0; i < basic_blocks.size(); ++i)
    for (std::size_t at = basic_blocks[i].begin; at < basic_blocks[i].end; ++at)
      if (const auto* instruction = std::get_if<ptx::Instruction>(&function.body[at]))
        if (!instruction->parts.empty()) visit(at, *instruction, i);
}

}  // namespace

AwaitedReads find_awaited_reads(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks) {
  AwaitedReads reads;
  std::optional<WaitLoops> loops;
  for_each_instruction(function, basic_blocks,
                       [&](std::size_t at, const ptx::Instruction& instruction, std::uint32_t basic_block) {
                         if (!may_be_awaited(instruction)) return;
                         if (!loops) loops.emplace(function, basic_blocks);
                         if (const auto read = loops->awaited(at, basic_block)) reads.emplace(at, *read);
                       });
  return reads;
}

Drawings find_drawings(const ptx::Function& function, std::span<const BasicBlockSpan> basic_blocks) {
  Drawings drawings;
  std::optional<WaitLoops> loops;
  for_each_instruction(function, basic_blocks,
                       [&](std::size_t at, const ptx::Instruction& instruction, std::uint32_t basic_block) {
                         if (!is_atomic(instruction) || is_in_own_memory(instruction)) return;
                         if (may_be_awaited(instruction)) return;
                         if (!loops) loops.emplace(function, basic_blocks);
                         if (loops->is_in_a_loop(basic_block)) drawings.insert(at);
                       });
  return drawings;
}

}  // namespace cudalab::vgpu
