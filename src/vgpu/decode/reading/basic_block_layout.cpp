// The basic blocks of a function: the control flow between them, and the order of their code.
#include "vgpu/decode/reading/basic_block_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "core/error.h"
#include "messages/vgpu.h"
#include "vgpu/decode/reading/forms.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint32_t kUnvisited = 0, kFinished = std::numeric_limits<std::uint32_t>::max();

// Reused arrays, indexed by block, so the time for one part of the graph depends only on the size of that
// part.
struct Scratch {
  explicit Scratch(std::size_t blocks)
      : number(blocks, kUnvisited), low(blocks), numbered_in(blocks, kNoPart) {}
  static constexpr std::uint32_t kNoPart = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number, low;
  std::vector<std::uint32_t> numbered_in;  // the part for which `number` is valid
};

// Tarjan's strongly connected components of a part of the graph, in topological order, without recursion.
class Components {
 public:
  Components(const BasicBlockGraph& graph, const std::vector<std::uint32_t>& part_of, std::uint32_t part,
             std::uint32_t excluded, Scratch& scratch)
      : graph_(graph), part_of_(part_of), part_(part), excluded_(excluded), scratch_(scratch) {}

  void visit(std::uint32_t root) {
    if (!belongs(root) || number(root) != kUnvisited) return;
    enter(root);
    while (!walk_.empty()) step();
  }

  std::vector<std::vector<std::uint32_t>> in_order() && {
    std::reverse(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  struct Visit {
    std::uint32_t block;
    std::size_t next_successor;
  };

  bool belongs(std::uint32_t block) const { return part_of_[block] == part_ && block != excluded_; }

  std::uint32_t& number(std::uint32_t block) {
    if (scratch_.numbered_in[block] != part_) {
      scratch_.numbered_in[block] = part_;
      scratch_.number[block] = kUnvisited;
    }
    return scratch_.number[block];
  }
  std::uint32_t& low(std::uint32_t block) { return scratch_.low[block]; }

  void enter(std::uint32_t block) {
    number(block) = low(block) = ++counter_;
    open_.push_back(block);
    walk_.push_back({block, 0});
  }

  void step() {
    Visit& visit = walk_.back();
    const auto& successors = graph_.successors[visit.block];
    if (visit.next_successor == successors.size()) return leave(visit.block);
    const std::uint32_t next = successors[visit.next_successor++];
    if (!belongs(next) || number(next) == kFinished) return;
    if (number(next) == kUnvisited) return enter(next);
    low(visit.block) = std::min(low(visit.block), number(next));
  }

  void leave(std::uint32_t block) {
    walk_.pop_back();
    if (!walk_.empty()) low(walk_.back().block) = std::min(low(walk_.back().block), low(block));
    if (low(block) != number(block)) return;
    auto& component = found_.emplace_back();
    std::uint32_t member;
    do {
      member = open_.back();
      open_.pop_back();
      number(member) = kFinished;
      component.push_back(member);
    } while (member != block);
    // The block that was entered first is the component's head.
    std::reverse(component.begin(), component.end());
  }

  const BasicBlockGraph& graph_;
  const std::vector<std::uint32_t>& part_of_;
  std::uint32_t part_, excluded_, counter_ = 0;
  Scratch& scratch_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> walk_;
  std::vector<std::vector<std::uint32_t>> found_;
};

// Deeper loops keep the order of the text, which is correct, too, to limit the time.
constexpr int kDeepestLoop = 64;

}  // namespace

std::vector<std::uint32_t> layout_order(const BasicBlockGraph& graph) {
  const auto blocks = static_cast<std::uint32_t>(graph.successors.size());
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> order, part_of(blocks, 0);
  std::uint32_t parts = 1;
  // Pending work, used as a stack: a block to emit, or a part of the graph to order, starting with its head.
  struct Work {
    std::uint32_t head, part;
    bool emit;
    int depth;
  };
  std::vector<Work> work{{0, 0, false, 0}};
  Scratch scratch(blocks);
  while (!work.empty()) {
    const Work item = work.back();
    work.pop_back();
    if (item.emit) {
      order.push_back(item.head);
      continue;
    }
    // In a loop, the head comes first and edges back to it are ignored; the whole function has no such head.
    const bool is_loop = item.part != 0;
    Components components(graph, part_of, item.part, is_loop ? item.head : kNone, scratch);
    if (is_loop) {
      order.push_back(item.head);
      for (std::uint32_t next : graph.successors[item.head]) components.visit(next);
    } else {
      components.visit(item.head);
    }
    auto found = std::move(components).in_order();
    for (auto component = found.rbegin(); component != found.rend(); ++component) {
      const std::uint32_t head = component->front();
      if (component->size() == 1) {
        work.push_back({head, 0, true, 0});
        continue;
      }
      if (item.depth == kDeepestLoop) {
        std::sort(component->begin(), component->end(), std::greater<>());
        for (std::uint32_t member : *component) work.push_back({member, 0, true, 0});
        continue;
      }
      for (std::uint32_t member : *component) part_of[member] = parts;
      work.push_back({head, parts++, false, item.depth + 1});
    }
  }
  return order;
}

BasicBlockLayout::BasicBlockLayout(const ptx::Function& source, const std::string& source_name)
    : source_(source), source_name_(source_name) {
  find_basic_blocks();
  connect_all();
}

const ptx::Instruction* BasicBlockLayout::instruction_at(std::size_t statement) const {
  return std::get_if<ptx::Instruction>(&source_.body[statement]);
}

void BasicBlockLayout::find_basic_blocks() {
  basic_blocks_.push_back({});
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    if (const auto* label = std::get_if<ptx::Label>(&source_.body[i])) {
      if (basic_blocks_.back().end > basic_blocks_.back().begin || i > basic_blocks_.back().begin) {
        basic_blocks_.back().end = i;
        basic_blocks_.push_back({i, i, {}, 0});
      }
      labels_[label->name] = static_cast<std::uint32_t>(basic_blocks_.size() - 1);
      continue;
    }
    basic_blocks_.back().end = i + 1;
    if (ends_basic_block(*instruction_at(i))) basic_blocks_.push_back({i + 1, i + 1, {}, 0});
  }
  basic_blocks_.back().end = source_.body.size();
}

std::uint32_t BasicBlockLayout::basic_block_of_label(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end())
    throw usage_error(msg::label_missing(source_name_, Code{source_.name}, Code{label}));
  return found->second;
}

// A target list may serve many branches, so a short text can describe a graph of any size.
void BasicBlockLayout::connect_all() {
  constexpr std::size_t kMostEdges = 1u << 20;
  for (const ptx::BranchTargets& list : source_.branch_targets) target_lists_.try_emplace(list.label, &list);
  std::size_t edges = 0;
  for (std::uint32_t i = 0; i < basic_blocks_.size(); ++i) {
    connect(i);
    edges += basic_blocks_[i].successors.size();
    if (edges > kMostEdges)
      throw usage_error(msg::branch_targets_too_many(source_name_, Code{source_.name}, kMostEdges));
  }
}

std::vector<std::uint32_t> BasicBlockLayout::targets_of(const ptx::Instruction& instruction) const {
  const auto* symbol =
      instruction.operands.empty() ? nullptr : std::get_if<ptx::Symbol>(&instruction.operands.back().value);
  if (!symbol) return {};
  if (instruction.parts[0] == "bra") return {basic_block_of_label(symbol->name)};
  std::vector<std::uint32_t> basic_blocks;
  if (const auto list = target_lists_.find(symbol->name); list != target_lists_.end())
    for (const std::string& label : list->second->targets)
      basic_blocks.push_back(basic_block_of_label(label));
  return basic_blocks;
}

void BasicBlockLayout::connect(std::uint32_t index) {
  BasicBlock& basic_block = basic_blocks_[index];
  const ptx::Instruction* last =
      basic_block.end > basic_block.begin ? instruction_at(basic_block.end - 1) : nullptr;
  if (last && is_branch(*last)) basic_block.successors = targets_of(*last);
  if ((!last || falls_through(*last)) && index + 1 < basic_blocks_.size())
    basic_block.successors.push_back(index + 1);
}

std::vector<std::uint32_t> BasicBlockLayout::order() const {
  BasicBlockGraph graph;
  for (const BasicBlock& basic_block : basic_blocks_) graph.successors.push_back(basic_block.successors);
  return layout_order(graph);
}

std::vector<BasicBlockSpan> BasicBlockLayout::spans() const {
  std::vector<BasicBlockSpan> code;
  for (const BasicBlock& basic_block : basic_blocks_)
    code.push_back({basic_block.begin, basic_block.end, basic_block.successors});
  return code;
}

void BasicBlockLayout::begin(std::uint32_t index, std::optional<std::uint32_t> next, std::size_t start) {
  current_ = index;
  next_ = next;
  basic_blocks_[index].start = start;
}

// ---- patches -----------------------------------------------------------------------------------------
void BasicBlockLayout::patch_target(std::size_t inst, std::uint32_t basic_block) {
  patches_.push_back({inst, basic_block, Patch::Field::kTarget});
}
void BasicBlockLayout::patch_fallthrough(std::size_t inst, std::uint32_t basic_block) {
  patches_.push_back({inst, basic_block, Patch::Field::kFallthrough});
}
void BasicBlockLayout::patch_fallthrough_behind(std::size_t inst) { behind_.push_back(inst); }

std::size_t BasicBlockLayout::branch_table(const std::string& list, std::vector<std::uint32_t> targets,
                                           Program& program) {
  const auto [table, is_new] = tables_.try_emplace(list, program.branch_tables.size());
  if (is_new) {
    table_patches_.push_back({table->second, std::move(targets)});
    program.branch_tables.emplace_back();
  }
  return table->second;
}

void BasicBlockLayout::apply_patches(std::vector<Inst>& code, Program& program) const {
  for (const Patch& patch : patches_) {
    Inst& inst = code[patch.inst];
    const Inst* to = code.data() + basic_blocks_[patch.basic_block].start;
    (patch.field == Patch::Field::kTarget ? inst.target : inst.fallthrough) = to;
  }
  for (std::size_t inst : behind_) code[inst].fallthrough = &code[inst + 1];
  for (const TablePatch& patch : table_patches_)
    for (std::uint32_t basic_block : patch.basic_blocks)
      program.branch_tables[patch.table].push_back(code.data() + basic_blocks_[basic_block].start);
}

}  // namespace cudalab::vgpu
