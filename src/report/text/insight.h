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
enum class InsightCell {
  kTime,
  kLoadSectors,     // global memory, sectors/request
  kStoreSectors,    // global memory, sectors/request
  kLoadConflicts,   // shared memory, conflicts/request
  kStoreConflicts,  // shared memory, conflicts/request
};

struct Insight {
  std::string row;                  // the name of the kernel's row
  std::size_t index = 0;            // index of that row in the result
  std::string kind;                 // a key for documents, such as "uncoalesced_stores"
  std::optional<InsightCell> cell;  // the cell of that row that is marked; empty: no column shows the cost
  SourceLine where{};               // the line with the largest cost; its file is empty if there is none
  // Clauses that become one sentence each: the cost, its cause, what to do (begins with an arrow), and the
  // predicted speed-up. The cause may be empty; the gain is empty if none is predicted.
  Message what{}, cause{}, remedy{}, gain{};
  std::optional<double> predicted_ms{};    // without this cost
  double predicted_gain_ms = 0;            // the predicted reduction of the time
  std::vector<Message> sentences() const;  // the clauses that are not empty
};

// The insights of a result, at most one per row, in the order of the rows. Rows that failed have none,
// because correctness comes first.
std::vector<Insight> insights_of(const lab::Result& result);

}  // namespace cudalab::report
