// Follows the value backwards through the registers of one lane, then compares it with the solution's values.
#include "course/reasons/first_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/course.h"
#include "session/lane_text.h"
#include "vgpu/warp_shape.h"

namespace cudalab::course {
namespace {

using vgpu::TracedInstruction;
using vgpu::TracedValue;
using vgpu::WarpStep;
using vgpu::WarpTrace;

// The role of an instruction's registers, from its text: "fma.rn.f32 %f4, %f1, %f2, %f3;".
struct Shape {
  std::string operation;                   // "fma.rn.f32"
  std::vector<std::string> written, read;  // registers; those of addresses and of the guard are left out
  bool is_load = false;                    // its value comes from memory or from another lane
  bool is_store = false;                   // the value leaves the thread
  bool is_copy = false;                    // only moves bits
};

bool is_of_register(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

std::vector<std::string> registers_in(std::string_view operands) {
  std::vector<std::string> names;
  int depth = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == '[') ++depth;
    if (operands[i] == ']') --depth;
    if (operands[i] != '%' || depth > 0) continue;
    std::size_t end = i + 1;
    while (end < operands.size() && is_of_register(operands[end])) ++end;
    names.emplace_back(operands.substr(i, end - i));
    i = end - 1;
  }
  return names;
}

Shape shape_of(const TracedInstruction& instruction) {
  std::string_view text = instruction.text;
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  const std::size_t space = std::min(text.find_first_of(" \t;"), text.size());
  Shape shape{.operation = std::string(text.substr(0, space))};
  const auto begins = [&](std::string_view name) { return shape.operation.starts_with(name); };
  const bool is_atomic = begins("atom.");
  shape.is_store = begins("st.") || begins("red.") || is_atomic;
  const bool is_from_memory = begins("ld.") || begins("ldu.") || begins("tex.") || begins("tld4.");
  shape.is_load = is_from_memory || begins("shfl.");
  shape.is_copy = begins("mov.") || begins("cvta.");
  if (begins("bra") || begins("call") || begins("bar")) return shape;
  shape.read = registers_in(text.substr(space));
  if (is_atomic && !shape.read.empty()) shape.read.erase(shape.read.begin());  // the value from before
  if (shape.is_store) return shape;  // its values are those that it stores
  // What is written stands first, and only there: an instruction may also read these registers.
  for (const TracedValue& value : instruction.values)
    if (const auto place = std::ranges::find(shape.read, value.name); place != shape.read.end()) {
      shape.written.push_back(value.name);
      shape.read.erase(place);
    }
  if (is_from_memory) shape.read.clear();
  return shape;
}

using Steps = std::vector<std::size_t>;  // indices of WarpTrace::steps

// The steps that one lane executes, and where each got its registers from.
class LaneSteps {
 public:
  LaneSteps(const WarpTrace& trace, std::uint32_t lane) : trace_(trace), lane_(lane) {
    for (const TracedInstruction& each : trace.instructions) shapes_.push_back(shape_of(each));
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> last;  // by call and register
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const WarpStep& step = trace.steps[i];
      sources_.emplace_back();
      if (!(step.executing >> lane & 1)) continue;
      for (const std::string& name : shape(i).read)
        if (const auto found = last.find({step.call, name}); found != last.end())
          sources_.back().push_back(found->second);
      for (const std::string& name : shape(i).written) last[{step.call, name}] = i;
    }
  }

  const Shape& shape(std::size_t step) const { return shapes_[trace_.steps[step].instruction]; }
  const TracedInstruction& instruction(std::size_t step) const {
    return trace_.instruction_of(trace_.steps[step]);
  }
  bool executes(std::size_t step) const { return trace_.steps[step].executing >> lane_ & 1; }
  std::size_t size() const { return trace_.steps.size(); }

  struct Value {
    const TracedValue* what = nullptr;
    std::uint64_t bits = 0;
  };
  std::vector<Value> values(std::size_t step) const {
    std::vector<Value> values;
    const auto& described = instruction(step).values;
    for (std::size_t i = 0; i < described.size(); ++i)
      values.push_back({&described[i], trace_.values[trace_.steps[step].first_value + i][lane_]});
    return values;
  }

  // The last step that stores this value in this line, or the line's only update; size() if there is none.
  std::size_t step_of(const ValueEnd& end) const {
    const bool is_store = end.event.kind == AccessEvent::kStore;
    std::size_t found = size();
    for (std::size_t i = size(); i-- > 0;) {
      if (!executes(i) || !(instruction(i).where == end.line)) continue;
      if (is_store && shape(i).is_store && !is_update(i) && stores(i, end.event.value)) return i;
      if (is_store || !is_update(i)) continue;
      if (found != size()) return size();  // what an update leaves in memory does not tell which one it was
      found = i;
    }
    return found;
  }
  bool is_update(std::size_t step) const {
    return shape(step).operation.starts_with("red.") || shape(step).operation.starts_with("atom.");
  }

  // The steps that computed what this step reads, in the order of execution.
  Steps computation_of(std::size_t end) const {
    std::vector<bool> is_part(size());
    for (const std::size_t source : sources_[end]) is_part[source] = true;
    Steps steps;
    for (std::size_t i = end; i-- > 0;) {
      if (!is_part[i]) continue;
      steps.push_back(i);
      for (const std::size_t source : sources_[i]) is_part[source] = true;
    }
    std::ranges::reverse(steps);
    return steps;
  }

 private:
  bool stores(std::size_t step, std::uint64_t value) const {
    return std::ranges::any_of(values(step), [value](const Value& each) {
      const std::uint32_t bits = each.what->bytes * 8;
      const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
      return (each.bits & mask) == (value & mask);
    });
  }

  const WarpTrace& trace_;
  std::uint32_t lane_;
  std::vector<Shape> shapes_;   // by instruction
  std::vector<Steps> sources_;  // by step
};

// The values of a thread, for lookups that allow for rounding errors of floating-point numbers.
class KnownValues {
 public:
  explicit KnownValues(const LaneSteps& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps.executes(i)) continue;
      const std::string question = question_of(steps.shape(i).operation);
      for (const LaneSteps::Value& value : steps.values(i)) {
        add(value);
        if (!question.empty()) answers_[question].push_back(value.bits);
      }
    }
    for (auto& [bytes, numbers] : numbers_) std::ranges::sort(numbers);
    for (auto& [bytes, bits] : bits_) std::ranges::sort(bits);
  }
  bool has(const LaneSteps::Value& value, const std::string& operation) const {
    if (const auto answers = answers_.find(question_of(operation)); answers != answers_.end())
      return std::ranges::find(answers->second, value.bits) != answers->second.end();
    const auto bits = bits_.find(value.what->bytes);
    if (bits != bits_.end() && std::ranges::binary_search(bits->second, value.bits)) return true;
    const std::optional<double> number = number_of(value);
    const auto numbers = numbers_.find(value.what->bytes);
    if (!number || numbers == numbers_.end()) return false;
    const double error = std::abs(*number) * (value.what->bytes == 4 ? 1e-5 : 1e-10);
    const auto near = std::ranges::lower_bound(numbers->second, *number - error);
    return near != numbers->second.end() && *near <= *number + error;
  }

 private:
  // "vote" of "vote.sync.ballot.b32": questions about lanes and bits. A thread has their usual answers, such
  // as 32 and all ones, by chance, too, so they are compared only with answers to the same question.
  static std::string question_of(const std::string& operation) {
    constexpr std::string_view kQuestions[]{"vote", "match", "activemask", "redux", "popc", "bfind", "clz"};
    const std::string name = operation.substr(0, operation.find('.'));
    return std::ranges::find(kQuestions, name) != std::end(kQuestions) ? name : std::string();
  }

  static std::optional<double> number_of(const LaneSteps::Value& value) {
    std::optional<double> number;
    if (value.what->type == ptx::Type::kF32)
      number = std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    if (value.what->type == ptx::Type::kF64) number = std::bit_cast<double>(value.bits);
    return number && std::isfinite(*number) ? number : std::nullopt;
  }
  void add(const LaneSteps::Value& value) {
    bits_[value.what->bytes].push_back(value.bits);
    if (const std::optional<double> number = number_of(value)) numbers_[value.what->bytes].push_back(*number);
  }

  std::map<std::uint32_t, std::vector<std::uint64_t>> bits_;   // by size
  std::map<std::uint32_t, std::vector<double>> numbers_;       // of floating-point numbers
  std::map<std::string, std::vector<std::uint64_t>> answers_;  // by question
};

// The share of the operations of two computations that both have.
double likeness(const LaneSteps& a, const Steps& steps_of_a, const LaneSteps& b, const Steps& steps_of_b) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> operations;
  for (const std::size_t i : steps_of_a)
    if (!a.shape(i).is_copy) ++operations[a.shape(i).operation].first;
  for (const std::size_t i : steps_of_b)
    if (!b.shape(i).is_copy) ++operations[b.shape(i).operation].second;
  std::size_t both = 0, all = 0;
  for (const auto& [name, counts] : operations) {
    both += std::min(counts.first, counts.second);
    all += std::max(counts.first, counts.second);
  }
  return all == 0 ? 1 : static_cast<double>(both) / static_cast<double>(all);
}

class NewValue {
 public:
  NewValue(const LaneSteps& found, std::size_t last_found, const LaneSteps& wanted, std::size_t last_wanted)
      : found_(found),
        wanted_(wanted),
        last_found_(last_found),
        last_wanted_(last_wanted),
        computed_(found.computation_of(last_found)),
        needed_(wanted.computation_of(last_wanted)),
        known_(wanted) {}

  std::optional<Reason> reason() const {
    if (auto reason = constant()) return reason;
    if (auto reason = rounded()) return reason;
    const auto value = new_value();
    const bool is_alike = likeness(found_, computed_, wanted_, needed_) >= kLeastLikeness;
    if (value) return is_alike ? value : std::nullopt;
    if (is_alike)
      if (auto reason = other_update()) return reason;
    return earlier_value();
  }

 private:
  static bool computes(const LaneSteps& steps, std::size_t step) {
    return !steps.shape(step).is_copy && !steps.shape(step).is_load;
  }
  static bool is_constant(const LaneSteps& steps, const Steps& computation) {
    return std::ranges::all_of(computation, [&](std::size_t i) { return steps.shape(i).is_copy; });
  }
  static std::string text_of(const LaneSteps::Value& value, bool is_mask = false) {
    if (is_mask) return fmt::format("{:#010x}", static_cast<std::uint32_t>(value.bits));
    return session::value_text(value.what->type, value.what->bytes, value.bits, 7);
  }
  SourceLine line_of(std::size_t step) const { return found_.instruction(step).where; }

  std::optional<Reason> constant() const {
    const auto values = found_.values(last_found_);
    if (!is_constant(found_, computed_) || is_constant(wanted_, needed_) || values.size() != 1)
      return std::nullopt;
    return Reason{msg::difference_constant(text_of(values.front())), line_of(last_found_)};
  }

  static bool rounds(const std::string& operation) {
    return operation.starts_with("cvt.r") && operation.size() > 6 && operation[6] == 'i';
  }
  std::optional<Reason> rounded() const {
    if (std::ranges::any_of(needed_, [&](std::size_t i) { return rounds(wanted_.shape(i).operation); }))
      return std::nullopt;
    for (const std::size_t step : computed_)
      if (const auto values = found_.values(step); rounds(found_.shape(step).operation) && values.size() == 1)
        return Reason{msg::difference_rounded(text_of(values.front())), line_of(step)};
    return std::nullopt;
  }

  std::optional<Reason> new_value() const {
    for (const std::size_t step : computed_) {
      if (!computes(found_, step)) continue;
      for (const LaneSteps::Value& value : found_.values(step))
        if (const std::string& operation = found_.shape(step).operation;
            value.what->bytes > 0 && !known_.has(value, operation)) {
          const bool is_mask = operation.starts_with("vote.") || operation.starts_with("match.");
          return Reason{msg::difference_new_value(text_of(value, is_mask)), line_of(step)};
        }
    }
    return std::nullopt;
  }

  // "add" of "red.global.add.f32"
  static std::string update_of(const std::string& operation) {
    constexpr std::string_view kUpdates[]{"add", "inc", "dec", "min",  "max",
                                          "and", "or",  "xor", "exch", "cas"};
    for (const std::string_view update : kUpdates)
      if (operation.find(fmt::format(".{}.", update)) != std::string::npos) return std::string(update);
    return {};
  }
  std::optional<Reason> other_update() const {
    const std::string update = update_of(found_.shape(last_found_).operation);
    if (update == update_of(wanted_.shape(last_wanted_).operation)) return std::nullopt;
    return Reason{msg::difference_update_kind(Code{update}), line_of(last_found_)};
  }

  // The solution has computed the value, too, but goes on from there.
  std::optional<Reason> earlier_value() const {
    const auto last = std::ranges::find_if(computed_.rbegin(), computed_.rend(),
                                           [&](std::size_t i) { return computes(found_, i); });
    if (last == computed_.rend()) return std::nullopt;
    const auto values = found_.values(*last);
    const auto has_value = [&](std::size_t i) {
      const auto other = wanted_.values(i);
      return computes(wanted_, i) && wanted_.shape(i).operation == found_.shape(*last).operation &&
             other.size() == 1 && other.front().bits == values.front().bits;
    };
    if (values.size() != 1 || values.front().bits < kLeastTelling) return std::nullopt;
    if (!std::ranges::any_of(needed_, has_value)) return std::nullopt;
    return Reason{msg::difference_earlier_value(text_of(values.front()), line_of(last_found_).line),
                  line_of(*last)};
  }

  // Smaller whole numbers occur in any computation.
  static constexpr std::uint64_t kLeastTelling = 64;
  // Two computations with less in common are different ways to compute the same.
  static constexpr double kLeastLikeness = 0.5;

  const LaneSteps &found_, &wanted_;
  std::size_t last_found_, last_wanted_;
  Steps computed_, needed_;
  KnownValues known_;
};

}  // namespace

std::optional<Reason> first_new_value(const WarpPair& warps, const ValueEnd& found_end,
                                      const ValueEnd& wanted_end) {
  // A value that is exchanged leaves another thread than the one that receives it.
  const bool is_exchanged = found_end.event.kind == AccessEvent::kShuffle;
  if (is_exchanged || found_end.event.thread != wanted_end.event.thread) return std::nullopt;
  const std::uint32_t lane = found_end.event.thread % vgpu::kWarpSize;
  const LaneSteps found(warps.found, lane), wanted(warps.wanted, lane);
  const std::size_t last_found = found.step_of(found_end), last_wanted = wanted.step_of(wanted_end);
  if (last_found == found.size() || last_wanted == wanted.size()) return std::nullopt;
  return NewValue(found, last_found, wanted, last_wanted).reason();
}

}  // namespace cudalab::course
