// HTTP/1.1 requests as browsers send them: read in pieces, within limits. A request with a byte that RFC 9112
// does not allow is refused.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudalab::serve {

// The statuses that this server answers with.
enum Status : int {
  kOk = 200,
  kBadRequest = 400,
  kUnauthorized = 401,
  kForbidden = 403,
  kNotFound = 404,
  kNotAllowed = 405,
  kConflict = 409,
  kLengthRequired = 411,
  kTooLarge = 413,
  kUnsupportedType = 415,
  kHeadTooLarge = 431,
  kServerError = 500,
  kNotImplemented = 501,
  kUnavailableNow = 503,
  kVersionUnknown = 505,
};

struct Request {
  std::string method;  // "GET"
  // Decoded; begins with a slash, and contains neither control characters nor the segments ".", ".." and "".
  std::string path;
  std::map<std::string, std::string> query;                    // decoded
  std::vector<std::pair<std::string, std::string>> headers{};  // names in lower case
  std::string body;
  bool keeps_alive = true;

  // The value of the only header of that name. Empty if there is none, or more than one.
  std::string header(std::string_view name) const;
};

inline constexpr std::size_t kMostHead = 16u << 10, kMostHeaders = 64, kMostBody = 1u << 20;

// Splits the bytes that a client sends on one connection into requests.
class RequestReader {
 public:
  void add(std::string_view bytes) { unread_ += bytes; }
  // The next request, once it is complete.
  std::optional<Request> next();
  // The status to answer with if the bytes are not an acceptable request; 0 if none has been refused. Nothing
  // can be read after a refusal.
  int refusal() const { return refusal_; }
  // Whether a request has begun and is not complete.
  bool is_within_request() const { return !unread_.empty() || has_head_; }

 private:
  bool read_head();
  void refuse(int status) { refusal_ = status; }

  std::string unread_;
  Request request_;
  std::size_t body_bytes_ = 0;
  bool has_head_ = false;
  int refusal_ = 0;
};

// Decodes %20 and, in a query, +. Empty if the text is malformed or contains a control character.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank = false);

}  // namespace cudalab::serve
