// Checks the host, the origin and the token of each request, and confines pages with a content security
// policy.
#include "serve/access.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text.h"
#include "messages/serve.h"

namespace cudalab::serve {
namespace {

constexpr std::string_view kMethods[]{"GET", "HEAD", "POST", "PUT", "DELETE"};
constexpr const char* kMonthInSeconds = "2592000";

// Takes the same time whichever character differs.
bool is_same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0u : 1u;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ b[i]));
  return difference == 0;
}

bool changes_something(const Request& request) { return request.method != "GET" && request.method != "HEAD"; }

// Browsers send the origin with every request that changes something, and they say whether another site
// asked.
bool is_from_own_page(const Request& request, bool may_be_encrypted) {
  const std::string host = request.header("host"), origin = request.header("origin");
  const bool has_origin =
      std::ranges::any_of(request.headers, [](const auto& each) { return each.first == "origin"; });
  if (has_origin && origin != "http://" + host && !(may_be_encrypted && origin == "https://" + host))
    return false;
  if (changes_something(request) && !has_origin) return false;
  const std::string site = request.header("sec-fetch-site");
  const bool is_followed_link = request.header("sec-fetch-mode") == "navigate" && !changes_something(request);
  return site.empty() || site == "same-origin" || site == "none" || is_followed_link;
}

Response refused(int status, std::string why) {
  Response response{.status = status, .body = std::move(why) + "\n"};
  confine(response);
  return response;
}

}  // namespace

std::string new_token() {
  constexpr std::size_t kBytes = 32;
  std::array<unsigned char, kBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(kBytes))
    throw unavailable_error(msg::serve_no_random_numbers());
  std::string token;
  for (const unsigned byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Access::Access(std::string token, std::uint16_t port, bool is_local)
    : token_(std::move(token)),
      cookie_name_(fmt::format("cudalab-{}", port)),  // cookies do not distinguish ports
      port_(port),
      is_local_(is_local) {}

bool Access::is_known_host(std::string_view host) const {
  if (!is_local_) return !host.empty();
  return host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
}

bool Access::has_cookie(const Request& request) const {
  const std::string cookies = request.header("cookie");
  for (const std::string_view each : split(cookies, ';')) {
    const std::string_view cookie = trimmed(each);
    const std::size_t equals = cookie.find('=');
    if (equals != std::string_view::npos && cookie.substr(0, equals) == cookie_name_)
      return is_same(cookie.substr(equals + 1), token_);
  }
  return false;
}

std::optional<Response> Access::answer_before(const Request& request) const {
  if (!is_known_host(request.header("host"))) return refused(kForbidden, "unknown host");
  if (std::ranges::find(kMethods, request.method) == std::end(kMethods))
    return refused(kNotAllowed, "unknown method");
  if (!is_from_own_page(request, !is_local_)) return refused(kForbidden, "a request of another site");
  const auto token = request.query.find("token");
  if (request.path == "/" && token != request.query.end() && is_same(token->second, token_)) {
    // A page that goes on by itself, not a redirection: browsers send a strict cookie only with requests that
    // the own site has begun, and the address may have been opened from elsewhere.
    Response response{.type = "text/html; charset=utf-8",
                      .body =
                          "<!DOCTYPE html><meta charset=\"utf-8\"><title>cudalab</title>"
                          "<link rel=\"icon\" href=\"data:,\">"
                          "<meta http-equiv=\"refresh\" content=\"0;url=./\">",
                      .headers = {{"Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/; "
                                                             "Max-Age={}",
                                                             cookie_name_, token_, kMonthInSeconds)}}};
    confine(response);
    return response;
  }
  if (has_cookie(request)) return std::nullopt;
  return refused(kUnauthorized, "open the address that `cudalab serve` has printed; it contains the token");
}

void confine(Response& response) {
  response.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  for (const auto& [name, value] : {std::pair{"X-Content-Type-Options", "nosniff"},
                                    {"X-Frame-Options", "DENY"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Cross-Origin-Opener-Policy", "same-origin"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Cache-Control", "no-store"}})
    response.headers.emplace_back(name, value);
}

void confine_result(Response& response) {
  response.headers.emplace_back("Content-Security-Policy",
                                "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
                                "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
                                "form-action 'none'; frame-ancestors 'self'");
  for (const auto& [name, value] : {std::pair{"X-Content-Type-Options", "nosniff"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Cache-Control", "no-store"}})
    response.headers.emplace_back(name, value);
}

}  // namespace cudalab::serve
