// Decodes atom and red: operation, memory space, whether the old value is used, and the machine instructions
// that ptxas selects.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "ptx/module.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/counters/uniformity.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/control.h"
#include "vgpu/opcodes/atomic.h"
#include "vgpu/warp.h"

namespace cudalab::vgpu {

// The machine instructions that ptxas selects for an atomic, and for how many lanes.

namespace {

struct AtomicUse {
  Word operation;  // "add"
  ptx::Type type{};
  bool in_shared = false;
  bool wanted = false;  // whether the old value is used
  const ptx::Address* address = nullptr;
  const ptx::Operand* value = nullptr;
  std::size_t statement = 0;
};

using Election = AtomicForm::Election;

using MachineInstruction = AtomicForm::Instruction;

bool has_redux(Word operation) { return is_one_of(operation, {"min", "max", "and", "or", "xor"}); }

bool is_float_type(ptx::Type type) {
  static constexpr ptx::Type kFloats[] = {ptx::Type::kF16,    ptx::Type::kF16x2, ptx::Type::kBF16,
                                          ptx::Type::kBF16x2, ptx::Type::kF32,   ptx::Type::kF64};
  return std::find(std::begin(kFloats), std::end(kFloats), type) != std::end(kFloats);
}

MachineInstruction machine_instruction_of(const AtomicUse& use, const Uniformity& uniformity) {
  const std::size_t bytes = ptx::info(use.type).bytes;
  const bool swap = use.operation == "cas";
  if (bytes == 2) return swap ? MachineInstruction::kHalfWordSwap : MachineInstruction::kHalfWordLoop;
  if (swap) return MachineInstruction::kSwap;
  if (!use.in_shared) return MachineInstruction::kPlain;
  if (use.operation == "exch") return MachineInstruction::kPlain;
  if (is_float_type(use.type) || bytes > 4) return MachineInstruction::kSwapLoop;
  const bool counts = use.operation == "add" && use.type == ptx::Type::kU32 && !use.wanted;
  return counts && uniformity.constant(*use.value) == 1u ? MachineInstruction::kCountLanes
                                                         : MachineInstruction::kPlain;
}

// REDUX supports 32-bit integers. A value that is the same in all lanes is multiplied by their number. If the
// lanes have different values and use their old values, ptxas emits a loop of shuffles, for full warps only.
Election lanes_elected(const AtomicUse& use, const Uniformity& uniformity) {
  if (is_float_type(use.type) || !uniformity.is_uniform(*use.address) ||
      uniformity.is_of_one_thread(use.statement))
    return Election::kNone;
  const bool narrow = ptx::info(use.type).bytes == 4;
  if (use.operation == "add") {
    if (uniformity.is_uniform(*use.value)) return Election::kAlways;
    if (!narrow) return Election::kNone;
    return use.wanted ? Election::kFullWarp : Election::kAlways;
  }
  return narrow && has_redux(use.operation) && !use.wanted ? Election::kAlways : Election::kNone;
}

// Read off the machine code of ptxas 13.0 for sm_90, for each operation, type and space, with uniform and
// non-uniform addresses and values, and with the old value used or not.
AtomicForm form_of(const AtomicUse& use, const Uniformity& uniformity) {
  AtomicForm form;
  form.instruction = machine_instruction_of(use, uniformity);
  if (form.instruction != MachineInstruction::kCountLanes) form.election = lanes_elected(use, uniformity);
  return form;
}

// Scope and cache hints change nothing here, because an atomic is completed before the next one begins.
// SiteInfo describes what memory order and block scope mean to the checks.
bool is_atomic_hint(Word part) {
  return is_cache_hint(part) || is_scope(part) ||
         is_one_of(part, {"relaxed", "acquire", "volatile", "noftz"});
}

struct AtomicName {
  AtomicSpace space = kAtomicGeneric;
  Word operation, type;
  int vector = 0;  // elements; 0: the operand is no vector
  bool releases = false, is_for_block = false;
  std::string row() const {
    return fmt::format("atom.{}{}.{}", vector ? "vector." : "", operation.text(), type.text());
  }
};

// {atom,red}{.order}{.scope}{.space}.OP{.noftz}{.hint}{.vector}.TYPE; empty for other forms
std::optional<AtomicName> parse_name(const ptx::Instruction& instruction) {
  AtomicName name;
  name.type = instruction.parts.back();
  for (std::size_t i = 1; i + 1 < instruction.parts.size(); ++i) {
    const Word part = instruction.parts.at(i);
    if (part == "global")
      name.space = kAtomicGlobal;
    else if (part == "shared" || part == "shared::cta")
      name.space = kAtomicShared;
    else if (part == "shared::cluster")
      name.space = kAtomicCluster;
    else if (part == "release" || part == "acq_rel")
      name.releases = true;
    else if (part == "cta")
      name.is_for_block = true;
    else if (vector_elements(part) > 1 && name.vector == 0)
      name.vector = vector_elements(part);
    else if (!is_atomic_hint(part) && name.operation == Word())
      name.operation = part;
    else if (!is_atomic_hint(part))
      return std::nullopt;
  }
  return name;
}

bool commutes(const AtomicName& name) {
  const bool is_integer = name.type.text().find('f') == std::string_view::npos;
  return is_integer && is_one_of(name.operation, {"add", "min", "max", "and", "or", "xor"});
}

// Additions of signed and unsigned integers are the same operation; minima and maxima are not.
std::string reduction_kind(const AtomicName& name) {
  if (name.operation == "min" || name.operation == "max")
    return fmt::format("{}.{}", name.operation.text(), name.type.text());
  return fmt::format("{}{}", name.operation.text(), name.type.text().substr(1));
}

// Adds one site per memory space that the address may be in: the one in the instruction's name; or global,
// shared and local.
std::uint32_t add_atomic_sites(FunctionScope& scope, const AtomicName& name, const ptx::Address& address,
                               std::size_t bytes, bool reduction, AtomicForm form) {
  const auto index = static_cast<std::uint32_t>(scope.program.sites.size());
  const auto add = [&](SiteKind kind) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = static_cast<int>(bytes);
    site.volatile_or_atomic = true;
    site.releases = name.releases;
    site.is_for_block = name.is_for_block;
    site.form = form;
    site.vector = static_cast<std::uint8_t>(name.vector);
    site.residue_mask = static_cast<std::uint32_t>(kind == SiteKind::kSharedAtomic
                                                       ? std::max<std::size_t>(bytes, kBankBytes) - 1
                                                       : (1u << kQueueAddressBits) - 1);
    site.index_shift =
        static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(std::max<std::size_t>(bytes, 4))));
    if (kind == SiteKind::kSharedAtomic && name.space != kAtomicCluster) scope.attribute(site, address);
    scope.add_site(site);
  };
  const bool in_shared = name.space == kAtomicShared || name.space == kAtomicCluster;
  if (!in_shared) add(reduction ? SiteKind::kGlobalReduction : SiteKind::kGlobalAtomic);
  if (name.space != kAtomicGlobal) add(SiteKind::kSharedAtomic);
  if (name.space == kAtomicGeneric) add(SiteKind::kLocalStore);
  return index;
}

// For a generic address, the instruction is only known at run time, so the atomic counts as written. Vectors
// have their own machine instructions.
AtomicForm form_on_card(FunctionScope& scope, const AtomicName& name, const AtomicUse& use) {
  return name.space == kAtomicGeneric || name.vector ? AtomicForm{} : form_of(use, scope.uniformity());
}

// ---- vectors -----------------------------------------------------------------------------------------
std::size_t bytes_of_lane(const AtomicName& name, ptx::Type type) {
  return ptx::info(type).bytes * static_cast<std::size_t>(std::max(name.vector, 1));
}

// Vectors exist in global memory, with up to 16 bytes per lane.
bool is_vector_of_card(const AtomicName& name, ptx::Type type) {
  return bytes_of_lane(name, type) <= 16 && (name.space == kAtomicGlobal || name.space == kAtomicGeneric);
}

const std::vector<ptx::Operand>& elements_of(const ptx::Instruction& instruction, std::size_t operand,
                                             int count) {
  const auto* vector = std::get_if<ptx::Vector>(&instruction.operands.at(operand).value);
  if (!vector || static_cast<int>(vector->elements.size()) != count) unsupported(instruction);
  return vector->elements;
}

void add_elements(FunctionScope& scope, const ptx::Instruction& instruction, const AtomicName& name,
                  ptx::Type type, bool wanted, Inst& made) {
  const std::size_t value = instruction.parts.at(0) == "atom" ? 2 : 1;
  std::vector<Slot> slots;
  for (const ptx::Operand& element : elements_of(instruction, value, name.vector))
    slots.push_back(scope.operands.source(element, type));
  if (wanted) {
    for (const ptx::Operand& element : elements_of(instruction, 0, name.vector))
      slots.push_back(scope.operands.result(element, type));
    made.d = slots.back();
  }
  made.slots = scope.module.keep(std::move(slots));
}

}  // namespace

void note_communication(FunctionScope& scope, bool with_other_blocks) {
  scope.traits.communicates = scope.traits.communicates || with_other_blocks;
  scope.code.emit(control::note_communication).imm = with_other_blocks;
}

// atom… d, [a], b{, c};   red… [a], b;   a cache policy may follow
void decode_atomic(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto name = parse_name(instruction);
  const auto& operands = instruction.operands;
  const std::size_t at = instruction.parts.at(0) == "atom" ? 1 : 0;
  const bool swaps = name && name->operation == "cas";
  if (!name) unsupported(instruction);
  check_operand_count(instruction, static_cast<int>(at) + (swaps ? 3 : 2));
  const auto* address = std::get_if<ptx::Address>(&operands.at(at).value);
  const auto type = ptx::type_named(name->type);
  const Row* row = opcode_table().find(name->row());
  if (!address || !type || !row || (name->vector && !is_vector_of_card(*name, *type)))
    unsupported(instruction);

  const bool wanted = at == 1 && !scope.uses().is_unused(operands.at(0));
  const bool reduction = !wanted && name->operation != "exch" && !swaps;
  if (name->space != kAtomicShared && name->space != kAtomicCluster) {
    if (reduction && commutes(*name))
      scope.traits.reductions.insert(reduction_kind(*name));
    else
      scope.traits.communicates = true;
  }
  Inst made;
  made.a = scope.operands.wide_address(*address);
  made.imm = static_cast<std::uint64_t>(address->offset);
  if (name->vector) {
    add_elements(scope, instruction, *name, *type, wanted, made);
  } else {
    made.b = scope.operands.source(operands.at(at + 1), *type);
    if (wanted) made.d = scope.operands.result(operands.at(0), *type);
  }
  if (swaps) made.c = scope.operands.source(operands.at(at + 2), *type);
  made.e.bits = name->space;
  const AtomicForm form = form_on_card(scope, *name,
                                       {name->operation, *type, name->space == kAtomicShared, wanted, address,
                                        &operands.at(at + 1), scope.statement});
  const bool counts_as_reduction = reduction && form.instruction != AtomicForm::Instruction::kHalfWordLoop;
  made.site =
      add_atomic_sites(scope, *name, *address, bytes_of_lane(*name, *type), counts_as_reduction, form);
  scope.code.add(made, row->run);
  scope.program.sites[made.site].answers = wanted;
  const bool is_shared = name->space == kAtomicShared || name->space == kAtomicCluster;
  const std::size_t bytes = bytes_of_lane(*name, *type);
  if (wanted && !is_shared && scope.draws(scope.statement)) scope.timing.note_drawing();
  if (wanted && !is_shared)
    note_awaited(scope, made.site, name->vector || bytes < 4 ? Slot{} : made.d, bytes);
}

}  // namespace cudalab::vgpu
