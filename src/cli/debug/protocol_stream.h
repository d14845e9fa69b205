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

  // Waits for the next message. Empty once the client is gone, and after bytes that are not of the protocol,
  // such as the request line of a browser. Skips what is no JSON object.
  std::optional<nlohmann::json> next();
  // Whether a message with one of these commands, or the end of the input, has arrived and waits. Does not
  // wait.
  bool has_arrived(std::initializer_list<std::string_view> commands);
  // Adds the sequence number. A client that is gone is noticed by next().
  void send(nlohmann::json message);

 private:
  bool read_more(int timeout_ms);  // false: nothing came, or the end
  void take_messages();            // moves whole messages from bytes_ to waiting_
  bool take_header();              // false: it is not complete

  Descriptor in_, out_;
  std::string bytes_;
  std::optional<std::size_t> length_;  // of the body that comes next
  std::deque<nlohmann::json> waiting_;
  bool at_end_ = false;
  std::int64_t sequence_ = 0;
};

}  // namespace cudalab::cli
