// A small HTTP server for one learner's browser. One thread polls all connections, so a client that reads or
// writes slowly does not delay other clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files.h"
#include "serve/http/request.h"

namespace cudalab::serve {

struct Response {
  int status = kOk;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // The response stays open: it begins with `body`, and Server::tell_streams() adds to it (server-sent
  // events).
  bool is_stream = false;
};

// The phrase of a status: "Not Found".
std::string_view phrase_of(int status);

struct ServerLimits {
  std::size_t connections = 128;        // beyond these, the oldest idle one is closed
  std::size_t unsent_bytes = 1u << 20;  // per stream: a slower reader is disconnected, and connects again
  std::chrono::milliseconds request{10'000};  // from the first byte of a request to its last
  std::chrono::milliseconds idle{60'000};     // between requests
  std::chrono::milliseconds stalled{30'000};  // without progress while a response is sent
};

// A socket that listens on an address and a port (0: any free one). Throws Error(kUnavailable).
class Listener {
 public:
  Listener(const std::string& address, std::uint16_t port);
  int descriptor() const { return socket_.number(); }
  std::uint16_t port() const;

 private:
  Descriptor socket_;
};

class Server {
 public:
  using Handler = std::function<Response(const Request&)>;

  Server(const Listener& listener, Handler handler, ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Waits at most `wait` for connections and for `others`, with the events that the caller has set, and then
  // serves what has arrived. Returns the descriptors of `others` that are ready.
  std::vector<int> serve_once(std::chrono::milliseconds wait, const std::vector<int>& others = {});
  // Adds text to all open streams.
  void tell_streams(std::string_view text);
  bool has_streams() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    explicit Connection(int number) : socket(number) {}

    Descriptor socket;
    RequestReader reader{};
    std::string unsent{};
    std::size_t sent = 0;  // of `unsent`
    bool closes = false;   // once everything is sent
    bool is_stream = false;
    bool is_done = false;
    bool is_busy = false;                    // a request has begun
    bool may_have_more = false;              // the received bytes may contain another request
    Clock::time_point since = Clock::now();  // of the current request, or of the last progress

    bool has_unsent() const { return sent < unsent.size(); }
  };

  void accept_all();
  void receive(Connection& connection);
  void answer(Connection& connection);
  void respond(Connection& connection, const Response& response, bool keeps_alive, bool has_body);
  static void send(Connection& connection);
  void close_late(Clock::time_point now);

  int listener_;
  Handler handler_;
  ServerLimits limits_;
  std::list<Connection> connections_;
};

}  // namespace cudalab::serve
