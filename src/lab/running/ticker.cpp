#include "lab/running/ticker.h"

#include <fmt/format.h>

#include "core/processes/further_thread.h"

namespace cudalab::lab {
namespace {

// "running global, 75 s"
std::string with_age(const std::string& what, std::chrono::steady_clock::duration age) {
  return fmt::format("{}, {} s", what, std::chrono::duration_cast<std::chrono::seconds>(age).count());
}

}  // namespace

Ticker::Ticker(Show show, std::chrono::milliseconds every) : show_(std::move(show)), every_(every) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// The thread begins with the first word: a run that says nothing needs none.
void Ticker::say(const std::string& what) {
  if (!show_) return;
  const std::lock_guard lock(mutex_);
  what_ = what;
  since_ = std::chrono::steady_clock::now();
  show_(what_);
  if (!thread_.joinable()) thread_ = further_thread([this] { tick(); });
}

Ticker::Show Ticker::voice() {
  if (!show_) return {};
  return [this](const std::string& what) { say(what); };
}

void Ticker::tick() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, every_, [this] { return ends_; })) {
    const auto age = std::chrono::steady_clock::now() - since_;
    if (age >= every_) show_(with_age(what_, age));
  }
}

}  // namespace cudalab::lab
