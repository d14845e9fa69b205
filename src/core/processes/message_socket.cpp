// Messages between two processes over a socket: lists of texts, and byte blocks with a length.
#include "core/processes/message_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

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

bool send_message(int connection, const std::string& message) {
  const std::uint64_t length = message.size();
  return send_all(connection, reinterpret_cast<const char*>(&length), sizeof length) &&
         send_all(connection, message.data(), message.size());
}

std::optional<std::string> receive_message(int connection) {
  std::uint64_t length = 0;
  if (!receive_all(connection, reinterpret_cast<char*>(&length), sizeof length) || length > kLongestReceived)
    return std::nullopt;
  std::string message(length, '\0');
  if (!receive_all(connection, message.data(), message.size())) return std::nullopt;
  return message;
}

namespace {

constexpr std::uint64_t kMostFields = 1u << 20, kLongestField = 1u << 30;

void append_number(std::string& bytes, std::uint64_t number) {
  std::array<char, sizeof number> raw{};
  std::memcpy(raw.data(), &number, sizeof number);
  bytes.append(raw.data(), raw.size());
}

bool send_bytes(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

class MessageReader {
 public:
  MessageReader(int socket, std::optional<Moment> deadline) : socket_(socket), deadline_(deadline) {}

  bool is_late() const { return is_late_; }

  std::optional<Fields> read() {
    std::uint64_t count = 0;
    if (!read_number(count) || count > kMostFields) return std::nullopt;
    Fields fields(count);
    for (std::string& field : fields)
      if (!read_field(field)) return std::nullopt;
    return fields;
  }

 private:
  bool read_number(std::uint64_t& number) {
    std::array<char, sizeof number> raw{};
    if (!read_bytes(raw.data(), raw.size())) return false;
    std::memcpy(&number, raw.data(), sizeof number);
    return true;
  }

  bool read_field(std::string& field) {
    std::uint64_t length = 0;
    if (!read_number(length) || length > kLongestField) return false;
    field.resize(length);
    return read_bytes(field.data(), length);
  }

  bool read_bytes(char* bytes, std::size_t count) {
    while (count > 0) {
      if (!wait()) return false;
      const ssize_t came = ::recv(socket_, bytes, count, 0);
      if (came < 0 && errno == EINTR) continue;
      if (came <= 0) return false;
      bytes += came;
      count -= static_cast<std::size_t>(came);
    }
    return true;
  }

  // Waits until there is data or the other side has closed. False if the deadline passes first.
  bool wait() {
    pollfd news{socket_, POLLIN, 0};
    while (true) {
      const int ready = ::poll(&news, 1, remaining_ms());
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      if (ready == 0 && remaining_ms() == 0) return is_late_ = true, false;
    }
  }

  int remaining_ms() const {
    if (!deadline_) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
  }

  int socket_;
  std::optional<Moment> deadline_;
  bool is_late_ = false;
};

}  // namespace

bool send_fields(int socket, const Fields& fields) {
  std::string bytes;
  append_number(bytes, fields.size());
  for (const std::string& field : fields) {
    append_number(bytes, field.size());
    bytes += field;
  }
  return send_bytes(socket, bytes);
}

Received receive_fields(int socket, std::optional<Moment> deadline) {
  MessageReader reader(socket, deadline);
  Received received{reader.read()};
  received.is_late = reader.is_late();
  return received;
}

}  // namespace cudalab
