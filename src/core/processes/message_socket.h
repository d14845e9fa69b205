// Messages between two processes over a socket: lists of texts, and byte blocks with a length.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/files.h"

namespace cudalab {

// Whole messages over a stream between two processes, each behind its length.

// A connection to the socket of this path; below 0: nobody listens there.
int connected_socket(const std::string& path);

class MessageSocket {
 public:
  explicit MessageSocket(int connection) : connection_(connection) {}  // which it owns

  // Whether the other side is still there.
  bool send(const std::string& message) const;
  std::optional<std::string> receive() const;  // nothing: the other side has gone

 private:
  Descriptor connection_;
};

// Lists of texts from one process to another through a socket.

using Fields = std::vector<std::string>;

// False where nobody is there to read it any more.
bool send_fields(int socket, const Fields& fields);

using Moment = std::chrono::steady_clock::time_point;

struct Received {
  std::optional<Fields> fields;  // nothing where the other side went away, …
  bool is_late = false;          // … or did not speak until the deadline
};

// Waits until a whole list has come; for ever without a deadline.
Received receive_fields(int socket, std::optional<Moment> deadline = std::nullopt);

}  // namespace cudalab
