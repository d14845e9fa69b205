// GPU models as data: limits that a launch is checked against, rates for predicted times, and their encoding
// as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/texture.h"

namespace cudalab::vgpu {

// GPU models as data: limits that a launch is checked against, and rates that times are predicted from. Each
// model is a file: cards/NAME.json.

// Each number has its source in the GPU's file; units and meanings are in kCardFigures.
struct Card {
  std::string id;          // as in `--card h200`
  std::string name;        // as the driver reports it
  bool validated = false;  // predicted times were compared with measurements on this GPU
  int compute_major = 0, compute_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t max_threads_per_block = 0;
  std::uint32_t max_block_x = 0, max_block_y = 0, max_block_z = 0;
  std::uint32_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  std::uint32_t max_threads_per_multiprocessor = 0, max_blocks_per_multiprocessor = 0;
  std::size_t shared_per_block = 0, shared_per_block_optin = 0, shared_per_multiprocessor = 0;
  std::size_t constant_bytes = 0;
  std::size_t l2_bytes = 0;
  std::size_t local_bytes_per_thread = 0;
  TextureLimits textures{};

  // Limits of the number of blocks per SM.
  std::uint32_t registers_per_multiprocessor = 0, registers_per_block = 0, max_registers_per_thread = 0;
  std::uint32_t register_unit = 0;
  std::size_t shared_unit = 0, shared_reserved_per_block = 0;
  std::uint32_t schedulers = 0;

  // Inputs of the time prediction.
  double clock_mhz = 0;
  double fp32_lanes = 0, fp64_lanes = 0, int_lanes = 0, sfu_lanes = 0, half_lanes = 0;
  double tensor_f16_fma = 0;
  std::size_t memory_bytes = 0;
  double dram_gb_per_second = 0;
  // With the bus width: device attributes that a program can query; 0 if the GPU's file does not say.
  double memory_clock_mhz = 0;
  std::uint32_t memory_bus_bits = 0;
  double l2_bytes_per_clock = 0;
  std::size_t l1_bytes = 0;
  double l1_bytes_per_clock = 0;
  double shared_latency_clocks = 0, l1_latency_clocks = 0, l2_latency_clocks = 0, dram_latency_clocks = 0,
         constant_latency_clocks = 0;
  double texture_latency_clocks = 0;  // 0 if the GPU's file does not say
  double launch_us = 0;
  double pinned_gb_per_second = 0, pageable_gb_per_second = 0, copy_us = 0;
  double peer_gb_per_second = 0;  // 0 if the GPU's file does not say: no NVLink
};

// Properties that all GPUs of a compute capability share.
struct Architecture {
  int compute_major = 0, compute_minor = 0;  // and all later ones, up to the next row
  // Sizes of shared memory that an SM can be configured for, in KiB, ascending. (CUDA C++ Programming
  // Guide 13.0, "Shared Memory" of each compute capability)
  std::vector<std::uint32_t> shared_kib;
  // Parts of the L2; each serves its share of the SMs, and data of the other part takes longer. (A100
  // whitepaper: two partitions; measured on the H200)
  std::uint32_t l2_parts = 1;
  // Slices of the L2 that work in parallel, measured; 0: one for each 64 bytes per cycle.
  std::uint32_t l2_slices = 0;
};
const Architecture& architecture_of(const Card& card);

// Bytes of L1 of an SM whose blocks use that much shared memory: shared memory takes the smallest
// configurable size that suffices.
std::uint64_t l1_bytes_beside(const Card& card, std::uint64_t shared_bytes);
std::uint32_t l2_slices(const Card& card);

// Supported from compute capability 9.0 on.
constexpr bool has_clusters(const Card& card) { return card.compute_major >= 9; }

// By the number of an enum cudaDeviceAttr; empty if unknown.
std::optional<std::uint64_t> cuda_attribute(const Card& card, std::int32_t attribute);

// One number of a GPU's file: its key is the name of the member of Card that it sets.
struct CardFigure {
  std::string_view key;
  std::variant<int Card::*, std::uint32_t Card::*, std::size_t Card::*, double Card::*> field;
  std::string_view unit, meaning;
  bool is_optional = false;
};
std::span<const CardFigure> card_figures();

// A number as given in a GPU's file.
struct GivenFigure {
  std::string key;
  double value = 0;
  std::string source;  // origin of the number: a data sheet, a measurement
};
struct CardDescription {
  std::string id, name;
  bool validated = false;
  std::vector<GivenFigure> figures;
};

// Throws Error(kUsage) that names a figure which is missing, unknown, duplicate or impossible.
Card card_of(const CardDescription& description);

// The built-in models, from cards/. The first one is the default.
std::span<const CardDescription> card_descriptions();
std::span<const Card> cards();
const Card* find_card(std::string_view id);

// Conversion of a model to text, for another process.

std::string text_of(const CardDescription& description);
// Throws Error(kUsage) if the text is invalid.
CardDescription description_from(std::string_view text);

}  // namespace cudalab::vgpu
