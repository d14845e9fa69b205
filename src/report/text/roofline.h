// The roofline of a card and where the kernels of a result stand under it, as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/text/table.h"

namespace cudalab::report {

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

}  // namespace cudalab::report
