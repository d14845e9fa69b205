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

// Shows what a run is doing and, after the first second, for how long.

class Ticker {
 public:
  using Show = std::function<void(const Message&)>;
  // `show` may be empty. This object's own thread calls it, too, but never concurrently with say().
  explicit Ticker(Show show, std::chrono::milliseconds every = std::chrono::seconds(1));
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  void say(const Message& what);
  // A function that calls say(), or an empty one if `show` is empty; valid as long as this object lives.
  Show voice();

 private:
  void tick();

  Show show_;
  std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Message what_;
  std::chrono::steady_clock::time_point since_;
  bool ends_ = false;
  std::jthread thread_;  // not started if the machine allows no further thread
};

}  // namespace cudalab::lab
