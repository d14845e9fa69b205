// Declarations, basic blocks and the layout of a function's code.
#include "vgpu/decode/function_decoder.h"

#include <algorithm>

#include "core/alignment.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
bool waits_for_lanes(const ptx::Instruction& instruction) {
  static constexpr std::string_view kWarpWide[] = {"shfl",  "vote", "match", "redux",
                                                   "elect", "wmma", "mma",   "ldmatrix"};
  return std::find(std::begin(kWarpWide), std::end(kWarpWide), instruction.parts[0]) != std::end(kWarpWide);
}

namespace {

bool ends_block(const ptx::Instruction& instruction) {
  static constexpr std::string_view kEnders[] = {"bra",  "brx", "ret",     "exit",
                                                 "call", "bar", "barrier", "trap"};
  if (instruction.guard && waits_for_lanes(instruction)) return true;  // lanes that skip it must not wait
  return std::find(std::begin(kEnders), std::end(kEnders), instruction.parts[0]) != std::end(kEnders);
}

bool is_branch(const ptx::Instruction& instruction) {
  return instruction.parts[0] == "bra" || instruction.parts[0] == "brx";
}

// Whether control never goes on behind the instruction, where its guard holds.
bool never_falls_through(const ptx::Instruction& instruction) {
  const std::string& name = instruction.parts[0];
  return is_branch(instruction) || name == "ret" || name == "exit" || name == "trap";
}

}  // namespace

FunctionDecoder::FunctionDecoder(ModuleContext& context, const ptx::Function& source, FunctionCode& code)
    : context_(context), source_(source), code_(code) {}

void FunctionDecoder::decode() {
  code_.name = source_.name;
  code_.is_kernel = source_.is_entry;
  declare_registers();
  declare_variables();
  merged_loads_ = find_merged_loads(source_, [this](const std::string& name) { return shared_offset(name); });
  find_blocks();
  connect_blocks();
  BlockGraph graph;
  for (const BasicBlock& block : blocks_) graph.successors.push_back(block.successors);
  const std::vector<std::uint32_t> order = layout_order(graph);
  for (std::size_t i = 0; i < order.size(); ++i)
    emit_block(order[i], i + 1 < order.size() ? std::optional(order[i + 1]) : std::nullopt);
  code_.code = std::move(body_);
  code_.frame_bytes = frame_bytes_;
  apply_fixups();
}

// ---- declarations ------------------------------------------------------------------------------------
Slot FunctionDecoder::allocate(std::size_t bytes) {
  constexpr std::uint64_t kMaxFrameBytes = 1ull
                                           << 26;  // beyond any compiler's output; a block has 32 such frames
  const std::uint32_t offset = frame_bytes_;
  if (bytes > kMaxFrameBytes - offset)
    throw usage_error(
        "{}: function `{}` declares more registers and parameters than the virtual GPU can hold",
        context_.source_name, source_.name);
  frame_bytes_ += static_cast<std::uint32_t>(round_up(bytes, 64));
  return make_slot(kRegisters, offset);
}

// `.reg .v2 .b32 pair` are pair.x and pair.y; the bare name stands for {pair.x, pair.y}.
void FunctionDecoder::declare_vector(const ptx::RegisterRange& range, const std::string& name) {
  const std::size_t lane = ptx::info(range.type).bytes;
  ptx::Vector elements;
  for (int i = 0; i < std::min(range.vector_width, 4); ++i) {
    const std::string element = name + "." + "xyzw"[i];
    registers_[element] = {range.type, lane, allocate(std::max<std::size_t>(64, lane * kWarpSize))};
    registers_[name + "." + "rgba"[i]] = registers_[element];
    elements.elements.push_back({ptx::Register{element}});
  }
  vectors_[name] = std::move(elements);
}

void FunctionDecoder::declare_registers() {
  for (const ptx::RegisterRange& range : source_.registers) {
    if (range.vector_width > 1) {
      if (range.count == 0) declare_vector(range, range.name);
      for (std::uint32_t i = 0; i < range.count; ++i) declare_vector(range, range.name + std::to_string(i));
      continue;
    }
    const std::size_t lane = ptx::info(range.type).bytes;
    const std::size_t bytes = lane == 0 ? 4 : std::max<std::size_t>(64, lane * kWarpSize);
    if (range.count == 0) {
      registers_[range.name] = {range.type, lane, allocate(bytes)};
      continue;
    }
    const auto step = static_cast<std::uint32_t>(lane == 0 ? 4 : bytes);
    const Slot first = allocate(std::size_t{step} * range.count);
    register_blocks_[range.name] = {{range.type, lane, first}, range.count, step};
  }
}

// A shared variable's address; 1, which no alignment divides, for what is none.
std::uint64_t FunctionDecoder::shared_offset(const std::string& name) const {
  for (const std::string& scoped : {source_.name + "::" + name, name}) {
    const auto found = context_.symbols.find(scoped);
    if (found == context_.symbols.end()) continue;
    if (found->second.kind == SymbolValue::Kind::kSharedOffset) return found->second.value;
    if (found->second.kind == SymbolValue::Kind::kDynamicShared) return 0;  // begins at a multiple of 16
  }
  return 1;
}

CallSlot FunctionDecoder::declare_blob(const ptx::Variable& variable) {
  const auto bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(variable.bytes(), 1));
  const CallSlot blob{allocate(std::size_t{bytes} * kWarpSize), bytes};
  if (variable.space == ptx::Space::kReg)
    registers_[variable.name] = {variable.type, variable.bytes(), blob.slot};
  else
    symbols_[variable.name] = {SymbolValue::Kind::kCallSlot, 0, blob};
  return blob;
}

void FunctionDecoder::declare_variables() {
  if (source_.is_entry) {
    std::uint64_t offset = 0;
    for (const ptx::Variable& parameter : source_.parameters) {
      offset = round_up(offset, std::max<std::uint64_t>(parameter.align, ptx::info(parameter.type).bytes));
      symbols_[parameter.name] = {SymbolValue::Kind::kParameter, offset, {}};
      offset += parameter.bytes();
    }
    parameter_bytes_ = offset;
  } else {
    for (const ptx::Variable& variable : source_.parameters)
      code_.parameters.push_back(declare_blob(variable));
    for (const ptx::Variable& variable : source_.returns) code_.returns.push_back(declare_blob(variable));
  }
  std::uint64_t local = 0;
  for (const ptx::Variable& variable : source_.variables) {
    if (variable.space == ptx::Space::kParam) declare_blob(variable);
    if (variable.space != ptx::Space::kLocal) continue;
    local = round_up(local, std::max<std::uint64_t>(variable.align, ptx::info(variable.type).bytes));
    symbols_[variable.name] = {SymbolValue::Kind::kLocalOffset, local, {}};
    local += variable.bytes();
  }
  if (local > context_.program->card_local_bytes)
    throw usage_error("{}: `{}` needs {} bytes of local memory a thread; the card allows {}",
                      context_.source_name, source_.name, local, context_.program->card_local_bytes);
  code_.local_bytes = static_cast<std::uint32_t>(round_up(local, 16));
}

// ---- basic blocks ------------------------------------------------------------------------------------
const ptx::Instruction* FunctionDecoder::instruction_at(std::size_t statement) const {
  return std::get_if<ptx::Instruction>(&source_.body[statement]);
}

void FunctionDecoder::find_blocks() {
  blocks_.push_back({});
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    if (const auto* label = std::get_if<ptx::Label>(&source_.body[i])) {
      if (blocks_.back().end > blocks_.back().begin || i > blocks_.back().begin) {
        blocks_.back().end = i;
        blocks_.push_back({i, i, {}, 0});
      }
      labels_[label->name] = static_cast<std::uint32_t>(blocks_.size() - 1);
      continue;
    }
    blocks_.back().end = i + 1;
    if (ends_block(*instruction_at(i))) blocks_.push_back({i + 1, i + 1, {}, 0});
  }
  blocks_.back().end = source_.body.size();
}

std::uint32_t FunctionDecoder::block_of_label(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end())
    throw usage_error("{}: `{}` branches to the label `{}`, which does not exist", context_.source_name,
                      source_.name, label);
  return found->second;
}

// One list of targets may serve many branches, so that a short text makes a graph of any size.
void FunctionDecoder::connect_blocks() {
  constexpr std::size_t kMostEdges = 1u << 20;
  for (const ptx::BranchTargets& list : source_.branch_targets) target_lists_.try_emplace(list.label, &list);
  std::size_t edges = 0;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    connect_block(i);
    edges += blocks_[i].successors.size();
    if (edges > kMostEdges)
      throw usage_error("{}: `{}` has branches to more than {} targets", context_.source_name, source_.name,
                        kMostEdges);
  }
}

// The blocks that a bra or brx may go to.
std::vector<std::uint32_t> FunctionDecoder::branch_blocks(const ptx::Instruction& instruction) const {
  const auto* symbol =
      instruction.operands.empty() ? nullptr : std::get_if<ptx::Symbol>(&instruction.operands.back().value);
  if (!symbol) return {};
  if (instruction.parts[0] == "bra") return {block_of_label(symbol->name)};
  std::vector<std::uint32_t> blocks;
  if (const auto list = target_lists_.find(symbol->name); list != target_lists_.end())
    for (const std::string& label : list->second->targets) blocks.push_back(block_of_label(label));
  return blocks;
}

void FunctionDecoder::connect_block(std::uint32_t index) {
  BasicBlock& block = blocks_[index];
  const ptx::Instruction* last = block.end > block.begin ? instruction_at(block.end - 1) : nullptr;
  if (last && is_branch(*last)) block.successors = branch_blocks(*last);
  const bool falls_through = !last || last->guard || !never_falls_through(*last);
  if (falls_through && index + 1 < blocks_.size()) block.successors.push_back(index + 1);
}

// ---- code --------------------------------------------------------------------------------------------
Inst& FunctionDecoder::emit(Handler run) {
  Inst& inst = pending_.emplace_back();
  inst.run = run;
  inst.source = line_;
  return inst;
}
Inst& FunctionDecoder::emit(const Row& row) { return emit(row.run); }

void FunctionDecoder::emit_jump(std::uint32_t block) {
  emit(control::jump);
  fixups_.push_back({body_.size() + pending_.size() - 1, block, Fixup::Field::kTarget});
}

namespace {

void append(std::vector<Inst>& to, std::vector<Inst>& from) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

}  // namespace

void FunctionDecoder::flush() {
  append(body_, leading_);
  append(body_, pending_);
  append(body_, following_);
}

// ---- counting ----------------------------------------------------------------------------------------
std::uint32_t FunctionDecoder::open_count(const BasicBlockInfo& info) {
  context_.program->basic_blocks.push_back(info);
  return current_count();
}
std::uint32_t FunctionDecoder::current_count() const {
  return static_cast<std::uint32_t>(context_.program->basic_blocks.size() - 1);
}
void FunctionDecoder::ends_with(BasicBlockInfo::End end) {
  context_.program->basic_blocks.back().end = end;
  context_.program->basic_blocks.back().end_line = line_;
}

BasicBlockInfo FunctionDecoder::info_of(const BasicBlock& block) const {
  BasicBlockInfo info;
  std::map<std::uint32_t, std::uint32_t> lines;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const ptx::Instruction* instruction = instruction_at(i);
    if (!instruction) continue;
    ++info.instructions;
    ++lines[context_.line_index(*instruction)];
  }
  info.lines.assign(lines.begin(), lines.end());
  return info;
}

void FunctionDecoder::emit_block(std::uint32_t index, std::optional<std::uint32_t> next) {
  BasicBlock& block = blocks_[index];
  block.start = body_.size();
  Inst& start = emit(control::basic_block_start);
  const BasicBlockInfo info = info_of(block);
  start.site = open_count(info);
  start.imm = info.instructions;
  append(body_, pending_);
  const ptx::Instruction* last = nullptr;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const ptx::Instruction* instruction = instruction_at(i);
    if (!instruction) continue;
    last = instruction;
    line_ = context_.line_index(*instruction);
    statement_ = i;
    if (i + 1 == block.end && ends_block(*instruction)) break;
    emit_statement(*instruction);
    last = nullptr;
  }
  if (last) return emit_branch(*last, index, next);
  if (index + 1 == blocks_.size())
    emit(source_.is_entry ? control::exit_kernel : control::leave);  // text that ends without `ret`
  else if (next != index + 1)
    emit_jump(index + 1);
  append(body_, pending_);
}

void FunctionDecoder::apply_fixups() {
  if (!context_.unsupported.empty()) return;  // parts of the code are missing
  for (const Fixup& fixup : fixups_) {
    const Inst* to = code_.code.data() + blocks_[fixup.block].start;
    (fixup.field == Fixup::Field::kTarget ? code_.code[fixup.inst].target
                                          : code_.code[fixup.inst].fallthrough) = to;
  }
  for (std::size_t inst : guarded_enders_) code_.code[inst].fallthrough = &code_.code[inst + 1];
  for (const TableFixup& fixup : table_fixups_)
    for (std::uint32_t block : fixup.blocks)
      context_.program->branch_tables[fixup.table].push_back(code_.code.data() + blocks_[block].start);
}

}  // namespace cudalab::vgpu
