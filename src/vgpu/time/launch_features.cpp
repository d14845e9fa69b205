// The inputs of the time model: amounts that characterize a launch, and their names in records.
#include "vgpu/time/launch_features.h"

#include <algorithm>
#include <string_view>

namespace cudalab::vgpu {
namespace {

struct FeatureField {
  std::string_view name;
  double LaunchFeatures::*value;
};
constexpr FeatureField kFeatureFields[]{
    {"blocks", &LaunchFeatures::blocks},
    {"threads", &LaunchFeatures::threads},
    {"warps", &LaunchFeatures::warps},
    {"barriers", &LaunchFeatures::barriers},
    {"shared_wavefronts", &LaunchFeatures::shared_wavefronts},
    {"l1_wavefronts", &LaunchFeatures::l1_wavefronts},
    {"l1_sectors", &LaunchFeatures::l1_sectors},
    {"load_requests", &LaunchFeatures::load_requests},
    {"store_requests", &LaunchFeatures::store_requests},
    {"load_lines", &LaunchFeatures::load_lines},
    {"store_lines", &LaunchFeatures::store_lines},
    {"update_requests", &LaunchFeatures::update_requests},
    {"load_pieces", &LaunchFeatures::load_pieces},
    {"store_pieces", &LaunchFeatures::store_pieces},
    {"update_pieces", &LaunchFeatures::update_pieces},
    {"swap_rounds", &LaunchFeatures::swap_rounds},
    {"swap_passes", &LaunchFeatures::swap_passes},
    {"spill_loads", &LaunchFeatures::spill_loads},
    {"spill_stores", &LaunchFeatures::spill_stores},
    {"spill_misses", &LaunchFeatures::spill_misses},
    {"constant_passes", &LaunchFeatures::constant_passes},
    {"texture_requests", &LaunchFeatures::texture_requests},
    {"texture_sectors", &LaunchFeatures::texture_sectors},
    {"l2_read_sectors", &LaunchFeatures::l2_read_sectors},
    {"l2_write_sectors", &LaunchFeatures::l2_write_sectors},
    {"l2_updates", &LaunchFeatures::l2_updates},
    {"most_updates", &LaunchFeatures::most_updates},
    {"slice_updates", &LaunchFeatures::slice_updates},
    {"slice_writes", &LaunchFeatures::slice_writes},
    {"dram_read_sectors", &LaunchFeatures::dram_read_sectors},
    {"dram_write_sectors", &LaunchFeatures::dram_write_sectors},
    {"partial_writes", &LaunchFeatures::partial_writes},
    {"partial_lines", &LaunchFeatures::partial_lines},
    {"partial_bytes", &LaunchFeatures::partial_bytes},
    {"filled_sectors", &LaunchFeatures::filled_sectors},
    {"updated_sectors", &LaunchFeatures::updated_sectors},
    {"flushed_sectors", &LaunchFeatures::flushed_sectors},
    {"dram_warp", &LaunchFeatures::dram_warp},
    {"longest_warp", &LaunchFeatures::longest_warp},
    {"longest_block", &LaunchFeatures::longest_block},
    {"busiest_multiprocessor", &LaunchFeatures::busiest_multiprocessor},
    {"block_places", &LaunchFeatures::block_places},
};
struct PathField {
  std::string_view name;
  double HandOverPath::*value;
};
constexpr PathField kPathFields[]{
    {"path_hand_overs", &HandOverPath::hand_overs}, {"path_swaps", &HandOverPath::swaps},
    {"path_retries", &HandOverPath::retries},       {"path_hops", &HandOverPath::hops},
    {"path_queue", &HandOverPath::queue},           {"path_starts", &HandOverPath::starts}};
constexpr std::array<std::string_view, kSources> kPathWaits{"path_arithmetic", "path_shared", "path_l1",
                                                            "path_l2",         "path_dram",   "path_constant",
                                                            "path_atomic",     "path_texture"};
constexpr std::array<std::string_view, static_cast<std::size_t>(Unit::kHalf)> kUses{
    "use_issue",   "use_fp32",   "use_multiply", "use_logic",       "use_fp64",
    "use_special", "use_tensor", "use_memory",   "use_three_reads", "use_three_reads64"};
constexpr std::array<std::string_view, kSources> kWaits{"wait_arithmetic", "wait_shared", "wait_l1",
                                                        "wait_l2",         "wait_dram",   "wait_constant",
                                                        "wait_atomic",     "wait_texture"};
constexpr std::array<std::string_view, kSources> kLongestBlockWaits{
    "longest_block_arithmetic", "longest_block_shared",   "longest_block_l1",     "longest_block_l2",
    "longest_block_dram",       "longest_block_constant", "longest_block_atomic", "longest_block_texture"};

bool has_waits(const Waits& waits) {
  return std::ranges::any_of(waits, [](double times) { return times != 0; });
}

}  // namespace

NamedNumbers named(const LaunchFeatures& features) {
  NamedNumbers numbers;
  for (const FeatureField& field : kFeatureFields) numbers.emplace_back(field.name, features.*field.value);
  for (std::size_t i = 0; i < kUses.size(); ++i) numbers.emplace_back(kUses[i], features.use[i]);
  for (std::size_t i = 0; i < kSources; ++i) numbers.emplace_back(kWaits[i], features.waits[i]);
  for (std::size_t i = 0; i < kSources && has_waits(features.longest_block_waits); ++i)
    numbers.emplace_back(kLongestBlockWaits[i], features.longest_block_waits[i]);
  if (!features.path.is_known()) return numbers;
  for (const PathField& field : kPathFields) numbers.emplace_back(field.name, features.path.*field.value);
  for (std::size_t i = 0; i < kSources; ++i) numbers.emplace_back(kPathWaits[i], features.path.waits[i]);
  return numbers;
}

LaunchFeatures features_from(const NamedNumbers& numbers) {
  LaunchFeatures features;
  for (const auto& [name, value] : numbers) {
    for (const FeatureField& field : kFeatureFields)
      if (field.name == name) features.*field.value = value;
    for (std::size_t i = 0; i < kUses.size(); ++i)
      if (kUses[i] == name) features.use[i] = static_cast<float>(value);
    for (std::size_t i = 0; i < kSources; ++i)
      if (kWaits[i] == name) features.waits[i] = value;
    for (std::size_t i = 0; i < kSources; ++i)
      if (kLongestBlockWaits[i] == name) features.longest_block_waits[i] = value;
    for (const PathField& field : kPathFields)
      if (field.name == name) features.path.*field.value = value;
    for (std::size_t i = 0; i < kSources; ++i)
      if (kPathWaits[i] == name) features.path.waits[i] = value;
  }
  return features;
}

}  // namespace cudalab::vgpu
