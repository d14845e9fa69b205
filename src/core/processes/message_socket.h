// Messages between two processes over a socket: lists of texts, and byte blocks with a length.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/files.h"

namespace cudalab {

// Whole messages over a stream between two processes, each preceded by its length.

// Connects to the socket at `path`; negative if no process listens there.
int connected_socket(const std::string& path);

// False if the other side has closed the connection.
bool send_message(int connection, const std::string& message);
std::optional<std::string> receive_message(int connection);  // empty: the other side has closed it

class MessageSocket {
 public:
  explicit MessageSocket(int connection) : connection_(connection) {}  // takes ownership

  // As above.
  bool send(const std::string& message) const { return send_message(connection_.number(), message); }
  std::optional<std::string> receive() const { return receive_message(connection_.number()); }
  int number() const { return connection_.number(); }

 private:
  Descriptor connection_;
};

// Lists of texts, sent from one process to another over a socket.

using Fields = std::vector<std::string>;

// False if the other side has closed the connection.
bool send_fields(int socket, const Fields& fields);

using Moment = std::chrono::steady_clock::time_point;

struct Received {
  std::optional<Fields> fields;  // empty if the other side has closed the connection, …
  bool is_late = false;          // … or if it sent nothing before the deadline
};

// Waits for a complete list; without a deadline it may wait for ever.
Received receive_fields(int socket, std::optional<Moment> deadline = std::nullopt);

}  // namespace cudalab
