// Draws the screen of `cudalab step`: the source, lanes, details of the current line, and the state of the
// warps.
#include "report/warp/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "messages/report.h"
#include "report/pictures/builders.h"
#include "report/pictures/picture.h"
#include "report/text/layout.h"
#include "report/warp/trace_text.h"

namespace cudalab::report {
namespace {

using vgpu::TracedAccess;
using vgpu::WarpStep;
using vgpu::WarpTrace;
using Lines = std::vector<ScreenLine>;

ScreenLine line_of(std::string text, ScreenTone tone = ScreenTone::kPlain) {
  return {{std::move(text), tone}};
}

// ---- fitting -------------------------------------------------------------------------------------------

// At most `columns` columns; a text that is cut ends in "…".
std::string cut(std::string_view text, std::size_t columns) {
  return columns > 0 ? shortened(text, columns, "…") : "";
}

std::string filled(std::string_view text, std::size_t columns) { return padded(cut(text, columns), columns); }

ScreenLine fitted(const ScreenLine& line, std::size_t columns) {
  ScreenLine kept;
  for (const ScreenSpan& span : line) {
    kept.push_back({cut(span.text, columns), span.tone});
    columns -= std::min(columns, columns_of(kept.back().text));
  }
  return kept;
}

// Breaks a text between words.
Lines wrapped(const std::string& text, std::size_t columns, ScreenTone tone, std::size_t most = 4) {
  const std::string broken = wrap(text, columns, 0);
  Lines lines;
  for (std::size_t begin = 0; begin < broken.size() && lines.size() < most;) {
    const std::size_t end = std::min(broken.find('\n', begin), broken.size());
    lines.push_back(line_of(broken.substr(begin, end - begin), tone));
    begin = end + 1;
  }
  return lines;
}

void append(Lines& to, Lines from) { std::ranges::move(from, std::back_inserter(to)); }

// ---- title, lanes, warps -------------------------------------------------------------------------------

ScreenLine title(const session::Walk& walk, const Wording& wording) {
  const WarpTrace& trace = walk.trace();
  const std::string where = wording.say(msg::screen_warp(
      walk.launch().kernel, BlockIndex{trace.block}, trace.warp, vgpu::warps_of(walk.launch().spec.block)));
  if (!walk.moment()) return line_of(where, ScreenTone::kTitle);
  const std::uint64_t number = walk.last_step().number;
  const std::string step =
      wording.say(walk.is_at_end() ? msg::screen_last_step(number) : msg::screen_step(number));
  return line_of(fmt::format("{}  {}{}", where, step, trace.locals.empty() ? "" : "  -G"),
                 ScreenTone::kTitle);
}

// The labels "lanes " and "warps ", padded to one width.
std::array<std::string, 2> labels(const Wording& wording) {
  const std::string lanes = wording.say(msg::column_lanes()), warps = wording.say(msg::column_warps());
  const std::size_t width = std::max(columns_of(lanes), columns_of(warps)) + 1;
  return {padded(lanes, width), padded(warps, width)};
}

// The lanes of the current access; if the line does not access memory, the active lanes.
ScreenLine lanes_line(const session::Walk& walk, const ScreenState& state) {
  const session::Moment& moment = *walk.moment();
  const auto accesses = accesses_of(walk.trace(), moment);
  const std::uint32_t taking_part =
      accesses.empty() ? moment.active : accesses[state.access % accesses.size()].access->lanes;
  std::string mask;
  for (int lane = 0; lane < vgpu::kWarpSize; ++lane) {
    const bool active = moment.active >> lane & 1, takes_part = taking_part >> lane & 1;
    mask += takes_part ? kLaneGlyphs[static_cast<std::size_t>(lane)] : active ? '-' : '.';
  }
  const Message what = moment.parts   ? msg::screen_part_here()
                       : moment.meets ? msg::screen_met_again()
                                      : Message();
  return {{labels(state.wording)[0], ScreenTone::kFaint},
          {mask, taking_part == vgpu::kAllLanes ? ScreenTone::kGood : ScreenTone::kBad},
          {fmt::format("  {}  {}", session::lanes_text(taking_part, state.wording), state.wording.say(what)),
           ScreenTone::kPlain}};
}

ScreenLine warps_line(const session::Walk& walk, const Wording& wording) {
  const Message waits = who_waits(walk.trace().states.at(walk.last_step().state));
  return {{labels(wording)[1], ScreenTone::kFaint},
          {wording.say(waits.empty() ? msg::screen_none_waits() : waits), ScreenTone::kPlain}};
}

// ---- source --------------------------------------------------------------------------------------------

Lines source_lines(const session::Walk& walk, const std::vector<std::string>& source, std::size_t rows,
                   const Wording& wording) {
  const SourceLine where = walk.moment()->where;
  Lines lines;
  if (where.file != walk.launch().file || where.line == 0 || source.empty()) {
    lines.push_back(line_of(
        where.line ? fmt::format("{}:{}", where.file, where.line) : wording.say(msg::screen_no_line()),
        ScreenTone::kCurrent));
    lines.resize(rows);
    return lines;
  }
  const auto current = static_cast<std::size_t>(where.line - 1);
  const std::size_t most = source.size() > rows ? source.size() - rows : 0;
  const std::size_t first = std::min(most, current > rows / 2 ? current - rows / 2 : 0);
  for (std::size_t i = first; i < source.size() && lines.size() < rows; ++i) {
    const std::string text = fmt::format("{:>4} {} {}", i + 1, i == current ? '>' : ' ', source[i]);
    lines.push_back(line_of(text, i == current ? ScreenTone::kCurrent : ScreenTone::kPlain));
  }
  lines.resize(rows);
  return lines;
}

Lines variables_detail(const session::Walk& walk, const Wording& wording, std::size_t columns);

// ---- detail: a request ---------------------------------------------------------------------------------

constexpr int kDigits = 4;  // significant digits of values on the screen

std::string lane_values(const WarpTrace& trace, const WarpStep& step, std::size_t lane) {
  const auto& operands = trace.instruction_of(step).values;
  std::string text;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& bits = trace.values[step.first_value + i];
    const ptx::Type type = session::shown_type(operands[i], bits, step.executing);
    text += (i ? " " : "") + session::value_text(type, operands[i].bytes, bits[lane], kDigits);
  }
  return text;
}

// One lane per row, in as many columns as fit.
std::vector<std::string> lane_table(const WarpTrace& trace, const MomentAccess& shown,
                                    const session::ElementNames& names, int line, std::size_t columns,
                                    std::size_t rows) {
  std::vector<std::string> entries;
  std::size_t widest = 0;
  for (std::uint32_t left = shown.access->lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    entries.push_back(fmt::format("{:>2} {} {}", lane, names.of(*shown.access, lane, line),
                                  lane_values(trace, *shown.step, lane)));
    widest = std::max(widest, columns_of(entries.back()));
  }
  const std::size_t across = std::max<std::size_t>(1, (columns + 2) / (widest + 2));
  const std::size_t down = std::max((entries.size() + across - 1) / across, std::min(rows, entries.size()));
  std::vector<std::string> table(std::min(down, entries.size()));
  for (std::size_t i = 0; i < entries.size(); ++i)
    table[i % down] += (i < down ? "" : "  ") + filled(entries[i], std::min(widest, columns));
  return table;
}

constexpr std::size_t kPictureColumns = 37;

Lines request_detail(const session::Walk& walk, const std::vector<std::string>& source,
                     const ScreenState& state, const ScreenSize& size) {
  const Wording& wording = state.wording;
  const auto accesses = accesses_of(walk.trace(), *walk.moment());
  if (accesses.empty() && !walk.trace().locals.empty()) return variables_detail(walk, wording, size.columns);
  if (accesses.empty()) return {line_of(wording.say(msg::screen_no_memory()), ScreenTone::kFaint)};
  const MomentAccess& shown = accesses[state.access % accesses.size()];
  const session::ElementNames names(joined(source, "\n"), walk.launch().given);
  const int line = walk.moment()->where.line;
  const TracedAccess& access = *shown.access;
  const bool wastes = access.transactions > access.fewest;
  Message what = access_sentence(access, names, line);
  if (accesses.size() > 1)
    what = msg::screen_access(state.access % accesses.size() + 1, accesses.size(), std::move(what));
  const ScreenTone tone = wastes ? ScreenTone::kBad : ScreenTone::kGood;
  Lines lines = wrapped(wording.say(what), size.columns, tone);
  std::vector<std::string> picture = request_rows(access);
  if (!picture.empty()) picture.insert(picture.begin(), heading_of_request(access, wording));
  const std::size_t rows = size.rows > lines.size() ? size.rows - lines.size() : 1;
  const std::size_t beside = size.columns > kPictureColumns ? size.columns - kPictureColumns : 0;
  const std::vector<std::string> table = lane_table(walk.trace(), shown, names, line, beside, rows);
  for (std::size_t i = 0; i < std::max(picture.size(), table.size()); ++i)
    lines.push_back(
        {{filled(i < picture.size() ? picture[i] : "", kPictureColumns), i == 0 ? ScreenTone::kFaint : tone},
         {i < table.size() ? table[i] : "", ScreenTone::kPlain}});
  return lines;
}

// ---- detail: instructions ------------------------------------------------------------------------------

Lines instruction_detail(const session::Walk& walk) {
  Lines lines;
  for (std::size_t i = walk.moment()->first; i <= walk.moment()->last; ++i) {
    const WarpStep& step = walk.trace().steps[i];
    const std::string values = values_text(walk.trace(), step);
    lines.push_back({{walk.trace().instruction_of(step).text, ScreenTone::kPlain},
                     {values.empty() ? "" : "  " + values, ScreenTone::kFaint}});
  }
  return lines;
}

// ---- detail: variables ---------------------------------------------------------------------------------

constexpr std::size_t kMostNameColumns = 16;

// One value per lane, cut at the screen's edge; a single value if all lanes have the same.
std::string values_of_lanes(const session::KnownValue& value, std::uint32_t active) {
  std::vector<std::string> all;
  for (std::uint32_t left = value.lanes & active; left; left &= left - 1)
    all.push_back(session::value_text(value.value_type, value.bytes,
                                      (*value.bits)[static_cast<std::size_t>(std::countr_zero(left))],
                                      kDigits));
  const bool is_one = std::ranges::adjacent_find(all, std::ranges::not_equal_to()) == all.end();
  return all.empty() ? "-" : is_one ? all.front() : joined(all, " ");
}

std::string origin_of(const session::KnownValue& value, const std::string& file, const Wording& wording) {
  if (value.where.line == 0) return value.type;
  return value.where.file == file ? wording.say(msg::label_line(value.where.line)) : value.type;
}

Lines variables_detail(const session::Walk& walk, const Wording& wording, std::size_t columns) {
  const WarpTrace& trace = walk.trace();
  const session::Moment& moment = *walk.moment();
  const std::string& file = walk.launch().file;
  const bool is_named = !trace.locals.empty();
  const std::vector<session::KnownValue> values =
      is_named ? session::Variables(trace).at(moment.last) : session::registers_at(trace, moment.last, file);
  const std::vector<session::KnownValue> changed = session::Variables(trace).changed_by(moment);
  std::size_t names = 0, origins = 0;
  for (const session::KnownValue& value : values) {
    names = std::clamp(columns_of(value.name), names, kMostNameColumns);
    origins = std::clamp(columns_of(origin_of(value, file, wording)), origins, kMostNameColumns);
  }
  Lines lines = wrapped(wording.say(is_named ? msg::screen_variables() : msg::screen_registers()), columns,
                        ScreenTone::kFaint);
  for (const session::KnownValue& value : values) {
    const bool is_new = std::ranges::find(changed, value.name, &session::KnownValue::name) != changed.end();
    lines.push_back({{padded(value.name, names) + "  ", is_new ? ScreenTone::kTitle : ScreenTone::kPlain},
                     {padded(origin_of(value, file, wording), origins) + "  ", ScreenTone::kFaint},
                     {values_of_lanes(value, moment.active), ScreenTone::kPlain}});
  }
  return lines;
}

// ---- detail: shared memory -----------------------------------------------------------------------------

constexpr std::size_t kCellColumns = 9, kLabelColumns = 9, kBytesOfAWord = vgpu::kBankBytes;
constexpr std::uint32_t kUnwritten = 0xffffffff;

std::uint32_t word_at(const std::vector<std::byte>& shared, std::size_t word) {
  std::uint32_t value = 0;
  std::memcpy(&value, shared.data() + word * kBytesOfAWord, kBytesOfAWord);
  return value;
}

// The type of the words: float if all words written so far look like floats.
ptx::Type type_of_words(const std::vector<std::byte>& shared) {
  const vgpu::TracedValue word{"", ptx::Type::kB32, kBytesOfAWord, false};
  for (std::size_t first = 0; first < shared.size() / kBytesOfAWord; first += vgpu::kWarpSize) {
    std::array<std::uint64_t, vgpu::kWarpSize> bits{};
    std::uint32_t written = 0;
    for (std::size_t i = 0; i < bits.size() && first + i < shared.size() / kBytesOfAWord; ++i) {
      bits[i] = word_at(shared, first + i);
      if (bits[i] != kUnwritten && bits[i] != 0) written |= 1u << i;
    }
    if (written && session::shown_type(word, bits, written) != ptx::Type::kF32) return ptx::Type::kS32;
  }
  return ptx::Type::kF32;
}

// The value with as many digits as fit.
std::string fitting_value(ptx::Type type, std::uint32_t value, std::size_t columns) {
  int digits = kDigits;
  std::string text = session::value_text(type, kBytesOfAWord, value, digits);
  while (text.size() > columns && digits > 1)
    text = session::value_text(type, kBytesOfAWord, value, --digits);
  return cut(text, columns);
}

std::vector<bool> touched_words(const session::Walk& walk, const ScreenState& state, std::size_t words) {
  std::vector<bool> touched(words);
  const auto accesses = accesses_of(walk.trace(), *walk.moment());
  if (accesses.empty()) return touched;
  const TracedAccess& access = *accesses[state.access % accesses.size()].access;
  if (access.space != MemorySpace::kShared) return touched;
  for (std::uint32_t left = access.lanes; left; left &= left - 1) {
    const std::uint64_t begin = access.address[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::uint64_t at = begin; at < begin + access.bytes; at += kBytesOfAWord)
      if (at / kBytesOfAWord < words) touched[at / kBytesOfAWord] = true;
  }
  return touched;
}

// The name of the variable that begins in this range ("tile"), else the byte offset.
std::string label_at(const WarpTrace& trace, std::size_t begin, std::size_t end) {
  for (const vgpu::TracedVariable& variable : trace.shared_variables)
    if (variable.offset >= begin && variable.offset < end) return variable.name;
  return fmt::format("{:>6}", begin);
}

Lines shared_detail(session::Walk& walk, const ScreenState& state, const ScreenSize& size) {
  const std::vector<std::byte>& shared = walk.shared();
  if (shared.empty()) return {line_of(state.wording.say(msg::screen_no_shared_memory()), ScreenTone::kFaint)};
  const std::size_t words = shared.size() / kBytesOfAWord;
  const std::size_t room = size.columns > kLabelColumns ? (size.columns - kLabelColumns) / kCellColumns : 1;
  const std::size_t across = std::bit_floor(std::clamp<std::size_t>(room, 1, vgpu::kBanks));
  const ptx::Type type = type_of_words(shared);
  const std::vector<bool> touched = touched_words(walk, state, words);
  Lines lines =
      wrapped(state.wording.say(msg::screen_shared_memory(shared.size())), size.columns, ScreenTone::kFaint);
  for (std::size_t first = 0; first < words; first += across) {
    ScreenLine& line = lines.emplace_back();
    line.push_back({filled(label_at(walk.trace(), first * kBytesOfAWord, (first + across) * kBytesOfAWord),
                           kLabelColumns),
                    ScreenTone::kFaint});
    for (std::size_t word = first; word < std::min(words, first + across); ++word) {
      const std::uint32_t value = word_at(shared, word);
      const std::string text = value == kUnwritten ? "-" : fitting_value(type, value, kCellColumns - 2);
      const auto tone =
          static_cast<int>(ScreenTone::kBank) + static_cast<int>(word % vgpu::kBanks) % kBankTones;
      line.push_back({filled(touched[word] ? "[" + text + "]" : " " + text, kCellColumns),
                      value == kUnwritten ? ScreenTone::kFaint : static_cast<ScreenTone>(tone)});
    }
  }
  return lines;
}

// ---- the whole -----------------------------------------------------------------------------------------

Lines detail(session::Walk& walk, const std::vector<std::string>& source, const ScreenState& state,
             const ScreenSize& size) {
  switch (state.view) {
    case ScreenView::kInstructions: return instruction_detail(walk);
    case ScreenView::kVariables: return variables_detail(walk, state.wording, size.columns);
    case ScreenView::kShared: return shared_detail(walk, state, size);
    default: return request_detail(walk, source, state, size);
  }
}

// The rows from `scroll` on; the last row says how many are hidden.
Lines scrolled(Lines lines, std::size_t scroll, std::size_t rows, const Wording& wording) {
  const std::size_t hidden_at_most = lines.size() > rows ? lines.size() - rows : 0;
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(scroll, hidden_at_most)));
  if (lines.size() > rows && rows > 0) {
    const std::size_t more = lines.size() - rows + 1;
    lines.resize(rows);
    lines.back() = line_of(wording.say(msg::screen_more_rows(more)), ScreenTone::kFaint);
  }
  lines.resize(rows);
  return lines;
}

// A hazard of the moment, else the reason why the warp was stopped from outside.
Message hazard_of(const session::Walk& walk) {
  const WarpTrace& trace = walk.trace();
  if (walk.moment())
    for (std::size_t i = walk.moment()->first; i <= walk.moment()->last; ++i)
      if (trace.steps[i].hazards > 0) return trace.hazards[trace.steps[i].first_hazard].what;
  return (!walk.moment() || walk.is_at_end()) && trace.stopped_by ? trace.stopped_by->what : Message();
}

Lines foot(const session::Walk& walk, const ScreenState& state, const ScreenSize& size) {
  Lines lines;
  if (walk.moment()) lines.push_back(warps_line(walk, state.wording));
  const Message hazard = hazard_of(walk);
  if (!hazard.empty())
    append(lines, wrapped(state.wording.say(msg::trace_hazard(hazard)), size.columns, ScreenTone::kBad));
  const ScreenTone tone = state.is_asking ? ScreenTone::kTitle : ScreenTone::kPlain;
  append(lines, state.message.empty() ? Lines{line_of("")} : wrapped(state.message, size.columns, tone));
  append(lines, wrapped(state.wording.say(msg::screen_keys()), size.columns, ScreenTone::kFaint));
  return lines;
}

}  // namespace

std::string plain_text(const ScreenLine& line) {
  std::string text;
  for (const ScreenSpan& span : line) text += span.text;
  return text;
}

std::vector<MomentAccess> accesses_of(const WarpTrace& trace, const session::Moment& moment) {
  std::vector<MomentAccess> accesses;
  for (std::size_t i = moment.first; i <= moment.last; ++i)
    for (std::uint32_t k = 0; k < trace.steps[i].accesses; ++k)
      accesses.push_back({&trace.steps[i], &trace.accesses[trace.steps[i].first_access + k]});
  return accesses;
}

std::vector<ScreenLine> draw_screen(session::Walk& walk, const std::vector<std::string>& source,
                                    const ScreenState& state, const ScreenSize& size) {
  Lines lines{title(walk, state.wording)};
  const Lines below = foot(walk, state, size);
  const std::size_t taken = below.size() + 2;  // the title and the lanes
  const std::size_t room = size.rows > taken ? size.rows - taken : 0;
  const std::size_t source_rows = room * 2 / 5;
  if (walk.moment()) {
    append(lines, source_lines(walk, source, source_rows, state.wording));
    lines.push_back(lanes_line(walk, state));
    const ScreenSize detail_size{size.columns, room - source_rows};
    append(lines,
           scrolled(detail(walk, source, state, detail_size), state.scroll, detail_size.rows, state.wording));
  } else {
    lines.push_back(line_of(state.wording.say(msg::screen_nothing())));
    lines.resize(size.rows > below.size() ? size.rows - below.size() : 1);
  }
  append(lines, below);
  lines.resize(size.rows);
  for (ScreenLine& line : lines) line = fitted(line, size.columns);
  return lines;
}

}  // namespace cudalab::report
