// What the runtime's own work costs on a card, and when each piece of work runs there: the model's clock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/measurement.h"
#include "core/programs/program_record.h"
#include "vgpu/card.h"

namespace cudalab::runtime {

enum class Engine : std::uint8_t { kNone, kCompute, kToDevice, kFromDevice };

// How long a copy takes between the host and a card, or on the card; and a launch that nothing is known of.
double copy_ms(CopyDirection direction, std::uint64_t bytes, bool is_pageable, const vgpu::Card& card);
double kernel_ms(const LaunchResult& result, const vgpu::Card& card);
// How much of the card a kernel keeps busy, 0 to 1: what is left others may use meanwhile.
double share_of_card(const LaunchResult& result, const vgpu::Card& card, std::uint64_t blocks);

inline constexpr double kLaunchCallMs = 0.002;  // of the host, until a launch is on its way

// When work runs on the engines of the cards: one copy at a time in each direction, and kernels side by side
// as long as the card has room for them.
class Clock {
 public:
  double now() const { return host_ms_; }
  void host_waits_until(double ms) { host_ms_ = ms > host_ms_ ? ms : host_ms_; }
  void host_works(double ms) { host_ms_ += ms; }
  PredictedSpan run(Engine engine, int device, double earliest_ms, double duration_ms, double share);

 private:
  struct Busy {
    double until_ms, share;
  };
  double host_ms_ = 0;
  std::map<std::pair<int, Engine>, double> copies_end_;
  std::map<int, std::vector<Busy>> kernels_;
};

}  // namespace cudalab::runtime
