// Explains what limits a kernel: a sentence about its predicted time, and its place under the GPU's roofline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "lab/result.h"
#include "report/text/table.h"

namespace cudalab::report {

// The roofline of a GPU and the kernels of a result under it, as text.

// A kernel's arithmetic intensity is its operations per byte of device memory traffic. Its attainable rate is
// the lower of two limits: peak arithmetic, and intensity times memory bandwidth.
struct Roof {
  double arithmetic_gflop_s = 0, memory_gb_s = 0;
  double height(double intensity) const;  // GFLOP/s
  double ridge() const;                   // the intensity at which both limits meet
};
Roof roof_of(const vgpu::Card& card, bool is_double);

// Operations per byte of device memory traffic; empty if a row's operations or bytes are unknown.
std::optional<double> intensity_of(const lab::Row& row);

// Whether the arithmetic limit is that of double precision.
bool computes_in_doubles(const lab::Result& result);
// The rows for which both coordinates are known.
std::vector<lab::Row> rows_under_roof(const lab::Result& result);

// One line per kernel; a sentence if there is nothing to show. For results of the virtual GPU.
std::string roofline_text(const lab::Result& result, const TableStyle& style);

// One sentence about what limits a kernel's predicted time. Pure functions; the prediction contains
// everything about the GPU.

// "shared memory takes 83 % of the ~940 us: 32 wavefronts per request". Empty if no time is predicted.
std::optional<Message> explain_limits(const lab::Row& row);

// "shared memory", "registers": the resource that limits the number of warps per SM.
Message name_of_limit(OccupancyLimit limit);

// "dram": "DRAM"
Message name_of_resource(const std::string& resource);

std::string predicted(double milliseconds);  // "~38.0 us"

}  // namespace cudalab::report
