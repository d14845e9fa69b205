// Counters, lines and hazards stand as in a result document: json.cpp writes both.
#include "report/formats/program_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/named.h"
#include "report/formats/json.h"
#include "report/text/names.h"
#include "report/text/program_report.h"

namespace cudalab::report {
namespace {

using Json = nlohmann::ordered_json;
using device::ProgramKernel;
using device::ProgramLog;
using device::TimelineEntry;

constexpr Named<CopyDirection> kDirections[]{{"to_device", CopyDirection::kToDevice},
                                             {"from_device", CopyDirection::kFromDevice},
                                             {"on_device", CopyDirection::kOnDevice},
                                             {"on_host", CopyDirection::kOnHost},
                                             {"fill", CopyDirection::kFill}};
constexpr Named<MistakeKind> kMistakes[]{
    {"host_access_to_device_memory", MistakeKind::kHostReadOfDeviceMemory},
    {"host_pointer_in_kernel", MistakeKind::kHostPointerInKernel},
    {"pending_memory_touched", MistakeKind::kPendingMemoryTouched},
    {"wrong_direction", MistakeKind::kWrongDirection},
    {"beyond_the_end", MistakeKind::kBeyondTheEnd},
    {"use_after_free", MistakeKind::kUseAfterFree},
    {"double_free", MistakeKind::kDoubleFree},
    {"unfinished_event", MistakeKind::kUnfinishedEvent},
    {"clock_without_wait", MistakeKind::kClockWithoutWait},
    {"spinning_host", MistakeKind::kSpinningHost},
    {"unsupported", MistakeKind::kUnsupported},
    {"never_waited_for", MistakeKind::kNeverWaitedFor},
    {"unordered_streams", MistakeKind::kUnorderedStreams},
    {"unwritten_copied", MistakeKind::kUnwrittenCopied}};

Json line_of(const ProgramLog& log, const CallSite& from) {
  const auto found = log.lines.find(from);
  if (found == log.lines.end()) return nullptr;
  return {{"file", found->second.file}, {"line", found->second.line}};
}

// The keys of a run of a result document that a launch has, too.
Json launch_of(const ProgramLog& log, const ProgramKernel& kernel, const Json& run) {
  Json launch{{"kernel", kernel.kernel},
              {"grid", {kernel.grid.x, kernel.grid.y, kernel.grid.z}},
              {"block", {kernel.block.x, kernel.block.y, kernel.block.z}},
              {"shared_bytes", kernel.shared_bytes},
              {"device", kernel.device},
              {"stream", kernel.stream},
              {"source", line_of(log, kernel.from)},
              {"launches", kernel.launches}};
  for (const char* key : {"counters", "accesses", "lines", "hazards"}) launch[key] = run.at(key);
  launch["predicted_ms"] = kernel.result.prediction ? Json(kernel.predicted_ms) : Json(nullptr);
  launch["limits"] = Json::array();
  if (kernel.result.prediction)
    for (const Limit& limit : kernel.result.prediction->limits)
      launch["limits"].push_back({{"resource", limit.resource},
                                  {"share", limit.share},
                                  {"amount", limit.amount},
                                  {"rate", limit.rate}});
  launch["simulation_ms"] = run.at("simulation_ms");
  return launch;
}

Json call_of(const ProgramLog& log, const FailedCall& call) {
  return {{"call", call.call},
          {"error", call.error},
          {"why", call.why.text()},
          {"is_launch", call.is_launch},
          {"where", line_of(log, call.from)}};
}

Json device_of(std::span<const ProgramLog> logs) {
  for (const ProgramLog& log : logs)
    if (log.start)
      return {{"kind", log.device_kind},
              {"name", log.start->card},
              {"compute_capability", log.start->compute_capability},
              {"devices", log.start->devices}};
  return {{"kind", "virtual"}, {"name", nullptr}, {"compute_capability", nullptr}, {"devices", 0}};
}

}  // namespace

std::string_view name_of(MistakeKind kind) { return name_in(kMistakes, kind); }

nlohmann::ordered_json process_json(const device::ProgramLog& log, const Tool& tool) {
  const lab::Result result = result_of(log);
  const Json runs = json_document(result, tool).at("runs");
  Json process{{"process", log.start ? Json(log.start->process) : Json(nullptr)},
               {"file", log.start ? Json(log.start->program) : Json(nullptr)},
               {"launches", Json::array()},
               {"copies", Json::object()},
               {"leaks", Json::array()},
               {"unchecked", Json::array()},
               {"failed", Json::array()},
               {"hazards", Json::array()},
               {"timeline", Json::array()}};
  for (std::size_t i = 0; i < log.kernels.size(); ++i)
    process["launches"].push_back(launch_of(log, log.kernels[i], runs.at(i)));
  for (const auto& [direction, total] : log.copies)
    process["copies"][std::string(name_in(kDirections, direction))] = {
        {"copies", total.copies}, {"bytes", total.bytes}, {"predicted_ms", total.predicted_ms}};
  for (const auto& [address, allocation] : log.allocations)
    process["leaks"].push_back(
        {{"call", allocation.call}, {"bytes", allocation.bytes}, {"where", line_of(log, allocation.from)}});
  for (const FailedCall& call : unchecked(log)) process["unchecked"].push_back(call_of(log, call));
  for (const FailedCall& call : log.failures) process["failed"].push_back(call_of(log, call));
  for (const HostMistake& mistake : log.mistakes)
    process["hazards"].push_back({{"kind", name_of(mistake.kind)},
                                  {"what", mistake.what.text()},
                                  {"fix", mistake.fix.text()},
                                  {"where", line_of(log, mistake.from)},
                                  {"occurrences", mistake.occurrences}});
  for (const TimelineEntry& entry : log.timeline)
    process["timeline"].push_back({{"name", entry.name},
                                   {"kind", entry.copy ? name_in(kDirections, *entry.copy) : "kernel"},
                                   {"device", entry.device},
                                   {"stream", entry.stream},
                                   {"start_ms", entry.span.start_ms},
                                   {"end_ms", entry.span.end_ms}});
  process["verdict"] = name_of(result.verdict);
  return process;
}

std::string program_json_text(std::span<const device::ProgramLog> logs,
                              const std::vector<std::string>& arguments, int exit_code, const Tool& tool) {
  Json document{{"schema", "cudalab.program/1"},
                {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
                {"device", device_of(logs)},
                {"program", {{"arguments", arguments}, {"exit_code", exit_code}}}};
  ProgramLog never_called;  // CUDA
  never_called.arguments = arguments;
  Json first = process_json(logs.empty() ? never_called : logs.front(), tool);
  document.update(first);
  if (logs.size() > 1) {
    document["other_processes"] = Json::array();
    for (const ProgramLog& log : logs.subspan(1))
      document["other_processes"].push_back(process_json(log, tool));
  }
  constexpr int kIndent = 2;
  return document.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cudalab::report
