// Turns the trace of a warp into lines of text: its steps, with accesses, divergence, barriers and hazards.
#include "report/warp/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "core/text.h"
#include "messages/report.h"
#include "report/text/layout.h"
#include "report/text/values.h"
#include "session/lane_text.h"

namespace cudalab::report {
namespace {

using vgpu::TracedAccess;
using vgpu::WarpState;
using vgpu::WarpStep;
using vgpu::WarpTrace;

constexpr std::size_t kShownLanes = 3;  // lanes shown before the "…"

std::vector<std::size_t> lanes_in(std::uint32_t mask) {
  std::vector<std::size_t> lanes;
  for (; mask; mask &= mask - 1) lanes.push_back(static_cast<std::size_t>(std::countr_zero(mask)));
  return lanes;
}

// "a, b, c … z": the first texts of the lanes and the last; one text if all are equal.
template <class Text>
std::string few(std::uint32_t mask, Text text) {
  const std::vector<std::size_t> lanes = lanes_in(mask);
  std::vector<std::string> all;
  for (const std::size_t lane : lanes) all.push_back(text(lane));
  if (std::ranges::adjacent_find(all, std::ranges::not_equal_to()) == all.end())
    return all.empty() ? "" : all[0];
  if (all.size() <= kShownLanes + 1) return joined(all, ", ");
  const std::string last = all.back();
  all.resize(kShownLanes);
  return joined(all, ", ") + " … " + last;
}

// "loads global in[0] … in[31]". There is one phrase per access kind and memory space, because languages
// combine the two differently.
struct AccessPhrase {
  AccessKind kind;
  MemorySpace space;
  Message (*say)(Argument elements);
};

constexpr AccessPhrase kPhrases[]{
    {AccessKind::kLoad, MemorySpace::kGlobal, msg::trace_loads_global},
    {AccessKind::kLoad, MemorySpace::kShared, msg::trace_loads_shared},
    {AccessKind::kLoad, MemorySpace::kLocal, msg::trace_loads_local},
    {AccessKind::kLoad, MemorySpace::kConstant, msg::trace_loads_constant},
    {AccessKind::kLoad, MemorySpace::kTexture, msg::trace_loads_texture},
    {AccessKind::kStore, MemorySpace::kGlobal, msg::trace_stores_global},
    {AccessKind::kStore, MemorySpace::kShared, msg::trace_stores_shared},
    {AccessKind::kStore, MemorySpace::kLocal, msg::trace_stores_local},
    {AccessKind::kStore, MemorySpace::kTexture, msg::trace_stores_texture},
    {AccessKind::kAtomic, MemorySpace::kGlobal, msg::trace_updates_global},
    {AccessKind::kAtomic, MemorySpace::kShared, msg::trace_updates_shared},
};

// A reduction is described as an atomic update; it only discards the old value.
Message phrase_for(const TracedAccess& access, const std::string& elements) {
  const AccessKind kind = access.kind == AccessKind::kReduction ? AccessKind::kAtomic : access.kind;
  for (const AccessPhrase& each : kPhrases)
    if (each.kind == kind && each.space == access.space) return each.say(elements);
  return msg::trace_accesses(std::string(name_of(access.kind)), std::string(name_of(access.space)), elements);
}

Message with_cost(Message what, const TracedAccess& access) {
  if (access.transactions == 0) return what;
  what = access.space == MemorySpace::kShared ? msg::trace_wavefronts(std::move(what), access.transactions)
                                              : msg::trace_sectors(std::move(what), access.transactions);
  return access.transactions <= access.fewest ? what : msg::trace_would_do(std::move(what), access.fewest);
}

std::string warps_text(const std::vector<WarpState>& warps, WarpState::Kind kind, int barrier) {
  std::string text;
  for (std::size_t first = 0; first < warps.size(); ++first) {
    const auto matches = [&](std::size_t warp) {
      return warp < warps.size() && warps[warp].kind == kind && warps[warp].barrier == barrier;
    };
    if (!matches(first)) continue;
    std::size_t last = first;
    while (matches(last + 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) text += fmt::format("-{}", last);
    first = last;
  }
  return text;
}

// The rows of the text: step number, line, lanes, and what happens.
class TraceLines {
 public:
  TraceLines(const WarpTrace& trace, const TracedSource& source, const Wording& wording)
      : trace_(trace),
        source_(source),
        wording_(wording),
        lines_(split_lines(source.text)),
        names_(source.text, source.given) {
    add_row(wording.say(msg::column_step()), wording.say(msg::column_line()),
            wording.say(msg::column_lanes()), wording.say(msg::column_what()));
  }

  void add(std::uint64_t number, const SourceLine& where, std::uint32_t lanes, const std::string& what) {
    const std::string line = where.file == source_.file || where.line == 0
                                 ? fmt::format("{}", where.line)
                                 : fmt::format("{}:{}", base_name(where.file), where.line);
    add_row(fmt::format("{}", number), where.line ? line : "-", session::lanes_text(lanes, wording_), what);
  }
  void add_below(const Message& what) { add_below(wording_.say(what)); }
  void add_below(const std::string& what) { text_ += fmt::format("{:>27}{}\n", "", what); }

  std::string source_line(const SourceLine& where) const {
    const auto index = static_cast<std::size_t>(where.line - 1);
    return where.file == source_.file && index < lines_.size() ? std::string(trimmed(lines_[index])) : "";
  }

  // The events of one step: accesses, divergence, barriers, hazards.
  void add_events(const WarpStep& step, const SourceLine& where) {
    for (std::uint32_t i = 0; i < step.accesses; ++i) {
      const TracedAccess& access = trace_.accesses[step.first_access + i];
      add_below(access_sentence(access, names_, where.line));
    }
    if (step.accesses > 0)
      if (const std::string values = values_text(trace_, step); !values.empty()) add_below(values);
    if (step.parts) add_below(msg::trace_lanes_part());
    if (step.is_barrier) {
      const Message waits = who_waits(trace_.states[step.state]);
      add_below(waits.empty() ? msg::trace_barrier_complete() : msg::trace_barrier(waits));
    }
    for (std::uint32_t i = 0; i < step.hazards; ++i)
      add_below(msg::trace_hazard(trace_.hazards[step.first_hazard + i].what));
  }

  std::string take() { return std::move(text_); }

 private:
  void add_row(const std::string& step, const std::string& line, const std::string& lanes,
               const std::string& what) {
    text_ += fmt::format("{}  {}  {}  {}\n", right_aligned(step, 7), right_aligned(line, 5), padded(lanes, 9),
                         what);
  }
  static std::string_view base_name(std::string_view file) { return file.substr(file.rfind('/') + 1); }
  static std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines.push_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
  }

  const WarpTrace& trace_;
  const TracedSource& source_;
  const Wording& wording_;
  std::vector<std::string_view> lines_;
  session::ElementNames names_;
  std::string text_;
};

}  // namespace

Message access_sentence(const TracedAccess& access, const session::ElementNames& names, int line) {
  const std::string elements =
      few(access.lanes, [&](std::size_t lane) { return names.of(access, lane, line); });
  return with_cost(msg::trace_lanes(phrase_for(access, elements), std::popcount(access.lanes), access.bytes),
                   access);
}

std::string values_text(const WarpTrace& trace, const WarpStep& step) {
  const vgpu::TracedInstruction& instruction = trace.instruction_of(step);
  std::string text;
  for (std::size_t i = 0; i < instruction.values.size(); ++i) {
    const vgpu::TracedValue& value = instruction.values[i];
    const auto& bits = trace.values[step.first_value + i];
    const ptx::Type type = session::shown_type(value, bits, step.executing);
    const std::string shown = few(
        step.executing, [&](std::size_t lane) { return session::value_text(type, value.bytes, bits[lane]); });
    if (shown.empty()) continue;
    text += text.empty() ? "" : "; ";
    text += value.is_number ? shown : fmt::format("{} = {}", value.name, shown);
  }
  return text;
}

std::string variables_text(const std::vector<session::KnownValue>& values, std::uint32_t active) {
  std::string text;
  for (std::size_t i = 0; i < values.size();) {
    const auto shown = [&](const session::KnownValue& value) {
      return few(value.lanes & active, [&](std::size_t lane) {
        return session::value_text(value.value_type, value.bytes, (*value.bits)[lane]);
      });
    };
    const std::string first = shown(values[i]);
    std::size_t last = i;
    while (last + 1 < values.size() && values[last + 1].variable == values[i].variable &&
           shown(values[last + 1]) == first)
      ++last;
    if (!first.empty())
      text += fmt::format("{}{}{} = {}", text.empty() ? "" : "; ", values[i].name,
                          last == i ? "" : " … " + values[last].name, first);
    i = last + 1;
  }
  return text;
}

Message who_waits(const std::vector<WarpState>& warps) {
  std::map<std::pair<WarpState::Kind, int>, bool> places;
  for (const WarpState& warp : warps)
    if (warp.kind == WarpState::kAtBarrier || warp.kind == WarpState::kAtClusterBarrier)
      places[{warp.kind, warp.barrier}] = true;
  Message waits;
  for (const auto& [place, unused] : places) {
    const std::string who = warps_text(warps, place.first, place.second);
    const Message here = place.first == WarpState::kAtBarrier ? msg::warps_at_barrier(place.second, who)
                                                              : msg::warps_at_cluster_barrier(who);
    waits = waits.empty() ? here : msg::clause_and_clause(waits, here);
  }
  if (waits.empty()) return waits;
  const std::string ready = warps_text(warps, WarpState::kReady, 0);
  return ready.empty() ? waits : msg::warps_on_their_way(waits, ready);
}

std::string trace_text(const WarpTrace& trace, const TracedSource& source, bool instructions,
                       const Wording& wording) {
  TraceLines lines(trace, source, wording);
  session::Variables variables(trace);
  for (const session::Moment& moment : session::moments_of(trace, source.file)) {
    const WarpStep& first = trace.steps[moment.first];
    lines.add(first.number, moment.where, moment.active, lines.source_line(moment.where));
    if (moment.meets) lines.add_below(msg::trace_lanes_meet());
    for (std::size_t i = moment.first; i <= moment.last; ++i) {
      const WarpStep& step = trace.steps[i];
      if (instructions) {
        lines.add(step.number, trace.instruction_of(step).where, step.executing,
                  trace.instruction_of(step).text);
        if (step.accesses == 0)
          if (const std::string values = values_text(trace, step); !values.empty()) lines.add_below(values);
      }
      lines.add_events(step, moment.where);
    }
    if (const auto changed = variables.changed_by(moment); !changed.empty())
      if (const std::string what = variables_text(changed, moment.active); !what.empty())
        lines.add_below(what);
  }
  if (trace.stopped_by) lines.add_below(msg::trace_stopped(trace.stopped_by->what));
  if (!trace.ended) lines.add_below(std::string("…"));
  return lines.take();
}

}  // namespace cudalab::report
