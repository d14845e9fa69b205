// Whole messages over a stream between two processes, each behind its length.
#pragma once

#include <optional>
#include <string>

#include "core/descriptor.h"

namespace cudalab {

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

}  // namespace cudalab
