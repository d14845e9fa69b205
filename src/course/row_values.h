// The values of a run that criteria can name, by their paths in a result document: "counters/ptx_barriers".
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "lab/lab.h"

namespace cudalab::course {

// Reads a number or a text from a row; null if the row does not have it.
using RowValue = std::function<nlohmann::json(const lab::Row& row)>;

// One path or a sum of paths, "counters/A + counters/B".
struct ValuePaths {
  std::string text = {};             // as written; empty if no value is named
  std::vector<RowValue> terms = {};  // reads each path from a row; empty before resolve()

  bool empty() const { return text.empty(); }
};

// The paths of a sum.
std::vector<std::string_view> paths_in(std::string_view sum);

// Looks up each path among the values that runs of this lab can have. Throws Error(kUsage) with `place` for
// an unknown path.
void resolve(ValuePaths& paths, const lab::Lab& lab, const Message& place);

}  // namespace cudalab::course
