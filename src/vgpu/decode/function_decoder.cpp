// Decodes a function: its basic blocks in the order of their code, and their instructions one by one.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/module_context.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/warp_wide.h"
#include "vgpu/hand_overs/hand_over_trace.h"

namespace cudalab::vgpu {

// ---- the scope of instructions -----------------------------------------------------------------------
FunctionScope::FunctionScope(ModuleContext& context, const ptx::Function& function, FunctionCode& made)
    : module(context),
      program(*context.program),
      source(function),
      result(made),
      declarations(context, function, made),
      operands(context, function, declarations, code, traits),
      layout(function, context.source_name),
      merged_loads(find_merged_loads(
          function, [this](const std::string& name) { return declarations.shared_offset(name); })),
      timing(program.timed) {}

const RegisterUses& FunctionScope::uses() {
  if (!uses_) uses_.emplace(source);
  return *uses_;
}

const Uniformity& FunctionScope::uniformity() {
  if (!uniformity_) uniformity_.emplace(source, layout.spans());
  return *uniformity_;
}

const UndefinedFlow& FunctionScope::undefined() {
  if (!undefined_) undefined_.emplace(source);
  return *undefined_;
}

const AwaitedReads& FunctionScope::awaited() {
  if (!awaited_) awaited_ = find_awaited_reads(source, layout.spans());
  return *awaited_;
}

bool FunctionScope::draws(std::size_t statement) {
  if (!drawings_) drawings_ = find_drawings(source, layout.spans());
  return drawings_->contains(statement);
}

void note_awaited(FunctionScope& scope, std::uint32_t first_site, Slot to, std::size_t bytes) {
  const auto found = scope.awaited().find(scope.statement);
  if (found == scope.awaited().end()) return;
  const AwaitedRead& read = found->second;
  for (std::size_t site = first_site; site < scope.program.sites.size(); ++site) {
    scope.program.sites[site].is_awaited = true;
    scope.program.sites[site].awaited_in = read.loop;
  }
  const bool can_be_tried = read.can_be_tried && to.bits && scope.undefined().is_empty();
  Inst made;
  made.d = to;
  made.imm = bytes | (read.takes ? kAwaitedTakes : 0) | (can_be_tried ? kAwaitedCanBeTried : 0) |
             (read.leaves_when_taken ? kAwaitedLeavesWhenTaken : 0) |
             (read.takes || read.can_be_tried ? 0 : kAwaitedLooksBack) |
             std::uint64_t{scope.timing.note_wait()} << kAwaitedInShift;
  scope.code.follow(made, control::note_awaited);
}

void FunctionScope::attribute(SiteInfo& site, const ptx::Address& address) {
  if (!shared_bases_)
    shared_bases_.emplace(source, [this](const std::string& name) {
      return declarations.find_shared_variable(name) != nullptr;
    });
  const std::string_view name = shared_bases_->of(address);
  if (name.empty()) return;
  const SharedVariable& variable = *declarations.find_shared_variable(std::string(name));
  site.shared_begin = variable.offset;
  site.shared_end = variable.offset + static_cast<std::int64_t>(variable.bytes);
}

std::uint32_t FunctionScope::open_count(const BasicBlockInfo& info) {
  program.basic_blocks.push_back(info);
  return current_count();
}

std::uint32_t FunctionScope::current_count() const {
  return static_cast<std::uint32_t>(program.basic_blocks.size() - 1);
}

void FunctionScope::ends_with(BasicBlockInfo::End end) {
  program.basic_blocks.back().end = end;
  program.basic_blocks.back().end_line = code.line();
}

std::uint32_t FunctionScope::add_site(SiteInfo site) {
  site.source = code.line();
  program.sites.push_back(site);
  return static_cast<std::uint32_t>(program.sites.size() - 1);
}

// ---- values that may be undefined --------------------------------------------------------------------
ValueStep value_step(const FunctionScope& scope, const ValueUse& use) {
  const auto slot_of = [&](const std::string& name) {
    const auto found = scope.declarations.find_register(name);
    return found ? found->slot : Slot{};
  };
  ValueStep step;
  step.kind = use.kind;
  step.negated = use.negated;
  step.chooser = slot_of(use.chooser);
  for (const std::string& name : use.results) step.to.push_back(slot_of(name));
  for (const std::string& name : use.values) step.from.push_back(slot_of(name));
  for (const std::string& name : use.matters) step.matters.push_back(slot_of(name));
  return step;
}

void follow_values(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (scope.undefined().is_empty()) return;
  const ValueUse use = value_use_of(instruction);
  if (use.kind == ValueStep::Kind::kShuffle || !scope.undefined().concerns(use)) return;
  Inst made;
  made.imm = scope.program.value_steps.size();
  scope.program.value_steps.push_back(value_step(scope, use));
  if (use.kind == ValueStep::Kind::kLoad)
    scope.code.follow(made, control::follow_values);
  else
    scope.code.add(made, control::follow_values);
}

// ---- instructions ------------------------------------------------------------------------------------
namespace {

void decode_instruction(FunctionScope& scope, const ptx::Instruction& written) {
  const bool expands = scope.declarations.has_vectors();
  const ptx::Instruction expanded = expands ? scope.declarations.with_vectors(written) : ptx::Instruction{};
  const ptx::Instruction& instruction = expands ? expanded : written;
  if (instruction.facts->name.empty()) unsupported(instruction);
  const Form* form = find_form(instruction);
  if (!form) return decode_row(scope, instruction);
  check_operand_count(instruction, form->operands);
  form->decode(scope, instruction);
}

void decode_statement(FunctionScope& scope, const ptx::Instruction& instruction) {
  follow_values(scope, instruction);
  decode_instruction(scope, instruction);
  if (instruction.guard)
    scope.code.flush_under(scope.operands.predicate(instruction.guard->predicate),
                           instruction.guard->negated);
  else
    scope.code.flush();
}

// ---- ends of basic blocks ----------------------------------------------------------------------------
void jump_to(FunctionScope& scope, std::uint32_t block) {
  scope.code.emit(control::jump);
  scope.layout.patch_target(scope.code.last_emitted(), block);
}

// Lanes with a false guard jump to the next basic block, the others to the instruction itself. It gets its
// own basic block start, so paths can wait there.
void pass_by(FunctionScope& scope, const ptx::Guard& guard) {
  Inst& inst = scope.code.emit(control::branch);
  inst.a = scope.operands.predicate(guard.predicate);
  inst.imm = (guard.negated ? 0 : 1) | control::kPassesBy;
  inst.site = scope.current_count();
  scope.layout.patch_target(scope.code.last_emitted(), scope.layout.after());
  scope.layout.patch_fallthrough_behind(scope.code.last_emitted());
  scope.code.emit(control::basic_block_start).site = scope.open_count({});
  scope.code.flush();
}

void decode_ender(FunctionScope& scope, const ptx::Instruction& instruction) {
  const Flow flow = instruction.facts->flow;
  follow_values(scope, instruction);
  const bool is_own_branch = instruction.parts[0] == "bra";  // uses the guard as its own condition
  if (instruction.guard && !is_own_branch) pass_by(scope, *instruction.guard);
  decode_instruction(scope, instruction);
  const std::uint32_t after = scope.layout.after();
  if (flow == Flow::kBack) scope.layout.patch_target(scope.code.last_emitted(), after);
  scope.code.flush();
  const bool goes_on = flow == Flow::kOnInNextBlock || flow == Flow::kOnTogether;
  if (goes_on && !scope.layout.stands_next(after)) jump_to(scope, after);
  scope.code.flush();
}

// ---- basic blocks ------------------------------------------------------------------------------------
// Instructions that exchange registers between lanes.
bool exchanges_lanes(const ptx::Instruction& instruction) {
  return is_one_of(part_of(instruction, 0), {"shfl", "vote", "match", "redux"});
}

BasicBlockInfo info_of(FunctionScope& scope, const BasicBlock& basic_block) {
  BasicBlockInfo info;
  std::map<std::uint32_t, std::uint32_t> lines;
  for (std::size_t i = basic_block.begin; i < basic_block.end; ++i) {
    const ptx::Instruction* instruction = scope.layout.instruction_at(i);
    if (!instruction) continue;
    ++info.instructions;
    info.lane_exchanges += exchanges_lanes(*instruction);
    ++lines[scope.module.line_index(*instruction)];
  }
  info.lines.assign(lines.begin(), lines.end());
  return info;
}

void refuse(FunctionScope& scope, const ptx::Instruction& instruction, const Message& what) {
  const bool has_line = !instruction.where.file.empty();
  scope.traits.unsupported.push_back(
      {what, has_line ? instruction.where : SourceLine{"PTX", instruction.ptx_line}});
  scope.code.discard();
}

// Emits the continuation of a basic block whose text ends without a jump.
void go_on_after(FunctionScope& scope) {
  scope.code.set_statement(kNoStatement);
  if (scope.layout.is_last())
    scope.code.emit(scope.source.is_entry ? control::exit_kernel : control::leave);  // without `ret`
  else if (!scope.layout.stands_next(scope.layout.after()))
    jump_to(scope, scope.layout.after());
  scope.code.flush();
}

void begin_basic_block(FunctionScope& scope, std::uint32_t number) {
  const BasicBlock& basic_block = scope.layout[number];
  const BasicBlockInfo info = info_of(scope, basic_block);
  scope.code.set_statement(kNoStatement);
  Inst& start = scope.code.emit(control::basic_block_start);
  start.site = scope.open_count(info);
  start.imm = info.instructions;
  scope.timing.begin(start.site, number, basic_block.successors);
  scope.code.flush();
}

// Marks loads that bypass the L1, such as ld.global.cg.
void mark_loads_past_l1(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t first_site) {
  const bool passes = std::ranges::any_of(instruction.parts, [](Word part) {
    return is_one_of(part, {"cg", "cv", "volatile"});
  });
  for (std::size_t site = first_site; passes && site < scope.program.sites.size(); ++site)
    scope.program.sites[site].passes_l1 = true;
}

// Returns whether the last statement ends the basic block.
bool decode_statements(FunctionScope& scope, const BasicBlock& basic_block) {
  bool ended = false;
  std::uint64_t left = info_of(scope, basic_block).instructions;
  for (std::size_t i = basic_block.begin; i < basic_block.end; ++i) {
    const ptx::Instruction* instruction = scope.layout.instruction_at(i);
    if (!instruction) continue;
    scope.code.set_left(left--);
    scope.code.set_line(scope.module.line_index(*instruction));
    scope.code.set_statement(static_cast<std::uint32_t>(i));
    scope.statement = i;
    ended = i + 1 == basic_block.end && ends_basic_block(*instruction);
    const std::size_t sites = scope.program.sites.size();
    try {
      (ended ? decode_ender : decode_statement)(scope, *instruction);
      if (!scope.timing.add(*instruction, sites, scope.program.sites.size())) unsupported(*instruction);
    } catch (const Unsupported& reason) {
      refuse(scope, *instruction, reason.what);
    }
    mark_loads_past_l1(scope, *instruction, sites);
  }
  return ended;
}

}  // namespace

FunctionTraits decode_function(ModuleContext& module, const ptx::Function& source, FunctionCode& result) {
  result.name = source.name;
  result.is_kernel = source.is_entry;
  FunctionScope scope(module, source, result);
  const std::vector<std::uint32_t> order = scope.layout.order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto next = i + 1 < order.size() ? std::optional(order[i + 1]) : std::nullopt;
    scope.layout.begin(order[i], next, scope.code.size());
    begin_basic_block(scope, order[i]);
    if (!decode_statements(scope, scope.layout[order[i]])) go_on_after(scope);
  }
  scope.timing.end([&](const std::string& name) {
    const auto found = scope.declarations.find_register(name);
    return found ? found->bytes : 0;
  });
  result.frame_bytes = scope.declarations.frame_bytes();
  if (scope.traits.unsupported.empty()) {
    result.code = scope.code.take();
    result.statements = scope.code.take_statements();
    for (std::size_t i = 0; i < source.body.size(); ++i)
      if (const ptx::Instruction* instruction = scope.layout.instruction_at(i))
        if (const std::uint32_t line = module.call_line_index(*instruction))
          result.call_lines[static_cast<std::uint32_t>(i)] = line;
    result.registers = scope.declarations.named_registers();
    scope.layout.apply_patches(result.code, *module.program);
    mark_branches_off_barriers(result.code, *module.program);
  }
  return std::move(scope.traits);
}

}  // namespace cudalab::vgpu
