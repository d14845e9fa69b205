// Tests that every number of every GPU model has an effect: a changed number changes a prediction, an
// occupancy, a limit or an attribute.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "vgpu/time/launch_features.h"
#include "vgpu/time/occupancy.h"
#include "vgpu/time/time_model.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// Used by the runtime of whole programs, for the time of copies and for device properties.
constexpr std::array<std::string_view, 6> kOfTheRuntime{"pinned_gb_per_second", "pageable_gb_per_second",
                                                        "peer_gb_per_second",   "copy_us",
                                                        "memory_clock_mhz",     "memory_bus_bits"};

constexpr double kMostOfAWord = 4e9;  // limits of grids are words

using Observations = std::vector<double>;

void observe_attributes(const Card& card, Observations& seen) {
  for (std::int32_t attribute = 1; attribute < 150; ++attribute)
    seen.push_back(static_cast<double>(cuda_attribute(card, attribute).value_or(0)));
  seen.push_back(has_clusters(card));
}

void observe_occupancy(const Card& card, Observations& seen) {
  for (const std::uint32_t threads : {32u, 96u, 256u, 1024u})
    for (const int registers : {0, 16, 33, 64, 100, 255})
      for (const std::uint64_t shared :
           {0u, 100u, 1000u, 4000u, 9000u, 16000u, 48000u, 60000u, 100000u, 200000u}) {
        const KernelResources resources{.registers = registers, .shared_bytes = shared};
        const Occupancy found = occupancy_of(card, resources, {.block = {threads, 1, 1}});
        seen.insert(seen.end(), {static_cast<double>(found.blocks), static_cast<double>(found.most_warps)});
      }
}

// Observes a launch that uses all resources.
void observe_times(const Card& card, Observations& seen) {
  LaunchFeatures features;
  NamedNumbers numbers = named(features);
  for (auto& [name, value] : numbers) value = 1000;
  features = features_from(numbers);
  for (const ResourceTime& time : resource_times(card, 4, features, {})) seen.push_back(time.clocks);
  seen.push_back(predicted_us(card, 4, features));
  features = {};
  features.blocks = features.warps = 1, features.threads = 32;
  for (double& wait : features.waits) wait = 1;
  seen.push_back(predicted_us(card, 1, features));
}

// Two passes over 48 KiB, which fit into every L1, and 16-bit arithmetic on the loaded values.
constexpr const char* kBody = R"(
ld.param.u64 %rd1, [p0];
mov.u32 %r1, %tid.x;
mov.u32 %r5, 0;
again:
mov.u32 %r2, 0;
next:
mad.lo.u32 %r3, %r2, 1024, %r1;
mul.wide.u32 %rd2, %r3, 4;
add.s64 %rd2, %rd1, %rd2;
ld.global.u32 %r4, [%rd2];
fma.rn.f16x2 %r6, %r4, %r4, %r6;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 12;
@%p1 bra next;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 2;
@%p1 bra again;
st.global.u32 [%rd2], %r6;)";

void observe_launch(const Card& card, Observations& seen) {
  VirtualGpu gpu(Options{.card = &card, .host_threads = 1});
  seen.push_back(static_cast<double>(gpu.memory_bytes()));
  const auto module = gpu.load(ptx::parse(KernelHarness::kernel(kBody, 1), "test.ptx"), "test.cu",
                               {{"test", {.registers = 16}}});
  const std::uint64_t buffer = gpu.allocate("data", 1 << 20);
  gpu.fill(buffer, 1 << 20, 0, false);
  LaunchRequest request;
  request.spec = {{1, 1, 1}, {1024, 1, 1}};
  request.options.predict = true;
  request.options.checks = checks_of(true, false);
  request.parameters.resize(module->kernels()[0].parameter_bytes);
  std::memcpy(request.parameters.data(), &buffer, sizeof buffer);
  const LaunchResult result = gpu.launch(*module, request);
  seen.push_back(result.prediction ? result.prediction->ms : 0);
  if (!result.prediction) return;
  for (const auto& [name, value] : result.prediction->inputs) seen.push_back(value);
}

// Whether modules with large `__constant__` variables and local memory are refused.
void observe_limits(const Card& card, Observations& seen) {
  VirtualGpu gpu(Options{.card = &card, .host_threads = 1, .memory_bytes = 1 << 20});
  const auto loads = [&](const std::string& before, const std::string& body) {
    try {
      gpu.load(ptx::parse(KernelHarness::kernel(body, 1, before), "test.ptx"), "test.cu");
      return 1.0;
    } catch (const Error&) {
      return 0.0;
    }
  };
  seen.push_back(loads(".const .align 4 .b8 c[60000];", "mov.u64 %rd1, c;"));
  seen.push_back(loads("", ".local .align 4 .b8 l[300000];\nmov.u64 %rd1, l;"));
}

Observations observations_of(const Card& card) {
  Observations seen;
  observe_attributes(card, seen);
  observe_occupancy(card, seen);
  observe_times(card, seen);
  observe_limits(card, seen);
  observe_launch(card, seen);
  return seen;
}

class CardFigures : public testing::TestWithParam<const CardDescription*> {};

TEST_P(CardFigures, AreAllObeyed) {
  const CardDescription& description = *GetParam();
  const Observations before = observations_of(card_of(description));
  for (std::size_t i = 0; i < description.figures.size(); ++i) {
    const GivenFigure& figure = description.figures[i];
    if (figure.value == 0 || std::ranges::count(kOfTheRuntime, figure.key)) continue;
    bool changes = false;
    for (const double divisor : {2.0, 1000.0, 1e6, 1.0 / 16}) {
      CardDescription changed = description;
      const bool is_whole = figure.value == std::floor(figure.value);
      changed.figures[i].value =
          is_whole ? std::max(1.0, std::floor(figure.value / divisor)) : figure.value / divisor;
      if (changes || changed.figures[i].value > kMostOfAWord) continue;
      changes = observations_of(card_of(changed)) != before;
    }
    EXPECT_TRUE(changes) << description.id << ": " << figure.key;
  }
}
INSTANTIATE_TEST_SUITE_P(All, CardFigures, testing::ValuesIn([] {
                           std::vector<const CardDescription*> all;
                           for (const CardDescription& each : card_descriptions()) all.push_back(&each);
                           return all;
                         }()),
                         [](const auto& info) { return info.param->id; });

}  // namespace
}  // namespace cudalab::vgpu
