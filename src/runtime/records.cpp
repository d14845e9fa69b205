// A connection a process, made at the first record; who is not watched sends nothing.
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
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/processes/message_socket.h"
#include "core/processes/this_process.h"
#include "core/programs/program_record.h"

namespace cudalab::runtime {
namespace {

constexpr int kNoSocket = -1;

const void* own_base() {
  Dl_info info{};
  return ::dladdr(reinterpret_cast<const void*>(&own_base), &info) ? info.dli_fbase : nullptr;
}

// Between the program and who is told of a fault or a look at the clock; nothing there is the program's.
bool is_of_the_system(const std::string& object) {
  constexpr std::string_view kLibraries[] = {"/libc.so", "/libstdc++.so", "/libgomp.so"};
  return std::ranges::any_of(kLibraries,
                             [&](std::string_view one) { return object.find(one) != std::string::npos; });
}

struct Frame {
  const void* base = nullptr;
  std::string object;
  std::uint64_t offset = 0;
};

Frame looked_up(void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (!::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return {};
  const bool is_program = !map->l_name || !*map->l_name;
  // The call itself ends before the address that it returns to.
  return {info.dli_fbase, is_program ? this_program().string() : map->l_name,
          reinterpret_cast<std::uint64_t>(address) - map->l_addr - 1};
}

// A loop of launches comes from the same places again and again, and looking one up costs more than the rest
// of a launch's call.
// Held as long as the process lives: the ends of a program ask, too.
Frame frame_of(void* address) {
  static auto& known = *new std::unordered_map<void*, Frame>;
  static auto& mutex = *new std::mutex;
  const std::unique_lock lock(mutex, std::try_to_lock);  // a forked child may find it taken for ever
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
      ::close(std::exchange(socket_, kNoSocket));  // nobody is there to hear of it
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
  static const void* const own = own_base();
  CallSite site;
  for (int i = 0; i < count && site.offsets.size() < kEnough; ++i) {
    const Frame frame = frame_of(addresses[static_cast<std::size_t>(i)]);
    if (!frame.base || frame.base == own || is_of_the_system(frame.object)) continue;
    if (site.object.empty()) site.object = frame.object;
    if (site.object != frame.object) break;
    site.offsets.push_back(frame.offset);
  }
  return site;
}

}  // namespace cudalab::runtime
