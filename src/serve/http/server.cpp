// Polls the connections of a browser and answers its requests. States of a connection: idle -> a request is
// arriving -> its response is being sent -> idle, or a stream that stays open.
#include "serve/http/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "messages/serve.h"

namespace cudalab::serve {
namespace {

constexpr int kBacklog = 64;
constexpr std::size_t kPiece = 64u << 10;

struct Phrase {
  int status;
  std::string_view words;
};
constexpr Phrase kPhrases[]{{kOk, "OK"},
                            {kBadRequest, "Bad Request"},
                            {kUnauthorized, "Unauthorized"},
                            {kForbidden, "Forbidden"},
                            {kNotFound, "Not Found"},
                            {kNotAllowed, "Method Not Allowed"},
                            {kConflict, "Conflict"},
                            {kLengthRequired, "Length Required"},
                            {kTooLarge, "Content Too Large"},
                            {kUnsupportedType, "Unsupported Media Type"},
                            {kHeadTooLarge, "Request Header Fields Too Large"},
                            {kServerError, "Internal Server Error"},
                            {kNotImplemented, "Not Implemented"},
                            {kUnavailableNow, "Service Unavailable"},
                            {kVersionUnknown, "HTTP Version Not Supported"}};

// A part of a stream. Proxies pass chunks on at once, but may collect a response that only the end of the
// connection ends.
std::string chunk_of(std::string_view text) { return fmt::format("{:x}\r\n{}\r\n", text.size(), text); }

}  // namespace

std::string_view phrase_of(int status) {
  const auto found = std::ranges::find(kPhrases, status, &Phrase::status);
  return found == std::end(kPhrases) ? "Unknown" : found->words;
}

Listener::Listener(const std::string& address, std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1)
    throw usage_error(msg::serve_address_wrong(address));
  const int on = 1;
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::listen(socket_.number(), kBacklog) != 0)
    throw unavailable_error(
        msg::serve_cannot_listen(fmt::format("{}:{}", address, port), std::strerror(errno)));
}

std::uint16_t Listener::port() const {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  ::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&place), &size);
  return ntohs(place.sin_port);
}

Server::Server(const Listener& listener, Handler handler, ServerLimits limits)
    : listener_(listener.descriptor()), handler_(std::move(handler)), limits_(limits) {}

Server::~Server() = default;

bool Server::has_streams() const {
  return std::ranges::any_of(connections_, [](const Connection& each) { return each.is_stream; });
}

void Server::tell_streams(std::string_view text) {
  const std::string chunk = chunk_of(text);
  for (Connection& each : connections_) {
    if (!each.is_stream || each.is_done) continue;
    if (each.unsent.size() - each.sent + chunk.size() > limits_.unsent_bytes) {
      each.is_done = true;
      continue;
    }
    if (!each.has_unsent()) each.since = Clock::now();
    each.unsent += chunk;
    send(each);
  }
}

// Beyond the limit, closes the oldest idle connection; if none is idle, closes the new one.
void Server::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    if (connections_.size() >= limits_.connections) {
      const auto oldest = std::ranges::find_if(
          connections_, [](const Connection& each) { return !each.is_stream && !each.has_unsent(); });
      if (oldest == connections_.end()) {
        ::close(socket);
        continue;
      }
      connections_.erase(oldest);
    }
    connections_.emplace_back(socket);
  }
}

void Server::respond(Connection& connection, const Response& response, bool keeps_alive, bool has_body) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", response.status,
                                 phrase_of(response.status), response.type);
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  head += response.is_stream ? "Transfer-Encoding: chunked\r\n"
                             : fmt::format("Content-Length: {}\r\n", response.body.size());
  head += keeps_alive && !response.is_stream ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  connection.unsent.erase(0, connection.sent);
  connection.sent = 0;
  connection.unsent += head;
  if (has_body) connection.unsent += response.is_stream ? chunk_of(response.body) : response.body;
  connection.is_stream = response.is_stream;
  connection.closes = !keeps_alive && !response.is_stream;
  connection.since = Clock::now();
}

// Answers one of the requests that have arrived: a client with many requests must let other clients take
// their turns. While a response is being sent, further requests wait.
void Server::answer(Connection& connection) {
  if (connection.closes || connection.is_stream || connection.has_unsent()) return;
  const auto request = connection.reader.next();
  connection.may_have_more = request.has_value();
  if (request) {
    const Response response = handler_(*request);
    respond(connection, response, request->keeps_alive, request->method != "HEAD");
    send(connection);
  } else if (const int status = connection.reader.refusal(); status != 0) {
    respond(connection, {.status = status, .body = std::string(phrase_of(status)) + "\n"}, false, true);
    send(connection);
  }
  connection.is_busy = connection.reader.is_within_request();
}

void Server::receive(Connection& connection) {
  static std::array<char, kPiece> piece;
  const ssize_t bytes = ::recv(connection.socket.number(), piece.data(), piece.size(), 0);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (bytes <= 0) {
    connection.is_done = true;
    return;
  }
  if (connection.is_stream || connection.closes) return;  // nothing more is expected
  connection.reader.add({piece.data(), static_cast<std::size_t>(bytes)});
  if (!connection.is_busy) connection.since = Clock::now();
  connection.is_busy = true;
  answer(connection);
}

void Server::send(Connection& connection) {
  while (connection.has_unsent()) {
    const ssize_t bytes = ::send(connection.socket.number(), connection.unsent.data() + connection.sent,
                                 connection.unsent.size() - connection.sent, MSG_NOSIGNAL);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 0) {
      connection.is_done = true;
      return;
    }
    connection.sent += static_cast<std::size_t>(bytes);
    connection.since = Clock::now();
  }
  connection.unsent.clear();
  connection.sent = 0;
  if (connection.closes) connection.is_done = true;
}

void Server::close_late(Clock::time_point now) {
  connections_.remove_if([&](const Connection& each) {
    if (each.is_done) return true;
    const auto waited = now - each.since;
    if (each.has_unsent()) return waited > limits_.stalled;
    if (each.is_stream) return false;
    return waited > (each.is_busy ? limits_.request : limits_.idle);
  });
}

std::vector<int> Server::serve_once(std::chrono::milliseconds wait, const std::vector<int>& others) {
  std::vector<pollfd> polled{{listener_, POLLIN, 0}};
  std::vector<Connection*> polled_connections;
  for (Connection& each : connections_) {
    if (each.may_have_more && !each.has_unsent()) wait = std::chrono::milliseconds(0);
    // The client waits for its turn while a response is sent.
    const bool reads = !each.has_unsent() || each.is_stream;
    const int events = (reads ? POLLIN : 0) | (each.has_unsent() ? POLLOUT : 0);
    polled.push_back({each.socket.number(), static_cast<short>(events), 0});
    polled_connections.push_back(&each);
  }
  for (const int other : others) polled.push_back({other, POLLIN, 0});
  ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  for (std::size_t i = 0; i < polled_connections.size(); ++i) {
    Connection& connection = *polled_connections[i];
    const short events = polled[i + 1].revents;
    if ((events & POLLOUT) != 0) send(connection);
    if (connection.may_have_more && !connection.is_done) answer(connection);
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && !connection.is_done) receive(connection);
  }
  std::vector<int> ready;
  for (std::size_t i = polled_connections.size() + 1; i < polled.size(); ++i)
    if (polled[i].revents != 0) ready.push_back(polled[i].fd);
  close_late(Clock::now());
  if ((polled.front().revents & POLLIN) != 0) accept_all();
  return ready;
}

}  // namespace cudalab::serve
