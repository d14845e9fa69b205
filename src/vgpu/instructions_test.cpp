// Compares instructions that are not rows of the opcode table with recorded results of an H200.
#include <gtest/gtest.h>

#include <cmath>

#include "core/diagnostics/message_testing.h"
#include "vgpu/instruction_probes_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using probes::Probe;

const std::vector<Probe>& all_probes() {
  static const std::vector<Probe> probes = probes::all();
  return probes;
}

const probes::Recording& recorded_instructions() {
  static const probes::Recording recording =
      probes::read(CUDALAB_SOURCE_DIR "/expected/h200/instructions.txt");
  return recording;
}

std::vector<std::uint32_t> words_of(const Probe& probe) {
  KernelHarness harness(probe.ptx);
  const auto in = harness.buffer(probe.inputs, "in");
  const auto out = harness.buffer(std::vector<std::uint32_t>(probe.results), "out");
  const LaunchResult result = harness.run({probe.blocks, 1, 1}, {probe.threads, 1, 1}, in, out);
  for (const Hazard& hazard : result.hazards) ADD_FAILURE() << probe.name << ": " << hazard.what;
  return harness.read<std::uint32_t>(out, probe.results);
}

// Sums of at most 32 products of numbers with a magnitude below 2.
bool is_near(const Probe& probe, std::uint32_t card, std::uint32_t ours) {
  if (probe.result == Element::kF32) {
    constexpr double kMost = 0x1p-15;
    return std::fabs(number_of(Element::kF32, card) - number_of(Element::kF32, ours)) <= kMost;
  }
  constexpr double kMostOfHalf = 0x1p-5;
  for (const int shift : {0, 16})
    if (std::fabs(number_of(Element::kF16, card >> shift) - number_of(Element::kF16, ours >> shift)) >
        kMostOfHalf)
      return false;
  return true;
}

TEST(Instructions, EveryProbeWasRecorded) {
  for (const Probe& probe : all_probes())
    EXPECT_TRUE(recorded_instructions().contains(probe.name)) << probe.name;
  EXPECT_EQ(recorded_instructions().size(), all_probes().size());
}

TEST(Instructions, ComputeWhatTheCardDoes) {
  for (const Probe& probe : all_probes()) {
    const auto found = recorded_instructions().find(probe.name);
    if (found == recorded_instructions().end()) continue;
    const std::vector<std::uint32_t> ours = words_of(probe);
    ASSERT_EQ(found->second.size(), ours.size()) << probe.name;
    int wrong = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const bool same =
          probe.tolerance > 0 ? is_near(probe, found->second[i], ours[i]) : found->second[i] == ours[i];
      if (!same && ++wrong == 1)
        ADD_FAILURE() << probe.name
                      << fmt::format(", word {}: the card gives {:08x}, we give {:08x}", i, found->second[i],
                                     ours[i]);
    }
  }
}

}  // namespace
}  // namespace cudalab::vgpu
