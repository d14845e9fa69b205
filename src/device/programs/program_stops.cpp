// Shows the stops of a program, and lets a debugger meet a program that waits for it.
#include "device/programs/program_stops.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

namespace fs = std::filesystem;

constexpr int kAttachPollMs = 100, kLongestEndMs = 5000;

// The launch of a stopped program, which this process inspects over a socket.
class StoppedLaunch final : public LaunchView {
 public:
  StoppedLaunch(const MessageSocket& socket, const vgpu::StepStop& stop) : socket_(socket), stop_(stop) {}

  const std::string& kernel() const override { return stop_.kernel; }
  const std::string& file() const override { return stop_.file; }
  const LaunchSpec& spec() const override { return stop_.spec; }
  vgpu::WarpTrace trace(const vgpu::TraceRequest& wanted) override {
    return ask({vgpu::StepQuestion::kTrace, wanted, {}}).trace;
  }
  LaunchResult rehearse() override { return ask({vgpu::StepQuestion::kRehearsal, {}, {}}).result; }

 private:
  vgpu::StepAnswer ask(const vgpu::StepQuestion& question) const {
    socket_.send(bytes_of(question));  // a process that has ended does not answer either
    const auto message = socket_.receive();
    if (!message) throw unavailable_error(msg::looked_into_program_ended());
    vgpu::StepAnswer answer = vgpu::answer_in(*message);
    if (!answer.error.empty()) throw usage_error(answer.error);
    return answer;
  }

  const MessageSocket& socket_;
  const vgpu::StepStop& stop_;
};

bool is_readable(int descriptor) {
  pollfd waited{descriptor, POLLIN, 0};
  return ::poll(&waited, 1, 0) > 0;
}

Error cannot_listen(const std::string& path, int reason) {
  return unavailable_error(msg::program_not_listened_to(path, std::strerror(reason)));
}

}  // namespace

int listening_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw cannot_listen(path, ENAMETOOLONG);
  std::strcpy(address.sun_path, path.c_str());
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  constexpr int kWaiting = 128;
  if (made < 0 || ::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(made, kWaiting) != 0)
    throw cannot_listen(path, errno);
  return made;
}

// ---- stops ---------------------------------------------------------------------------------------------

void StopListener::look() {
  if (is_over_ || !is_readable(awaited())) return;
  if (!program_) {
    const int connection = ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) program_.emplace(connection);
    return;
  }
  const auto message = program_->receive();
  if (!message) return program_.reset();  // the program has ended
  try {
    show(*message);
  } catch (...) {
    failed_ = std::current_exception();
    is_over_ = ends_ = true;
  }
}

void StopListener::show(const std::string& message) {
  has_seen_ = true;
  const vgpu::StepStop stop = vgpu::stop_in(message);
  StoppedLaunch launch(*program_, stop);
  const bool is_launch = stop.error.empty();
  const ProgramNext next = look_({is_launch ? &launch : nullptr,
                                  stop.number,
                                  stop.kernel,
                                  stop.error,
                                  stop.why,
                                  stop.call,
                                  {stop.object, stop.offsets}});
  ends_ = next.ends;
  is_over_ = next.ends || (next.until.launch.empty() && !next.until.at_errors);
  if (!next.ends) program_->send(bytes_of(vgpu::StepQuestion{vgpu::StepQuestion::kGoOn, {}, next.until}));
  if (is_over_ && !ends_) program_.reset();
}

// ---- meeting -------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kSocketBegins = "attach-";

// The folder of the user's sockets: in the runtime directory if the system has one.
fs::path meeting_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime && *runtime == '/') return fs::path(runtime) / "cudalab";
  return fmt::format("/tmp/cudalab-{}", ::getuid());
}

// Another user could have made the folder in /tmp first.
fs::path own_meeting_folder() {
  const fs::path folder = meeting_folder();
  constexpr mode_t kOnlyForUser = 0700, kForOthers = 0077;
  ::mkdir(folder.c_str(), kOnlyForUser);
  struct stat found {};
  const bool is_own = ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                      found.st_uid == ::getuid() && (found.st_mode & kForOthers) == 0;
  if (!is_own) throw unavailable_error(msg::attach_folder_not_own(folder.string()));
  return folder;
}

fs::path socket_of(std::int64_t process) {
  return own_meeting_folder() / fmt::format("{}{}", kSocketBegins, process);
}

std::vector<std::int64_t> waiting_processes() {
  std::vector<std::int64_t> processes;
  std::error_code ignored;
  for (fs::directory_iterator at(meeting_folder(), ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    std::int64_t process = 0;
    if (!name.starts_with(kSocketBegins)) continue;
    std::from_chars(name.data() + kSocketBegins.size(), name.data() + name.size(), process);
    if (process > 0 && fs::exists("/proc/" + std::to_string(process), ignored)) processes.push_back(process);
  }
  std::ranges::sort(processes);
  return processes;
}

// A process with this number may have been killed before it could remove its socket.
int fresh_socket(const fs::path& path) {
  ::unlink(path.c_str());
  return listening_socket(path.string());
}

std::int64_t process_to_attach_to(const std::optional<std::int64_t>& named) {
  if (named) return *named;
  const std::vector<std::int64_t> waiting = waiting_processes();
  if (waiting.empty()) throw usage_error(msg::attach_no_program());
  std::vector<std::string> names;
  for (const std::int64_t process : waiting) names.push_back(std::to_string(process));
  if (waiting.size() > 1) throw usage_error(msg::attach_which_program(joined(names, ", ")));
  return waiting.front();
}

}  // namespace

DebuggerMeeting::DebuggerMeeting() : path_(socket_of(::getpid())), socket_(fresh_socket(path_)) {
  on_interrupt_.emplace(path_.string());
}

DebuggerMeeting::~DebuggerMeeting() { ::unlink(path_.c_str()); }

Debugger DebuggerMeeting::wait() {
  while (true) {
    pollfd waited{socket_.number(), POLLIN, 0};
    if (::poll(&waited, 1, -1) <= 0) continue;
    const int connection = ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const Received words = receive_fields(connection);
    if (!words.fields || words.fields->size() != 3) {
      ::close(connection);
      continue;
    }
    debugger_.emplace(connection);
    ::unlink(path_.c_str());
    return {(*words.fields)[0], {(*words.fields)[1], !(*words.fields)[2].empty()}};
  }
}

bool DebuggerMeeting::ends_program() {
  const bool ends = debugger_->receive().has_value();
  debugger_.reset();
  return ends;
}

void attach_to_program(const AttachRequest& request) {
  const std::int64_t process = process_to_attach_to(request.process);
  const int connection = connected_socket(socket_of(process).string());
  if (connection < 0) throw usage_error(msg::attach_process_does_not_wait(process));
  const MessageSocket waiting(connection);
  const TemporaryFolder folder("cudalab-attach-");
  const std::string path = (folder / "stops").string();
  StopListener stops(path, request.look);
  send_fields(connection, {path, request.until.launch, request.until.at_errors ? "errors" : ""});
  ProgramWish wish = ProgramWish::kGoOn;
  while (!stops.is_over() && wish == ProgramWish::kGoOn) {
    pollfd waited[]{{connection, POLLIN, 0}, {stops.awaited(), POLLIN, 0}};
    ::poll(waited, std::size(waited), kAttachPollMs);
    if (waited[0].revents) break;  // the program has ended
    stops.look();
    wish = request.wish();
  }
  if (stops.ends() || wish == ProgramWish::kEnd) {
    waiting.send("end");
    pollfd ended{connection, POLLIN, 0};  // until then, the program stays where it is
    ::poll(&ended, 1, kLongestEndMs);
  }
  stops.rethrow();
}

}  // namespace cudalab::device
