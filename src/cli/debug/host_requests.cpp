// Where the host code of a program has stopped: at a launch, or at a call that failed.
#include <algorithm>
#include <utility>

#include "cli/debug/debug_session.h"
#include "device/kernel_launch.h"
#include "device/programs/program_names.h"
#include "messages/cli.h"
#include "report/text/values.h"
#include "session/lane_values.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;

// The line on which a source defines or declares the kernel; 0 if it does neither.
int line_of_kernel(std::string_view source, const std::string& kernel) {
  for (std::size_t at = source.find("__global__"); at != std::string_view::npos;
       at = source.find("__global__", at + 1)) {
    const std::string_view declaration = source.substr(at, source.find_first_of("{;", at) - at);
    const std::vector<std::string> words = session::names_in(declaration);
    if (std::ranges::find(words, kernel) == words.end()) continue;
    const std::string_view before = source.substr(0, at + declaration.find(kernel));
    return 1 + static_cast<int>(std::ranges::count(before, '\n'));
  }
  return 0;
}

}  // namespace

// cudalab itself launches the kernel of a file without host code; its own line is shown.
HostStop DebugSession::stop_without_host(const TargetLaunch& launch) {
  HostStop stop;
  const int line = line_of_kernel(launch.source, session::function_name(launch.view.kernel()));
  if (line > 0) stop.lines.push_back({launch.path.string(), line});
  return stop;
}

// The lines of the call stack, without those of nvcc's launch stub, which come first.
HostStop DebugSession::host_stop(const device::ProgramStop& stop) {
  HostStop host{stop.number, device::source_name(stop.kernel), stop.error, stop.call, stop.why, {}};
  std::vector<CallSite> sites;
  for (const std::uint64_t offset : stop.from.offsets) sites.push_back({stop.from.object, {offset}});
  sites.push_back(stop.from);  // the innermost line of the program itself
  const auto lines = device::source_lines(sites);
  const auto innermost = lines.find(stop.from);
  sites.pop_back();
  bool is_own = innermost == lines.end();
  for (const CallSite& site : sites) {
    const auto line = lines.find(site);
    if (line == lines.end()) continue;
    is_own = is_own || line->second == innermost->second;
    if (is_own) host.lines.push_back(line->second);
  }
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
