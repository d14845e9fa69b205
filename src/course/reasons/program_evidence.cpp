// Compares the copies, launches and kernels of a wrong program with those of the solution.
#include "course/reasons/program_evidence.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "course/reasons/texture_evidence.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

using device::ParameterUse;
using device::ProgramKernel;
using device::ProgramLog;

// When standard output is a pipe, the C library flushes it in multiples of this size, in bytes.
constexpr std::uint64_t kOutputBlock = 4096;

std::uint64_t bytes_written(const BufferUse& use) {
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i < std::max(use.stores.size(), use.updates.size()); ++i)
    elements += count_at(use.stores, i) + count_at(use.updates, i) > 0;
  return elements * use.element_bytes;
}

bool is_written(const ParameterUse& parameter) { return bytes_written(parameter.use) > 0; }

// Whether a kernel accessed memory that none of its parameters points to.
bool is_accessed(const ProgramLog& log, const std::string& memory) {
  return std::ranges::any_of(log.others,
                             [&memory](const ParameterUse& other) { return other.use.name == memory; });
}

class HostFacts {
 public:
  explicit HostFacts(const ProgramEvidence& found) : log_(found.log), found_(found) {
    for (const ProgramCopy& copy : log_.each_copy)
      if (copy.direction == CopyDirection::kFromDevice) copies_back_.push_back(&copy);
  }

  std::vector<Reason> reasons() {
    if (log_.kernels.empty()) return {{msg::evidence_no_kernel()}};
    if (copies_back_.empty() && log_.managed_bytes == 0) return {{msg::reason_nothing_copied_back()}};
    if (auto reason = other_array_copied_back()) return {*std::move(reason)};
    if (auto reason = part_copied_back()) return {*std::move(reason)};
    if (auto reason = copied_back_too_early()) return {*std::move(reason)};
    if (auto reason = older_copied_back()) return {*std::move(reason)};
    if (auto reason = printed_before_copy()) return {*std::move(reason)};
    if (auto reason = not_passed()) return {*std::move(reason)};
    if (auto reason = copied_without_offset()) return {*std::move(reason)};
    return {};
  }

 private:
  // Without counting a byte twice.
  static std::uint64_t bytes_in(const std::map<std::uint64_t, std::uint64_t>& ranges) {
    std::uint64_t bytes = 0, done = 0;
    for (const auto& [begin, end] : ranges) {
      bytes += end - std::clamp(done, begin, end);
      done = std::max(done, end);
    }
    return bytes;
  }

  bool is_copied_back(const std::string& memory) const {
    return std::ranges::any_of(copies_back_, [&](const ProgramCopy* copy) { return copy->memory == memory; });
  }

  // Reports kernels that write memory that is never copied back, while memory that no kernel writes is copied
  // back.
  std::optional<Reason> other_array_copied_back() const {
    const ParameterUse* lost = nullptr;
    for (const ParameterUse& parameter : log_.uses)
      if (is_written(parameter) && !is_copied_back(parameter.use.name)) lost = &parameter;
    if (!lost) return std::nullopt;
    for (const ProgramCopy* copy : copies_back_) {
      const auto writes_it = [copy](const ParameterUse& parameter) {
        return parameter.use.name == copy->memory && is_written(parameter);
      };
      if (!copy->memory.empty() && std::ranges::none_of(log_.uses, writes_it))
        return Reason{
            msg::evidence_other_copied_back(Code{copy->memory}, Code{lost->kernel}, Code{lost->use.name}),
            known_line(log_, copy->from)};
    }
    return std::nullopt;
  }

  std::optional<Reason> part_copied_back() const {
    constexpr std::uint64_t kManyElements = 32;
    for (const ParameterUse& parameter : log_.uses) {
      const std::uint64_t written = bytes_written(parameter.use);
      std::map<std::uint64_t, std::uint64_t> ranges;  // ends by beginning
      const ProgramCopy* last = nullptr;
      for (const ProgramCopy* copy : copies_back_)
        if (copy->memory == parameter.use.name) {
          std::uint64_t& end = ranges[copy->source];
          end = std::max(end, copy->source + copy->bytes);
          last = copy;
        }
      const std::uint64_t copied = bytes_in(ranges);
      // One element of many may be all that the program needs: a total.
      const bool is_total = copied == parameter.use.element_bytes && written >= kManyElements * copied;
      if (last && copied < written && !is_total)
        return Reason{msg::evidence_part_copied_back(copied, written, Code{parameter.use.name}),
                      known_line(log_, last->from)};
    }
    return std::nullopt;
  }

  // Of two arrays that a kernel writes in turn, the one that its last launch did not write is copied back.
  std::optional<Reason> older_copied_back() const {
    for (const ParameterUse& older : log_.uses)
      for (const ParameterUse& newer : log_.uses) {
        const bool are_in_turn = older.kernel == newer.kernel && older.position == newer.position &&
                                 older.last_launch < newer.last_launch;
        if (!are_in_turn || !is_written(older) || !is_written(newer) || is_copied_back(newer.use.name))
          continue;
        for (const ProgramCopy* copy : copies_back_)
          if (copy->memory == older.use.name)
            return Reason{msg::evidence_older_copied_back(Code{older.use.name}, Code{older.kernel},
                                                          Code{newer.use.name}),
                          known_line(log_, copy->from)};
      }
    return std::nullopt;
  }

  // A call that copies repeatedly from one address to different ones, or from different ones to one. Memory
  // of the device may be used again after each launch, and a number on the host after each copy.
  std::optional<Reason> copied_without_offset() const {
    constexpr std::uint64_t kNumberBytes = 8;
    struct Addresses {
      std::uint64_t times = 0, bytes = 0;
      bool is_to_device = false;
      std::set<std::uint64_t> launches_before = {};
      std::set<std::uint64_t> sources, targets;
    };
    std::map<CallSite, Addresses> calls;
    for (const ProgramCopy& copy : log_.each_copy) {
      Addresses& call = calls[copy.from];
      ++call.times;
      call.bytes += copy.bytes;
      call.is_to_device = copy.direction == CopyDirection::kToDevice;
      call.launches_before.insert(copy.launches_before);
      call.sources.insert(copy.source);
      call.targets.insert(copy.target);
    }
    for (const auto& [site, call] : calls) {
      if (call.times < 2 || std::max(call.sources.size(), call.targets.size()) < call.times) continue;
      const bool is_reused = call.launches_before.size() == call.times;
      if (call.sources.size() == 1 && (call.is_to_device || !is_reused))
        return Reason{msg::evidence_same_source(call.times), known_line(log_, site)};
      const bool is_number = call.bytes <= call.times * kNumberBytes;
      if (call.targets.size() == 1 && (call.is_to_device ? !is_reused : !is_number))
        return Reason{msg::evidence_same_target(call.times), known_line(log_, site)};
    }
    return std::nullopt;
  }

  // Memory that the host fills and that no kernel gets or accesses, and no other copy reads. Calls of
  // libraries do not say what they access.
  std::optional<Reason> not_passed() const {
    if (std::ranges::any_of(log_.kernels, [](const auto& one) { return !one.library.empty(); }))
      return std::nullopt;
    for (const ProgramCopy& copy : log_.each_copy) {
      const auto is_given = [&copy](const ParameterUse& use) { return use.use.name == copy.memory; };
      const auto reads = [&copy](const ProgramCopy& other) {
        return other.memory == copy.memory && other.direction != CopyDirection::kToDevice;
      };
      if (copy.direction != CopyDirection::kToDevice || copy.memory.empty() || copy.variable_bytes > 0 ||
          is_accessed(log_, copy.memory) || std::ranges::any_of(log_.uses, is_given) ||
          std::ranges::any_of(log_.each_copy, reads))
        continue;
      const ProgramKernel* only = log_.kernels.size() == 1 ? &log_.kernels.front() : nullptr;
      if (const auto launch = only ? known_line(log_, only->from) : std::nullopt)
        return Reason{msg::evidence_not_passed_in(Code{copy.memory}, Code{only->kernel}, launch->line),
                      known_line(log_, copy.from)};
      return Reason{msg::evidence_not_passed(Code{copy.memory}), known_line(log_, copy.from)};
    }
    return std::nullopt;
  }

  // Memory that is copied back, but not after the last launch of a kernel that writes it.
  std::optional<Reason> copied_back_too_early() const {
    for (const ParameterUse& parameter : log_.uses) {
      const ProgramCopy* last = nullptr;
      for (const ProgramCopy* copy : copies_back_)
        if (copy->memory == parameter.use.name) last = copy;
      if (!last || !is_written(parameter)) continue;
      if (static_cast<std::size_t>(last - log_.each_copy.data()) < parameter.copies_before)
        return Reason{msg::evidence_copied_too_early(Code{parameter.use.name}, Code{parameter.kernel}),
                      known_line(log_, last->from)};
    }
    return std::nullopt;
  }

  std::optional<Reason> printed_before_copy() const {
    if (copies_back_.empty()) return std::nullopt;
    const ProgramCopy& first = *copies_back_.front();
    const bool is_all = first.printed > 0 && found_.output_bytes >= first.printed &&
                        (found_.output_bytes - first.printed) % kOutputBlock == 0;
    return is_all ? std::optional(Reason{msg::evidence_printed_before_copy(), known_line(log_, first.from)})
                  : std::nullopt;
  }

  const ProgramLog& log_;
  const ProgramEvidence& found_;
  std::vector<const ProgramCopy*> copies_back_;
};

// Copies that together fill only a part of a variable. In a right program, the rest may be unused.
std::optional<Reason> part_of_variable(const ProgramLog& log) {
  struct Filled {
    std::uint64_t bytes = 0;
    const ProgramCopy* last = nullptr;
  };
  std::map<std::string, Filled> variables;
  for (const ProgramCopy& copy : log.each_copy)
    if (copy.direction == CopyDirection::kToDevice && copy.variable_bytes > 0) {
      Filled& filled = variables[copy.memory];
      filled.bytes += copy.bytes;
      filled.last = &copy;
    }
  for (const auto& [name, filled] : variables)
    if (filled.bytes < filled.last->variable_bytes)
      return Reason{msg::fact_part_of_variable(Code{name}, filled.bytes, filled.last->variable_bytes),
                    known_line(log, filled.last->from)};
  return std::nullopt;
}

std::set<std::string> kernels_in(const ProgramLog& log) {
  std::set<std::string> names;
  for (const ParameterUse& parameter : log.uses) names.insert(parameter.kernel);
  return names;
}

// The uses of one kernel in both programs. Buffers have the names of the learner's program.
struct ComparedUses {
  std::vector<BufferUse> found, wanted;
};

ComparedUses uses_of_kernel(const ProgramLog& found, const std::string& own, const ProgramLog& wanted,
                            const std::string& other) {
  ComparedUses uses;
  for (const ParameterUse& parameter : found.uses) {
    if (parameter.kernel != own) continue;
    const auto same = std::ranges::find_if(wanted.uses, [&](const ParameterUse& one) {
      return one.kernel == other && one.position == parameter.position;
    });
    if (same == wanted.uses.end()) continue;
    uses.found.push_back(parameter.use);
    uses.wanted.push_back(same->use);
    uses.wanted.back().name = parameter.use.name;
  }
  return uses;
}

// What all kernels together did with one allocation that parameters point to.
class MemoryFacts {
 public:
  MemoryFacts(const ProgramLog& log, const std::string& memory) : log_(&log) {
    for (const ParameterUse& parameter : log.uses)
      if (parameter.use.name == memory) uses_.push_back(&parameter);
  }

  bool is_written() const {
    return std::ranges::any_of(uses_, [](const ParameterUse* use) { return bytes_written(use->use) > 0; });
  }

  std::optional<Reason> reason() const {
    if (auto unused = never_used()) return unused;
    if (auto useless = written_for_nothing()) return useless;
    if (!are_comparable()) return std::nullopt;
    return is_written() ? unwritten() : unread();
  }

 private:
  // Elements of different widths cannot be counted together.
  bool are_comparable() const {
    std::uint32_t bytes = 0;
    for (const ParameterUse* parameter : uses_) {
      const std::uint32_t own = parameter->use.element_bytes;
      if (own != 0 && bytes != 0 && own != bytes) return false;
      bytes = std::max(bytes, own);
    }
    return bytes > 0;
  }
  static bool is_loaded(const BufferUse& use) {
    return std::ranges::any_of(use.loads, [](std::uint32_t count) { return count > 0; });
  }

  std::optional<Reason> never_used() const {
    for (const ParameterUse* parameter : uses_)
      if (bytes_written(parameter->use) > 0 || is_loaded(parameter->use)) return std::nullopt;
    const ParameterUse& first = *uses_.front();
    return Reason{msg::fact_never_used(Code{first.use.name}, Code{first.kernel}, first.position + 1)};
  }

  // Results that no kernel reads and no copy takes anywhere. The host can read managed memory without a call.
  std::optional<Reason> written_for_nothing() const {
    const std::string& name = uses_.front()->use.name;
    const bool is_loaded_anywhere = std::ranges::any_of(
        uses_, [](const ParameterUse* use) { return is_loaded(use->use) || sum(use->use.updates) > 0; });
    const bool is_copied = std::ranges::any_of(log_->each_copy, [&](const ProgramCopy& copy) {
      return copy.memory == name && copy.direction != CopyDirection::kToDevice;
    });
    const bool has_library =
        std::ranges::any_of(log_->kernels, [](const auto& one) { return !one.library.empty(); });
    if (!is_written() || is_loaded_anywhere || is_copied || has_library || log_->managed_bytes > 0 ||
        is_accessed(*log_, name))
      return std::nullopt;
    return Reason{msg::fact_written_for_nothing(Code{uses_.front()->kernel}, Code{name}),
                  line_of({AccessKind::kStore})};
  }
  static std::uint64_t sum(const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  // Elements that no kernel writes, of memory that the program copies to the host as a whole.
  std::optional<Reason> unwritten() const {
    std::uint64_t copied = 0;
    for (const ProgramCopy& copy : log_->each_copy)
      if (copy.direction == CopyDirection::kFromDevice && copy.memory == uses_.front()->use.name)
        copied = std::max(copied, copy.bytes);
    const auto counts = [](const BufferUse& use) { return std::array{&use.stores, &use.updates}; };
    const auto elements = without_access(counts);
    const std::uint64_t bytes = uses_.front()->use.element_bytes;
    if (elements.empty() || (elements.back() + 1) * bytes > copied) return std::nullopt;
    return Reason{msg::fact_unwritten(elements_in_words(elements), Code{uses_.front()->use.name},
                                      elements.size(), size()),
                  line_of({AccessKind::kStore, AccessKind::kAtomic, AccessKind::kReduction})};
  }
  std::optional<Reason> unread() const {
    const auto elements = without_access([](const BufferUse& use) { return std::array{&use.loads}; });
    if (elements.empty()) return std::nullopt;
    return Reason{
        msg::fact_unread(elements_in_words(elements), Code{uses_.front()->use.name}, elements.size(), size()),
        line_of({AccessKind::kLoad})};
  }

  std::size_t size() const {
    std::size_t size = 0;
    for (const ParameterUse* parameter : uses_)
      size = std::max(
          {size, parameter->use.loads.size(), parameter->use.stores.size(), parameter->use.updates.size()});
    return size;
  }
  template <typename CountsOf>
  std::vector<std::size_t> without_access(const CountsOf& counts_of) const {
    std::vector<std::size_t> elements;
    const auto has_access = [&](const ParameterUse* parameter, std::size_t i) {
      return std::ranges::any_of(counts_of(parameter->use),
                                 [i](const auto* counts) { return i < counts->size() && (*counts)[i] > 0; });
    };
    for (std::size_t i = 0; i < size(); ++i)
      if (std::ranges::none_of(uses_, [&](const ParameterUse* use) { return has_access(use, i); }))
        elements.push_back(i);
    return elements;
  }
  // The line with the most accesses of these kinds.
  std::optional<SourceLine> line_of(std::initializer_list<AccessKind> kinds) const {
    const BufferUse::Line* best = nullptr;
    for (const ParameterUse* parameter : uses_)
      for (const BufferUse::Line& line : parameter->use.lines)
        if (std::ranges::find(kinds, line.kind) != kinds.end() && (!best || line.accesses > best->accesses))
          best = &line;
    return best && best->where.line > 0 ? std::optional(best->where) : std::nullopt;
  }

  const ProgramLog* log_;
  std::vector<const ParameterUse*> uses_;
};

// Elements of a shared array that a kernel writes and never reads, and elements of a variable that it never
// reads although it reads others.
std::optional<Reason> reason_of_other(const ParameterUse& other) {
  const BufferUse& use = other.use;
  const bool is_shared = use.space == MemorySpace::kShared;
  const std::size_t size = std::max(use.loads.size(), use.stores.size());
  std::vector<std::size_t> unread;
  bool is_read = false, is_stored = false;
  for (std::size_t i = 0; i < size; ++i) {
    const bool written = count_at(use.stores, i) + count_at(use.updates, i) > 0,
               read = count_at(use.loads, i) > 0;
    is_read |= read;
    is_stored |= written;
    if (!read && (written || !is_shared)) unread.push_back(i);
  }
  // Updates return the old value, so an array that is updated may be read.
  const bool is_updated = std::ranges::any_of(use.updates, [](std::uint32_t count) { return count > 0; });
  if (unread.empty() || is_updated || (is_shared ? !is_stored : !is_read || is_stored)) return std::nullopt;
  if (is_shared && !is_read) return Reason{msg::fact_shared_never_read(Code{other.kernel}, Code{use.name})};
  if (is_shared)
    return Reason{msg::fact_shared_unread(Code{other.kernel}, elements_in_words(unread), Code{use.name}),
                  line_of_loads(use)};
  return Reason{msg::fact_unread(elements_in_words(unread), Code{use.name}, unread.size(), size),
                line_of_loads(use)};
}

std::vector<Reason> reasons_of_kernels(const ProgramLog& found, const ProgramLog& wanted) {
  const std::set<std::string> own = kernels_in(found), other = kernels_in(wanted);
  std::vector<Reason> reasons;
  for (const std::string& kernel : own) {
    const bool is_only = own.size() == 1 && other.size() == 1;
    if (!is_only && !other.contains(kernel)) continue;
    const ComparedUses uses = uses_of_kernel(found, kernel, wanted, is_only ? *other.begin() : kernel);
    std::ranges::move(reasons_of(uses.found, uses.wanted), std::back_inserter(reasons));
  }
  std::ranges::move(reasons_of_textures(found.textures, wanted.textures), std::back_inserter(reasons));
  return reasons;
}

}  // namespace

std::vector<Reason> notes_of(const ProgramLog& log, const Message& said) {
  std::vector<Reason> reasons;
  for (const FailedCall& failure : log.failures)
    if (!failure.why.empty() && failure.why != said)
      reasons.push_back({msg::reason_failed_call(Code{failure.call}, Code{failure.error}, failure.why),
                         known_line(log, failure.from)});
  for (const HostMistake& mistake : log.mistakes) {
    if (mistake.kind == MistakeKind::kHostClock || mistake.what == said) continue;
    reasons.push_back(
        {mistake.fix.empty() ? mistake.what : msg::reason_with_advice(mistake.what, mistake.fix),
         known_line(log, mistake.from)});
  }
  return reasons;
}

std::vector<Reason> facts_of_run(const ProgramEvidence& found) {
  std::vector<Reason> facts = HostFacts(found).reasons();
  if (auto part = part_of_variable(found.log)) facts.push_back(*std::move(part));
  std::ranges::move(facts_of_textures(found.log.textures), std::back_inserter(facts));
  for (const ParameterUse& other : found.log.others)
    if (auto reason = reason_of_other(other)) facts.push_back(*std::move(reason));
  std::vector<MemoryFacts> memories;
  std::set<std::string> names;
  for (const ParameterUse& parameter : found.log.uses)
    if (names.insert(parameter.use.name).second) memories.emplace_back(found.log, parameter.use.name);
  std::ranges::stable_sort(memories, std::ranges::greater(), &MemoryFacts::is_written);  // results first
  for (const MemoryFacts& memory : memories)
    if (auto reason = memory.reason()) facts.push_back(*std::move(reason));
  if (facts.size() > kMostFacts) facts.resize(kMostFacts);
  return facts;
}

std::vector<Reason> reasons_without_overlap(const ProgramLog& log) {
  std::vector<Reason> reasons;
  std::set<std::int64_t> streams;
  std::set<CallSite> calls;
  for (const ProgramCopy& copy : log.each_copy) {
    streams.insert(copy.stream);
    const bool crosses =
        copy.direction == CopyDirection::kToDevice || copy.direction == CopyDirection::kFromDevice;
    if (!crosses || !calls.insert(copy.from).second || reasons.size() >= kMostReasons) continue;
    const Code call{copy.call};
    if (copy.call.find("Async") == std::string::npos)
      reasons.push_back({msg::evidence_copy_waits(call), known_line(log, copy.from)});
    else if (copy.is_pageable)
      reasons.push_back({msg::evidence_copy_pageable(call), known_line(log, copy.from)});
  }
  if (reasons.empty() && streams.size() == 1) reasons.push_back({msg::evidence_one_stream()});
  return reasons;
}

std::vector<Reason> reasons_of_program(const ProgramEvidence& found, const ProgramLog& wanted,
                                       const AskForKernel& ask, const Message& said) {
  std::vector<Reason> reasons = HostFacts(found).reasons();
  if (reasons.empty()) {
    const KernelAlone alone = ask();
    reasons = alone.outcome == KernelAlone::kWrong ? alone.reasons : reasons_of_kernels(found.log, wanted);
    if (alone.outcome == KernelAlone::kRight) reasons.push_back({msg::reason_kernel_is_right()});
  }
  // Notes come last, because they may only describe a consequence.
  std::ranges::move(notes_of(found.log, said), std::back_inserter(reasons));
  if (reasons.size() > kMostReasons) reasons.resize(kMostReasons);
  return reasons;
}

}  // namespace cudalab::course
