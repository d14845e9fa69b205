// Two result documents side by side: what became better, by how much, and why.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "report/text/table.h"

namespace cudalab::report {

enum class Change { kSame, kBetter, kWorse, kOther };

struct ComparedNumber {
  std::string name;                  // "sectors a global store"
  std::string before, after;         // as they are shown; "-" where a document has none
  std::optional<double> ratio = {};  // after / before; nothing where one of them is not known or 0
  Change change = Change::kSame;
};

// The dearest accesses of one memory and kind; those that cost most beyond what would do.
struct ComparedAccess {
  LineAccess before, after;
};

struct ComparedRun {
  std::string name;  // "naive", or "naive -> padded" where the names differ
  std::vector<ComparedNumber> numbers;
  std::vector<std::string> why;  // sentences, in English as the names
  std::vector<ComparedAccess>
      accesses;  // whose requests cost another number of sectors or passes than before
};

struct Comparison {
  std::vector<std::string> differing;  // options: "rows 1024 -> 2048"
  std::vector<ComparedRun> runs;       // that both have, in the order of the first
  std::vector<std::string> only_before, only_after;
};

// Of two documents `cudalab.result/1`. Runs go together by their names; the only ones that are left on either
// side, too, so that two stages can be compared. What a document lacks is not compared.
Comparison compare_results(const nlohmann::json& before, const nlohmann::json& after);

std::string comparison_text(const Comparison& comparison, const TableStyle& style);

}  // namespace cudalab::report
