// GPU models as data: limits that a launch is checked against, rates for predicted times, and their encoding
// as text.
#include "vgpu/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "messages/vgpu.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// Text form of a model. Sources of figures are omitted.
//
//   mine
//   My card
//   multiprocessors=7
//   …

namespace {

GivenFigure figure_from(const std::string& line) {
  const std::size_t equals = line.find('=');
  GivenFigure figure{line.substr(0, equals), 0, ""};
  const char* const end = line.data() + line.size();
  const char* const begin = equals == std::string::npos ? end : line.data() + equals + 1;
  if (begin == end || std::from_chars(begin, end, figure.value).ptr != end)
    throw usage_error(msg::card_line_no_figure(Code{line}));
  return figure;
}

}  // namespace

std::string text_of(const CardDescription& description) {
  std::string text = description.id + "\n" + description.name + "\n";
  for (const GivenFigure& figure : description.figures)
    text += fmt::format("{}={:.17g}\n", figure.key, figure.value);
  return text;
}

CardDescription description_from(std::string_view text) {
  CardDescription description;
  description.id = std::string(take_line(text));
  description.name = std::string(take_line(text));
  while (!text.empty()) description.figures.push_back(figure_from(std::string(take_line(text))));
  return description;
}

namespace {

// Key, field, unit, meaning. Rates per cycle are those of one SM, unless the meaning names the whole L2.
constexpr std::array kFigures{
    CardFigure{"compute_major", &Card::compute_major, "", "compute capability, before the point"},
    CardFigure{"compute_minor", &Card::compute_minor, "", "compute capability, after the point"},
    CardFigure{"multiprocessors", &Card::multiprocessors, "", "number of SMs"},
    CardFigure{"max_threads_per_block", &Card::max_threads_per_block, "threads", "per block"},
    CardFigure{"max_block_x", &Card::max_block_x, "threads", "per block in x"},
    CardFigure{"max_block_y", &Card::max_block_y, "threads", "per block in y"},
    CardFigure{"max_block_z", &Card::max_block_z, "threads", "per block in z"},
    CardFigure{"max_grid_x", &Card::max_grid_x, "blocks", "per grid in x"},
    CardFigure{"max_grid_y", &Card::max_grid_y, "blocks", "per grid in y"},
    CardFigure{"max_grid_z", &Card::max_grid_z, "blocks", "per grid in z"},
    CardFigure{"max_threads_per_multiprocessor", &Card::max_threads_per_multiprocessor, "threads",
               "resident per SM"},
    CardFigure{"max_blocks_per_multiprocessor", &Card::max_blocks_per_multiprocessor, "blocks",
               "resident per SM"},
    CardFigure{"shared_per_block", &Card::shared_per_block, "bytes", "per block, without opt-in"},
    CardFigure{"shared_per_block_optin", &Card::shared_per_block_optin, "bytes", "per block, with opt-in"},
    CardFigure{"shared_per_multiprocessor", &Card::shared_per_multiprocessor, "bytes",
               "per SM, for all its blocks"},
    CardFigure{"constant_bytes", &Card::constant_bytes, "bytes", "for __constant__ variables"},
    CardFigure{"local_bytes_per_thread", &Card::local_bytes_per_thread, "bytes", "per thread"},
    CardFigure{"registers_per_multiprocessor", &Card::registers_per_multiprocessor, "registers",
               "per SM, 4 bytes each"},
    CardFigure{"registers_per_block", &Card::registers_per_block, "registers", "per block"},
    CardFigure{"max_registers_per_thread", &Card::max_registers_per_thread, "registers", "per thread"},
    CardFigure{"register_unit", &Card::register_unit, "registers", "allocation unit of a warp"},
    CardFigure{"shared_unit", &Card::shared_unit, "bytes", "allocation unit of a block"},
    CardFigure{"shared_reserved_per_block", &Card::shared_reserved_per_block, "bytes",
               "reserved by the system per block"},
    CardFigure{"schedulers", &Card::schedulers, "", "per SM; each issues one instruction per cycle"},
    CardFigure{"clock_mhz", &Card::clock_mhz, "MHz", "highest clock of the SMs"},
    CardFigure{"fp32_lanes", &Card::fp32_lanes, "results per cycle", "32-bit floating point"},
    CardFigure{"fp64_lanes", &Card::fp64_lanes, "results per cycle", "64-bit floating point"},
    CardFigure{"int_lanes", &Card::int_lanes, "results per cycle", "32-bit integers"},
    CardFigure{"sfu_lanes", &Card::sfu_lanes, "results per cycle",
               "SFU: reciprocals, roots, sines, exponentials"},
    CardFigure{"half_lanes", &Card::half_lanes, "results per cycle", "16-bit floating point"},
    CardFigure{"tensor_f16_fma", &Card::tensor_f16_fma, "multiply-adds per cycle",
               "dense f16 matrices on tensor cores"},
    CardFigure{"memory_bytes", &Card::memory_bytes, "bytes", "of device memory"},
    CardFigure{"dram_gb_per_second", &Card::dram_gb_per_second, "GB/s",
               "of device memory, by the data sheet"},
    CardFigure{"memory_clock_mhz", &Card::memory_clock_mhz, "MHz", "of device memory, as programs see it",
               true},
    CardFigure{"memory_bus_bits", &Card::memory_bus_bits, "bits", "of the memory bus", true},
    CardFigure{"l2_bytes", &Card::l2_bytes, "bytes", "of the L2 cache"},
    CardFigure{"l2_bytes_per_clock", &Card::l2_bytes_per_clock, "bytes per cycle", "of the whole L2"},
    CardFigure{"l1_bytes", &Card::l1_bytes, "bytes", "of L1 and shared memory per SM"},
    CardFigure{"l1_bytes_per_clock", &Card::l1_bytes_per_clock, "bytes per cycle", "of L1 or shared memory"},
    CardFigure{"shared_latency_clocks", &Card::shared_latency_clocks, "cycles",
               "latency of a load from shared memory"},
    CardFigure{"l1_latency_clocks", &Card::l1_latency_clocks, "cycles", "latency of a load that hits L1"},
    CardFigure{"l2_latency_clocks", &Card::l2_latency_clocks, "cycles", "latency of a load that hits L2"},
    CardFigure{"dram_latency_clocks", &Card::dram_latency_clocks, "cycles", "latency of a load from DRAM"},
    CardFigure{"constant_latency_clocks", &Card::constant_latency_clocks, "cycles",
               "latency of a load from cached constant memory"},
    CardFigure{"texture_latency_clocks", &Card::texture_latency_clocks, "cycles",
               "latency of a fetch through a texture of linear memory that hits L1", true},
    CardFigure{"launch_us", &Card::launch_us, "us", "launch overhead"},
    CardFigure{"pinned_gb_per_second", &Card::pinned_gb_per_second, "GB/s",
               "host to device, from pinned memory"},
    CardFigure{"pageable_gb_per_second", &Card::pageable_gb_per_second, "GB/s",
               "host to device, from pageable memory"},
    CardFigure{"copy_us", &Card::copy_us, "us", "overhead of a copy between host and device"},
    CardFigure{"peer_gb_per_second", &Card::peer_gb_per_second, "GB/s",
               "between two GPUs with peer access, in one direction", true},
};

template <class T>
void set_field(Card& card, T Card::*field, const GivenFigure& given) {
  if constexpr (std::is_integral_v<T>)
    if (given.value != std::floor(given.value) ||
        given.value > static_cast<double>(std::min<std::uint64_t>(std::numeric_limits<T>::max(), 1ull << 53)))
      throw usage_error(msg::card_figure_not_whole(Code{card.id}, given.key, given.value));
  card.*field = static_cast<T>(given.value);
}

const CardFigure& figure_named(const Card& card, const std::string& key) {
  const auto found = std::ranges::find(kFigures, key, &CardFigure::key);
  if (found == kFigures.end()) throw usage_error(msg::card_figure_unknown(Code{card.id}, Code{key}));
  return *found;
}

// Only these figures may be zero; others are divisors or would be meaningless.
bool may_be_zero(std::string_view key) {
  return key == "compute_minor" || key == "shared_reserved_per_block";
}

void set_figure(Card& card, const GivenFigure& given) {
  const CardFigure& figure = figure_named(card, given.key);
  if (!std::isfinite(given.value) || given.value < 0 || (given.value == 0 && !may_be_zero(given.key)))
    throw usage_error(msg::card_figure_not_positive(Code{card.id}, given.key, given.value));
  std::visit([&](auto field) { set_field(card, field, given); }, figure.field);
}

std::vector<CardDescription> built_in() {
  return {
#include "vgpu/cards.inc"
  };
}

}  // namespace

std::span<const CardFigure> card_figures() { return kFigures; }

Card card_of(const CardDescription& description) {
  Card card;
  card.id = description.id;
  card.name = description.name;
  card.validated = description.validated;
  std::set<std::string_view> seen;
  for (const GivenFigure& given : description.figures) {
    set_figure(card, given);
    if (!seen.insert(given.key).second) throw usage_error(msg::card_figure_twice(Code{card.id}, given.key));
  }
  for (const CardFigure& figure : kFigures)
    if (!figure.is_optional && !seen.contains(figure.key))
      throw usage_error(
          msg::card_figure_missing(Code{card.id}, Code{std::string(figure.key)}, figure.meaning));
  return card;
}

const Architecture& architecture_of(const Card& card) {
  static const std::vector<Architecture> kArchitectures{
      {.compute_major = 7, .compute_minor = 0, .shared_kib = {0, 8, 16, 32, 64, 96}},
      {.compute_major = 7, .compute_minor = 5, .shared_kib = {32, 64}},
      {.compute_major = 8,
       .compute_minor = 0,
       .shared_kib = {0, 8, 16, 32, 64, 100, 132, 164},
       .l2_parts = 2},
      {.compute_major = 8, .compute_minor = 6, .shared_kib = {0, 8, 16, 32, 64, 100}},
      {.compute_major = 9,
       .compute_minor = 0,
       .shared_kib = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228},
       .l2_parts = 2,
       .l2_slices = 96},
  };
  const Architecture* latest = &kArchitectures.front();
  for (const Architecture& each : kArchitectures)
    if (std::pair(each.compute_major, each.compute_minor) <=
        std::pair(card.compute_major, card.compute_minor))
      latest = &each;
  return *latest;
}

std::uint64_t l1_bytes_beside(const Card& card, std::uint64_t shared_bytes) {
  constexpr std::uint64_t kKiB = 1024;
  const std::vector<std::uint32_t>& sizes = architecture_of(card).shared_kib;
  const auto chosen =
      std::ranges::find_if(sizes, [&](std::uint64_t kib) { return kib * kKiB >= shared_bytes; });
  const std::uint64_t shared = (chosen == sizes.end() ? sizes.back() : *chosen) * kKiB;
  return card.l1_bytes - std::min<std::uint64_t>(shared, card.l1_bytes);
}

std::uint32_t l2_slices(const Card& card) {
  constexpr double kBytesOfSlice = 64;  // per cycle
  const std::uint32_t known = architecture_of(card).l2_slices;
  return known > 0 ? known
                   : std::max(1u, static_cast<std::uint32_t>(card.l2_bytes_per_clock / kBytesOfSlice));
}

std::optional<std::uint64_t> cuda_attribute(const Card& card, std::int32_t attribute) {
  switch (attribute) {
    case 1: return card.max_threads_per_block;
    case 2: return card.max_block_x;
    case 3: return card.max_block_y;
    case 4: return card.max_block_z;
    case 5: return card.max_grid_x;
    case 6: return card.max_grid_y;
    case 7: return card.max_grid_z;
    case 8: return card.shared_per_block;
    case 10: return kWarpSize;
    case 16: return card.multiprocessors;
    case 75: return card.compute_major;
    case 76: return card.compute_minor;
    case 97: return card.shared_per_block_optin;
    default: return std::nullopt;
  }
}

std::span<const CardDescription> card_descriptions() {
  static const std::vector<CardDescription> descriptions = built_in();
  return descriptions;
}

std::span<const Card> cards() {
  static const std::vector<Card> all = [] {
    std::vector<Card> made;
    for (const CardDescription& description : card_descriptions()) made.push_back(card_of(description));
    return made;
  }();
  return all;
}

const Card* find_card(std::string_view id) {
  for (const Card& card : cards())
    if (card.id == id) return &card;
  return nullptr;
}

}  // namespace cudalab::vgpu
