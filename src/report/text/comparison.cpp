// Compares two result documents: a table of their numbers, and sentences about those that changed.
#include "report/text/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "messages/report.h"
#include "report/text/layout.h"
#include "report/text/limits.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

using ResultJson = nlohmann::json;

// ---- reading -------------------------------------------------------------------------------------------

const ResultJson* member(const ResultJson& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// "time_ms/median"
const ResultJson* at_path(const ResultJson& object, std::string_view path) {
  const ResultJson* here = &object;
  while (here && !path.empty()) {
    const std::size_t slash = path.find('/');
    here = member(*here, path.substr(0, slash));
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return here;
}

std::optional<double> number_at(const ResultJson& object, std::string_view path) {
  const ResultJson* found = at_path(object, path);
  if (found && found->is_array()) return static_cast<double>(found->size());
  return found && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::string text_at(const ResultJson& object, std::string_view path) {
  const ResultJson* found = at_path(object, path);
  return found && found->is_string() ? harmless_line(found->get<std::string>()) : "";
}

// ---- the numbers ---------------------------------------------------------------------------------------

enum class Wish { kLess, kMore };

struct NumberRow {
  Message (*name)();
  std::string_view path, per;  // per: the path of the divisor; empty: none
  Wish wish = Wish::kLess;
  bool is_time = false;
};

constexpr NumberRow kNumbers[]{
    {msg::column_time, "time_ms/median", "", Wish::kLess, true},
    {msg::number_predicted_time, "predicted_ms", "", Wish::kLess, true},
    {msg::number_hazards, "hazards", ""},
    {msg::number_wrong_elements, "check/mismatches", ""},
    {msg::number_global_load_sectors, "counters/l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "counters/l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {msg::number_global_store_sectors, "counters/l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "counters/l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {msg::number_global_load_requests, "counters/l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", ""},
    {msg::number_global_store_requests, "counters/l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", ""},
    {msg::number_shared_load_conflicts, "counters/l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "counters/ptx_shared_load_requests"},
    {msg::number_shared_store_conflicts, "counters/l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "counters/ptx_shared_store_requests"},
    {msg::number_global_atomics, "counters/l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", ""},
    {msg::number_barriers, "counters/ptx_barriers", ""},
    {msg::number_divergent_branches, "counters/ptx_divergent_branches", ""},
    {msg::number_warp_instructions, "counters/ptx_warp_instructions", ""},
    {msg::column_active_lanes, "counters/ptx_active_lanes_per_instruction", "", Wish::kMore},
    {msg::number_warps_per_sm, "occupancy/warps", "", Wish::kMore},
    {msg::number_registers_per_thread, "occupancy/registers", ""},
};

std::optional<double> value_of(const NumberRow& row, const ResultJson& run) {
  const auto value = number_at(run, row.path);
  if (!value || row.per.empty()) return value;
  const auto per = number_at(run, row.per);
  return per && *per > 0 ? std::optional(*value / *per) : std::nullopt;
}

std::string shown_value(const NumberRow& row, const std::optional<double>& value) {
  if (!value) return "-";
  if (!row.is_time) return significant(*value);
  return row.path == "predicted_ms" ? predicted(*value) : duration(*value);
}

Change change_between(const NumberRow& row, double before, double after) {
  constexpr double kSame = 0.005;  // relative change; smaller ones are rounding or noise
  if (std::fabs(after - before) <= kSame * std::fabs(before)) return Change::kSame;
  return (after < before) == (row.wish == Wish::kLess) ? Change::kBetter : Change::kWorse;
}

std::optional<ComparedNumber> compared(const NumberRow& row, const ResultJson& before,
                                       const ResultJson& after) {
  const auto a = value_of(row, before), b = value_of(row, after);
  if (!a && !b) return std::nullopt;
  if (a == 0 && b == 0) return std::nullopt;
  ComparedNumber number{row.name(), shown_value(row, a), shown_value(row, b),
                        {},         Change::kOther,      row.is_time};
  if (!a || !b) return number;
  if (*a != 0 && *b != 0) number.ratio = *b / *a;
  number.change = change_between(row, *a, *b);
  return number;
}

// ---- why -----------------------------------------------------------------------------------------------

// The largest part of the predicted time, and its share.
struct GreatestLimit {
  Message name;
  double share = 0;
};
std::optional<GreatestLimit> limit_of(const ResultJson& run) {
  const ResultJson* limits = member(run, "limits");
  if (!limits || !limits->is_array() || limits->empty()) return std::nullopt;
  const auto share = number_at(limits->front(), "share");
  if (!share) return std::nullopt;
  return GreatestLimit{name_of_resource(text_at(limits->front(), "resource")), *share};
}

Message sentence_on_times(double before, double after, bool is_measured) {
  const auto shown = [is_measured](double ms) { return is_measured ? duration(ms) : predicted(ms); };
  const bool is_faster = before >= after;
  const std::string times = significant(is_faster ? before / after : after / before), was = shown(before),
                    is = shown(after);
  if (is_measured)
    return is_faster ? msg::compare_is_faster(times, was, is) : msg::compare_is_slower(times, was, is);
  return is_faster ? msg::compare_would_be_faster(times, was, is)
                   : msg::compare_would_be_slower(times, was, is);
}

// The memory or instruction count with the largest relative change.
const ComparedNumber* greatest_change(const std::vector<ComparedNumber>& numbers) {
  const ComparedNumber* found = nullptr;
  for (const ComparedNumber& number : numbers) {
    if (number.is_time || !number.ratio || *number.ratio <= 0) continue;
    if (number.change != Change::kBetter && number.change != Change::kWorse) continue;
    if (!found || std::fabs(std::log(*number.ratio)) > std::fabs(std::log(*found->ratio))) found = &number;
  }
  return found;
}

std::vector<Message> reasons_for(const ResultJson& before, const ResultJson& after,
                                 const std::vector<ComparedNumber>& numbers) {
  std::vector<Message> why;
  const bool is_measured = number_at(before, "time_ms/median") && number_at(after, "time_ms/median");
  const char* path = is_measured ? "time_ms/median" : "predicted_ms";
  const auto a = number_at(before, path), b = number_at(after, path);
  if (a && b && *a > 0 && *b > 0) why.push_back(sentence_on_times(*a, *b, is_measured));
  const auto was = limit_of(before), is = limit_of(after);
  if (was && is)
    why.push_back(
        msg::compare_limits(was->name, percent(100 * was->share), is->name, percent(100 * is->share)));
  if (const ComparedNumber* most = greatest_change(numbers))
    why.push_back(msg::compare_greatest_change(most->name, most->before, most->after));
  const std::string verdict_before = text_at(before, "verdict"), verdict_after = text_at(after, "verdict");
  if (verdict_before != verdict_after) why.push_back(msg::compare_verdicts(verdict_before, verdict_after));
  return why;
}

// ---- runs ----------------------------------------------------------------------------------------------

std::vector<const ResultJson*> runs_of(const ResultJson& document) {
  std::vector<const ResultJson*> runs;
  const ResultJson* list = member(document, "runs");
  if (!list || !list->is_array()) return runs;
  for (const ResultJson& run : *list)
    if (text_at(run, "kind") != "cpu") runs.push_back(&run);
  return runs;
}

// ---- accesses ------------------------------------------------------------------------------------------

std::uint64_t count_at(const ResultJson& object, std::string_view path) {
  constexpr double kMost = 1e15;
  return static_cast<std::uint64_t>(std::clamp(number_at(object, path).value_or(0), 0.0, kMost));
}

LineAccess access_in(const ResultJson& json, MemorySpace space, AccessKind kind) {
  LineAccess access{
      {text_at(json, "file"), static_cast<int>(std::min<std::uint64_t>(count_at(json, "line"), INT32_MAX))},
      space,
      kind};
  access.bytes_per_lane =
      static_cast<int>(std::min<std::uint64_t>(count_at(json, "bytes_per_lane"), INT32_MAX));
  access.requests = count_at(json, "requests");
  access.transactions = count_at(json, "transactions");
  access.fewest_transactions = count_at(json, "fewest_transactions");
  access.lanes = count_at(json, "lanes");
  if (const auto stride = number_at(json, "lane_stride_bytes"); stride && std::fabs(*stride) < INT32_MAX)
    access.lane_stride_bytes = static_cast<std::int64_t>(*stride);
  return access;
}

double cost_of(const LineAccess& access) {
  return static_cast<double>(access.transactions) /
         static_cast<double>(std::max<std::uint64_t>(access.requests, 1));
}

std::optional<LineAccess> dearest(const ResultJson& run, MemorySpace space, AccessKind kind) {
  std::optional<LineAccess> found;
  const ResultJson* all = member(run, "accesses");
  for (const ResultJson& json : all && all->is_array() ? *all : ResultJson::array()) {
    if (text_at(json, "space") != name_of(space) || text_at(json, "kind") != name_of(kind)) continue;
    const LineAccess access = access_in(json, space, kind);
    if (access.requests > 0 && (!found || cost_of(access) > cost_of(*found))) found = access;
  }
  return found;
}

std::vector<ComparedAccess> compared_accesses(const ResultJson& before, const ResultJson& after) {
  std::vector<ComparedAccess> accesses;
  for (const MemorySpace space : {MemorySpace::kGlobal, MemorySpace::kShared})
    for (const AccessKind kind : {AccessKind::kLoad, AccessKind::kStore}) {
      const auto was = dearest(before, space, kind), is = dearest(after, space, kind);
      if (was && is && cost_of(*was) != cost_of(*is)) accesses.push_back({*was, *is});
    }
  return accesses;
}

ComparedRun compared_run(const ResultJson& before, const ResultJson& after) {
  ComparedRun run;
  const std::string was = text_at(before, "name"), is = text_at(after, "name");
  run.name = was == is ? was : fmt::format("{} -> {}", was, is);
  for (const NumberRow& row : kNumbers)
    if (auto number = compared(row, before, after)) run.numbers.push_back(std::move(*number));
  run.why = reasons_for(before, after, run.numbers);
  run.accesses = compared_accesses(before, after);
  return run;
}

std::vector<std::string> names_of(const std::vector<const ResultJson*>& runs) {
  std::vector<std::string> names;
  for (const ResultJson* run : runs) names.push_back(text_at(*run, "name"));
  return names;
}

std::string option_text(const ResultJson* value) {
  if (!value) return "-";
  return harmless_line(value->is_string() ? value->get<std::string>() : value->dump());
}

std::vector<std::string> differing_options(const ResultJson& before, const ResultJson& after) {
  std::vector<std::string> differing;
  const auto note = [&](const std::string& name, const std::string& was, const std::string& is) {
    if (was != is)
      differing.push_back(fmt::format("{} {} -> {}", name, was.empty() ? "-" : was, is.empty() ? "-" : is));
  };
  note("lab", text_at(before, "lab"), text_at(after, "lab"));
  note("device", text_at(before, "device/name"), text_at(after, "device/name"));
  const ResultJson* was = member(before, "options");
  const ResultJson* is = member(after, "options");
  if (!was || !is || !was->is_object() || !is->is_object()) return differing;
  for (const auto& [name, value] : was->items())
    note(harmless_line(name), option_text(&value), option_text(member(*is, name)));
  return differing;
}

Ink ink_of_change(Change change) {
  return change == Change::kBetter ? Ink::kGood : change == Change::kWorse ? Ink::kBad : Ink::kPlain;
}

// Names and options come from the documents and are not translated.
Argument listed(const std::vector<std::string>& names) { return Argument::List(names.begin(), names.end()); }

}  // namespace

Comparison compare_results(const ResultJson& before, const ResultJson& after) {
  Comparison comparison;
  comparison.differing = differing_options(before, after);
  std::vector<const ResultJson*> left = runs_of(before), right = runs_of(after), alone;
  for (const ResultJson* run : left) {
    const auto other = std::ranges::find_if(right, [&](const ResultJson* candidate) {
      return text_at(*candidate, "name") == text_at(*run, "name");
    });
    if (other == right.end()) {
      alone.push_back(run);
      continue;
    }
    comparison.runs.push_back(compared_run(*run, **other));
    right.erase(other);
  }
  if (alone.size() == 1 && right.size() == 1) {
    comparison.runs.push_back(compared_run(*alone.front(), *right.front()));
    return comparison;
  }
  comparison.only_before = names_of(alone);
  comparison.only_after = names_of(right);
  return comparison;
}

Message worded(Change change) {
  switch (change) {
    case Change::kBetter: return msg::change_better();
    case Change::kWorse: return msg::change_worse();
    case Change::kSame: return msg::change_same();
    case Change::kOther: break;
  }
  return {};
}

Message said_differences(const Comparison& comparison) {
  return comparison.differing.empty() ? Message() : msg::compare_differ(listed(comparison.differing));
}

std::vector<Message> said_alone(const Comparison& comparison) {
  std::vector<Message> said;
  if (!comparison.only_before.empty())
    said.push_back(msg::compare_only_before(listed(comparison.only_before)));
  if (!comparison.only_after.empty()) said.push_back(msg::compare_only_after(listed(comparison.only_after)));
  return said;
}

std::string comparison_text(const Comparison& comparison, const TableStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  const auto say = [&style](const Message& message) { return style.wording.say(message); };
  std::string text;
  if (const Message differences = said_differences(comparison); !differences.empty())
    text += wrap(say(differences), width, 0) + "\n\n";
  for (const ComparedRun& run : comparison.runs) {
    text += inked(run.name, Ink::kHeading, style.colour) + "\n";
    Column name{{""}, {}, true, 100, {}, {}}, before{{say(msg::column_before())}, {}, false, 90, {}, {}},
        after{{say(msg::column_after())}, {}, false, 90, {}, {}},
        factor{{say(msg::column_factor())}, {}, false, 50, {}, {}}, word{{""}, {}, true, 80, {}, {}};
    for (const ComparedNumber& number : run.numbers) {
      name.cells.push_back(say(number.name));
      before.cells.push_back(number.before);
      after.cells.push_back(number.after);
      factor.cells.push_back(number.ratio ? significant(*number.ratio) : "-");
      word.cells.push_back(say(worded(number.change)));
      word.inks.push_back(ink_of_change(number.change));
    }
    if (!run.numbers.empty())
      text += lay_out({name, before, after, factor, word}, Rule::kBelowHeading, width, style.colour);
    for (const Message& sentence : run.why) text += wrap(say(sentence), width, 0) + "\n";
    text += "\n";
  }
  for (const Message& sentence : said_alone(comparison)) text += say(sentence) + "\n";
  return text;
}

}  // namespace cudalab::report
