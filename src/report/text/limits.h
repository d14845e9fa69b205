// What limits a kernel: a sentence about its predicted time, and its place under the GPU's roofline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "lab/result.h"
#include "report/text/table.h"

namespace cudalab::report {

// The roofline of a card and where the kernels of a result stand under it, as text.

// A kernel does `intensity` operations for each byte of the card's memory; what it can reach at most is the
// lower of two ceilings: the card's arithmetic, and the intensity times the memory's bandwidth.
struct Roof {
  double arithmetic_gflop_s = 0, memory_gb_s = 0;
  double height(double intensity) const;  // GFLOP/s
  double ridge() const;                   // the intensity where both ceilings meet
};
Roof roof_of(const vgpu::Card& card, bool is_double);

// Operations a byte that comes from the card's memory or goes there; nothing where a row's operations or its
// bytes are not known.
std::optional<double> intensity_of(const lab::Row& row);

// Whether the ceiling of arithmetic is that of doubles.
bool computes_in_doubles(const lab::Result& result);
// Those of which both coordinates are known.
std::vector<lab::Row> rows_under_roof(const lab::Result& result);

// One line a kernel; a sentence where there is nothing to show. Of a result of the virtual GPU.
std::string roofline_text(const lab::Result& result, const TableStyle& style);

// Says in a sentence what limits a kernel's predicted time. Pure functions; what they know of the GPU is in
// the prediction.

// "shared memory takes 83 % of the ~940 us: 32 wavefronts per request". Empty if no time is predicted.
std::optional<Message> explain_limits(const lab::Row& row);

// "shared memory", "registers": what allows no more warps per SM
Message name_of_limit(OccupancyLimit limit);

// "dram": "DRAM"
Message name_of_resource(const std::string& resource);

std::string predicted(double milliseconds);  // "~38.0 us"

}  // namespace cudalab::report
