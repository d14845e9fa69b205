// Chooses the rows and columns of a result's table.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/languages/wording.h"
#include "lab/result.h"
#include "report/text/insight.h"
#include "report/text/layout.h"

namespace cudalab::report {

// The rows of the table. Of the CPU versions that do the same work, only the fastest, named without its
// number of threads: "cpu", or "cpu-walk" and "cpu-read" if there are several kinds of work. A CPU version
// that did not pass stays. Rows that passed and that a figure shows are left out.
std::vector<lab::Row> shown_rows(const lab::Result& result);

// All rows except those that passed and that a figure shows.
std::vector<lab::Row> all_rows(const lab::Result& result);

// The columns for `rows` of the result, in an order that does not depend on the width. The important columns
// fit into 80 columns: kernel, time, % of the reference, sectors/request, conflicts/request, result.
// `insights` mark the cells that they refer to.
std::vector<Column> columns_of_rows(const lab::Result& result, const std::vector<lab::Row>& rows,
                                    const std::vector<Insight>& insights, const Wording& wording);

// Columns for --verbose: occupancy, bytes, speed-ups over the CPU versions, the interpreter's own time.
std::vector<Column> details_of_rows(const std::vector<lab::Row>& rows, const Wording& wording);

// How the row's result compares with the expected one: "exact", "3 % of tolerance", "12 WRONG", "FAILED".
Message worded_result(const lab::Row& row);

Ink ink_of_verdict(lab::Verdict verdict);

}  // namespace cudalab::report
