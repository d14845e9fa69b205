// Decides which requests may reach the workbook: the right host, origin and token; and what a page may do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/request.h"
#include "serve/http/server.h"

namespace cudalab::serve {

// 256 random bits in hexadecimal.
std::string new_token();

class Access {
 public:
  // `token`: whoever knows it may use the workbook. `is_local`: only names of this machine are accepted as
  // the host, so a page of another site whose name resolves to 127.0.0.1 (DNS rebinding) is refused.
  Access(std::string token, std::uint16_t port, bool is_local);

  // The answer to a request that must not go on: a refusal, or the page that turns the token of the first
  // request into a cookie.
  std::optional<Response> answer_before(const Request& request) const;

 private:
  bool is_known_host(std::string_view host) const;
  bool has_cookie(const Request& request) const;

  std::string token_, cookie_name_;
  std::uint16_t port_;
  bool is_local_;
};

// Adds the headers that confine a page: it loads scripts and styles from this server only, and no other page
// embeds it.
void confine(Response& response);
// For a result page, which has scripts of its own: it cannot use the workbook or load anything.
void confine_result(Response& response);

}  // namespace cudalab::serve
