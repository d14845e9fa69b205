// Compares two result documents: what improved, by how much, and why.
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
  Message name;                      // "sectors per global store"
  std::string before, after;         // as shown; "-" if a document lacks the number
  std::optional<double> ratio = {};  // after / before; empty if one of them is unknown or 0
  Change change = Change::kSame;
  bool is_time = false;
};

// The accesses of one memory and kind with the largest excess over the minimum.
struct ComparedAccess {
  LineAccess before, after;
};

struct ComparedRun {
  std::string name;  // "naive", or "naive -> padded" if the names differ
  std::vector<ComparedNumber> numbers;
  std::vector<Message> why;  // sentences
  std::vector<ComparedAccess>
      accesses;  // accesses with a changed number of sectors or wavefronts per request
};

struct Comparison {
  std::vector<std::string> differing;  // options: "rows 1024 -> 2048"
  std::vector<ComparedRun> runs;       // the runs that both documents have, in the order of the first
  std::vector<std::string> only_before, only_after;
};

// Compares two documents `cudalab.result/1`. Runs are paired by name. If one run is left on each side, these
// two are paired, too, which allows comparing two stages. Numbers that one document lacks are not compared.
Comparison compare_results(const nlohmann::json& before, const nlohmann::json& after);

Message worded(Change change);  // "better"; no message for kOther
// "They differ in: …"; no message if they do not differ.
Message said_differences(const Comparison& comparison);
// Sentences about the runs without a partner.
std::vector<Message> said_alone(const Comparison& comparison);

std::string comparison_text(const Comparison& comparison, const TableStyle& style);

}  // namespace cudalab::report
