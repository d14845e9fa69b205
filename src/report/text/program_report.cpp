// Reports what a program did: makes the rows of the usual table, the notes and the timeline.
#include "report/text/program_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>

#include "core/languages/units.h"
#include "core/named.h"
#include "core/text.h"
#include "messages/report.h"
#include "messages/runtime.h"
#include "report/text/layout.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

using device::ProgramKernel;
using device::ProgramLog;
using device::TimelineEntry;
using lab::Row;
using lab::Verdict;

Message worded(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kToDevice: return msg::direction_to_device();
    case CopyDirection::kFromDevice: return msg::direction_to_host();
    case CopyDirection::kOnDevice: return msg::direction_on_device();
    case CopyDirection::kOnHost: return msg::direction_on_host();
    case CopyDirection::kFill: break;
  }
  return msg::direction_fill();
}

// "vec.cu:12"; empty if the line is unknown.
std::string text_of(const SourceLine& where) {
  return where.line == 0 ? "" : fmt::format("{}:{}", where.file, where.line);
}
std::string place(const ProgramLog& log, const CallSite& from) {
  return text_of(known_line(log, from).value_or(SourceLine()));
}

Message at_place(const std::string& place, Message what) {
  return place.empty() ? what : msg::note_at(place, std::move(what));
}

// ---- rows ----------------------------------------------------------------------------------------------

bool is_virtual(const ProgramLog& log) { return log.device_kind == "virtual"; }

Row row_of(const ProgramLog& log, const ProgramKernel& kernel) {
  Row row;
  row.name = row.kernel = kernel.kernel;
  row.kind = kernel.library.empty() ? lab::RowKind::kKernel : lab::RowKind::kLibrary;
  if (const auto line = known_line(log, kernel.from)) row.source = line->file;
  row.spec = kernel.spec;
  row.launches = kernel.launches;
  row.simulation_ms = kernel.result.simulation_ms;
  row.counters = kernel.result.counters;
  row.accesses = kernel.result.accesses;
  row.executions = kernel.result.executions;
  row.recording = kernel.result.recording;
  row.hazards = kernel.result.hazards;
  if (!is_virtual(log)) row.reason = msg::reason_nobody_watches();
  if (log.is_sample) row.reason = msg::reason_sample();
  if (!kernel.library.empty() && !kernel.result.completed) row.reason = msg::reason_illegal_address();
  row.verdict = !is_virtual(log) || log.is_sample ? Verdict::kNotAssessed  // nothing was checked
                : row.hazards.empty() && kernel.result.completed ? Verdict::kPass
                                                                 : Verdict::kFail;
  row.extra = {{"launches", static_cast<double>(kernel.launches)}};
  row.prediction = kernel.result.prediction;
  if (row.prediction) row.prediction->ms = kernel.predicted_ms;  // the time of all launches
  return row;
}

// A launch that the device refused and whose error the program did not check.
Row row_of_refused(const ProgramLog& log, const FailedCall& launch) {
  Row row;
  row.name = row.kernel = launch.call;
  row.kind = lab::RowKind::kKernel;
  row.verdict = Verdict::kFail;
  row.reason = at_place(place(log, launch.from), msg::reason_never_launched(launch.why, launch.error));
  return row;
}

// The launch that the end of the program interrupted.
Row row_of_running(const ProgramLog& log) {
  Row row;
  row.name = row.kernel = log.running;
  row.kind = lab::RowKind::kKernel;
  row.verdict = Verdict::kNotAssessed;
  row.reason =
      log.running_at.line == 0 ? msg::reason_interrupted() : msg::reason_interrupted_at(log.running_at);
  return row;
}

// ---- notes ---------------------------------------------------------------------------------------------

// Collects notes.
struct Notes {
  const ProgramLog& log;
  std::vector<Message> list = {};

  void copies();
  void libraries();
  void memory_of_host();
  void leaks();
  void failures();
  void mistakes();
  void single_threads();
  void repeated_work();
  void facts();
  void end();

 private:
  Message with_answer(Message note, const HostMistake& mistake) const;
};

Message with_times(Message note, std::uint64_t count) {
  return count > 1 ? msg::note_times(std::move(note), count) : note;
}

void Notes::copies() {
  Message all;
  for (const auto& [direction, total] : log.copies) {
    const Message one = msg::note_copy(worded_memory(static_cast<double>(total.bytes)), worded(direction),
                                       total.copies, duration(total.predicted_ms));
    all = all.empty() ? one : msg::clause_and_clause(all, one);
  }
  if (!all.empty()) list.push_back(msg::note_copied(all));
}

// The host computes these calls; their kernels were not measured.
void Notes::libraries() {
  std::set<std::string> names;
  for (const ProgramKernel& kernel : log.kernels)
    if (!kernel.library.empty()) names.insert(kernel.library);
  for (const std::string& name : names) list.push_back(msg::note_library(name));
}

// Pages of managed memory move on access, and pinned memory stays on the host; the predicted times include
// neither. A few pinned bytes are flags.
void Notes::memory_of_host() {
  constexpr std::uint64_t kFew = 4096;
  const auto is_predicted = [](const ProgramKernel& kernel) { return kernel.result.prediction.has_value(); };
  if (std::ranges::none_of(log.kernels, is_predicted)) return;
  if (log.managed_bytes > 0)
    list.push_back(msg::note_managed_memory(worded_memory(static_cast<double>(log.managed_bytes))));
  if (log.pinned_bytes > kFew)
    list.push_back(msg::note_pinned_memory(worded_memory(static_cast<double>(log.pinned_bytes))));
}

bool is_interrupted(const ProgramLog& log) {
  return !log.stopped.empty() || device::signal_in(log.exit_code).has_value();
}

void Notes::leaks() {
  if (device::is_gpu_lost(log) || is_interrupted(log)) return;  // the program could not free anything
  struct Leak {
    std::uint64_t blocks = 0, bytes = 0;
  };
  std::map<std::pair<std::string, std::string>, Leak> leaks;  // by place and call
  for (const auto& [address, allocation] : log.allocations) {
    Leak& leak = leaks[{place(log, allocation.from), allocation.call}];
    ++leak.blocks;
    leak.bytes += allocation.bytes;
  }
  for (const auto& [where, leak] : leaks)
    list.push_back(at_place(where.first, msg::note_never_freed(worded_memory(static_cast<double>(leak.bytes)),
                                                               where.second, leak.blocks)));
}

// Whether the failed call reported the same mistake of the host.
bool is_answer_to(const FailedCall& failure, const HostMistake& mistake) {
  return !failure.is_launch && failure.from == mistake.from && failure.why == mistake.what;
}

bool has_mistake(const ProgramLog& log, const FailedCall& failure) {
  return std::ranges::any_of(log.mistakes,
                             [&](const HostMistake& mistake) { return is_answer_to(failure, mistake); });
}

// After a kernel's fault, every call fails. The first failure is reported, the others are counted.
class Echoes {
 public:
  explicit Echoes(bool is_lost) : is_lost_(is_lost) {}
  bool holds(const FailedCall& failure) {
    if (!is_lost_ || failure.is_launch || !failure.why.empty()) return false;
    return first_ ? (++count_, true) : (first_ = &failure, false);
  }
  Message note() const { return count_ == 0 ? Message() : msg::note_echoes(count_, first_->error); }

 private:
  bool is_lost_;
  const FailedCall* first_ = nullptr;
  std::uint64_t count_ = 0;
};

void Notes::failures() {
  struct Kind {
    Message note;
    std::uint64_t count = 0, asked = 0;
  };
  std::map<std::string, Kind> kinds;  // by place, call and error
  Echoes echoes(device::is_gpu_lost(log));
  for (const FailedCall& failure : log.failures) {
    if (failure.is_launch && !failure.is_asked_for) continue;  // has its own row
    if (has_mistake(log, failure) || echoes.holds(failure)) continue;
    const Message note =
        at_place(place(log, failure.from),
                 failure.why.empty() ? msg::note_answered(failure.call, failure.error)
                                     : msg::note_answered_why(failure.call, failure.error, failure.why));
    Kind& kind = kinds.try_emplace(note.text(), Kind{note}).first->second;
    ++kind.count;
    kind.asked += failure.is_asked_for;
  }
  for (const auto& [key, kind] : kinds) {
    const Message note = with_times(kind.note, kind.count);
    list.push_back(msg::note_sentence(kind.asked ? note : msg::note_never_asked(note)));
  }
  if (Message note = echoes.note(); !note.empty()) list.push_back(std::move(note));
}

Message Notes::with_answer(Message note, const HostMistake& mistake) const {
  const auto answer = std::ranges::find_if(
      log.failures, [&](const FailedCall& failure) { return is_answer_to(failure, mistake); });
  if (answer == log.failures.end()) return note;
  note = msg::note_and_answer(std::move(note), answer->call, answer->error);
  return answer->is_asked_for ? note : msg::note_never_asked(std::move(note));
}

Message with_severity(Severity severity, Message sentence) {
  if (severity == Severity::kError) return msg::note_error(std::move(sentence));
  return severity == Severity::kWarning ? msg::note_warning(std::move(sentence)) : sentence;
}

void Notes::mistakes() {
  for (const HostMistake& mistake : log.mistakes) {
    Message note = with_answer(with_times(mistake.what, mistake.occurrences), mistake);
    if (!mistake.fix.empty()) note = msg::problem_with_advice(std::move(note), mistake.fix);
    list.push_back(at_place(place(log, mistake.from), with_severity(device::severity_of(mistake),
                                                                    msg::note_sentence(std::move(note)))));
  }
}

// A loop in one thread is the first version of many programs. A kernel with few instructions may have one
// thread on purpose.
void Notes::single_threads() {
  constexpr double kLoop = 10'000;
  for (const ProgramKernel& kernel : log.kernels) {
    const bool is_single = kernel.spec.grid.volume() == 1 && kernel.spec.block.volume() == 1;
    const auto& counters = kernel.result.counters;
    if (is_single && counters && counters->value_or_zero(Counter::kWarpInstructions) >= kLoop)
      list.push_back(at_place(place(log, kernel.from), msg::note_single_thread(Code{kernel.kernel})));
  }
}

// A kernel without a thread index: all threads read the same elements and store the same values. Different
// values would be a race.
void Notes::repeated_work() {
  for (const ProgramKernel& kernel : log.kernels) {
    std::uint64_t stores = 0;
    const bool is_repeated = std::ranges::all_of(kernel.result.accesses, [&](const LineAccess& access) {
      if (access.space != MemorySpace::kGlobal) return true;
      const bool is_store = access.kind == AccessKind::kStore;
      stores += is_store ? access.requests : 0;
      return (is_store || access.kind == AccessKind::kLoad) && access.lanes > access.requests &&
             is_of_one_address(access);
    });
    if (stores > 0 && is_repeated && kernel.result.hazards.empty())
      list.push_back(at_place(place(log, kernel.from), msg::note_repeated_work(Code{kernel.kernel})));
  }
}

void Notes::facts() {
  for (const device::ProgramFact& fact : log.facts)
    list.push_back(fact.is_verdict ? msg::note_sentence(fact.what)
                                   : at_place(text_of(fact.where), msg::note_fact(fact.what)));
}

void Notes::end() {
  if (!log.stopped.empty()) return list.push_back(msg::note_stopped(log.stopped));
  if (const std::optional<int> signal = device::signal_in(log.exit_code))
    list.push_back(msg::note_signal(*signal));
  else if (log.exit_code != 0)
    list.push_back(msg::note_exit_code(log.exit_code));
}

// ---- the timeline --------------------------------------------------------------------------------------

constexpr std::size_t kNameColumns = 20, kTimelineColumns = 64, kMostLines = 24;

char mark_of(const TimelineEntry& entry) {
  if (!entry.copy) return '#';
  if (*entry.copy == CopyDirection::kToDevice) return '>';
  return *entry.copy == CopyDirection::kFromDevice ? '<' : '=';
}

std::string stream_of(const TimelineEntry& entry, const Wording& wording) {
  const std::string stream =
      wording.say(entry.stream == 0 ? msg::label_default_stream() : msg::stream_number(entry.stream));
  return fmt::format("GPU {} {}", entry.device, stream);
}

// The first entries, ordered by their start.
void list_entries(std::vector<TimelineEntry> entries, std::vector<std::string>& lines,
                  const Wording& wording) {
  constexpr std::size_t kMostListed = 16;
  std::ranges::stable_sort(entries, {}, [](const TimelineEntry& entry) { return entry.span.start_ms; });
  for (const TimelineEntry& entry : entries | std::views::take(kMostListed))
    lines.push_back(
        fmt::format("{} {}  {}", padded(stream_of(entry, wording), kNameColumns),
                    wording.say(msg::timeline_entry(fmt::format("{:>9}", duration(entry.span.start_ms)),
                                                    fmt::format("{:<9}", duration(entry.span.end_ms)))),
                    entry.name));
  if (entries.size() > kMostListed)
    lines.push_back(wording.say(msg::timeline_more(entries.size() - kMostListed)));
}

// No timeline if no two operations could overlap: those of one stream run in order.
void add_timeline(const ProgramLog& log, lab::Result& result, const Wording& wording) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> lines;
  double end = 0;
  for (const TimelineEntry& entry : log.timeline) {
    lines[{entry.device, entry.stream}] = std::string(kTimelineColumns, '.');
    end = std::max(end, entry.span.end_ms);
  }
  if (lines.size() < 2 || end <= 0) return;
  const auto column = [end](double ms) {
    return std::min(kTimelineColumns - 1, static_cast<std::size_t>(ms / end * kTimelineColumns));
  };
  for (const TimelineEntry& entry : log.timeline)
    for (std::size_t at = column(entry.span.start_ms); at <= column(std::nextafter(entry.span.end_ms, 0));
         ++at)
      lines[{entry.device, entry.stream}][at] = mark_of(entry);
  lab::Figure figure;
  figure.title = msg::timeline_title(duration(end));
  for (const auto& [where, text] : lines) {
    if (figure.lines.size() == kMostLines) break;
    const std::string stream = stream_of({"", std::nullopt, where.first, where.second, {}}, wording);
    figure.lines.push_back(fmt::format("{} {}", padded(stream, kNameColumns), text));
  }
  list_entries(log.timeline, figure.lines, wording);
  result.figures.push_back(std::move(figure));
}

std::string name_of_program(const ProgramLog& log) {
  return std::filesystem::path(log.start ? log.start->program : log.arguments.front()).filename().string();
}

}  // namespace

lab::Result result_of(const device::ProgramLog& log, const Wording& wording) {
  lab::Result result;
  result.lab = name_of_program(log);
  result.device_kind = log.device_kind;
  result.evidence = is_virtual(log) ? "virtual" : "profiler";
  result.columns = {{"launches", msg::column_launches}};
  if (log.start) {
    result.device_name = log.start->card;
    result.compute_capability = log.start->compute_capability;
    result.host_threads = static_cast<unsigned>(log.start->host_threads);
  }
  for (const ProgramKernel& kernel : log.kernels) result.rows.push_back(row_of(log, kernel));
  for (const FailedCall& failure : unchecked(log))
    if (failure.is_launch) result.rows.push_back(row_of_refused(log, failure));
  if (!log.running.empty()) result.rows.push_back(row_of_running(log));
  Notes notes{log};
  if (log.is_sample) notes.list.push_back(msg::note_sample());
  notes.mistakes();
  notes.failures();
  notes.leaks();
  notes.copies();
  notes.libraries();
  notes.memory_of_host();
  notes.single_threads();
  notes.repeated_work();
  notes.facts();
  notes.end();
  result.notes = std::move(notes.list);
  add_timeline(log, result, wording);
  result.stopped = is_interrupted(log);
  const bool is_open = result.stopped || log.is_sample || !is_virtual(log) || result.rows.empty();
  result.verdict = has_errors(log) ? Verdict::kFail : is_open ? Verdict::kNotAssessed : Verdict::kPass;
  return result;
}

std::string program_text(const device::ProgramLog& log, const TableStyle& style) {
  if (!log.start && log.stopped.empty()) return "";
  return table_text(result_of(log, style.wording), style);
}

}  // namespace cudalab::report
