#include "vgpu/counters/shared_merging.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kWidest = 16;  // LDS.128

// The largest power of two, at most kWidest, that divides the value.
std::uint64_t power_of_two_in(std::uint64_t value) {
  return value == 0 ? kWidest : std::min(kWidest, value & (0 - value));
}

// For each register: a power of two that divides every value it is given.
class Alignments {
 public:
  Alignments(const ptx::Function& function,
             const std::function<std::uint64_t(const std::string&)>& symbol_offset)
      : symbol_offset_(symbol_offset) {
    for (const ptx::Statement& statement : function.body)
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) assume_widest(*instruction);
    // Alignments only decrease, so this terminates after at most log2(kWidest) steps per register.
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Statement& statement : function.body)
        if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
          changed |= learn(*instruction);
    }
  }

  std::uint64_t of_register(const std::string& name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? 1 : found->second;  // special registers are never written
  }

 private:
  void assume_widest(const ptx::Instruction& instruction) {
    if (instruction.operands.empty()) return;
    if (const auto* to = std::get_if<ptx::Register>(&instruction.operands[0].value))
      known_[to->name] = kWidest;
  }

  std::uint64_t of(const ptx::Operand& operand) const {
    if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) return of_register(reg->name);
    if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value))
      return power_of_two_in(literal->bits);
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value))
      return power_of_two_in(symbol_offset_(symbol->name) + static_cast<std::uint64_t>(symbol->offset));
    return 1;
  }

  // The result's alignment, from the operands'.
  std::uint64_t result_of(const ptx::Instruction& instruction) const {
    const auto& operands = instruction.operands;
    const auto source = [&](std::size_t i) { return i < operands.size() ? of(operands[i]) : 1; };
    const ptx::Word name = instruction.parts[0];
    if (name == "mov" || name == "cvt" || name == "cvta") return source(1);
    if (name == "add" || name == "sub" || name == "or" || name == "xor")
      return std::min(source(1), source(2));
    if (name == "and") return std::max(source(1), source(2));
    if (name == "mul") return instruction.parts[1] == "hi" ? 1 : std::min(kWidest, source(1) * source(2));
    if (name == "mad")
      return instruction.parts[1] == "hi" ? 1 : std::min({kWidest, source(1) * source(2), source(3)});
    if (name == "selp") return std::min(source(1), source(2));
    if (name == "shl") {
      const auto* count = operands.size() > 2 ? std::get_if<ptx::Immediate>(&operands[2].value) : nullptr;
      return count && count->bits < 32
                 ? std::min(kWidest, source(1) << std::min<std::uint64_t>(count->bits, 4))
                 : source(1);
    }
    return 1;
  }

  bool learn(const ptx::Instruction& instruction) {
    if (instruction.operands.empty()) return false;
    const auto* to = std::get_if<ptx::Register>(&instruction.operands[0].value);
    if (!to || !instruction.facts->has_result) return learn_unknown(instruction.operands[0]);
    const std::uint64_t result = result_of(instruction);
    std::uint64_t& known = known_[to->name];
    return std::exchange(known, std::min(known, result)) != known;
  }

  // Registers written in other ways, such as elements of a vector, have unknown alignment.
  bool learn_unknown(const ptx::Operand& operand) {
    const auto* vector = std::get_if<ptx::Vector>(&operand.value);
    const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value);
    const std::vector<ptx::Operand>* elements = vector ? &vector->elements : pair ? &pair->elements : nullptr;
    if (!elements) return false;
    bool changed = false;
    for (const ptx::Operand& element : *elements)
      if (const auto* reg = std::get_if<ptx::Register>(&element.value)) {
        std::uint64_t& known = known_.try_emplace(reg->name, 0).first->second;
        changed |= std::exchange(known, 1) != 1;
      }
    return changed;
  }

  const std::function<std::uint64_t(const std::string&)>& symbol_offset_;
  std::unordered_map<std::string, std::uint64_t> known_;
};

// ---- addresses ---------------------------------------------------------------------------------------
// A sum of values times constants, plus a constant. A value is a register at a point in time: each write to a
// register within the straight-line code begins a new value.
struct LinearSum {
  std::map<std::string, std::uint64_t> terms;  // modulo 2^32, as shared addresses are
  std::uint64_t constant = 0;
};

constexpr std::size_t kMostTerms = 16;  // more than any handwritten address has
constexpr std::uint64_t kModulo = 0xffffffffu;

LinearSum sum_of(const LinearSum& a, const LinearSum& b, std::uint64_t times) {
  LinearSum sum = a;
  sum.constant = (sum.constant + times * b.constant) & kModulo;
  for (const auto& [value, factor] : b.terms) {
    std::uint64_t& known = sum.terms[value];
    known = (known + times * factor) & kModulo;
    if (known == 0) sum.terms.erase(value);
  }
  return sum;
}

// Linear sums of registers at a point in straight-line code.
class Sums {
 public:
  Sums(const ptx::Function& function, const std::function<std::uint64_t(const std::string&)>& symbol_offset)
      : symbol_offset_(symbol_offset) {
    for (const ptx::Statement& statement : function.body)
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
        if (const std::string* name = result_of(*instruction)) {
          auto& [definition, count] = definitions_[*name];
          definition = instruction;
          ++count;
        }
  }

  void begin_line() { current_.clear(); }

  void execute(const ptx::Instruction& instruction) {
    const std::string* name = result_of(instruction);
    if (!name) return forget_others(instruction);
    const auto sum = instruction.guard ? std::nullopt : computed(instruction, 0);
    current_[*name] = sum ? *sum : fresh(*name);
  }

  LinearSum of(const ptx::Address& address) const {
    LinearSum sum;
    if (const auto* base = std::get_if<ptx::Register>(&address.base)) sum = of_register(base->name, 0);
    if (const auto* base = std::get_if<ptx::Symbol>(&address.base)) sum.constant = symbol_offset_(base->name);
    sum.constant = (sum.constant + static_cast<std::uint64_t>(address.offset)) & kModulo;
    return sum;
  }

  // "%r1", for a value of %r1
  static std::string register_of(const std::string& value) { return value.substr(0, value.find('#')); }

 private:
  static constexpr int kDeepest = 32;

  static const std::string* result_of(const ptx::Instruction& instruction) {
    if (!instruction.facts->has_result || instruction.operands.empty()) return nullptr;
    const auto* to = std::get_if<ptx::Register>(&instruction.operands[0].value);
    return to ? &to->name : nullptr;
  }

  LinearSum fresh(const std::string& name) { return {{{name + "#" + std::to_string(++values_), 1}}, 0}; }

  void forget_others(const ptx::Instruction& instruction) {
    if (instruction.operands.empty()) return;
    const auto* vector = std::get_if<ptx::Vector>(&instruction.operands[0].value);
    const auto* pair = std::get_if<ptx::DestinationPair>(&instruction.operands[0].value);
    if (!vector && !pair) return;
    for (const ptx::Operand& element : vector ? vector->elements : pair->elements)
      if (const auto* name = std::get_if<ptx::Register>(&element.value))
        current_[name->name] = fresh(name->name);
  }

  // For a register not written in this straight-line code: its only definition in the function, or the
  // register itself.
  LinearSum of_register(const std::string& name, int depth) const {
    if (const auto known = current_.find(name); known != current_.end()) return known->second;
    const LinearSum itself{{{name, 1}}, 0};
    const auto found = definitions_.find(name);
    if (found == definitions_.end() || found->second.second != 1 || depth > kDeepest) return itself;
    const ptx::Instruction& definition = *found->second.first;
    if (definition.guard || !has_known_operands(definition)) return itself;
    return computed(definition, depth + 1).value_or(itself);
  }

  // Whether each operand has only one value in the whole function.
  bool has_known_operands(const ptx::Instruction& definition) const {
    return std::all_of(definition.operands.begin() + 1, definition.operands.end(),
                       [&](const ptx::Operand& operand) {
                         const auto* name = std::get_if<ptx::Register>(&operand.value);
                         if (!name) return true;
                         const auto found = definitions_.find(name->name);
                         return found == definitions_.end() || found->second.second == 1;
                       });
  }

  LinearSum of(const ptx::Operand& operand, int depth) const {
    if (const auto* name = std::get_if<ptx::Register>(&operand.value)) return of_register(name->name, depth);
    if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value))
      return {{}, literal->bits & kModulo};
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value))
      return {{}, (symbol_offset_(symbol->name) + static_cast<std::uint64_t>(symbol->offset)) & kModulo};
    return {{{"?", 1}}, 0};
  }

  static std::optional<LinearSum> product(const LinearSum& a, const LinearSum& b) {
    if (b.terms.empty()) return sum_of({}, a, b.constant);
    if (a.terms.empty()) return sum_of({}, b, a.constant);
    return std::nullopt;
  }

  std::optional<LinearSum> computed(const ptx::Instruction& instruction, int depth) const {
    auto sum = combined(instruction, depth);
    if (sum && (sum->terms.size() > kMostTerms || sum->terms.count("?"))) return std::nullopt;
    return sum;
  }

  std::optional<LinearSum> combined(const ptx::Instruction& instruction, int depth) const {
    const auto& operands = instruction.operands;
    const auto source = [&](std::size_t i) { return of(operands[i], depth); };
    const ptx::Linear linear = instruction.facts->linear;
    if (!is_integer(instruction) || ptx::has_part(instruction, "hi") ||
        operands.size() != operands_of(linear))
      return std::nullopt;
    switch (linear) {
      case ptx::Linear::kCopy: return source(1);
      case ptx::Linear::kSum: return sum_of(source(1), source(2), 1);
      case ptx::Linear::kDifference: return sum_of(source(1), source(2), kModulo);
      case ptx::Linear::kProduct: return product(source(1), source(2));
      case ptx::Linear::kProductAndSum: {
        const auto scaled = product(source(1), source(2));
        return scaled ? std::optional(sum_of(*scaled, source(3), 1)) : std::nullopt;
      }
      case ptx::Linear::kShiftLeft: {
        const LinearSum count = source(2);
        if (!count.terms.empty() || count.constant > 31) return std::nullopt;
        return sum_of({}, source(1), std::uint64_t{1} << count.constant);
      }
      case ptx::Linear::kNone: break;
    }
    return std::nullopt;
  }

  static std::size_t operands_of(ptx::Linear linear) {
    return linear == ptx::Linear::kCopy ? 2 : linear == ptx::Linear::kProductAndSum ? 4 : 3;
  }

  static bool is_integer(const ptx::Instruction& instruction) {
    return ptx::is_one_of(instruction.parts.back(), {"u32", "s32", "b32", "u64", "s64", "b64"});
  }

  const std::function<std::uint64_t(const std::string&)>& symbol_offset_;
  std::unordered_map<std::string, std::pair<const ptx::Instruction*, int>>
      definitions_;  // last definition, and number of definitions
  std::unordered_map<std::string, LinearSum> current_;
  std::uint64_t values_ = 0;
};

// ---- merging -----------------------------------------------------------------------------------------
struct Load {
  std::size_t statement;
  std::int64_t offset;
  int bytes;  // all elements together
  std::int64_t end() const { return offset + bytes; }
};

// Loads whose addresses differ by constants, without a separating instruction between them.
struct Run {
  std::map<std::string, std::uint64_t> terms;
  std::int64_t element_bytes;
  std::vector<Load> loads;
};

// Whether the instruction may change shared memory, or orders accesses to it.
bool separates(const ptx::Instruction& instruction) {
  const ptx::OpcodeFacts& facts = *instruction.facts;
  const bool accesses = facts.access == ptx::Access::kStore || facts.access == ptx::Access::kAtomic ||
                        facts.access == ptx::Access::kReduction;
  if (accesses) return !ptx::has_part(instruction, "global");  // which does not change shared memory
  return facts.orders_memory;
}

struct LoadShape {
  std::int64_t element_bytes = 0;
  int elements = 1;
};

// ld.shared{.v2,.v4}.TYPE with mergeable elements.
std::optional<LoadShape> mergeable_shape(const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (instruction.guard || parts.size() < 3 || parts.size() > 4 || parts[0] != "ld" || parts[1] != "shared")
    return std::nullopt;
  LoadShape shape;
  if (parts.size() == 4) {
    if (parts[2] != "v2" && parts[2] != "v4") return std::nullopt;
    shape.elements = parts[2] == "v2" ? 2 : 4;
  }
  const auto type = ptx::type_named(parts.back());
  shape.element_bytes = type ? static_cast<std::int64_t>(ptx::info(*type).bytes) : 0;
  const bool has_address =
      instruction.operands.size() == 2 && std::holds_alternative<ptx::Address>(instruction.operands[1].value);
  if (!has_address || (shape.element_bytes != 2 && shape.element_bytes != 4 && shape.element_bytes != 8))
    return std::nullopt;
  return shape;
}

class Merger {
 public:
  Merger(const ptx::Function& function, const Alignments& alignments,
         const std::function<std::uint64_t(const std::string&)>& symbol_offset)
      : alignments_(alignments), sums_(function, symbol_offset) {}

  void add(std::size_t statement, const ptx::Instruction& instruction) {
    if (separates(instruction)) merge_all();
    if (const auto shape = mergeable_shape(instruction)) {
      const LinearSum address = sums_.of(std::get<ptx::Address>(instruction.operands[1].value));
      run_of(address.terms, shape->element_bytes)
          .loads.push_back({statement, static_cast<std::int64_t>(address.constant),
                            static_cast<int>(shape->element_bytes) * shape->elements});
    }
    sums_.execute(instruction);
  }

  // A label ends straight-line code, because other code may jump to it.
  void flush() {
    merge_all();
    sums_.begin_line();
  }

  MergedLoads take() {
    flush();
    return std::move(merged_);
  }

 private:
  Run& run_of(const std::map<std::string, std::uint64_t>& terms, std::int64_t element_bytes) {
    for (Run& run : runs_)
      if (run.element_bytes == element_bytes && run.terms == terms) return run;
    return runs_.emplace_back(Run{terms, element_bytes, {}});
  }

  void merge_all() {
    for (Run& run : runs_) merge(run);
    runs_.clear();
  }

  std::int64_t alignment_of(const Run& run) const {
    std::uint64_t alignment = kWidest;
    for (const auto& [value, factor] : run.terms)
      alignment =
          std::min(alignment, power_of_two_in(factor) * alignments_.of_register(Sums::register_of(value)));
    return static_cast<std::int64_t>(alignment);
  }

  void merge(Run& run) {
    std::stable_sort(run.loads.begin(), run.loads.end(), [](const Load& a, const Load& b) {
      return std::pair(a.offset, -a.bytes) < std::pair(b.offset, -b.bytes);
    });
    leave_out_repeated(run);
    const std::int64_t alignment = alignment_of(run), four = 4 * run.element_bytes,
                       two = 2 * run.element_bytes;
    if (four <= std::min<std::int64_t>(alignment, kWidest)) merge_windows(run, four, 3);
    if (two <= std::min<std::int64_t>(alignment, kWidest)) merge_windows(run, two, 2);
  }

  // Removes loads whose data an earlier load of the run has loaded, alone or as part of a vector.
  void leave_out_repeated(Run& run) {
    std::vector<Load> once;
    for (const Load& load : run.loads)
      if (!once.empty() && load.end() <= once.back().end())
        merged_[load.statement] = 0;
      else
        once.push_back(load);
    run.loads = std::move(once);
  }

  // Merges loads that cover at least `fewest_elements` elements of an aligned window, and removes them from
  // the run.
  void merge_windows(Run& run, std::int64_t window, int fewest_elements) {
    std::vector<Load> left;
    for (std::size_t i = 0; i < run.loads.size();) {
      const std::int64_t begin = run.loads[i].offset / window * window;
      std::size_t end = i;
      std::int64_t bytes = 0;
      for (; end < run.loads.size() && run.loads[end].end() <= begin + window; ++end)
        bytes += run.loads[end].end() -
                 std::max(run.loads[end].offset, end > i ? run.loads[end - 1].end() : begin);
      if (end - i < 2 || bytes < fewest_elements * run.element_bytes) {
        left.push_back(run.loads[i++]);
        continue;
      }
      merged_[run.loads[i].statement] = static_cast<int>(window);
      for (++i; i < end; ++i) merged_[run.loads[i].statement] = 0;
    }
    run.loads = std::move(left);
  }

  const Alignments& alignments_;
  Sums sums_;
  std::vector<Run> runs_;
  MergedLoads merged_;
};

}  // namespace

MergedLoads find_merged_loads(const ptx::Function& function,
                              const std::function<std::uint64_t(const std::string&)>& symbol_offset) {
  const Alignments alignments(function, symbol_offset);
  Merger merger(function, alignments, symbol_offset);
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&function.body[i]))
      merger.add(i, *instruction);
    else
      merger.flush();
  }
  return merger.take();
}

}  // namespace cudalab::vgpu
