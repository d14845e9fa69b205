// Counts what the addresses of each warp touch.
#include "patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "lab/lab.h"

namespace cudalab::lab::read_offset {
namespace {

constexpr std::size_t kWarp = 32, kSector = 32, kLine = 128;
constexpr std::size_t kMostThreads = 1 << 20;  // that are looked at

struct Tally {
  double requests = 0, elements = 0, sectors = 0, lines = 0;
};

// How many pieces of `size` bytes hold the elements. A piece holds whole elements.
std::size_t pieces(std::array<std::size_t, kWarp> elements, std::size_t count, std::size_t per_piece) {
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(count);
  std::transform(elements.begin(), end, elements.begin(), [&](std::size_t at) { return at / per_piece; });
  std::sort(elements.begin(), end);
  return static_cast<std::size_t>(std::unique(elements.begin(), end) - elements.begin());
}

void add_request(const Pattern& pattern, std::size_t first, std::size_t last, std::size_t step,
                 std::size_t element_bytes, Tally& tally) {
  std::array<std::size_t, kWarp> elements{};
  std::size_t count = 0;
  for (std::size_t thread = first; thread < last; ++thread)
    if (const auto element = pattern.element(thread, step)) elements[count++] = *element;
  if (count == 0) return;
  ++tally.requests;
  tally.elements += static_cast<double>(count);
  tally.sectors += static_cast<double>(pieces(elements, count, kSector / element_bytes));
  tally.lines += static_cast<double>(pieces(elements, count, kLine / element_bytes));
}

}  // namespace

Touched touched(const Pattern& pattern, std::size_t element_bytes) {
  Tally tally;
  const std::size_t threads = std::min(pattern.threads, kMostThreads);
  for (std::size_t block = 0; block < threads; block += pattern.block) {
    const std::size_t end = std::min(block + pattern.block, threads);
    for (std::size_t first = block; first < end; first += kWarp)
      for (std::size_t step = 0; step < pattern.steps; ++step)
        add_request(pattern, first, std::min(first + kWarp, end), step, element_bytes, tally);
  }
  if (tally.requests == 0) return {};
  const double used = 100 * tally.elements * static_cast<double>(element_bytes);
  return {tally.sectors / tally.requests, tally.lines / tally.requests, used / (tally.sectors * kSector),
          used / (tally.lines * kLine)};
}

std::vector<std::string> lines_of_touched(const std::vector<Pattern>& patterns, std::size_t element_bytes) {
  std::vector<std::string> lines{
      fmt::format("{:<20}  {:>8} {:>7}   {:>8} {:>7}", "", "sectors,", "% used", "lines,", "% used")};
  for (const Pattern& pattern : patterns) {
    const Touched found = touched(pattern, element_bytes);
    lines.push_back(fmt::format("{:<20}  {:>8.2f} {:>7.1f}   {:>8.2f} {:>7.1f}", pattern.name, found.sectors,
                                found.of_sectors_used, found.lines, found.of_lines_used));
  }
  return lines;
}

std::optional<std::size_t> strided(std::size_t i, std::size_t n, std::size_t stride, std::size_t offset) {
  const std::size_t round = n / stride;
  if (i >= round * stride) return std::nullopt;
  const std::size_t element = i % round * stride + i / round + offset;
  return element < n ? std::optional(element) : std::nullopt;
}

std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t stream) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[random_bits(stream, left) % left]);
  return order;
}

}  // namespace cudalab::lab::read_offset
