// A step of a warp as text: its lanes' addresses and values, and the variables known at that step.
#include "session/lane_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/half.h"
#include "messages/session.h"

namespace cudalab::session {

SourceLine line_in(const vgpu::TracedInstruction& instruction, const std::string& file) {
  if (instruction.where.file == file) return instruction.where;
  for (const SourceLine& line : instruction.inlined_at)
    if (line.file == file) return line;
  return instruction.where;
}

std::vector<Moment> moments_of(const vgpu::WarpTrace& trace, const std::string& file) {
  std::vector<Moment> moments;
  bool ended = true;  // whether the last moment is complete
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const vgpu::WarpStep& step = trace.steps[i];
    const SourceLine where = line_in(trace.instruction_of(step), file);
    if (ended || step.meets || moments.back().where != where || moments.back().active != step.active)
      moments.push_back({i, i, where, step.active, false, step.meets, false, false});
    Moment& moment = moments.back();
    moment.last = i;
    moment.parts |= step.parts;
    moment.is_barrier |= step.is_barrier;
    moment.has_hazard |= step.hazards > 0;
    ended = step.parts || step.is_barrier;
  }
  return moments;
}

namespace {

using vgpu::LocalChange;
using vgpu::TracedLocal;
using vgpu::WarpStep;
using vgpu::WarpTrace;

KnownValue known_value(const WarpTrace& trace, const LocalChange& change) {
  const TracedLocal& local = trace.locals[change.local];
  KnownValue value{.name = local.name, .type = local.type, .value_type = local.value};
  value.bytes = static_cast<std::uint32_t>(ptx::info(local.value).bytes);
  value.lanes = change.lanes;
  value.variable = local.variable;
  value.is_argument = local.is_argument;
  value.bits = &trace.values[change.value];
  return value;
}

bool stores(const WarpTrace& trace, const WarpStep& step) {
  for (std::uint32_t i = 0; i < step.accesses; ++i)
    if (trace.accesses[step.first_access + i].kind != AccessKind::kLoad) return true;
  return false;
}

}  // namespace

std::vector<KnownValue> Variables::at(std::size_t step) {
  for (; next_ <= step; ++next_)
    for (std::uint32_t i = 0; i < trace_->steps[next_].changes; ++i) {
      const LocalChange& change = trace_->changes[trace_->steps[next_].first_change + i];
      if (change.lanes)
        last_[change.call][change.local] = change;
      else
        last_[change.call].erase(change.local);
    }
  const auto& here = last_[trace_->steps[step].call];
  std::map<std::string, std::uint32_t> inner;  // the innermost local with that name
  for (const auto& [local, unused] : here) inner[trace_->locals[local].name] = local;
  std::vector<KnownValue> values;
  for (const auto& [local, change] : here)
    if (inner[trace_->locals[local].name] == local) values.push_back(known_value(*trace_, change));
  return values;
}

std::vector<KnownValue> Variables::changed_by(const Moment& moment) {
  std::set<std::uint32_t> changed;  // indices of variables
  for (std::size_t i = moment.first; i <= moment.last; ++i)
    for (std::uint32_t k = 0; k < trace_->steps[i].changes; ++k)
      changed.insert(trace_->locals[trace_->changes[trace_->steps[i].first_change + k].local].variable);
  if (changed.empty()) return {};
  std::vector<KnownValue> values = at(moment.last);
  std::erase_if(values, [&](const KnownValue& value) { return !changed.contains(value.variable); });
  return values;
}

std::vector<KnownValue> registers_at(const WarpTrace& trace, std::size_t step, const std::string& file) {
  std::vector<KnownValue> values;
  std::set<std::string> seen;
  for (std::size_t i = step + 1; i-- > 0;) {
    const WarpStep& each = trace.steps[i];
    if (each.call != trace.steps[step].call || stores(trace, each)) continue;
    const vgpu::TracedInstruction& instruction = trace.instruction_of(each);
    for (std::size_t k = 0; k < instruction.values.size(); ++k) {
      const vgpu::TracedValue& operand = instruction.values[k];
      if (operand.is_number || !each.executing || !seen.insert(operand.name).second) continue;
      KnownValue value{.name = operand.name, .type = std::string(ptx::info(operand.type).name)};
      value.value_type = operand.type;
      value.bytes = operand.bytes;
      value.lanes = each.executing;
      value.bits = &trace.values[each.first_value + k];
      value.where = line_in(instruction, file);
      values.push_back(std::move(value));
    }
  }
  return values;
}

namespace {

using ptx::Type;

double float_of(std::uint32_t bytes, std::uint64_t bits) {
  return bytes == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

// Whether the bits look like a float that a program computes with. Small integers, read as floats, are
// denormal or close to zero.
bool looks_like_float(std::uint32_t bytes, std::uint64_t bits) {
  constexpr double kLeast = 1e-12, kMost = 1e15;
  const double size = std::fabs(float_of(bytes, bits));
  return bits == 0 || (size >= kLeast && size <= kMost);
}

bool all_look_like_floats(std::uint32_t bytes, const std::array<std::uint64_t, vgpu::kWarpSize>& bits,
                          std::uint32_t lanes) {
  bool some = false;
  for (; lanes; lanes &= lanes - 1) {
    const std::uint64_t value = bits[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (!looks_like_float(bytes, value)) return false;
    some = some || value != 0;
  }
  return some;
}

std::int64_t with_sign(std::uint64_t bits, std::uint32_t bytes) {
  const int unused = 64 - 8 * static_cast<int>(std::min(bytes, 8u));
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// Integers from here on, such as addresses, are shown in hexadecimal.
constexpr std::uint64_t kShownInHex = std::uint64_t{1} << 40;

}  // namespace

std::string lanes_text(std::uint32_t lanes, const Wording& wording) {
  if (lanes == vgpu::kAllLanes) return wording.say(msg::lanes_all());
  std::string text;
  for (int first = 0; first < vgpu::kWarpSize; ++first) {
    if (!(lanes >> first & 1)) continue;
    int last = first;
    while (last + 1 < vgpu::kWarpSize && (lanes >> (last + 1) & 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? "," : "-", last);
    first = last;
  }
  return text.empty() ? wording.say(msg::lanes_none()) : text;
}

Type shown_type(const vgpu::TracedValue& value, const std::array<std::uint64_t, vgpu::kWarpSize>& bits,
                std::uint32_t lanes) {
  if (value.type == Type::kB32 && all_look_like_floats(4, bits, lanes)) return Type::kF32;
  if (value.type == Type::kB64 && all_look_like_floats(8, bits, lanes)) return Type::kF64;
  return value.type;
}

std::string value_text(Type type, std::uint32_t bytes, std::uint64_t bits, int digits) {
  switch (type) {
    case Type::kF32:
    case Type::kTF32: return fmt::format("{:.{}g}", float_of(4, bits), digits);
    case Type::kF64: return fmt::format("{:.{}g}", float_of(8, bits), digits);
    case Type::kF16:
      return fmt::format("{:.{}g}", f16_to_f32(static_cast<std::uint16_t>(bits)), std::min(digits, 4));
    case Type::kBF16:
      return fmt::format("{:.{}g}", bf16_to_f32(static_cast<std::uint16_t>(bits)), std::min(digits, 4));
    case Type::kF16x2:
    case Type::kBF16x2: return fmt::format("{:#010x}", bits);
    case Type::kS8:
    case Type::kS16:
    case Type::kS32:
    case Type::kS64:
    case Type::kB32: return fmt::format("{}", with_sign(bits, bytes));
    default: return bits >= kShownInHex ? fmt::format("{:#x}", bits) : fmt::format("{}", bits);
  }
}

std::string ElementNames::indices(const std::string& name, std::uint64_t element, int line) const {
  const compile::DeclaredArray* shape = nullptr;
  for (const compile::DeclaredArray& each : shapes_)
    if (each.name == name && each.line <= line) shape = &each;
  std::string text;
  if (shape)
    for (auto inner = shape->inner.rbegin(); inner != shape->inner.rend() && *inner > 0; ++inner) {
      text = fmt::format("[{}]{}", element % *inner, text);
      element /= *inner;
    }
  return fmt::format("[{}]{}", element, text);
}

std::string ElementNames::of(const vgpu::TracedAccess& access, std::size_t lane, int line) const {
  const std::uint64_t address = access.address[lane];
  const auto offset = static_cast<std::int64_t>(address - access.begin);
  const auto bytes = static_cast<std::int64_t>(access.bytes / std::max(access.elements, 1u));
  if (access.buffer.empty()) return fmt::format("{:#x}", address);
  // Names such as "the dynamic shared memory" and "cudaMalloc #1" contain blanks. Only in global memory can
  // several buffers have one name.
  const bool is_known = access.space != MemorySpace::kGlobal && access.buffer.find(' ') != std::string::npos;
  const std::string name = is_known ? "" : access.buffer;
  if (bytes == 0 || offset % bytes != 0) return fmt::format("{}+{}", name, offset);
  if (offset < 0) return fmt::format("{}[{}]", name, offset / bytes);
  return name + indices(access.buffer, static_cast<std::uint64_t>(offset / bytes), line);
}

}  // namespace cudalab::session
