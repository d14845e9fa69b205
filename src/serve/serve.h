// The workbook's server for one learner and one course folder. It runs until a signal ends it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "serve/learner_actions.h"

namespace cudalab::serve {

inline constexpr const char* kLoopback = "127.0.0.1";
// A browser keeps edits that are not saved for the address of the page, so a restarted server has the same
// port.
inline constexpr std::uint16_t kUsualPort = 8400;
inline constexpr std::size_t kLeastToken = 20;  // characters of a token that a user chooses

struct ServePlan {
  std::filesystem::path folder;  // a course folder
  std::string address = kLoopback;
  std::optional<std::uint16_t> port;  // 0: any free one; absent: kUsualPort, or a free one if it is in use
  std::string token;                  // empty: a new token is made
  Language language{};                // for pages that request no language
};

// Serves until the process ends. `begun` is called with the address to open, and with the reason why programs
// cannot run (or an empty message). Throws Error(kUnavailable) if the server cannot listen.
void serve(const ServePlan& plan, const LearnerActions& actions,
           const std::function<void(const std::string& url, const Message& objection)>& begun);

}  // namespace cudalab::serve
