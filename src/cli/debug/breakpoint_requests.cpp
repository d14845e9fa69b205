// Requests that set breakpoints of lines, functions and data, and the kinds of hazards to stop at.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "messages/cli.h"

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
  std::erase_if(source_breakpoints_, [&](const Body& each) { return each["path"] == file; });
  Body answers = Body::array();
  for (const Body& each : arguments.value("breakpoints", Body::array())) {
    Body kept = each;
    kept["path"] = file;
    kept["id"] = ++last_id_;
    kept["line"] = each.at("line").get<int>();
    source_breakpoints_.push_back(kept);
    answers.push_back(described(kept));
  }
  take_line_breakpoints();
  return {{"breakpoints", answers}};
}

bool DebugSession::is_in_launch(const Body& breakpoint) const {
  return is_same_file(path_, breakpoint["path"].get<std::string>());
}

Body DebugSession::described(const Body& breakpoint) const {
  Body answer{{"id", breakpoint["id"]}, {"line", breakpoint["line"]}};
  answer["verified"] = debugger_ && is_in_launch(breakpoint);
  if (debugger_ && !is_in_launch(breakpoint)) answer["message"] = say(msg::debug_other_file(path_.string()));
  return answer;
}

void DebugSession::verify(const Body& breakpoint) {
  event("breakpoint", {{"reason", "changed"}, {"breakpoint", described(breakpoint)}});
  take_line_breakpoints();
}

void DebugSession::take_line_breakpoints() {
  std::vector<LineBreakpoint> lines;
  for (const Body& each : source_breakpoints_) {
    if (!debugger_ || !is_in_launch(each)) continue;
    LineBreakpoint breakpoint{.id = each["id"], .line = each["line"]};
    breakpoint.condition = each.value("condition", "");
    breakpoint.log = each.value("logMessage", "");
    if (const std::string hits = each.value("hitCondition", ""); !hits.empty())
      breakpoint.wanted_hits = triple_from(hits).x;  // ">= 3" and "3": stop from the third hit on
    const auto old = std::ranges::find(breakpoints_.lines, breakpoint.id, &LineBreakpoint::id);
    if (old != breakpoints_.lines.end()) breakpoint.hits = old->hits;
    lines.push_back(breakpoint);
  }
  breakpoints_.lines = std::move(lines);
}

Body DebugSession::set_function_breakpoints(const Body& arguments) {
  breakpoints_.functions.clear();
  Body answers = Body::array();
  for (const Body& each : arguments.value("breakpoints", Body::array())) {
    breakpoints_.functions.push_back({++last_id_, each.at("name").get<std::string>()});
    answers.push_back({{"id", last_id_}, {"verified", true}});
  }
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
  std::vector<DataBreakpoint> all;
  Body answers = Body::array();
  for (const Body& each : arguments.value("breakpoints", Body::array())) {
    const std::string data = each.at("dataId").get<std::string>();
    const std::size_t comma = data.find(',');
    if (comma == std::string::npos) throw usage_error(msg::debug_address_wrong(data));
    DataBreakpoint breakpoint{.id = ++last_id_, .address = address_in(data.substr(0, comma))};
    breakpoint.bytes = address_in(data.substr(comma + 1));
    const std::string access = each.value("accessType", "write");
    breakpoint.on_read = access != "write";
    breakpoint.on_write = access != "read";
    breakpoint.condition = each.value("condition", "");
    if (const std::string hits = each.value("hitCondition", ""); !hits.empty())
      breakpoint.wanted_hits = triple_from(hits).x;
    all.push_back(breakpoint);
    answers.push_back({{"id", last_id_}, {"verified", true}});
  }
  breakpoints_.data = std::move(all);
  return {{"breakpoints", answers}};
}

Body DebugSession::set_exception_breakpoints(const Body& arguments) {
  breakpoints_.hazards.clear();
  for (const std::string& each : strings_in(arguments, "filters")) breakpoints_.hazards.insert(each);
  return Body::object();
}

}  // namespace cudalab::cli
