#include "course/reasons/program_evidence.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "messages/course.h"

namespace cudalab::course {
namespace {

using device::ParameterUse;
using device::ProgramLog;

// The C library flushes standard output in multiples of this size while a pipe receives it.
constexpr std::uint64_t kOutputBlock = 4096;

std::uint64_t bytes_written(const BufferUse& use) {
  const auto count_at = [](const std::vector<std::uint32_t>& counts, std::size_t i) {
    return i < counts.size() ? counts[i] : 0;
  };
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i < std::max(use.stores.size(), use.updates.size()); ++i)
    elements += count_at(use.stores, i) + count_at(use.updates, i) > 0;
  return elements * use.element_bytes;
}

bool is_written(const ParameterUse& parameter) { return bytes_written(parameter.use) > 0; }

std::optional<SourceLine> line_of(const ProgramLog& log, const CallSite& site) {
  const auto line = log.lines.find(site);
  return line == log.lines.end() ? std::nullopt : std::optional(line->second);
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
    if (auto reason = printed_before_copy()) return {*std::move(reason)};
    return {};
  }

 private:
  bool is_copied_back(const std::string& memory) const {
    return std::ranges::any_of(copies_back_, [&](const ProgramCopy* copy) { return copy->memory == memory; });
  }

  // Kernels write memory that the host never gets, and the host gets memory that no kernel writes.
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
            line_of(log_, copy->from)};
    }
    return std::nullopt;
  }

  std::optional<Reason> part_copied_back() const {
    for (const ParameterUse& parameter : log_.uses) {
      const std::uint64_t written = bytes_written(parameter.use);
      std::uint64_t copied = 0;
      const ProgramCopy* last = nullptr;
      for (const ProgramCopy* copy : copies_back_)
        if (copy->memory == parameter.use.name) {
          copied += copy->bytes;
          last = copy;
        }
      if (last && copied < written)
        return Reason{msg::evidence_part_copied_back(copied, written, Code{parameter.use.name}),
                      line_of(log_, last->from)};
    }
    return std::nullopt;
  }

  std::optional<Reason> printed_before_copy() const {
    if (copies_back_.empty()) return std::nullopt;
    const ProgramCopy& first = *copies_back_.front();
    const bool is_all = first.printed > 0 && found_.output_bytes >= first.printed &&
                        (found_.output_bytes - first.printed) % kOutputBlock == 0;
    return is_all ? std::optional(Reason{msg::evidence_printed_before_copy(), line_of(log_, first.from)})
                  : std::nullopt;
  }

  const ProgramLog& log_;
  const ProgramEvidence& found_;
  std::vector<const ProgramCopy*> copies_back_;
};

std::set<std::string> kernels_in(const ProgramLog& log) {
  std::set<std::string> names;
  for (const ParameterUse& parameter : log.uses) names.insert(parameter.kernel);
  return names;
}

// The uses of one kernel in both programs, named as the learner's program names the memory.
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

std::vector<Reason> reasons_of_kernels(const ProgramLog& found, const ProgramLog& wanted) {
  const std::set<std::string> own = kernels_in(found), other = kernels_in(wanted);
  std::vector<Reason> reasons;
  for (const std::string& kernel : own) {
    const bool is_only = own.size() == 1 && other.size() == 1;
    if (!is_only && !other.contains(kernel)) continue;
    const ComparedUses uses = uses_of_kernel(found, kernel, wanted, is_only ? *other.begin() : kernel);
    std::ranges::move(reasons_of(uses.found, uses.wanted), std::back_inserter(reasons));
  }
  return reasons;
}

}  // namespace

std::vector<Reason> notes_of(const ProgramLog& log, const Message& said) {
  std::vector<Reason> reasons;
  for (const HostMistake& mistake : log.mistakes) {
    if (mistake.kind == MistakeKind::kHostClock || mistake.what == said) continue;
    reasons.push_back(
        {mistake.fix.empty() ? mistake.what : msg::reason_with_advice(mistake.what, mistake.fix),
         line_of(log, mistake.from)});
  }
  return reasons;
}

std::vector<Reason> reasons_of_program(const ProgramEvidence& found, const ProgramLog& wanted,
                                       const Message& said) {
  std::vector<Reason> reasons = HostFacts(found).reasons();
  if (reasons.empty()) reasons = reasons_of_kernels(found.log, wanted);
  // Notes come last: they may describe a consequence only.
  std::ranges::move(notes_of(found.log, said), std::back_inserter(reasons));
  if (reasons.size() > kMostReasons) reasons.resize(kMostReasons);
  return reasons;
}

}  // namespace cudalab::course
