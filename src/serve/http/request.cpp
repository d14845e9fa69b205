// Reads HTTP/1.1 requests. Only what a browser sends to this server is accepted: no chunked bodies, no folded
// headers, no absolute targets.
#include "serve/http/request.h"

#include <algorithm>

#include "core/text.h"

namespace cudalab::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n", kHeadEnd = "\r\n\r\n";

bool is_token(std::string_view text) {
  static constexpr std::string_view kSigns = "!#$%&'*+-.^`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_word(c) || kSigns.find(c) != std::string_view::npos;
  });
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_header_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f; });
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A backslash separates folders on other systems; no path of this server contains one.
bool is_plain_path(std::string_view path) {
  if (path == "/") return true;
  if (!path.starts_with('/') || path.find('\\') != std::string_view::npos) return false;
  for (const std::string_view segment : split(path.substr(1), '/'))
    if (segment.empty() || segment == "." || segment == "..") return false;
  return true;
}

bool read_query(std::string_view text, std::map<std::string, std::string>& query) {
  if (text.empty()) return true;
  for (const std::string_view pair : split(text, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decoded(pair.substr(0, equals), true);
    const auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value || !query.emplace(*name, *value).second) return false;
  }
  return true;
}

bool read_target(std::string_view target, Request& request) {
  if (!target.starts_with('/') || !is_printable(target)) return false;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto path = decoded(target.substr(0, mark));
  if (!path || !is_plain_path(*path)) return false;
  request.path = *path;
  return read_query(target.substr(std::min(mark + 1, target.size())), request.query);
}

bool read_header(std::string_view line, Request& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  if (!is_header_value(value)) return false;
  request.headers.emplace_back(lower_case(line.substr(0, colon)), value);
  return true;
}

std::size_t count_of(const Request& request, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count(request.headers, name, &std::pair<std::string, std::string>::first));
}

}  // namespace

std::string Request::header(std::string_view name) const {
  if (count_of(*this, name) != 1) return "";
  return std::ranges::find(headers, name, &std::pair<std::string, std::string>::first)->second;
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_blank) c = ' ';
    if (c == '%') {
      const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    plain += c;
  }
  return plain;
}

bool RequestReader::read_head() {
  const std::size_t end = unread_.find(kHeadEnd);
  if (end == std::string::npos || end > kMostHead) {
    if (unread_.size() > kMostHead) refuse(kHeadTooLarge);
    return false;
  }
  request_ = {};
  std::string_view head = std::string_view(unread_).substr(0, end);
  const std::size_t first_end = std::min(head.find(kLineEnd), head.size());
  const auto words = split(head.substr(0, first_end), ' ');
  if (words.size() != 3 || head[first_end - 1] == ' ' || !is_token(words[0]) ||
      !read_target(words[1], request_))
    return refuse(kBadRequest), false;
  if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0")
    return refuse(words[2].starts_with("HTTP/") ? kVersionUnknown : kBadRequest), false;
  request_.method = words[0];
  head.remove_prefix(std::min(first_end + kLineEnd.size(), head.size()));
  while (!head.empty()) {
    const std::size_t line_end = std::min(head.find(kLineEnd), head.size());
    if (!read_header(head.substr(0, line_end), request_)) return refuse(kBadRequest), false;
    if (request_.headers.size() > kMostHeaders) return refuse(kHeadTooLarge), false;
    head.remove_prefix(std::min(line_end + kLineEnd.size(), head.size()));
  }
  if (count_of(request_, "host") != 1) return refuse(kBadRequest), false;
  if (count_of(request_, "transfer-encoding") > 0) return refuse(kNotImplemented), false;
  const std::string connection = lower_case(request_.header("connection"));
  request_.keeps_alive = words[2] == "HTTP/1.1" && connection != "close";
  body_bytes_ = 0;
  if (count_of(request_, "content-length") > 0) {
    constexpr std::size_t kMostDigits = 9;
    const std::string length = request_.header("content-length");
    if (length.empty() || !std::ranges::all_of(length, is_digit)) return refuse(kBadRequest), false;
    if (length.size() > kMostDigits || std::stoul(length) > kMostBody) return refuse(kTooLarge), false;
    body_bytes_ = std::stoul(length);
  } else if (request_.method == "POST" || request_.method == "PUT") {
    return refuse(kLengthRequired), false;
  }
  unread_.erase(0, end + kHeadEnd.size());
  return has_head_ = true;
}

std::optional<Request> RequestReader::next() {
  if (refusal_ != 0 || (!has_head_ && !read_head()) || unread_.size() < body_bytes_) return std::nullopt;
  request_.body = unread_.substr(0, body_bytes_);
  unread_.erase(0, body_bytes_);
  has_head_ = false;
  return std::move(request_);
}

}  // namespace cudalab::serve
