// Adds up the accesses of each source line and shows them in columns before the source.
#include "report/text/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/text.h"
#include "messages/report.h"
#include "report/text/explanations.h"
#include "report/text/layout.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

constexpr int kContext = 2;  // lines around an access, if the kernel's range of lines is unknown

// The cost of a line's loads, or of its stores, in one kind of memory.
struct Cost {
  AccessKind kind{};
  std::uint64_t requests = 0, transactions = 0, fewest = 0;
  std::uint64_t waste() const {
    const bool counts = static_cast<double>(transactions) > static_cast<double>(fewest) * kWorthMentioning;
    return counts ? transactions - fewest : 0;
  }
};

struct LineCost {
  std::vector<Cost> global;  // global and local memory: both are counted in sectors
  std::vector<Cost> shared;
  int rank = 0;  // 1: largest waste; 0: no waste
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

Message requests(const Cost& cost) {
  switch (cost.kind) {
    case AccessKind::kLoad: return msg::count_loads(cost.requests);
    case AccessKind::kStore: return msg::count_stores(cost.requests);
    case AccessKind::kAtomic: return msg::count_atomics(cost.requests);
    case AccessKind::kReduction: break;
  }
  return msg::count_reductions(cost.requests);
}

// "32 (4)": found and minimum; one number if they are equal.
Message sectors(const Cost& cost) {
  const std::string found = per_request(cost.transactions, cost);
  return cost.waste() > 0 ? msg::lines_cost(found, per_request(cost.fewest, cost)) : Message::verbatim(found);
}

std::string mark(const LineCost& cost) { return cost.rank == 0 ? "" : fmt::format("#{}", cost.rank); }

Ink ink_of(const LineCost& cost) {
  if (cost.rank == 0) return Ink::kPlain;
  return cost.rank == 1 ? Ink::kBad : Ink::kUnsure;
}

struct ListedRow {
  std::string global_requests, sectors, shared_requests, conflicts, mark, line, source;
  std::string text() const {
    std::string text =
        fmt::format("{} {} {} {} {} {}  {}", right_aligned(global_requests, 15), right_aligned(sectors, 9),
                    right_aligned(shared_requests, 15), right_aligned(conflicts, 9), right_aligned(mark, 3),
                    right_aligned(line, 5), source);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }
};

// The first row of a line shows its source; one more follows for each further kind of access.
std::vector<ListedRow> rows_of(const LineCost& cost, int line, const std::string& source,
                               const Wording& wording) {
  std::vector<ListedRow> rows(std::max<std::size_t>({1, cost.global.size(), cost.shared.size()}));
  for (std::size_t i = 0; i < cost.global.size(); ++i)
    rows[i].global_requests = wording.say(requests(cost.global[i])),
    rows[i].sectors = wording.say(sectors(cost.global[i]));
  for (std::size_t i = 0; i < cost.shared.size(); ++i)
    rows[i].shared_requests = wording.say(requests(cost.shared[i])),
    rows[i].conflicts = per_request(cost.shared[i].waste(), cost.shared[i]);
  rows[0].mark = mark(cost);
  rows[0].line = std::to_string(line);
  rows[0].source = source;
  return rows;
}

std::string heading(const Wording& wording) {
  const std::string requests = wording.say(msg::column_requests());
  const ListedRow above{"", wording.say(msg::column_global()), "", wording.say(msg::column_shared()), "", "",
                        ""},
      below{requests, wording.say(msg::column_sectors()), requests, wording.say(msg::column_conflicts()),
            "",       wording.say(msg::column_line()),    ""};
  return above.text() + "\n" + below.text();
}

// ---- choice of lines ---------------------------------------------------------------------------------

std::set<int> shown_lines(const Costs& costs, int first_line, int last_line) {
  std::set<int> shown;
  for (int line = first_line; line <= last_line && first_line > 0; ++line) shown.insert(line);
  const int around = first_line > 0 ? 0 : kContext;
  for (const auto& [line, cost] : costs)
    for (int near = std::max(1, line - around); near <= line + around; ++near) shown.insert(near);
  return shown;
}

// The number of accesses in included files, which the source does not show.
std::size_t elsewhere(const lab::Row& row) {
  return static_cast<std::size_t>(std::count_if(
      row.accesses.begin(), row.accesses.end(),
      [&](const LineAccess& access) { return access.requests > 0 && access.where.file != row.source; }));
}

std::string legend(const lab::Row& row, const Costs& costs, const Wording& wording) {
  const bool wasteful =
      std::any_of(costs.begin(), costs.end(), [](const auto& row) { return row.second.rank > 0; });
  std::string text = wording.say(wasteful ? msg::lines_legend_wasteful() : msg::lines_legend());
  if (const std::size_t others = elsewhere(row)) text += "\n" + wording.say(msg::lines_elsewhere(others));
  return text + "\n";
}

// The lines at which lanes diverge, the most frequent first.
std::string divergence(const lab::Row& row, const Wording& wording) {
  std::vector<LineExecution> parting;
  for (const LineExecution& line : row.executions)
    if (line.divergent_branches > 0 && line.where.file == row.source) parting.push_back(line);
  std::stable_sort(parting.begin(), parting.end(), [](const LineExecution& a, const LineExecution& b) {
    return a.divergent_branches > b.divergent_branches;
  });
  std::string text;
  for (const LineExecution& line : parting)
    text +=
        wording.say(msg::lines_divergence(line.where.line, line.divergent_branches, line.branches)) + "\n";
  return text;
}

}  // namespace

std::string lines_text(const lab::Row& row, std::string_view source, int first_line, int last_line,
                       const LinesStyle& style) {
  const Wording& wording = style.wording;
  if (!row.counters) return wording.say(msg::lines_not_counted()) + "\n";
  const Costs costs = costs_of(row);
  const std::vector<std::string> lines = lines_in(source);
  std::string text = inked(heading(wording), Ink::kHeading, style.colour) + "\n";
  int before = 0;
  for (const int line : shown_lines(costs, first_line, last_line)) {
    if (line > static_cast<int>(lines.size())) break;
    if (before != 0 && line != before + 1) text += ListedRow{"", "", "", "", "", "...", ""}.text() + "\n";
    const auto found = costs.find(line);
    const LineCost cost = found == costs.end() ? LineCost{} : found->second;
    for (const ListedRow& row : rows_of(cost, line, lines[static_cast<std::size_t>(line - 1)], wording))
      text += inked(row.text(), ink_of(cost), style.colour) + "\n";
    before = line;
  }
  return text + legend(row, costs, wording) + divergence(row, wording);
}

}  // namespace cudalab::report
