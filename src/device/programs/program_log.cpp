// Builds a program's log, with one function per kind of record.
#include "device/programs/program_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <utility>

#include "core/measurement.h"
#include "device/kernel_launch.h"
#include "device/programs/program_names.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kMostEntries = 20'000, kMostFailures = 1'000, kMostMistakes = 1'000,
                      kMostNames = 10'000, kMostCopies = 4096, kMostTextures = 64;

void add_entry(ProgramLog& log, TimelineEntry entry) {
  if (log.timeline.size() < kMostEntries) log.timeline.push_back(std::move(entry));
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return text;
}

bool differ_in_numbers_alone(const Message& a, const Message& b);

bool differ_in_numbers_alone(const cudalab::Argument& a, const cudalab::Argument& b) {
  if (a.value().index() != b.value().index()) return false;
  if (const auto* text = a.as<std::string>())
    return without_digits(*text) == without_digits(*b.as<std::string>());
  if (const auto* code = a.as<cudalab::Code>())
    return without_digits(code->text) == without_digits(b.as<cudalab::Code>()->text);
  if (const auto* element = a.as<cudalab::Element>())
    return without_digits(element->buffer) == without_digits(b.as<cudalab::Element>()->buffer);
  if (const auto* message = a.as<Message>()) return differ_in_numbers_alone(*message, *b.as<Message>());
  return true;  // a number, an address, a thread, a block or a line
}

// Whether two messages differ only in numbers, as those of repeated launches do: "reads element 7 of
// cudaMalloc #2" and "element 9".
bool differ_in_numbers_alone(const Message& a, const Message& b) {
  return a.entry() == b.entry() &&
         std::ranges::equal(a.arguments(), b.arguments(),
                            [](const cudalab::Argument& one, const cudalab::Argument& other) {
                              return differ_in_numbers_alone(one, other);
                            });
}

bool is_same_mistake(const Hazard& a, const Hazard& b) {
  return a.kind == b.kind && a.where == b.where && a.other == b.other && a.cuda_error == b.cuda_error &&
         differ_in_numbers_alone(a.what, b.what);
}

// If launches in a loop repeat the same error, only its first occurrence is kept.
void add_launch_of(ProgramKernel& kernel, LaunchResult next) {
  std::erase_if(next.hazards, [&](const Hazard& hazard) {
    const auto known = std::ranges::find_if(kernel.result.hazards,
                                            [&](const Hazard& one) { return is_same_mistake(one, hazard); });
    if (known == kernel.result.hazards.end()) return false;
    known->occurrences += hazard.occurrences;
    return true;
  });
  add_launch(kernel.result, std::move(next));
}

// Adds a kernel that another kernel launched. It gets its own row, like kernels that the host launches.
void add_child(ProgramLog& log, const ProgramLaunch& parent, ChildLaunch child, bool each_launch) {
  const double ms = child.result.prediction ? child.result.prediction->ms : 0;
  const auto known = std::ranges::find(log.kernels, child.kernel, &ProgramKernel::kernel);
  if (known != log.kernels.end() && !each_launch) {
    known->launches += child.launches;
    known->predicted_ms += ms;
    return add_launch_of(*known, std::move(child.result));
  }
  log.kernels.push_back({child.kernel, "", child.spec, parent.device, parent.stream, parent.from,
                         child.launches, ms, std::move(child.result)});
}

void add_counts(std::vector<std::uint32_t>& total, const std::vector<std::uint32_t>& next) {
  if (total.size() < next.size()) total.resize(next.size());
  for (std::size_t i = 0; i < next.size(); ++i) total[i] += next[i];
}

// Uses with elements of different widths cannot be added, so only the first one counts.
void add_use(BufferUse& total, const BufferUse& next) {
  if (total.element_bytes == 0) total.element_bytes = next.element_bytes;
  if (next.element_bytes != 0 && next.element_bytes != total.element_bytes) return;
  add_counts(total.loads, next.loads);
  add_counts(total.stores, next.stores);
  add_counts(total.updates, next.updates);
  for (const BufferUse::Line& line : next.lines) {
    const auto known = std::ranges::find_if(total.lines, [&](const BufferUse::Line& one) {
      return one.where == line.where && one.kind == line.kind;
    });
    if (known == total.lines.end())
      total.lines.push_back(line);
    else
      known->accesses += line.accesses;
  }
}

struct Adder {
  ProgramLog& log;
  bool each_launch;

  void operator()(ProgramStart record) const { log.start = std::move(record); }
  void operator()(KernelBegin record) const {
    log.running = source_name(record.kernel);
    log.launches = record.number;
    log.expected_seconds = 0;
    log.running_at = {};
  }
  void operator()(const KernelPace& record) const {
    if (record.seconds > 0) log.expected_seconds = record.seconds;
    if (record.where.line > 0) log.running_at = record.where;
  }

  void operator()(ProgramLaunch record) const {
    log.running.clear();
    log.pinned_bytes = std::max(log.pinned_bytes, record.pinned_bytes);
    const std::string name = source_name(record.kernel);
    for (Hazard& hazard : record.result.hazards) hazard.kernel = source_name(hazard.kernel);
    const std::vector<ChildLaunch> children = std::exchange(record.result.children, {});
    // The span of a launch includes its children, which have rows of their own.
    const double ms = !children.empty() && record.result.prediction
                          ? record.result.prediction->ms
                          : record.span.end_ms - record.span.start_ms;
    add_entry(log, {name, std::nullopt, record.device, record.stream, record.span});
    const auto known = std::ranges::find(log.kernels, name, &ProgramKernel::kernel);
    if (known != log.kernels.end() && !each_launch) {
      ++known->launches;
      known->predicted_ms += ms;
      add_launch_of(*known, std::move(record.result));
    } else {
      log.kernels.push_back({name, record.library, record.spec, record.device, record.stream, record.from, 1,
                             ms, std::move(record.result)});
    }
    for (ChildLaunch child : children) {
      child.kernel = source_name(child.kernel);
      add_child(log, record, std::move(child), each_launch);
    }
  }

  void operator()(const ProgramCopy& record) const {
    CopyTotal& total = log.copies[record.direction];
    ++total.copies;
    total.bytes += record.bytes;
    log.nans += record.nans;
    total.predicted_ms += record.span.end_ms - record.span.start_ms;
    add_entry(log, {record.call, record.direction, record.device, record.stream, record.span});
    const bool is_detailed = !record.from.object.empty();
    if (is_detailed && log.each_copy.size() < kMostCopies) {
      log.each_copy.push_back(record);
      log.each_copy.back().launches_before = log.launches_with_uses;
    }
  }

  void operator()(KernelUse record) const {
    const std::string kernel = source_name(record.kernel);
    ++log.launches_with_uses;
    for (KernelUse::Parameter& parameter : record.parameters) {
      const auto is_same = [&](const ParameterUse& known) {
        return known.kernel == kernel && known.position == parameter.position &&
               known.use.name == parameter.use.name;
      };
      auto known = std::ranges::find_if(log.uses, is_same);
      if (known == log.uses.end())
        known = log.uses.insert(known, {kernel, parameter.position, std::move(parameter.use)});
      else
        add_use(known->use, parameter.use);
      known->copies_before = log.each_copy.size();
      known->last_launch = log.launches_with_uses;
    }
    for (BufferUse& use : record.others) {
      const auto known = std::ranges::find_if(log.others, [&](const ParameterUse& one) {
        return one.kernel == kernel && one.use.name == use.name;
      });
      if (known != log.others.end())
        add_use(known->use, use);
      else if (log.others.size() < kMostNames)
        log.others.push_back({.kernel = kernel, .use = std::move(use)});
    }
    for (TextureUse& texture : record.textures)
      if (log.textures.size() < kMostTextures) log.textures.push_back(std::move(texture));
  }

  void operator()(ProgramAllocation record) const {
    if (record.call == "cudaMallocManaged" || record.call == "cuMemAllocManaged")
      log.managed_bytes += record.bytes;
    if (log.named.size() < kMostNames) log.named[record.name] = record.from;
    log.allocations[record.address] = std::move(record);
  }
  void operator()(const ProgramFree& record) const { log.allocations.erase(record.address); }

  void operator()(FailedCall record) const {
    if (record.is_launch) record.call = source_name(record.call);
    if (log.failures.size() < kMostFailures) log.failures.push_back(std::move(record));
  }
  void operator()(const ErrorAsked& record) const {
    for (FailedCall& failure : log.failures) failure.is_asked_for |= failure.number <= record.up_to;
  }

  void operator()(HostMistake record) const {
    // The times that one reading of a clock brackets differ.
    const auto is_same = [&](const HostMistake& known) {
      return known.kind == record.kind && known.from == record.from &&
             (known.what == record.what || record.kind == MistakeKind::kHostClock);
    };
    const auto known = std::ranges::find_if(log.mistakes, is_same);
    if (known != log.mistakes.end())
      ++known->occurrences;
    else if (log.mistakes.size() < kMostMistakes)
      log.mistakes.push_back(std::move(record));
  }
};

}  // namespace

void add(ProgramLog& log, ProgramRecord record, bool each_launch) {
  std::visit([&](auto& held) { Adder{log, each_launch}(std::move(held)); }, record);
}

std::vector<FailedCall> unchecked(const ProgramLog& log) {
  std::vector<FailedCall> found;
  for (const FailedCall& failure : log.failures)
    if (!failure.is_asked_for) found.push_back(failure);
  return found;
}

namespace {

bool has(const ProgramLog& log, Severity severity) {
  return std::ranges::find(log.mistakes, severity, severity_of) != log.mistakes.end();
}

}  // namespace

bool has_errors(const ProgramLog& log) {
  if (log.is_sample) return false;
  const auto is_found = [](const ProgramKernel& kernel) { return !kernel.result.hazards.empty(); };
  const auto is_launch = [](const FailedCall& call) { return call.is_launch; };
  return std::ranges::any_of(log.kernels, is_found) || has(log, Severity::kError) ||
         (log.is_strict && has(log, Severity::kWarning)) || std::ranges::any_of(unchecked(log), is_launch) ||
         (log.kernels.empty() && !log.failures.empty());
}

bool is_gpu_lost(const ProgramLog& log) {
  return std::ranges::any_of(log.kernels,
                             [](const ProgramKernel& kernel) { return !kernel.result.completed; });
}

Severity severity_of(const HostMistake& mistake) {
  switch (mistake.kind) {
    // The program may intend to time the call, not the kernel.
    case MistakeKind::kClockWithoutWait: return Severity::kWarning;
    // If no output is lost, nothing of the program depends on the kernel.
    case MistakeKind::kNeverWaitedFor:
      return mistake.what.id() == "program_ends_before_output" ? Severity::kError : Severity::kWarning;
    // A host that polls or reads its own clock only gets wrong times; copied bytes that were never written
    // may never be used; and rows without padding may be intended.
    case MistakeKind::kSpinningHost:
    case MistakeKind::kUnwrittenCopied:
    case MistakeKind::kOtherPitch:
    case MistakeKind::kHostClock: return Severity::kNote;
    default: return Severity::kError;
  }
}

std::optional<int> signal_in(int exit_code) {
  // Other codes above 128 are a program's own: exit(cudaErrorIllegalAddress) gives 188.
  constexpr int kBase = 128;
  constexpr std::array kEndPrograms{SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,
                                    SIGKILL, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS};
  const bool is_signal = std::ranges::find(kEndPrograms, exit_code - kBase) != kEndPrograms.end();
  return is_signal ? std::optional(exit_code - kBase) : std::nullopt;
}

std::optional<SourceLine> known_line(const ProgramLog& log, const CallSite& site) {
  const auto line = log.lines.find(site);
  return line == log.lines.end() ? std::nullopt : std::optional(line->second);
}

std::vector<CallSite> call_sites(const ProgramLog& log) {
  std::vector<CallSite> sites;
  for (const ProgramKernel& kernel : log.kernels) sites.push_back(kernel.from);
  for (const auto& [address, allocation] : log.allocations) sites.push_back(allocation.from);
  for (const FailedCall& failure : log.failures) sites.push_back(failure.from);
  for (const HostMistake& mistake : log.mistakes) sites.push_back(mistake.from);
  for (const ProgramCopy& copy : log.each_copy) sites.push_back(copy.from);
  // If any memory is mentioned, includes all of it: only all calls together show which call of a line
  // allocated which memory.
  if (std::ranges::any_of(log.named, [&](const auto& named) { return mentions(log, named.first); }))
    for (const auto& [name, from] : log.named) sites.push_back(from);
  std::ranges::sort(sites);
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  std::erase_if(sites, [](const CallSite& site) { return site.object.empty(); });
  return sites;
}

}  // namespace cudalab::device
