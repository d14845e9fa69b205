// Connects to the watching process at the first record of each process. Sends nothing if no process watches.
#include "runtime/records.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/processes/message_socket.h"
#include "core/processes/this_process.h"
#include "core/programs/program_record.h"

namespace cudalab::runtime {
namespace {

constexpr int kNoSocket = -1;

// This library and its folder. Frames of the other libraries in the folder (libcublas) are skipped, too: the
// call site is where the program calls them.
struct Own {
  const void* base = nullptr;
  std::filesystem::path folder;
};

Own found_own() {
  Dl_info info{};
  if (!::dladdr(reinterpret_cast<const void*>(&found_own), &info)) return {};
  return {info.dli_fbase, std::filesystem::path(info.dli_fname).parent_path()};
}

// Libraries whose frames can be between the program and the runtime (a signal handler, a clock function):
// they are skipped, because they are not the program's code.
bool is_of_the_system(const std::string& object) {
  constexpr std::string_view kLibraries[] = {"/libc.so", "/libstdc++.so", "/libgomp.so"};
  return std::ranges::any_of(kLibraries,
                             [&](std::string_view one) { return object.find(one) != std::string::npos; });
}

struct Frame {
  bool is_of_the_program = false;
  std::string object;
  std::uint64_t offset = 0;
};

Frame looked_up(void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (!::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return {};
  static const auto& own = *new Own(found_own());
  const bool is_program = !map->l_name || !*map->l_name;
  std::string object = is_program ? this_program().string() : map->l_name;
  const bool is_own = info.dli_fbase == own.base ||
                      (!is_program && std::filesystem::path(object).parent_path() == own.folder);
  // The return address is after the call, which is on the line to report.
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(address) - map->l_addr - 1;
  return {!is_own && !is_of_the_system(object), std::move(object), offset};
}

// Caches lookups, because a loop of launches returns to the same addresses, and a lookup costs more than the
// rest of a launch call. The cache is never destroyed: the program's exit handlers may still call.
Frame frame_of(void* address) {
  static auto& known = *new std::unordered_map<void*, Frame>;
  static auto& mutex = *new std::mutex;
  const std::unique_lock lock(mutex, std::try_to_lock);  // a forked child may find the mutex locked forever
  if (!lock) return looked_up(address);
  const auto found = known.find(address);
  return found != known.end() ? found->second : known.emplace(address, looked_up(address)).first->second;
}

}  // namespace

void Records::connect() {
  connected_as_ = ::getpid();
  if (socket_ >= 0) ::close(socket_);
  const char* path = std::getenv(kRecordsVariable);
  socket_ = path ? connected_socket(path) : kNoSocket;
  start_.process = connected_as_;
  start_.program = this_program().string();
  if (socket_ >= 0) write(message_of(start_));
}

void Records::write(const std::string& message) {
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t more = ::send(socket_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) {
      ::close(std::exchange(socket_, kNoSocket));  // the watching process has ended
      return;
    }
    sent += static_cast<std::size_t>(more);
  }
}

bool Records::is_watched() {
  if (connected_as_ != ::getpid()) connect();
  return socket_ >= 0;
}

void Records::send(const ProgramRecord& record) {
  if (is_watched()) write(message_of(record));
}

CallSite call_site() {
  constexpr std::size_t kMostFrames = 24, kEnough = 6;
  std::array<void*, kMostFrames> addresses{};
  const int count = ::backtrace(addresses.data(), static_cast<int>(addresses.size()));
  CallSite site;
  for (int i = 0; i < count && site.offsets.size() < kEnough; ++i) {
    const Frame frame = frame_of(addresses[static_cast<std::size_t>(i)]);
    if (!frame.is_of_the_program) continue;
    if (site.object.empty()) site.object = frame.object;
    if (site.object != frame.object) break;
    site.offsets.push_back(frame.offset);
  }
  return site;
}

// The function's name is that of the last frame before the program's own; frames before it are internal.
std::string called_function() {
  constexpr std::size_t kMostFrames = 24;
  std::array<void*, kMostFrames> addresses{};
  const int count = ::backtrace(addresses.data(), static_cast<int>(addresses.size()));
  std::string name;
  for (int i = 0; i < count; ++i) {
    void* const address = addresses[static_cast<std::size_t>(i)];
    if (frame_of(address).is_of_the_program) break;
    Dl_info info{};
    if (::dladdr(address, &info) && info.dli_sname && std::string_view(info.dli_sname).starts_with("cu"))
      name = info.dli_sname;
  }
  for (const std::string_view variant : {"_ptsz", "_ptds"})
    if (name.ends_with(variant)) name.resize(name.size() - variant.size());
  return name;
}

}  // namespace cudalab::runtime
