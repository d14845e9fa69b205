// Adds up the accesses of each line and lays them out as columns before the source.
#include "report/text/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "core/text.h"
#include "report/text/explanations.h"
#include "report/text/layout.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

constexpr int kContext = 2;  // lines around an access, where the kernel's own lines are not known

// What the loads, or the stores, of a line did in one kind of memory.
struct Cost {
  AccessKind kind{};
  std::uint64_t requests = 0, transactions = 0, fewest = 0;
  std::uint64_t waste() const {
    const bool counts = static_cast<double>(transactions) > static_cast<double>(fewest) * kWorthMentioning;
    return counts ? transactions - fewest : 0;
  }
};

struct LineCost {
  std::vector<Cost> global;  // and local: both are counted in sectors
  std::vector<Cost> shared;
  int rank = 0;  // 1: wastes most; 0: wastes nothing
  std::uint64_t waste() const {
    std::uint64_t sum = 0;
    for (const std::vector<Cost>* costs : {&global, &shared})
      for (const Cost& cost : *costs) sum += cost.waste();
    return sum;
  }
};

void add(std::vector<Cost>& costs, const LineAccess& access) {
  auto cost =
      std::find_if(costs.begin(), costs.end(), [&](const Cost& known) { return known.kind == access.kind; });
  if (cost == costs.end()) cost = costs.insert(costs.end(), Cost{.kind = access.kind});
  cost->requests += access.requests;
  cost->transactions += access.transactions;
  cost->fewest += std::min(access.fewest_transactions, access.transactions);
}

using Costs = std::map<int, LineCost>;

void rank(Costs& costs) {
  std::vector<LineCost*> wasteful;
  for (auto& [line, cost] : costs)
    if (cost.waste() > 0) wasteful.push_back(&cost);
  std::stable_sort(wasteful.begin(), wasteful.end(),
                   [](const LineCost* a, const LineCost* b) { return a->waste() > b->waste(); });
  int next = 0;
  for (LineCost* cost : wasteful) cost->rank = ++next;
}

Costs costs_of(const lab::Row& row) {
  Costs costs;
  for (const LineAccess& access : row.accesses) {
    if (access.requests == 0 || access.where.file != row.source) continue;
    if (access.space == MemorySpace::kGlobal || access.space == MemorySpace::kLocal)
      add(costs[access.where.line].global, access);
    if (access.space == MemorySpace::kShared) add(costs[access.where.line].shared, access);
  }
  rank(costs);
  return costs;
}

// ---- cells -------------------------------------------------------------------------------------------

std::string per_request(std::uint64_t count, const Cost& cost) {
  return significant(static_cast<double>(count) / static_cast<double>(cost.requests));
}

std::string requests(const Cost& cost) {
  return counted(static_cast<double>(cost.requests), name_of(cost.kind));
}

// "32 for 4": found and needed; one number where they agree.
std::string sectors(const Cost& cost) {
  const std::string found = per_request(cost.transactions, cost);
  return cost.waste() > 0 ? fmt::format("{} for {}", found, per_request(cost.fewest, cost)) : found;
}

std::string mark(const LineCost& cost) { return cost.rank == 0 ? "" : fmt::format("#{}", cost.rank); }

Ink ink_of(const LineCost& cost) {
  if (cost.rank == 0) return Ink::kPlain;
  return cost.rank == 1 ? Ink::kBad : Ink::kUnsure;
}

struct ListedRow {
  std::string global_requests, sectors, shared_requests, conflicts, mark, line, source;
  std::string text() const {
    std::string text = fmt::format("{:>15} {:>9} {:>15} {:>9} {:>3} {:>5}  {}", global_requests, sectors,
                                   shared_requests, conflicts, mark, line, source);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }
};

// The first row of a line shows its source; one more follows for each further kind of access.
std::vector<ListedRow> rows_of(const LineCost& cost, int line, const std::string& source) {
  std::vector<ListedRow> rows(std::max<std::size_t>({1, cost.global.size(), cost.shared.size()}));
  for (std::size_t i = 0; i < cost.global.size(); ++i)
    rows[i].global_requests = requests(cost.global[i]), rows[i].sectors = sectors(cost.global[i]);
  for (std::size_t i = 0; i < cost.shared.size(); ++i)
    rows[i].shared_requests = requests(cost.shared[i]),
    rows[i].conflicts = per_request(cost.shared[i].waste(), cost.shared[i]);
  rows[0].mark = mark(cost);
  rows[0].line = std::to_string(line);
  rows[0].source = source;
  return rows;
}

std::string heading() {
  return ListedRow{"", "global", "", "shared", "", "", ""}.text() + "\n" +
         ListedRow{"requests", "sectors", "requests", "conflicts", "", "line", ""}.text();
}

// ---- which lines -------------------------------------------------------------------------------------

std::set<int> shown_lines(const Costs& costs, int first_line, int last_line) {
  std::set<int> shown;
  for (int line = first_line; line <= last_line && first_line > 0; ++line) shown.insert(line);
  const int around = first_line > 0 ? 0 : kContext;
  for (const auto& [line, cost] : costs)
    for (int near = std::max(1, line - around); near <= line + around; ++near) shown.insert(near);
  return shown;
}

// Accesses of included files, which the source does not show.
std::size_t elsewhere(const lab::Row& row) {
  return static_cast<std::size_t>(std::count_if(
      row.accesses.begin(), row.accesses.end(),
      [&](const LineAccess& access) { return access.requests > 0 && access.where.file != row.source; }));
}

std::string legend(const lab::Row& row, const Costs& costs) {
  std::string text = "Sectors and conflicts are those of one request of a warp";
  const bool wasteful =
      std::any_of(costs.begin(), costs.end(), [](const auto& row) { return row.second.rank > 0; });
  text += wasteful ? "; \"8 for 4\": 8 where 4 would do; #1 wastes most." : "; no line wastes any.";
  const std::size_t others = elsewhere(row);
  if (others == 1) text += "\n1 access stands in another file.";
  if (others > 1) text += fmt::format("\n{} accesses stand in other files.", others);
  return text + "\n";
}

// Where lanes of a warp go different ways, most often first.
std::string divergence(const lab::Row& row) {
  std::vector<LineExecution> parting;
  for (const LineExecution& line : row.executions)
    if (line.divergent_branches > 0 && line.where.file == row.source) parting.push_back(line);
  std::stable_sort(parting.begin(), parting.end(), [](const LineExecution& a, const LineExecution& b) {
    return a.divergent_branches > b.divergent_branches;
  });
  std::string text;
  for (const LineExecution& line : parting)
    text += fmt::format("Line {}: at {} of {} the lanes of a warp go different ways.\n", line.where.line,
                        line.divergent_branches, counted(static_cast<double>(line.branches), "branch"));
  return text;
}

}  // namespace

std::string lines_text(const lab::Row& row, std::string_view source, int first_line, int last_line,
                       const LinesStyle& style) {
  if (!row.counters)
    return "Nothing was counted, so there is nothing to show beside the lines: run with --device virtual.\n";
  const Costs costs = costs_of(row);
  const std::vector<std::string> lines = lines_in(source);
  std::string text = inked(heading(), Ink::kHeading, style.colour) + "\n";
  int before = 0;
  for (const int line : shown_lines(costs, first_line, last_line)) {
    if (line > static_cast<int>(lines.size())) break;
    if (before != 0 && line != before + 1) text += ListedRow{"", "", "", "", "", "...", ""}.text() + "\n";
    const auto found = costs.find(line);
    const LineCost cost = found == costs.end() ? LineCost{} : found->second;
    for (const ListedRow& row : rows_of(cost, line, lines[static_cast<std::size_t>(line - 1)]))
      text += inked(row.text(), ink_of(cost), style.colour) + "\n";
    before = line;
  }
  return text + legend(row, costs) + divergence(row);
}

}  // namespace cudalab::report
