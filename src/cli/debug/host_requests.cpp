// Where the host code of a program has stopped: at a launch, or at a call that failed.
#include <utility>

#include "cli/debug/debug_session.h"
#include "device/programs/program_names.h"
#include "messages/cli.h"
#include "report/text/values.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;

}  // namespace

HostStop DebugSession::host_stop(const device::ProgramStop& stop) {
  HostStop host{stop.number, stop.kernel, stop.error, stop.call, stop.why, {}};
  std::vector<CallSite> sites;
  for (const std::uint64_t offset : stop.from.offsets) sites.push_back({stop.from.object, {offset}});
  const auto lines = device::source_lines(sites);
  for (const CallSite& site : sites)
    if (const auto line = lines.find(site); line != lines.end()) host.lines.push_back(line->second);
  return host;
}

bool DebugSession::is_refused_launch() const {
  return host_->error == report::name_of(HazardKind::kInvalidLaunch);
}

std::string DebugSession::failure_name() const {
  return is_refused_launch() ? in_words(host_->error) : host_->error;
}

Message DebugSession::failure() const {
  const std::string what = host_->kernel.empty() ? host_->call : host_->kernel;
  if (host_->why.empty()) return msg::debug_call_failed(what, failure_name());
  return msg::debug_call_failed_because(what, failure_name(), host_->why);
}

device::ProgramNext DebugSession::fail(const device::ProgramStop& stop) {
  host_ = host_stop(stop);
  if (stops_at_errors_)
    report_stop({.reason = Stop::kHazard});
  else
    goes_on_ = true;
  return serve_stop();
}

Body DebugSession::host_frames() const {
  Body frames = Body::array();
  std::vector<SourceLine> lines = host_ ? host_->lines : std::vector<SourceLine>{};
  if (lines.empty()) lines.emplace_back();
  for (const SourceLine& where : lines) {
    const bool is_innermost = frames.empty();
    Body frame{{"id", kHostThread + kFrameStride * static_cast<int>(frames.size())},
               {"name", is_innermost && host_ ? host_->call : say(msg::debug_host_code())},
               {"line", where.line > 0 ? shown_line(where.line) : 0},
               {"column", 1 + line_offset_}};
    if (is_innermost && host_ && host_->call.empty()) frame["name"] = say(msg::debug_host_code());
    if (where.line > 0) frame["source"] = source_of(where.file);
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace cudalab::cli
