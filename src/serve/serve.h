// The server of the workbook: one learner, one course folder, until a signal ends it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "serve/learner_actions.h"

namespace cudalab::serve {

inline constexpr const char* kLoopback = "127.0.0.1";
inline constexpr std::size_t kLeastToken = 20;  // characters of a token that a user chooses

struct ServePlan {
  std::filesystem::path folder;  // a course folder
  std::string address = kLoopback;
  std::uint16_t port = 0;  // 0: any free one
  std::string token;       // empty: a new one
  Language language{};     // of a page that asks for none
};

// Serves for ever. `begun` is called with the address to open, and with the sentence why programs cannot run
// (or an empty message). Throws Error(kUnavailable) if it cannot listen.
void serve(const ServePlan& plan, const LearnerActions& actions,
           const std::function<void(const std::string& url, const Message& objection)>& begun);

}  // namespace cudalab::serve
