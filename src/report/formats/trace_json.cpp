// Writes the trace of a warp as JSON.
#include "report/formats/trace_json.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "core/named.h"
#include "report/formats/message_json.h"
#include "report/text/values.h"
#include "session/lane_text.h"

namespace cudalab::report {
namespace {

using Json = nlohmann::ordered_json;
using vgpu::WarpState;
using vgpu::WarpStep;
using vgpu::WarpTrace;

constexpr Named<WarpState::Kind> kStates[]{{"ready", WarpState::kReady},
                                           {"at_barrier", WarpState::kAtBarrier},
                                           {"at_cluster_barrier", WarpState::kAtClusterBarrier},
                                           {"waits_for_lanes", WarpState::kWaitsForLanes},
                                           {"ended", WarpState::kEnded}};

Json shape(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

Json line_json(const SourceLine& line) {
  if (line.file.empty()) return nullptr;
  return {{"file", line.file}, {"line", line.line}};
}

// One number per participating lane, in lane order.
template <class Number>
Json of_lanes(std::uint32_t lanes, Number number) {
  Json values = Json::array();
  for (; lanes; lanes &= lanes - 1)
    values.push_back(number(static_cast<std::size_t>(std::countr_zero(lanes))));
  return values;
}

// Integers, including addresses, are written unchanged. Values that JSON has no number for become text:
// "nan", "inf".
Json number_json(ptx::Type type, std::uint32_t bytes, std::uint64_t bits) {
  const std::string text = session::value_text(type, bytes, bits);
  if (text.starts_with("0x")) return bits;
  const Json read = Json::parse(text, nullptr, false);
  return read.is_number() ? read : Json(text);
}

Json access_json(const vgpu::TracedAccess& access) {
  Json json{{"space", name_of(access.space)},
            {"kind", name_of(access.kind)},
            {"bytes_per_lane", access.bytes},
            {"lanes", access.lanes},
            {"addresses", of_lanes(access.lanes, [&](std::size_t lane) { return access.address[lane]; })},
            {"buffer", access.buffer},
            {"buffer_address", access.begin}};
  if (access.transactions == 0) return json;
  json["transactions"] = access.transactions;
  json["fewest_transactions"] = access.fewest;
  return json;
}

Json values_json(const WarpTrace& trace, const WarpStep& step) {
  Json values = Json::array();
  const auto& operands = trace.instruction_of(step).values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& bits = trace.values[step.first_value + i];
    const ptx::Type type = session::shown_type(operands[i], bits, step.executing);
    values.push_back({{"name", operands[i].name},
                      {"type", ptx::info(type).name},
                      {"lanes", of_lanes(step.executing, [&](std::size_t lane) {
                         return number_json(type, operands[i].bytes, bits[lane]);
                       })}});
  }
  return values;
}

Json hazard_json(const vgpu::TracedHazard& hazard) {
  Json object{{"kind", name_of(hazard.kind)}, {"what", hazard.what.text()}, {"fix", hazard.fix.text()}};
  put_message(object, "message", hazard.what);
  put_message(object, "advice", hazard.fix);
  return object;
}

// The changed variables, if the code was compiled for a debugger. A variable that goes out of scope has no
// lanes.
Json changes_json(const WarpTrace& trace, const WarpStep& step) {
  Json changes = Json::array();
  for (std::uint32_t i = 0; i < step.changes; ++i) {
    const vgpu::LocalChange& change = trace.changes[step.first_change + i];
    const vgpu::TracedLocal& local = trace.locals[change.local];
    const auto bytes = static_cast<std::uint32_t>(ptx::info(local.value).bytes);
    changes.push_back({{"name", local.name},
                       {"type", local.type},
                       {"call", change.call},
                       {"mask", change.lanes},
                       {"lanes", of_lanes(change.lanes, [&](std::size_t lane) {
                          return number_json(local.value, bytes, trace.values[change.value][lane]);
                        })}});
  }
  return changes;
}

Json step_json(const WarpTrace& trace, const WarpStep& step) {
  Json json{{"step", step.number},
            {"instruction", step.instruction},
            {"active", step.active},
            {"executing", step.executing},
            {"values", values_json(trace, step)},
            {"accesses", Json::array()},
            {"parts", step.parts},
            {"meets", step.meets},
            {"barrier", step.is_barrier},
            {"hazards", Json::array()},
            {"warps", step.state}};
  for (std::uint32_t i = 0; i < step.accesses; ++i)
    json["accesses"].push_back(access_json(trace.accesses[step.first_access + i]));
  for (std::uint32_t i = 0; i < step.hazards; ++i)
    json["hazards"].push_back(hazard_json(trace.hazards[step.first_hazard + i]));
  if (!trace.locals.empty()) json["variables"] = changes_json(trace, step);
  return json;
}

Json moment_json(const session::Moment& moment) {
  return {{"first", moment.first}, {"last", moment.last}, {"line", line_json(moment.where)}};
}

Json instruction_json(const vgpu::TracedInstruction& instruction) {
  Json inlined = Json::array();
  for (const SourceLine& line : instruction.inlined_at) inlined.push_back(line_json(line));
  return {{"text", instruction.text},
          {"function", instruction.function},
          {"source", line_json(instruction.where)},
          {"inlined_at", std::move(inlined)}};
}

Json states_json(const std::vector<WarpState>& warps) {
  Json json = Json::array();
  for (const WarpState& warp : warps) {
    Json state{{"state", name_in(kStates, warp.kind)}};
    if (warp.kind == WarpState::kAtBarrier) state["barrier"] = warp.barrier;
    json.push_back(std::move(state));
  }
  return json;
}

// The elements of an array, one per line.
template <class Items, class Make>
std::string lines_of(const Items& items, Make make) {
  std::string text;
  for (const auto& item : items)
    text += fmt::format("{}\n    {}", text.empty() ? "" : ",", make(item).dump());
  return fmt::format("[{}{}]", text, text.empty() ? "" : "\n  ");
}

}  // namespace

std::string trace_json_text(const WarpTrace& trace, const TracedLaunch& launch, const Tool& tool) {
  Json about{{"kernel", launch.kernel},
             {"file", launch.file},
             {"number", launch.number},
             {"grid", shape(launch.spec.grid)},
             {"block", shape(launch.spec.block)}};
  if (!launch.breakpoints.empty()) about["breakpoints"] = launch.breakpoints;
  return fmt::format(
      "{{\n  \"schema\": \"cudalab.trace/1\",\n  \"tool\": {},\n  \"launch\": {},\n  \"block\": {},\n"
      "  \"warp\": {},\n  \"instructions\": {},\n  \"warps\": {},\n  \"steps\": {},\n  \"moments\": {},\n"
      "  \"ended\": {},\n  \"stopped_by\": {}\n}}\n",
      Json{{"version", tool.version}, {"commit", tool.commit}}.dump(), about.dump(),
      shape(trace.block).dump(), trace.warp, lines_of(trace.instructions, instruction_json),
      lines_of(trace.states, states_json),
      lines_of(trace.steps, [&](const WarpStep& step) { return step_json(trace, step); }),
      lines_of(session::moments_of(trace, launch.file), moment_json), trace.ended,
      trace.stopped_by ? hazard_json(*trace.stopped_by).dump() : "null");
}

}  // namespace cudalab::report
