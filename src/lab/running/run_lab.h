// Runs a lab: opens the device, reads the options, runs the stages, reports progress, and summarizes the
// results.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/diagnostics/message.h"

namespace cudalab::lab {

// Tells what a run is doing and, from the second second on, for how long already.

class Ticker {
 public:
  using Show = std::function<void(const Message&)>;
  // `show` may be empty; it is called by this object's own thread, too, never by two at once.
  explicit Ticker(Show show, std::chrono::milliseconds every = std::chrono::seconds(1));
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  void say(const Message& what);
  Show voice();  // say, where there is somebody to tell; for as long as this object lives

 private:
  void tick();

  Show show_;
  std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Message what_;
  std::chrono::steady_clock::time_point since_;
  bool ends_ = false;
  std::jthread thread_;  // none where the machine has no further one
};

}  // namespace cudalab::lab
