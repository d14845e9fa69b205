// Two result documents side by side: what became better, by how much, and why.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/measurement.h"
#include "report/text/table.h"

namespace cudalab::report {

enum class Change { kSame, kBetter, kWorse, kOther };

struct ComparedNumber {
  Message name;                      // "sectors a global store"
  std::string before, after;         // as they are shown; "-" where a document has none
  std::optional<double> ratio = {};  // after / before; nothing where one of them is not known or 0
  Change change = Change::kSame;
  bool is_time = false;
};

// The dearest accesses of one memory and kind; those that cost most beyond what would do.
struct ComparedAccess {
  LineAccess before, after;
};

struct ComparedRun {
  std::string name;  // "naive", or "naive -> padded" where the names differ
  std::vector<ComparedNumber> numbers;
  std::vector<Message> why;  // sentences
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

Message worded(Change change);  // "better"; no message for kOther
// "They differ in: …"; no message where they do not.
Message said_differences(const Comparison& comparison);
// Which runs have no partner.
std::vector<Message> said_alone(const Comparison& comparison);

std::string comparison_text(const Comparison& comparison, const TableStyle& style);

}  // namespace cudalab::report
