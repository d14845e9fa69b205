// Requests that set breakpoints of lines, functions and data, and the kinds of hazards to stop at.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "messages/cli.h"
#include "report/text/values.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;
namespace fs = std::filesystem;

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return one == other || fs::equivalent(one, other, ignored);
}

}  // namespace

Body DebugSession::set_breakpoints(const Body& arguments) {
  const std::string file = arguments.at("source").value("path", "");
  const Body wanted = arguments.value("breakpoints", Body::array());
  for (const Body& each : wanted) {  // an error changes nothing
    session::Trigger trigger;
    line_in(each), take_trigger(trigger, each);
  }
  std::erase_if(source_breakpoints_, [&](const Body& each) { return each["path"] == file; });
  Body answers = Body::array();
  for (const Body& each : wanted) {
    Body kept = each;
    kept["path"] = file;
    kept["id"] = ++last_id_;
    kept["line"] = line_in(each);
    source_breakpoints_.push_back(kept);
    answers.push_back(told_[last_id_] = described(kept));
  }
  take_line_breakpoints();
  return {{"breakpoints", answers}};
}

std::vector<DebugSession::CodeFile> DebugSession::code_files() {
  std::set<std::string> names;
  for (const vgpu::ListedInstruction& each : debugger_->listing()) {
    names.insert(each.code.where.file);
    for (const SourceLine& where : each.code.inlined_at) names.insert(where.file);
  }
  std::vector<CodeFile> files;
  for (const std::string& name : names)
    if (!name.empty()) files.push_back({name, path_of(name), debugger_->code_lines(name)});
  return files;
}

const DebugSession::CodeFile* DebugSession::code_file(const fs::path& path) const {
  const auto found =
      std::ranges::find_if(code_, [&](const CodeFile& each) { return is_same_file(each.path, path); });
  return debugger_ && found != code_.end() ? &*found : nullptr;
}

int DebugSession::line_of(const Body& breakpoint) const {
  const CodeFile* const file = code_file(breakpoint["path"].get<std::string>());
  if (!file) return 0;
  const auto line = file->lines.lower_bound(breakpoint["line"].get<int>());
  return line == file->lines.end() ? 0 : *line;
}

Body DebugSession::described(const Body& breakpoint) const {
  const int line = line_of(breakpoint);
  Body answer{{"id", breakpoint["id"]},
              {"line", shown_line(line ? line : breakpoint["line"].get<int>())},
              {"verified", line != 0}};
  if (debugger_ && line == 0) answer["message"] = say(msg::debug_no_code(debugger_->launch().kernel));
  return answer;
}

void DebugSession::verify_all() {
  for (const Body& each : source_breakpoints_) {
    Body now = described(each);
    if (std::exchange(told_[each["id"].get<int>()], now) != now)
      event("breakpoint", {{"reason", "changed"}, {"breakpoint", std::move(now)}});
  }
  take_line_breakpoints();
}

void DebugSession::take_trigger(session::Trigger& trigger, const Body& breakpoint) {
  trigger.condition = breakpoint.value("condition", "");
  trigger.hit_rule = breakpoint.value("hitCondition", "");
  if (!session::is_hit_rule(trigger.hit_rule)) throw usage_error(msg::debug_hit_rule_wrong(trigger.hit_rule));
}

void DebugSession::take_line_breakpoints() {
  std::vector<session::LineBreakpoint> lines;
  for (const Body& each : source_breakpoints_) {
    session::LineBreakpoint breakpoint;
    breakpoint.line = line_of(each);
    if (breakpoint.line == 0) continue;  // without code in this launch
    breakpoint.id = each["id"];
    take_trigger(breakpoint, each);
    breakpoint.file = code_file(each["path"].get<std::string>())->name;
    breakpoint.log = each.value("logMessage", "");
    const auto old = std::ranges::find(breakpoints_.lines, breakpoint.id, &session::LineBreakpoint::id);
    if (old != breakpoints_.lines.end()) breakpoint.hits = old->hits;
    lines.push_back(breakpoint);
  }
  breakpoints_.lines = std::move(lines);
}

Body DebugSession::breakpoint_locations(const Body& arguments) {
  const CodeFile* const file = code_file(arguments.at("source").value("path", ""));
  const int first = line_in(arguments), last = arguments.value("endLine", shown_line(first)) - line_offset_;
  Body locations = Body::array();
  for (const int line : file ? file->lines : std::set<int>{})
    if (line >= first && line <= last) locations.push_back({{"line", shown_line(line)}});
  return {{"breakpoints", locations}};
}

Body DebugSession::set_function_breakpoints(const Body& arguments) {
  std::vector<session::FunctionBreakpoint> all;
  Body answers = Body::array();
  for (const Body& each : arguments.value("breakpoints", Body::array())) {
    session::FunctionBreakpoint breakpoint;
    breakpoint.id = ++last_id_;
    breakpoint.function = each.at("name").get<std::string>();
    take_trigger(breakpoint, each);
    answers.push_back(
        {{"id", last_id_}, {"verified", !debugger_ || debugger_->has_function(breakpoint.function)}});
    all.push_back(std::move(breakpoint));
  }
  breakpoints_.functions = std::move(all);
  return {{"breakpoints", answers}};
}

// The data ID is the address and the number of bytes: "0x10000000040,4".
Body DebugSession::data_breakpoint_info(const Body& arguments) {
  const std::string name = arguments.at("name").get<std::string>();
  const bool is_listed = arguments.value("variablesReference", 0) != 0;
  const ValuePlace place =
      is_listed ? variable_in(arguments).place : debugger_->place_of(name, debugger_->lane());
  if (place.kind != ValuePlace::kMemory)
    return {{"dataId", nullptr}, {"description", say(msg::debug_not_watchable(name))}};
  const std::string address = memory_reference(place.address);
  return {{"dataId", address + "," + std::to_string(place.bytes)},
          {"description", say(msg::debug_data_watched(place.name, place.bytes, address))},
          {"accessTypes", {"read", "write", "readWrite"}},
          {"canPersist", false}};
}

Body DebugSession::set_data_breakpoints(const Body& arguments) {
  std::vector<session::DataBreakpoint> all;
  Body answers = Body::array();
  for (const Body& each : arguments.value("breakpoints", Body::array())) {
    const std::string data = each.at("dataId").get<std::string>();
    const std::size_t comma = data.find(',');
    if (comma == std::string::npos) throw usage_error(msg::debug_address_wrong(data));
    session::DataBreakpoint breakpoint;
    breakpoint.id = ++last_id_;
    breakpoint.address = address_in(data.substr(0, comma));
    breakpoint.bytes = address_in(data.substr(comma + 1));
    const std::string access = each.value("accessType", "write");
    breakpoint.on_read = access != "write";
    breakpoint.on_write = access != "read";
    take_trigger(breakpoint, each);
    all.push_back(breakpoint);
    answers.push_back({{"id", last_id_}, {"verified", true}});
  }
  breakpoints_.data = std::move(all);
  return {{"breakpoints", answers}};
}

Body DebugSession::set_exception_breakpoints(const Body& arguments) {
  const std::vector<std::string> filters = strings_in(arguments, "filters");
  const auto is_chosen = [&](std::string_view name) {
    return std::ranges::find(filters, name) != filters.end();
  };
  breakpoints_.hazards.clear();
  for (const HazardKind kind : stopping_hazards())
    if (is_chosen(report::name_of(kind))) breakpoints_.hazards.insert(kind);
  stops_at_errors_ = is_chosen(kApiErrors);
  return Body::object();
}

}  // namespace cudalab::cli
