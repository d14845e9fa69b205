// The table is that of every result; this file makes its rows, notes and the timeline.
#include "report/text/program_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <ranges>

#include "core/named.h"
#include "report/text/units.h"

namespace cudalab::report {
namespace {

using device::ProgramKernel;
using device::ProgramLog;
using device::TimelineEntry;
using lab::Row;
using lab::Verdict;

constexpr Named<CopyDirection> kDirectionWords[]{
    {"to the device", CopyDirection::kToDevice}, {"back to the host", CopyDirection::kFromDevice},
    {"on the device", CopyDirection::kOnDevice}, {"from host to host", CopyDirection::kOnHost},
    {"set by cudaMemset", CopyDirection::kFill},
};

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// "vec.cu:12: ", or nothing where no line is known.
std::string place(const ProgramLog& log, const CallSite& from) {
  const auto found = log.lines.find(from);
  if (found == log.lines.end() || found->second.line == 0) return "";
  return fmt::format("{}:{}: ", found->second.file, found->second.line);
}

// ---- rows ----------------------------------------------------------------------------------------------

constexpr const char* kNobodyWatched = "nobody watches a kernel on a GPU; --device virtual looks for hazards";

bool is_virtual(const ProgramLog& log) { return log.device_kind == "virtual"; }

Row row_of(const ProgramLog& log, const ProgramKernel& kernel) {
  Row row;
  row.name = row.kernel = kernel.kernel;
  row.kind = lab::RowKind::kKernel;
  if (const auto line = log.lines.find(kernel.from); line != log.lines.end()) row.source = line->second.file;
  row.grid = kernel.grid;
  row.block = kernel.block;
  row.shared_bytes = kernel.shared_bytes;
  row.launches = kernel.launches;
  row.simulation_ms = kernel.result.simulation_ms;
  row.counters = kernel.result.counters;
  row.accesses = kernel.result.accesses;
  row.executions = kernel.result.executions;
  row.recording = kernel.result.recording;
  row.hazards = kernel.result.hazards;
  if (!is_virtual(log)) row.reason = kNobodyWatched;
  row.verdict = !is_virtual(log)      ? Verdict::kNotAssessed  // nobody watches it there
                : row.hazards.empty() ? Verdict::kPass
                                      : Verdict::kFail;
  row.extra = {{"launches", static_cast<double>(kernel.launches)}};
  if (kernel.result.prediction) row.extra.emplace_back("predicted_us", kernel.predicted_ms * 1000);
  return row;
}

// A launch that the card refused, and that nobody asked about.
Row row_of_refused(const ProgramLog& log, const FailedCall& launch) {
  Row row;
  row.name = row.kernel = launch.call;
  row.kind = lab::RowKind::kKernel;
  row.verdict = Verdict::kFail;
  row.reason = fmt::format("{}was never launched: {} ({}); the program never called cudaGetLastError",
                           place(log, launch.from), launch.why, launch.error);
  return row;
}

// ---- notes ---------------------------------------------------------------------------------------------

void add_copies(const ProgramLog& log, std::vector<std::string>& notes) {
  std::string text;
  for (const auto& [direction, total] : log.copies)
    text += fmt::format("{}{} {} ({}, ~{})", text.empty() ? "Copied: " : "; ",
                        memory(static_cast<double>(total.bytes)), name_in(kDirectionWords, direction),
                        plural(total.copies, "copy", "copies"), duration(total.predicted_ms));
  if (!text.empty()) notes.push_back(text + ".");
}

void add_leaks(const ProgramLog& log, std::vector<std::string>& notes) {
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
    notes.push_back(fmt::format("{}{} of {} were never freed: {}.", where.first,
                                memory(static_cast<double>(leak.bytes)), where.second,
                                plural(leak.blocks, "allocation", "allocations")));
}

void add_failures(const ProgramLog& log, std::vector<std::string>& notes) {
  struct Kind {
    std::uint64_t count = 0;
    std::uint64_t asked = 0;
  };
  std::map<std::string, Kind> kinds;
  for (const FailedCall& failure : log.failures) {
    if (failure.is_launch && !failure.is_asked_for) continue;  // has a row
    Kind& kind = kinds[fmt::format("{}{} answered {}{}{}", place(log, failure.from), failure.call,
                                   failure.error, failure.why.empty() ? "" : ": ", failure.why)];
    ++kind.count;
    kind.asked += failure.is_asked_for;
  }
  for (const auto& [text, kind] : kinds)
    notes.push_back(fmt::format("{}{}{}.", text, kind.count > 1 ? fmt::format(" ({} times)", kind.count) : "",
                                kind.asked ? "" : "; the program never asked for the error"));
}

void add_mistakes(const ProgramLog& log, std::vector<std::string>& notes) {
  for (const HostMistake& mistake : log.mistakes)
    notes.push_back(
        fmt::format("{}{}{}{}.", place(log, mistake.from), mistake.what,
                    mistake.occurrences > 1 ? fmt::format(" ({} times)", mistake.occurrences) : "",
                    mistake.fix.empty() ? "" : "; try: " + mistake.fix));
}

void add_end(const ProgramLog& log, std::vector<std::string>& notes) {
  if (!log.running.empty())
    notes.push_back(fmt::format("The program ended while {} was running.", log.running));
  if (!log.stopped.empty())
    notes.push_back(fmt::format("The program did not end by itself: {}.", log.stopped));
  if (!log.stopped.empty()) return;
  if (const std::optional<int> signal = device::signal_in(log.exit_code))
    notes.push_back(fmt::format("The program was ended by signal {}.", *signal));
  else if (log.exit_code != 0)
    notes.push_back(fmt::format("The program ended with exit code {}.", log.exit_code));
}

// ---- the timeline --------------------------------------------------------------------------------------

constexpr std::size_t kTimelineColumns = 64, kMostLines = 24;

char mark_of(const TimelineEntry& entry) {
  if (!entry.copy) return '#';
  if (*entry.copy == CopyDirection::kToDevice) return '>';
  return *entry.copy == CopyDirection::kFromDevice ? '<' : '=';
}

std::string stream_of(const TimelineEntry& entry) {
  return fmt::format("GPU {} {}", entry.device,
                     entry.stream == 0 ? "default stream" : fmt::format("stream {}", entry.stream));
}

// The first of them, in the order in which they begin.
void list_entries(std::vector<TimelineEntry> entries, std::vector<std::string>& lines) {
  constexpr std::size_t kMostListed = 16;
  std::ranges::stable_sort(entries, {}, [](const TimelineEntry& entry) { return entry.span.start_ms; });
  for (const TimelineEntry& entry : entries | std::views::take(kMostListed))
    lines.push_back(fmt::format("{:<20} {:>9} to {:<9}  {}", stream_of(entry), duration(entry.span.start_ms),
                                duration(entry.span.end_ms), entry.name));
  if (entries.size() > kMostListed)
    lines.push_back(fmt::format("and {} more; --json has all of them", entries.size() - kMostListed));
}

// Nothing where no two pieces of work could have overlapped: one stream's are in its order.
void add_timeline(const ProgramLog& log, lab::Result& result) {
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
  figure.title = fmt::format(
      "streams from 0 to ~{}, as the model predicts (# kernel, > to the device, < back, = on the device)",
      duration(end));
  for (const auto& [where, text] : lines) {
    if (figure.lines.size() == kMostLines) break;
    figure.lines.push_back(
        fmt::format("{:<20} {}", stream_of({"", std::nullopt, where.first, where.second, {}}), text));
  }
  list_entries(log.timeline, figure.lines);
  result.figures.push_back(std::move(figure));
}

std::string name_of_program(const ProgramLog& log) {
  return std::filesystem::path(log.start ? log.start->program : log.arguments.front()).filename().string();
}

}  // namespace

lab::Result result_of(const device::ProgramLog& log) {
  lab::Result result;
  result.lab = name_of_program(log);
  result.device_kind = log.device_kind;
  result.evidence = is_virtual(log) ? "virtual" : "profiler";
  if (log.start) {
    result.device_name = log.start->card;
    result.compute_capability = log.start->compute_capability;
    result.host_threads = static_cast<unsigned>(log.start->host_threads);
  }
  for (const ProgramKernel& kernel : log.kernels) result.rows.push_back(row_of(log, kernel));
  for (const FailedCall& failure : unchecked(log))
    if (failure.is_launch) result.rows.push_back(row_of_refused(log, failure));
  add_mistakes(log, result.notes);
  add_failures(log, result.notes);
  add_leaks(log, result.notes);
  add_copies(log, result.notes);
  add_end(log, result.notes);
  add_timeline(log, result);
  result.stopped = !log.stopped.empty();
  result.verdict = has_hazards(log)                     ? Verdict::kFail
                   : result.stopped || !is_virtual(log) ? Verdict::kNotAssessed
                                                        : Verdict::kPass;
  return result;
}

std::string program_text(const device::ProgramLog& log, const TableStyle& style) {
  if (!log.start && log.stopped.empty()) return "";
  return table_text(result_of(log), style);
}

}  // namespace cudalab::report
