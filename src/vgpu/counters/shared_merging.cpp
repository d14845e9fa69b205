#include "vgpu/counters/shared_merging.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kWidest = 16;  // LDS.128

// The largest power of two, at most kWidest, that divides a value.
std::uint64_t power_of_two_in(std::uint64_t value) {
  return value == 0 ? kWidest : std::min(kWidest, value & (0 - value));
}

// What is known of each register: a power of two that divides every value it is ever given.
class Alignments {
 public:
  Alignments(const ptx::Function& function,
             const std::function<std::uint64_t(const std::string&)>& symbol_offset)
      : symbol_offset_(symbol_offset) {
    for (const ptx::Statement& statement : function.body)
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) assume_widest(*instruction);
    // Knowledge only shrinks from there: at most log2(kWidest) times a register.
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
    const std::string& name = instruction.parts[0];
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
    if (!to || instruction.parts[0] == "st") return learn_unknown(instruction.operands[0]);
    const std::uint64_t result = result_of(instruction);
    std::uint64_t& known = known_[to->name];
    return std::exchange(known, std::min(known, result)) != known;
  }

  // Of registers written in other forms, such as the parts of a vector, nothing is known.
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

struct Load {
  std::size_t statement;
  std::int64_t offset;
};

// Loads of one base register and width that nothing separates.
struct Run {
  std::string base;
  std::size_t bytes;
  std::vector<Load> loads;
};

bool separates(const ptx::Instruction& instruction) {
  static constexpr std::string_view kNames[] = {"st",   "atom", "red", "bar", "barrier", "membar", "fence",
                                                "call", "bra",  "brx", "ret", "exit",    "cp"};
  const std::string& name = instruction.parts[0];
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return false;
  const auto& parts = instruction.parts;  // a store elsewhere cannot change shared memory
  return name != "st" || std::find(parts.begin(), parts.end(), "global") == parts.end();
}

// The base register of a plain shared load of one element, or nullptr.
const ptx::Register* mergeable_base(const ptx::Instruction& instruction) {
  const auto& parts = instruction.parts;
  if (instruction.guard || parts.size() != 3 || parts[0] != "ld" || parts[1] != "shared") return nullptr;
  const auto* address =
      instruction.operands.size() == 2 ? std::get_if<ptx::Address>(&instruction.operands[1].value) : nullptr;
  return address ? std::get_if<ptx::Register>(&address->base) : nullptr;
}

class Merger {
 public:
  explicit Merger(const Alignments& alignments) : alignments_(alignments) {}

  void add(std::size_t statement, const ptx::Instruction& instruction) {
    if (separates(instruction)) return flush();
    if (const ptx::Register* base = mergeable_base(instruction)) {
      const auto type = ptx::type_named(instruction.parts[2]);
      const std::size_t bytes = type ? ptx::info(*type).bytes : 0;
      const auto& address = std::get<ptx::Address>(instruction.operands[1].value);
      if (bytes == 4 || bytes == 8) run_of(base->name, bytes).loads.push_back({statement, address.offset});
    }
    if (!instruction.operands.empty())
      if (const auto* written = std::get_if<ptx::Register>(&instruction.operands[0].value))
        forget(written->name);
  }

  void flush() {
    for (Run& run : runs_) merge(run);
    runs_.clear();
  }

  MergedLoads take() {
    flush();
    return std::move(merged_);
  }

 private:
  Run& run_of(const std::string& base, std::size_t bytes) {
    for (Run& run : runs_)
      if (run.base == base && run.bytes == bytes) return run;
    return runs_.emplace_back(Run{base, bytes, {}});
  }

  // The register gets a new value: what was loaded through the old one is complete.
  void forget(const std::string& base) {
    const auto ended =
        std::stable_partition(runs_.begin(), runs_.end(), [&](const Run& run) { return run.base != base; });
    for (auto run = ended; run != runs_.end(); ++run) merge(*run);
    runs_.erase(ended, runs_.end());
  }

  void merge(Run& run) {
    std::stable_sort(run.loads.begin(), run.loads.end(),
                     [](const Load& a, const Load& b) { return a.offset < b.offset; });
    const std::uint64_t base_alignment = alignments_.of_register(run.base);
    for (std::size_t i = 0; i < run.loads.size();) i += merge_from(run, i, base_alignment);
  }

  // Merges the widest group that begins with load i; returns how many loads it took.
  std::size_t merge_from(const Run& run, std::size_t i, std::uint64_t base_alignment) {
    for (std::size_t width = kWidest; width > run.bytes; width /= 2) {
      const std::size_t count = width / run.bytes;
      const std::uint64_t alignment =
          std::min(base_alignment, power_of_two_in(static_cast<std::uint64_t>(run.loads[i].offset)));
      if (alignment < width || i + count > run.loads.size() || !side_by_side(run, i, count)) continue;
      merged_[run.loads[i].statement] = static_cast<int>(width);
      for (std::size_t k = 1; k < count; ++k) merged_[run.loads[i + k].statement] = 0;
      return count;
    }
    return 1;
  }

  static bool side_by_side(const Run& run, std::size_t first, std::size_t count) {
    for (std::size_t k = 1; k < count; ++k)
      if (run.loads[first + k].offset != run.loads[first].offset + static_cast<std::int64_t>(k * run.bytes))
        return false;
    return true;
  }

  const Alignments& alignments_;
  std::vector<Run> runs_;
  MergedLoads merged_;
};

}  // namespace

MergedLoads find_merged_loads(const ptx::Function& function,
                              const std::function<std::uint64_t(const std::string&)>& symbol_offset) {
  const Alignments alignments(function, symbol_offset);
  Merger merger(alignments);
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&function.body[i]))
      merger.add(i, *instruction);
    else
      merger.flush();  // a label: another line of code may join here
  }
  return merger.take();
}

}  // namespace cudalab::vgpu
