// Insights: for each kernel at most one statement about what costs it most, and the cell of the table that
// shows this cost. The table marks the cell; the text below the table explains it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "lab/result.h"

namespace cudalab::report {

// The columns of the table whose cells an insight can refer to.
enum class Quantity {
  kTime,
  kLoadSectors,     // global memory, sectors/request
  kStoreSectors,    // global memory, sectors/request
  kLoadConflicts,   // shared memory, conflicts/request
  kStoreConflicts,  // shared memory, conflicts/request
};

struct Insight {
  std::string row;                 // the name of the kernel's row
  std::optional<Quantity> cell;    // the cell of that row that gets a mark; empty: the cost has no column
  std::vector<Message> sentences;  // cause with its line, remedy, predicted gain; never empty
  double predicted_gain_ms = 0;    // how much less time the kernel would take without this cost
};

// The insights of a result, at most one per row, the largest predicted gain first. Rows that failed have
// none: what went wrong comes first.
std::vector<Insight> insights_of(const lab::Result& result);

}  // namespace cudalab::report
