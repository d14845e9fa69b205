// Lists of texts from one process to another through a socket.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace cudalab {

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
