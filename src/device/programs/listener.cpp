#include "device/programs/listener.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace cudalab::device {

void Listener::accept_all() {
  while (true) {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    speakers_[connection].log = logs_.size();
    logs_.emplace_back();
  }
}

// Returns false to close the connection, also if the program sends an invalid record.
bool Listener::read_from(int connection, Speaker& speaker) {
  const ssize_t bytes = ::read(connection, piece_.data(), piece_.size());
  if (bytes < 0) return errno == EAGAIN || errno == EINTR;
  if (bytes == 0) return false;
  try {
    speaker.reader.add({piece_.data(), static_cast<std::size_t>(bytes)});
    while (auto record = speaker.reader.next()) add(logs_[speaker.log], std::move(*record), each_launch_);
  } catch (const Error& error) {
    logs_[speaker.log].stopped = error.message();
    return false;
  }
  return true;
}

bool Listener::listen(int wait_ms, std::span<const int> also) {
  std::vector<pollfd> waited;
  for (const int each : also) waited.push_back({each, POLLIN, 0});
  waited.push_back({socket_, POLLIN, 0});
  const std::size_t first = waited.size();
  for (const auto& [connection, speaker] : speakers_) waited.push_back({connection, POLLIN, 0});
  if (::poll(waited.data(), waited.size(), wait_ms) <= 0) return false;
  bool came = false;
  for (std::size_t i = first; i < waited.size(); ++i) {
    if (!waited[i].revents) continue;
    came = true;
    if (read_from(waited[i].fd, speakers_.at(waited[i].fd))) continue;
    ::close(waited[i].fd);
    speakers_.erase(waited[i].fd);
  }
  if (waited[first - 1].revents) accept_all(), came = true;
  return came;
}

Listener::~Listener() {
  for (const auto& [connection, speaker] : speakers_) ::close(connection);
  if (socket_ >= 0) ::close(socket_);
}

void Listener::forget() {
  for (const auto& [connection, speaker] : speakers_) ::close(connection);
  speakers_.clear();
  logs_.clear();
}

}  // namespace cudalab::device
