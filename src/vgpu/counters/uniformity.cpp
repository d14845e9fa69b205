#include "vgpu/counters/uniformity.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

using ptx::is_one_of;

constexpr std::size_t kMostBasicBlocks = 4096;
constexpr int kMostRounds = 64;
constexpr std::uint64_t kWholeWarp = 31;  // last operand of shfl without segments

template <class Function>
void for_each_named(const ptx::Operand& operand, const Function& function) {
  ptx::for_each_element(operand, [&](const ptx::Operand& element) {
    if (const ptx::Register* name = ptx::register_of(element)) function(name->name);
    if (const ptx::Register* base = ptx::base_register_of(element)) function(base->name);
  });
}

template <class Function>
void for_each_result_name(const ptx::Instruction& instruction, const Function& function) {
  for (const ptx::Operand& operand : instruction.call_returns) for_each_named(operand, function);
  ptx::for_each_result(instruction, [&](const ptx::Operand& element) { for_each_named(element, function); });
}

template <class Function>
void for_each_use(const ptx::Instruction& instruction, const Function& function) {
  if (instruction.guard) function(instruction.guard->predicate);
  for (const auto* operands : {&instruction.operands, &instruction.call_returns, &instruction.call_arguments})
    for (const ptx::Operand& operand : *operands) for_each_named(operand, function);
}

// Immediate post-dominators (K. Cooper, T. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001),
// on the reversed graph with an artificial end that follows all basic blocks without a successor.
class PostDominators {
 public:
  explicit PostDominators(const std::vector<BasicBlockSpan>& basic_blocks)
      : basic_blocks_(basic_blocks),
        end_(static_cast<std::uint32_t>(basic_blocks.size())),
        number_(basic_blocks.size() + 1, kNone) {
    predecessors_.resize(basic_blocks.size() + 1);
    for (std::uint32_t i = 0; i < end_; ++i) {
      for (const std::uint32_t next : basic_blocks[i].successors) predecessors_[next].push_back(i);
      if (basic_blocks[i].successors.empty()) predecessors_[end_].push_back(i);
    }
    walk();
  }

  std::vector<std::uint32_t> find() const {
    std::vector<std::uint32_t> found(basic_blocks_.size() + 1, kNone);
    found[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto basic_block = order_.rbegin(); basic_block != order_.rend(); ++basic_block) {
        if (*basic_block == end_) continue;
        const std::uint32_t meeting = meeting_of(found, *basic_block);
        changed |= std::exchange(found[*basic_block], meeting) != meeting;
      }
    }
    for (std::uint32_t& basic_block : found)
      if (basic_block == kNone) basic_block = end_;  // an infinite loop
    return found;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  void walk() {  // assigns post-order numbers
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{end_, 0}};
    std::vector<bool> seen(basic_blocks_.size() + 1);
    seen[end_] = true;
    while (!path.empty()) {
      auto& [basic_block, next] = path.back();
      if (next < predecessors_[basic_block].size()) {
        const std::uint32_t to = predecessors_[basic_block][next++];
        if (!seen[to]) seen[to] = true, path.push_back({to, 0});
        continue;
      }
      number_[basic_block] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(basic_block);
      path.pop_back();
    }
  }

  std::uint32_t meeting_of(const std::vector<std::uint32_t>& found, std::uint32_t basic_block) const {
    if (basic_blocks_[basic_block].successors.empty()) return end_;
    std::uint32_t meeting = kNone;
    for (const std::uint32_t next : basic_blocks_[basic_block].successors) {
      if (number_[next] == kNone || found[next] == kNone) continue;
      meeting = meeting == kNone ? next : intersection(found, meeting, next);
    }
    return meeting;
  }

  std::uint32_t intersection(const std::vector<std::uint32_t>& found, std::uint32_t a,
                             std::uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = found[a];
      while (number_[b] < number_[a]) b = found[b];
    }
    return a;
  }

  const std::vector<BasicBlockSpan>& basic_blocks_;
  const std::uint32_t end_;
  std::vector<std::uint32_t> number_, order_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
};

}  // namespace

Uniformity::Uniformity(const ptx::Function& function, std::vector<BasicBlockSpan> basic_blocks)
    : function_(function),
      basic_blocks_(std::move(basic_blocks)),
      basic_block_of_(function.body.size()),
      parted_(basic_blocks_.size()),
      is_conditional_(basic_blocks_.size()),
      one_thread_(basic_blocks_.size()) {
  gave_up_ = basic_blocks_.size() > kMostBasicBlocks;
  if (gave_up_) return;
  collect_registers();
  joins_ = PostDominators(basic_blocks_).find();
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (std::uint32_t basic_block = 0; basic_block < basic_blocks_.size(); ++basic_block) {
      for (std::size_t i = basic_blocks_[basic_block].begin; i < basic_blocks_[basic_block].end; ++i)
        changed |= learn(i, basic_block);
      changed |= part_lanes(basic_block);
    }
  }
  gave_up_ = changed;
  if (!gave_up_) find_code_of_one_thread();
}

const ptx::Instruction* Uniformity::instruction_at(std::size_t statement) const {
  return std::get_if<ptx::Instruction>(&function_.body[statement]);
}

const ptx::Instruction* Uniformity::last_of(std::uint32_t basic_block) const {
  const BasicBlockSpan& code = basic_blocks_[basic_block];
  return code.end > code.begin ? instruction_at(code.end - 1) : nullptr;
}

void Uniformity::collect_registers() {
  for (std::uint32_t basic_block = 0; basic_block < basic_blocks_.size(); ++basic_block)
    for (std::size_t i = basic_blocks_[basic_block].begin; i < basic_blocks_[basic_block].end; ++i) {
      basic_block_of_[i] = basic_block;
      const ptx::Instruction* instruction = instruction_at(i);
      if (!instruction) continue;
      for_each_result_name(*instruction,
                           [&](const std::string& name) { registers_[name].definitions.push_back(i); });
      for_each_use(*instruction, [&](const std::string& name) {
        std::vector<std::uint32_t>& known = registers_[name].basic_blocks;
        if (known.empty() || known.back() != basic_block) known.push_back(basic_block);
      });
    }
}

// ---- values ------------------------------------------------------------------------------------------
Uniformity::Shape Uniformity::shape_of(const std::string& name) const {
  if (const auto found = registers_.find(name);
      found != registers_.end() && !found->second.definitions.empty())
    return found->second.shape;
  if (name == "%tid.x" || name == "%laneid") return Shape::kThread;
  return name.starts_with("%tid") || name.starts_with("%lanemask") ? Shape::kDivergent : Shape::kUniform;
}

Uniformity::Shape Uniformity::shape_of(const ptx::Operand& operand) const {
  Shape shape = Shape::kUniform;
  for_each_named(operand, [&](const std::string& name) { shape = std::max(shape, shape_of(name)); });
  return shape;
}

Uniformity::Shape Uniformity::shape_of(const ptx::Address& address) const {
  const auto* base = std::get_if<ptx::Register>(&address.base);
  return base ? shape_of(base->name) : Shape::kUniform;
}

Uniformity::Shape Uniformity::widest(const ptx::Instruction& instruction, std::size_t first) const {
  Shape shape = Shape::kUniform;
  for (std::size_t i = first; i < instruction.operands.size(); ++i)
    shape = std::max(shape, shape_of(instruction.operands[i]));
  return shape;
}

bool Uniformity::guard_is_uniform(const ptx::Instruction& instruction) const {
  return !instruction.guard || shape_of(instruction.guard->predicate) == Shape::kUniform;
}

// shfl.sync.idx d, a, lane, 31, mask broadcasts the value of one lane.
Uniformity::Shape Uniformity::shuffled(const ptx::Instruction& instruction) const {
  if (widest(instruction, 1) == Shape::kUniform) return Shape::kUniform;
  const auto& operands = instruction.operands;
  const bool of_one_lane = has_part(instruction, "idx") && operands.size() > 3 &&
                           shape_of(operands[2]) == Shape::kUniform && constant(operands[3]) == kWholeWarp;
  return of_one_lane ? Shape::kUniform : Shape::kDivergent;
}

Uniformity::Shape Uniformity::result_of(const ptx::Instruction& instruction) const {
  switch (instruction.facts->lanes) {
    case ptx::Lanes::kDifferent: return Shape::kDivergent;
    case ptx::Lanes::kEqual: return Shape::kUniform;
    case ptx::Lanes::kShuffled: return shuffled(instruction);
    case ptx::Lanes::kOwn: break;
  }
  if (!function_.is_entry && instruction.facts->access == ptx::Access::kLoad &&
      has_part(instruction, "param"))
    return Shape::kDivergent;
  const Shape shape = widest(instruction, 1);
  if (shape != Shape::kThread) return shape;
  const auto is_uniform_at = [&](std::size_t i) {
    return shape_of(instruction.operands[i]) == Shape::kUniform;
  };
  const std::size_t operands = instruction.operands.size();
  bool keeps_one_per_thread = false;
  switch (instruction.facts->linear) {
    case ptx::Linear::kCopy: keeps_one_per_thread = true; break;
    case ptx::Linear::kSum:
    case ptx::Linear::kDifference:
      keeps_one_per_thread = operands == 3 && (is_uniform_at(1) || is_uniform_at(2));
      break;
    case ptx::Linear::kProductAndSum:
      keeps_one_per_thread = operands == 4 && is_uniform_at(1) && is_uniform_at(2);
      break;
    default: break;
  }
  return keeps_one_per_thread ? Shape::kThread : Shape::kDivergent;
}

bool Uniformity::raise(const std::string& name, Shape shape) {
  Shape& known = registers_[name].shape;
  return std::exchange(known, std::max(known, shape)) != known;
}

bool Uniformity::learn(std::size_t statement, std::uint32_t basic_block) {
  const ptx::Instruction* instruction = instruction_at(statement);
  if (!instruction) return false;
  const Shape result = guard_is_uniform(*instruction) ? result_of(*instruction) : Shape::kDivergent;
  bool changed = false;
  for_each_result_name(*instruction, [&](const std::string& name) {
    const Register& known = registers_[name];
    const bool mixed =
        known.definitions.size() > 1 &&
        (is_conditional_[basic_block] || (known.shape != result && known.shape != Shape::kUniform));
    changed |= raise(name, mixed ? Shape::kDivergent : result);
  });
  return changed;
}

// ---- branches ----------------------------------------------------------------------------------------
std::vector<bool> Uniformity::reached_before_join(std::uint32_t from, std::uint32_t basic_block) const {
  std::vector<bool> reached(basic_blocks_.size());
  std::vector<std::uint32_t> left{from};
  while (!left.empty()) {
    const std::uint32_t at = left.back();
    left.pop_back();
    if (at == joins_[basic_block] || reached[at]) continue;
    reached[at] = true;
    left.insert(left.end(), basic_blocks_[at].successors.begin(), basic_blocks_[at].successors.end());
  }
  return reached;
}

// If lanes diverge at the end of a basic block, they execute the code before the join separately. If that is
// a loop, they leave it at different times, so its results differ afterwards.
bool Uniformity::part_lanes(std::uint32_t basic_block) {
  const ptx::Instruction* last = last_of(basic_block);
  if (parted_[basic_block] || !last || basic_blocks_[basic_block].successors.size() < 2) return false;
  if (guard_is_uniform(*last) && widest(*last, 0) == Shape::kUniform) return false;
  parted_[basic_block] = true;
  std::vector<bool> apart(basic_blocks_.size());
  for (const std::uint32_t next : basic_blocks_[basic_block].successors) {
    const std::vector<bool> reached = reached_before_join(next, basic_block);
    for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = apart[i] || reached[i];
  }
  for (std::size_t i = 0; i < apart.size(); ++i) is_conditional_[i] = is_conditional_[i] || apart[i];
  if (!apart[basic_block]) return true;
  for (auto& [name, known] : registers_) {
    const bool inside = std::any_of(known.definitions.begin(), known.definitions.end(),
                                    [&](std::size_t statement) { return apart[basic_block_of_[statement]]; });
    const bool outside = std::any_of(known.basic_blocks.begin(), known.basic_blocks.end(),
                                     [&](std::uint32_t at) { return !apart[at]; });
    if (inside && outside) known.shape = Shape::kDivergent;
  }
  return true;
}

// true: the predicate holds for one thread only; false: for all but one thread
std::optional<bool> Uniformity::asks_for_one_thread(const std::string& predicate) const {
  const auto found = registers_.find(predicate);
  if (found == registers_.end() || found->second.definitions.size() != 1) return std::nullopt;
  const ptx::Instruction& made = *instruction_at(found->second.definitions[0]);
  if (made.parts[0] != "setp" || made.operands.size() != 3) return std::nullopt;
  const Shape a = shape_of(made.operands[1]), b = shape_of(made.operands[2]);
  const bool one =
      (a == Shape::kThread && b == Shape::kUniform) || (a == Shape::kUniform && b == Shape::kThread);
  if (!one || !is_one_of(made.parts[1], {"eq", "ne"})) return std::nullopt;
  return made.parts[1] == "eq";
}

void Uniformity::find_code_of_one_thread() {
  for (std::uint32_t basic_block = 0; basic_block < basic_blocks_.size(); ++basic_block) {
    const ptx::Instruction* last = last_of(basic_block);
    const auto& next = basic_blocks_[basic_block].successors;
    if (!last || !last->guard || last->parts[0] != "bra" || next.size() != 2) continue;
    const auto one = asks_for_one_thread(last->guard->predicate);
    if (!one) continue;
    const bool taken = *one != last->guard->negated;  // the first successor is the branch's target
    const std::vector<bool> mine = reached_before_join(next[taken ? 0 : 1], basic_block),
                            others = reached_before_join(next[taken ? 1 : 0], basic_block);
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (mine[i] && !others[i]) one_thread_[i] = true;
  }
}

// ---- queries -----------------------------------------------------------------------------------------
bool Uniformity::is_uniform(const ptx::Operand& operand) const {
  return !gave_up_ && shape_of(operand) == Shape::kUniform;
}
bool Uniformity::is_uniform(const ptx::Address& address) const {
  return !gave_up_ && shape_of(address) == Shape::kUniform;
}

std::optional<std::uint64_t> Uniformity::constant(const ptx::Operand& operand) const {
  if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value)) return literal->bits;
  const auto* name = std::get_if<ptx::Register>(&operand.value);
  const auto found = name ? registers_.find(name->name) : registers_.end();
  if (found == registers_.end() || found->second.definitions.size() != 1) return std::nullopt;
  const ptx::Instruction& made = *instruction_at(found->second.definitions[0]);
  if (made.guard || made.parts[0] != "mov" || made.operands.size() != 2) return std::nullopt;
  const auto* literal = std::get_if<ptx::Immediate>(&made.operands[1].value);
  return literal ? std::optional(literal->bits) : std::nullopt;
}

bool Uniformity::is_of_one_thread(std::size_t statement) const {
  if (gave_up_) return false;
  const ptx::Instruction& instruction = *instruction_at(statement);
  if (instruction.guard)
    if (const auto one = asks_for_one_thread(instruction.guard->predicate))
      if (*one != instruction.guard->negated) return true;
  return one_thread_[basic_block_of_[statement]];
}

}  // namespace cudalab::vgpu
