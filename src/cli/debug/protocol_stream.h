// Messages of the Debug Adapter Protocol over two file descriptors: "Content-Length: N", a blank line, and N
// bytes of JSON (https://microsoft.github.io/debug-adapter-protocol/overview).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/files.h"

namespace cudalab::cli {

class ProtocolStream {
 public:
  // Owns both descriptors.
  ProtocolStream(int in, int out) : in_(in), out_(out) {}

  // Waits for the next message. Empty if the client has disconnected or sent bytes outside the protocol, such
  // as a browser's request line. Skips bodies that are not JSON objects.
  std::optional<nlohmann::json> next();
  // Returns whether a message with one of these commands, or the end of the input, is waiting. Does not
  // block.
  bool has_arrived(std::initializer_list<std::string_view> commands);
  // Returns whether any message, or the end of the input, is waiting. Does not block.
  bool has_arrived();
  // Whether a request to cancel the request with this number is waiting. Does not block.
  bool is_cancelled(std::int64_t sequence);
  // Adds the sequence number. Write errors are ignored: next() detects a client that has disconnected.
  void send(nlohmann::json message);

 private:
  bool read_more(int timeout_ms);  // false: no bytes within the time, or the end
  void take_messages();            // moves complete messages from bytes_ to waiting_
  bool take_header();              // false: the header is incomplete

  Descriptor in_, out_;
  std::string bytes_;
  std::optional<std::size_t> length_;  // of the next body
  std::deque<nlohmann::json> waiting_;
  bool at_end_ = false;
  std::int64_t sequence_ = 0;
};

}  // namespace cudalab::cli
