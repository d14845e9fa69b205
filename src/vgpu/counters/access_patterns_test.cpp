// Tests that the counting rules reproduce every pattern counted on an H200.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "vgpu/counters/access_costs.h"

namespace cudalab::vgpu {
namespace {

using Json = nlohmann::json;

std::uint32_t mask_of(const Json& record) {
  return static_cast<std::uint32_t>(std::stoul(record["active_mask"].get<std::string>(), nullptr, 16));
}

WavefrontCount wavefronts_of(const WarpAccess& access, const std::string& op) {
  if (op == "atom") return {shared_atomic_cost({}, access).transactions, 1};
  return count_wavefronts(access, op == "ld" ? SharedAccess::kLoad : SharedAccess::kStore);
}

void expect_matches(const Json& record) {
  const auto addresses = record["addresses"].get<std::array<std::uint64_t, kWarpSize>>();
  const WarpAccess access{addresses, mask_of(record), record["bytes_per_lane"].get<int>()};
  if (record["space"] == "shared") {
    const WavefrontCount count = wavefronts_of(access, record["op"]);
    EXPECT_EQ(count.wavefronts, record["wavefronts"].get<std::uint32_t>());
    if (record.contains("bank_conflicts")) {  // not measured for atomics
      EXPECT_EQ(count.conflicts(), record["bank_conflicts"].get<std::uint32_t>());
    }
  } else {
    const SectorCount count = count_sectors(access);
    EXPECT_EQ(count.sectors, record["sectors"].get<std::uint32_t>());
    const double percent = 100.0 * count.distinct_bytes / (kSectorBytes * count.sectors);
    EXPECT_NEAR(percent, record["percent_of_sector_bytes_used"].get<double>(), 0.01);
    EXPECT_EQ(record["requests"].get<int>(), 1);
  }
}

TEST(AccessPatterns, EveryMeasuredPatternIsReproduced) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/expected/h200/access_patterns.jsonl");
  ASSERT_TRUE(file);
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    SCOPED_TRACE("line " + std::to_string(records + 1));
    expect_matches(Json::parse(line));
  }
  EXPECT_EQ(records, 1064);
}

}  // namespace
}  // namespace cudalab::vgpu
