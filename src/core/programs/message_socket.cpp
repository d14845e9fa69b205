#include "core/programs/message_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace cudalab {
namespace {

constexpr int kNoSocket = -1;
constexpr std::uint64_t kLongestReceived = std::uint64_t{8} << 30;

bool send_all(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t received = ::recv(socket, bytes, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes += received;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

}  // namespace

int connected_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return kNoSocket;
  std::strcpy(address.sun_path, path.c_str());
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made >= 0 && ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return made;
  if (made >= 0) ::close(made);
  return kNoSocket;
}

bool MessageSocket::send(const std::string& message) const {
  const std::uint64_t length = message.size();
  return send_all(connection_.number(), reinterpret_cast<const char*>(&length), sizeof length) &&
         send_all(connection_.number(), message.data(), message.size());
}

std::optional<std::string> MessageSocket::receive() const {
  std::uint64_t length = 0;
  if (!receive_all(connection_.number(), reinterpret_cast<char*>(&length), sizeof length) ||
      length > kLongestReceived)
    return std::nullopt;
  std::string message(length, '\0');
  if (!receive_all(connection_.number(), message.data(), message.size())) return std::nullopt;
  return message;
}

}  // namespace cudalab
