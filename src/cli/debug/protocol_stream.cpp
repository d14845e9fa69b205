// Reads and writes the messages of the Debug Adapter Protocol, without trusting the other end.
#include "cli/debug/protocol_stream.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace cudalab::cli {
namespace {

constexpr std::size_t kLongestHeader = 4096, kLongestMessage = std::size_t{64} << 20;
constexpr std::string_view kHeaderEnd = "\r\n\r\n", kLength = "Content-Length:";

// The length that a header gives; empty if it is missing or invalid.
std::optional<std::size_t> length_in(std::string_view header) {
  const std::size_t at = header.find(kLength);
  if (at == std::string_view::npos) return std::nullopt;
  header.remove_prefix(at + kLength.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  std::size_t length = 0;
  const auto [end, failed] = std::from_chars(header.data(), header.data() + header.size(), length);
  if (failed != std::errc{} || end == header.data() || length > kLongestMessage) return std::nullopt;
  return length;
}

}  // namespace

bool ProtocolStream::read_more(int timeout_ms) {
  pollfd wanted{in_.number(), POLLIN, 0};
  if (at_end_ || ::poll(&wanted, 1, timeout_ms) == 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(in_.number(), buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return true;
  at_end_ = got <= 0;
  if (got > 0) bytes_.append(buffer.data(), static_cast<std::size_t>(got));
  take_messages();
  return !at_end_;
}

bool ProtocolStream::take_header() {
  const std::size_t end = bytes_.find(kHeaderEnd);
  // If the first bytes do not begin a header, no later ones will: give up at once.
  const bool is_foreign =
      !bytes_.starts_with("Content-") && !std::string_view("Content-").starts_with(bytes_);
  if (is_foreign || (end == std::string::npos && bytes_.size() > kLongestHeader)) at_end_ = true;
  if (at_end_ || end == std::string::npos) return false;
  length_ = length_in(std::string_view(bytes_).substr(0, end));
  at_end_ = !length_;
  bytes_.erase(0, end + kHeaderEnd.size());
  return !at_end_;
}

void ProtocolStream::take_messages() {
  while (!bytes_.empty() && (length_ || take_header()) && bytes_.size() >= *length_) {
    nlohmann::json message = nlohmann::json::parse(bytes_.substr(0, *length_), nullptr, false);
    bytes_.erase(0, *length_);
    length_.reset();
    if (message.is_object()) waiting_.push_back(std::move(message));
  }
}

std::optional<nlohmann::json> ProtocolStream::next() {
  while (waiting_.empty() && read_more(-1)) {
  }
  if (waiting_.empty()) return std::nullopt;
  nlohmann::json message = std::move(waiting_.front());
  waiting_.pop_front();
  return message;
}

bool ProtocolStream::has_arrived(std::initializer_list<std::string_view> commands) {
  while (read_more(0)) {
  }
  const auto is_wanted = [&](const nlohmann::json& message) {
    const auto command = message.find("command");
    return command != message.end() && command->is_string() &&
           std::ranges::find(commands, command->get_ref<const std::string&>()) != commands.end();
  };
  return at_end_ || std::ranges::any_of(waiting_, is_wanted);
}

bool ProtocolStream::has_arrived() {
  while (read_more(0)) {
  }
  return at_end_ || !waiting_.empty();
}

bool ProtocolStream::is_cancelled(std::int64_t sequence) {
  has_arrived();
  return std::ranges::any_of(waiting_, [&](const nlohmann::json& message) {
    const auto command = message.find("command"), arguments = message.find("arguments");
    return command != message.end() && *command == "cancel" && arguments != message.end() &&
           arguments->is_object() && arguments->contains("requestId") &&
           (*arguments)["requestId"] == sequence;
  });
}

void ProtocolStream::send(nlohmann::json message) {
  message["seq"] = ++sequence_;
  // The output of programs and compilers may not be valid UTF-8.
  const std::string body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string text = "Content-Length: " + std::to_string(body.size()) + std::string(kHeaderEnd) + body;
  for (std::string_view left = text; !left.empty();) {
    const ssize_t written = ::write(out_.number(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace cudalab::cli
