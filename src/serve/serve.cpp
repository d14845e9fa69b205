// Connects the server, the rules of access and the workbook.
#include "serve/serve.h"

#include <fmt/format.h>

#include <chrono>

#include "core/error.h"
#include "core/processes/child_pool.h"
#include "messages/serve.h"
#include "serve/access.h"
#include "serve/http/server.h"
#include "serve/workbook.h"

namespace cudalab::serve {
namespace {

constexpr std::chrono::milliseconds kNewsEvery{500};

Listener listener_for(const ServePlan& plan) {
  if (plan.port) return {plan.address, *plan.port};
  try {
    return {plan.address, kUsualPort};
  } catch (const Error& error) {
    if (error.code() != ExitCode::kUnavailable) throw;
    return {plan.address, 0};
  }
}

}  // namespace

void serve(const ServePlan& plan, const LearnerActions& actions,
           const std::function<void(const std::string& url, const Message& objection)>& begun) {
  const Listener listener = listener_for(plan);
  const bool is_local = plan.address == kLoopback;
  const std::string token = plan.token.empty() ? new_token() : plan.token;
  const Access access(token, listener.port(), is_local);
  const Message no_sandbox = objection_to_sandbox();
  const Message objection = no_sandbox.empty() ? Message() : msg::serve_without_sandbox(no_sandbox);

  Server* streams = nullptr;
  Workbook workbook(plan.folder, actions, no_sandbox, plan.language,
                    [&](std::string_view event, const Workbook::Json& data) {
                      streams->tell_streams(event_text(event, data));
                    });
  Server server(listener, [&](const Request& request) {
    if (auto answer = access.answer_before(request)) return std::move(*answer);
    return workbook.answer(request);
  });
  streams = &server;

  begun(fmt::format("http://{}:{}/?token={}", is_local ? kLoopback : plan.address, listener.port(), token),
        objection);
  auto next_news = std::chrono::steady_clock::now();
  while (true) {
    server.serve_once(kNewsEvery, workbook.descriptors());
    workbook.attend_jobs();
    if (const auto now = std::chrono::steady_clock::now(); now >= next_news) {
      if (server.has_streams()) workbook.tell_news();
      next_news = now + kNewsEvery;
    }
  }
}

}  // namespace cudalab::serve
