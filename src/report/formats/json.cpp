// Results as JSON: the documents `cudalab.result/1` and `cudalab.program/1` (docs/*.schema.json).
#include "report/formats/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/named.h"
#include "report/formats/message_json.h"
#include "report/text/insight.h"
#include "report/text/program_report.h"
#include "report/text/values.h"

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
    {"unwritten_copied", MistakeKind::kUnwrittenCopied},
    {"unwritten_input", MistakeKind::kUnwrittenInput},
    {"other_pitch", MistakeKind::kOtherPitch},
    {"host_crash", MistakeKind::kHostCrash},
    {"host_clock", MistakeKind::kHostClock}};

constexpr Named<Severity> kSeverities[]{
    {"error", Severity::kError}, {"warning", Severity::kWarning}, {"note", Severity::kNote}};

Json json_of_line(const SourceLine& where) { return {{"file", where.file}, {"line", where.line}}; }

Json line_of(const ProgramLog& log, const CallSite& from) {
  const auto line = known_line(log, from);
  return line ? json_of_line(*line) : Json();
}

// The keys that a launch shares with a run of a result document.
Json launch_of(const ProgramLog& log, const ProgramKernel& kernel, const Json& run) {
  Json launch{{"kernel", kernel.kernel},
              {"library", kernel.library.empty() ? Json(nullptr) : Json(kernel.library)},
              {"grid", {kernel.spec.grid.x, kernel.spec.grid.y, kernel.spec.grid.z}},
              {"block", {kernel.spec.block.x, kernel.spec.block.y, kernel.spec.block.z}},
              {"shared_bytes", kernel.spec.dynamic_shared_bytes},
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
  if (run.contains("insight")) launch["insight"] = run.at("insight");
  launch["simulation_ms"] = run.at("simulation_ms");
  return launch;
}

Json call_of(const ProgramLog& log, const FailedCall& call) {
  Json object{{"call", call.call},
              {"error", call.error},
              {"why", call.why.text()},
              {"is_launch", call.is_launch},
              {"where", line_of(log, call.from)}};
  put_message(object, "message", call.why);
  return object;
}

Json mistake_of(const ProgramLog& log, const HostMistake& mistake) {
  Json object{
      {"kind", name_of(mistake.kind)},       {"severity", name_in(kSeverities, device::severity_of(mistake))},
      {"what", mistake.what.text()},         {"fix", mistake.fix.text()},
      {"where", line_of(log, mistake.from)}, {"occurrences", mistake.occurrences}};
  put_message(object, "message", mistake.what);
  put_message(object, "advice", mistake.fix);
  return object;
}

Json fact_of(const device::ProgramFact& fact) {
  Json object{{"what", fact.what.text()}, {"where", fact.where.line > 0 ? json_of_line(fact.where) : Json()}};
  put_message(object, "message", fact.what);
  return object;
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

std::optional<CopyDirection> copy_direction_called(std::string_view name) {
  return value_called(name, kDirections);
}

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
               {"facts", Json::array()},
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
  for (const HostMistake& mistake : log.mistakes) process["hazards"].push_back(mistake_of(log, mistake));
  for (const device::ProgramFact& fact : log.facts) process["facts"].push_back(fact_of(fact));
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
  ProgramLog never_called;  // the log of a program that never called CUDA
  never_called.arguments = arguments;
  Json first = process_json(logs.empty() ? never_called : logs.front(), tool);
  document.update(first);
  if (logs.size() > 1) {
    document["other_processes"] = Json::array();
    for (const ProgramLog& log : logs.subspan(1))
      document["other_processes"].push_back(process_json(log, tool));
  }
  if (!logs.empty() && logs.front().is_sample) document["program"]["sample"] = true;
  constexpr int kIndent = 2;
  return document.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53

// A count that is stored as a double is written as an integer.
Json count_or_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < kLargestExactInteger)
    return static_cast<std::int64_t>(value);
  return value;
}

void put(Json& object, const std::string& key, double value) {
  object[key] = std::isfinite(value) ? count_or_number(value) : Json(nullptr);
  if (!std::isfinite(value)) object[key + "_reason"] = std::isnan(value) ? "not a number" : "infinite";
}

void put(Json& object, const std::string& key, const std::optional<double>& value) {
  if (value)
    put(object, key, *value);
  else
    object[key] = nullptr;
}

// Bytes that are not valid UTF-8 (a kernel may print any) become U+FFFD, because JSON cannot hold them.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// JSON in a text; null for an empty text.
Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json::parse(text_of(text, -1));
}

Json to_json(const Dim3& shape) { return Json::array({shape.x, shape.y, shape.z}); }

Json to_json(const lab::OptionValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const std::optional<TimeSummary>& time) {
  if (!time) return nullptr;
  Json object;
  put(object, "median", time->median);
  put(object, "min", time->min);
  put(object, "max", time->max);
  object["samples"] = time->samples;
  return object;
}

Json to_json(const std::optional<lab::Mismatch>& mismatch) {
  if (!mismatch) return nullptr;
  return {{"at", mismatch->at}, {"found", mismatch->found}, {"expected", mismatch->expected}};
}

Json to_json(const std::optional<lab::Check>& check) {
  if (!check) return nullptr;
  Json object;
  put(object, "max_error", check->max_error);
  put(object, "allowed", check->allowed);
  object["bound"] = check->bound.text();
  put_message(object, "bound_message", check->bound);
  object["compared"] = check->compared;
  object["mismatches"] = check->mismatches;
  object["first_mismatch"] = to_json(check->first_mismatch);
  object["digest"] = check->digest;
  return object;
}

Json to_json(const std::optional<Counters>& counters) {
  if (!counters) return nullptr;
  Json object = Json::object();
  for (const CounterInfo& row : kCounters)
    if (std::optional<double> value = counters->get(row.counter)) put(object, std::string(row.key), *value);
  return object;
}

Json to_json(const SourceLine& where) { return {{"file", text_or_null(where.file)}, {"line", where.line}}; }

Json to_json(const LineAccess& access) {
  Json object = to_json(access.where);
  object["space"] = name_of(access.space);
  object["kind"] = name_of(access.kind);
  object["bytes_per_lane"] = access.bytes_per_lane;
  object["requests"] = access.requests;
  object["transactions"] = access.transactions;
  object["fewest_transactions"] = access.fewest_transactions;
  object["distinct_bytes"] = access.distinct_bytes;
  object["lanes"] = access.lanes;
  object["lane_stride_bytes"] = access.lane_stride_bytes ? Json(*access.lane_stride_bytes) : Json(nullptr);
  return object;
}

Json to_json(const LineExecution& line) {
  Json object = to_json(line.where);
  object["warp_instructions"] = line.warp_instructions;
  object["thread_instructions"] = line.thread_instructions;
  object["branches"] = line.branches;
  object["divergent_branches"] = line.divergent_branches;
  object["barriers"] = line.barriers;
  return object;
}

Json to_json(const Hazard& hazard) {
  Json object{{"kind", name_of(hazard.kind)},
              {"kernel", hazard.kernel},
              {"where", to_json(hazard.where)},
              {"other", hazard.other ? to_json(*hazard.other) : Json(nullptr)},
              {"block", to_json(hazard.block)},
              {"thread", to_json(hazard.thread)},
              {"address", hazard.address ? Json(*hazard.address) : Json(nullptr)},
              {"buffer", text_or_null(hazard.buffer)},
              {"what", hazard.what.text()},
              {"fix", text_or_null(hazard.fix.text())},
              {"cuda_error", text_or_null(hazard.cuda_error)},
              {"occurrences", hazard.occurrences}};
  if (hazard.called_from) object["called_from"] = to_json(*hazard.called_from);
  put_message(object, "message", hazard.what);
  put_message(object, "advice", hazard.fix);
  return object;
}

Json to_json(const lab::Figure& figure) {
  Json object{{"title", figure.title.text()}, {"lines", figure.lines}};
  put_message(object, "title_message", figure.title);
  return object;
}

Json to_json(const lab::Row& row);
Json to_json(const Limit& limit);

template <class Element>
Json list_of(const std::vector<Element>& elements) {
  Json list = Json::array();
  for (const Element& element : elements) list.push_back(to_json(element));
  return list;
}

void put_kernel(Json& object, const lab::Row& row) {
  object["source"] = text_or_null(row.source);
  object["source_hash"] = text_or_null(row.source_hash);
  object["kernel"] = text_or_null(row.kernel);
  if (!row.compiler.empty()) object["compiler"] = row.compiler;
  object["grid"] = to_json(row.spec.grid);
  object["block"] = to_json(row.spec.block);
  object["shared_bytes"] = row.spec.dynamic_shared_bytes;
  if (row.sample) object["sample"] = {{"blocks", row.sample->blocks}, {"of", row.sample->of}};
}

void put_speed(Json& object, const lab::Row& row) {
  object["time_ms"] = to_json(row.time_ms);
  object["transfer_ms"] = to_json(row.transfer_ms);
  put(object, "simulation_ms", row.simulation_ms);
  put(object, "useful_bytes", row.useful_bytes);
  put(object, "useful_flops", row.useful_flops);
  put(object, "gb_s", row.gb_s);
  put(object, "gflop_s", row.gflop_s);
  put(object, "percent_of_ceiling", row.percent_of_ceiling);
  put(object, "speedup_1_thread", row.speedup_1_thread);
  put(object, "speedup_all_threads", row.speedup_all_threads);
  if (is_disturbed(row)) object["disturbed"] = true;
}

Json to_json(const Limit& limit) {
  Json object{{"resource", limit.resource}};
  put(object, "share", limit.share);
  put(object, "amount", limit.amount);
  put(object, "rate", limit.rate);
  object["unit"] = limit.unit;
  return object;
}

Json to_json(const Occupancy& occupancy) {
  Json object{{"blocks", occupancy.blocks},
              {"warps", occupancy.warps},
              {"most_warps", occupancy.most_warps},
              {"limited_by", name_of(occupancy.limited_by)}};
  put(object, "waves", occupancy.waves);
  put(object, "tail", occupancy.tail);
  object["registers"] = occupancy.registers ? Json(*occupancy.registers) : Json(nullptr);
  return object;
}

// Null if no time is predicted: on a GPU, with --predict off, and for kernels that the model does not
// support.
void put_prediction(Json& object, const lab::Row& row) {
  const bool is_predicted = row.prediction.has_value();
  put(object, "predicted_ms", is_predicted ? std::optional(row.prediction->ms) : std::nullopt);
  object["limits"] = is_predicted ? list_of(row.prediction->limits) : Json(nullptr);
  object["occupancy"] = is_predicted && row.prediction->occupancy.most_warps > 0
                            ? to_json(row.prediction->occupancy)
                            : Json(nullptr);
  put(object, "predicted_gb_s", row.predicted.gb_s);
  put(object, "predicted_gflop_s", row.predicted.gflop_s);
  put(object, "predicted_percent_of_ceiling", row.predicted.percent_of_ceiling);
  put(object, "predicted_speedup_1_thread", row.predicted.speedup_1_thread);
  put(object, "predicted_speedup_all_threads", row.predicted.speedup_all_threads);
  if (row.recorded_ms) put(object, "recorded_ms", *row.recorded_ms);
}

// Counters and hazards are null if they were not observed, which differs from zero.
void put_observations(Json& object, const lab::Row& row) {
  bool counted_here = row.counters && !row.is_profiled;
  bool observed = counted_here || !row.hazards.empty();
  object["counters"] = to_json(row.counters);
  object["accesses"] = counted_here ? list_of(row.accesses) : Json(nullptr);
  object["lines"] = counted_here ? list_of(row.executions) : Json(nullptr);
  object["hazards"] = observed ? list_of(row.hazards) : Json(nullptr);
  object["printed"] = text_or_null(row.printed);
}

// The fields of `cudalab.program/1`, without those that differ between runs; and the exit code and errors.
Json to_json(const lab::ProgramPart& part) {
  Json object{{"exit_code", part.exit_code}, {"errors", part.errors}};
  if (part.log.start) object.update(process_json(part.log, {}));
  for (const char* key : {"process", "file"}) object.erase(key);
  return object;
}

void put_warnings(Json& object, const std::vector<compile::Diagnosis>& warnings) {
  std::vector<Message> messages;
  for (const compile::Diagnosis& warning : warnings) {
    messages.push_back(warning.message());
    object["warnings"].push_back(messages.back().text());
  }
  put_messages(object, "warning_messages", messages);
}

Json to_json(const lab::Row& row) {
  bool on_cpu = row.kind == lab::RowKind::kCpu;
  Json object{{"name", row.name}, {"kind", name_of(row.kind)}};
  if (on_cpu)
    object["threads"] = row.threads;
  else
    put_kernel(object, row);
  object["verdict"] = name_of(row.verdict);
  object["reason"] = text_or_null(row.reason.text());
  put_message(object, "reason_message", row.reason);
  if (row.is_experiment) object["experiment"] = true;
  object["check"] = to_json(row.check);
  put_speed(object, row);
  if (!on_cpu) put_prediction(object, row);
  if (!on_cpu) put_observations(object, row);
  if (row.program) object["program"] = to_json(*row.program);
  put_warnings(object, row.warnings);
  object["extra"] = Json::object();
  for (const auto& [name, value] : row.extra) put(object["extra"], name, value);
  return object;
}

Json to_json(const lab::Request& request) {
  return {{"given", request.given},
          {"stages", request.stages},
          {"check", text_or_null(request.checks)},
          {"max_steps", request.max_steps},
          {"as", text_or_null(request.kernel_stage)},
          {"card", text_or_null(request.card)}};
}

// The insight's sentences as texts, and as ids with arguments.
Json to_json(const Insight& insight) {
  Json object{{"kind", insight.kind},
              {"where", insight.where.file.empty() ? Json(nullptr) : to_json(insight.where)}};
  for (const auto& [key, message] : {std::pair{"what", &insight.what}, std::pair{"cause", &insight.cause},
                                     std::pair{"remedy", &insight.remedy}, std::pair{"gain", &insight.gain}})
    object[key] =
        message->empty() ? Json(nullptr) : Json{{"text", message->text()}, {"message", json_of(*message)}};
  put(object, "predicted_ms", insight.predicted_ms);
  return object;
}

// Stores each insight at its run.
void put_insights(Json& runs, const lab::Result& result) {
  for (const Insight& insight : insights_of(result)) runs.at(insight.index)["insight"] = to_json(insight);
}

}  // namespace

Json json_document(const lab::Result& result, const Tool& tool) {
  Json document{{"schema", "cudalab.result/1"},
                {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
                {"lab", result.lab},
                {"options", Json::object()},
                {"device",
                 {{"kind", result.device_kind},
                  {"name", result.device_name},
                  {"compute_capability", result.compute_capability},
                  {"driver", text_or_null(result.driver)},
                  {"card", result.card ? Json(result.card->id) : Json(nullptr)},
                  {"validated", result.card ? Json(result.card->validated) : Json(nullptr)}}},
                {"host", {{"cpu", result.host_cpu}, {"threads", result.host_threads}}}};
  for (const auto& [name, value] : result.options) document["options"][name] = to_json(value);
  for (const auto& [name, value] : result.checked_at) document["checked_at"][name] = to_json(value);
  if (!result.request.student.empty()) document["student"] = result.request.student;
  document["request"] = to_json(result.request);
  document["runs"] = list_of(result.rows);
  put_insights(document["runs"], result);
  document["notes"] = Json::array();
  for (const Message& note : result.notes) document["notes"].push_back(note.text());
  put_messages(document, "note_messages", result.notes);
  if (!result.figures.empty()) document["figures"] = list_of(result.figures);
  document["stopped"] = result.stopped;
  document["verdict"] = name_of(result.verdict);
  document["evidence"] = result.evidence;
  return document;
}

std::string json_text(const lab::Result& result, const Tool& tool) {
  return text_of(json_document(result, tool), 2) + "\n";
}

std::optional<lab::OptionValue> option_value(const lab::OptionSpec& spec, const nlohmann::json& value) {
  using lab::OptionKind;
  const bool takes_text = spec.kind == OptionKind::kChoice || spec.kind == OptionKind::kText;
  if (spec.kind == OptionKind::kFlag && value.is_boolean()) return value.get<bool>();
  if (spec.kind == OptionKind::kInteger && value.is_number_integer()) return value.get<std::int64_t>();
  if (spec.kind == OptionKind::kReal && value.is_number()) return value.get<double>();
  if (takes_text && value.is_string()) return value.get<std::string>();
  return std::nullopt;
}

}  // namespace cudalab::report
