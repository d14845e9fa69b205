#include "vgpu/stepping/variable_watch.h"

#include <algorithm>
#include <cstring>

#include "core/alignment.h"
#include "ptx/opcode_parts.h"

namespace cudalab::vgpu {
namespace {

using Labels = std::map<std::string, std::uint32_t>;

// The parser renames labels of inner scopes: "$L__tmp5@2" is "$L__tmp5" in the text.
std::string as_in_text(const std::string& label) { return label.substr(0, label.find('@')); }

Labels labels_of(const ptx::Function& function) {
  Labels labels;
  for (std::size_t i = 0; i < function.body.size(); ++i)
    if (const auto* label = std::get_if<ptx::Label>(&function.body[i]))
      labels.emplace(as_in_text(label->name), static_cast<std::uint32_t>(i));
  return labels;
}

// By statement: itself, or the first instruction after it.
std::vector<std::uint32_t> next_instructions(const ptx::Function& function) {
  std::vector<std::uint32_t> next(function.body.size() + 1, static_cast<std::uint32_t>(function.body.size()));
  for (std::size_t i = function.body.size(); i-- > 0;)
    next[i] = std::holds_alternative<ptx::Instruction>(function.body[i]) ? static_cast<std::uint32_t>(i)
                                                                         : next[i + 1];
  return next;
}

// Instructions after which execution may not continue with the next instruction of the text.
bool may_go_elsewhere(const ptx::Instruction& instruction) {
  return instruction.facts->leaves_straight_line();
}

// The offset of a function's .local variable in the call's local memory.
std::optional<std::uint64_t> offset_of_local(const ptx::Function& function, const std::string& name) {
  std::uint64_t offset = 0;
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space != ptx::Space::kLocal) continue;
    offset = round_up(offset, std::max<std::uint64_t>({variable.align, ptx::info(variable.type).bytes, 1}));
    if (variable.name == name) return offset;
    offset += variable.bytes();
  }
  return std::nullopt;
}

std::uint64_t bits_at(const std::byte* from, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, std::min(bytes, sizeof bits));
  return bits;
}

// The lanes for which the block has threads.
std::uint32_t lanes_of(const Warp& warp) {
  const std::uint64_t threads =
      warp.launch->request->spec.block.volume() - std::uint64_t{warp.index} * kWarpSize;
  return threads >= kWarpSize ? kAllLanes : (1u << threads) - 1;
}

bool differ(const LaneBits& a, const LaneBits& b, std::uint32_t lanes) {
  for (std::size_t lane = 0; lane < a.size(); ++lane)
    if ((lanes >> lane & 1) && a[lane] != b[lane]) return true;
  return false;
}

// The number of instructions that write each register.
std::map<std::string, int> writes_of_registers(const ptx::Function& function) {
  std::map<std::string, int> writes;
  const auto count = [&](const ptx::Operand& result) {
    if (const auto* name = std::get_if<ptx::Register>(&result.value)) ++writes[name->name];
  };
  for (const auto& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    ptx::for_each_result(*instruction, count);
    std::ranges::for_each(instruction->call_returns, count);
  }
  return writes;
}

// The symbol and the register of `ld.param.u32 %r7, [k_param_1+4]`; nullptr for other instructions.
struct ParameterLoad {
  const ptx::Address* from = nullptr;
  const ptx::Register* to = nullptr;
};
ParameterLoad parameter_load(const ptx::Instruction& instruction) {
  const bool is_load = ptx::part_of(instruction, 0) == "ld" &&
                       ptx::is_one_of(ptx::part_of(instruction, 1), {"param", "param::entry"});
  if (!is_load || instruction.operands.size() != 2) return {};
  return {std::get_if<ptx::Address>(&instruction.operands[1].value),
          std::get_if<ptx::Register>(&instruction.operands[0].value)};
}

}  // namespace

// ---- locations of variables ----------------------------------------------------------------------------

VariableWatch::VariableWatch(const ptx::Module& text, const std::vector<ptx::DebugFunction>& functions)
    : text_(text) {
  for (const ptx::DebugFunction& function : functions) by_label_.emplace(function.begin, &function);
}

const VariableWatch::KnownFunction& VariableWatch::known(const FunctionCode& function) {
  const auto [found, is_new] = functions_.try_emplace(&function);
  const ptx::Function* source = is_new ? text_.find_function(function.name) : nullptr;
  if (!source) return found->second;
  found->second.next = next_instructions(*source);
  if (source->is_entry) found->second.copies = copies_in(function, *source);
  const Labels labels = labels_of(*source);
  for (const auto& [label, unused] : labels)
    if (const auto debug = by_label_.find(label); debug != by_label_.end())
      add_variables(function, *source, labels, *debug->second, found->second);
  return found->second;
}

void VariableWatch::add_variables(const FunctionCode& function, const ptx::Function& source,
                                  const Labels& labels, const ptx::DebugFunction& debug,
                                  KnownFunction& known) {
  const auto statement = [&](const std::string& label, std::uint32_t otherwise) {
    const auto found = labels.find(label);
    return found == labels.end() ? otherwise : found->second;
  };
  for (const ptx::DebugVariable& variable : debug.variables) {
    const Range scope{statement(variable.scope.begin, 0),
                      statement(variable.scope.end, static_cast<std::uint32_t>(source.body.size() + 1))};
    KnownVariable entry{scope, static_cast<std::uint32_t>(locals_.size()), &variable, {}};
    for (const ptx::DebugPlace& place : variable.places)
      if (auto found = place_in(function, source, place)) {
        found->range = {statement(place.range.begin, scope.begin), statement(place.range.end, scope.end)};
        entry.places.push_back(std::move(*found));
      }
    if (entry.places.empty()) continue;  // for example in shared memory
    for (const ptx::DebugPart& part : variable.parts)
      locals_.push_back({part.name, variable.type, part.type, variables_, variable.is_argument});
    ++variables_;
    known.variables.push_back(std::move(entry));
  }
}

// Registers that the kernel writes only once, so they hold the parameter from then on.
VariableWatch::ParameterCopies VariableWatch::copies_in(const FunctionCode& function,
                                                        const ptx::Function& source) {
  const std::map<std::string, int> writes = writes_of_registers(source);
  ParameterCopies copies;
  for (const auto& statement : source.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    const ParameterLoad load = instruction ? parameter_load(*instruction) : ParameterLoad{};
    const auto* symbol = load.from ? std::get_if<ptx::Symbol>(&load.from->base) : nullptr;
    const auto at = load.to ? place_of_register(function, load.to->name) : std::nullopt;
    if (!symbol || !at || writes.at(load.to->name) != 1) continue;
    const auto parameter = std::ranges::find(source.parameters, symbol->name, &ptx::Variable::name);
    const std::pair place{static_cast<std::size_t>(parameter - source.parameters.begin()),
                          static_cast<std::uint64_t>(load.from->offset)};
    copies.insert_or_assign(place, ParameterCopy{load.to->name, *at});
  }
  return copies;
}

std::optional<VariableWatch::KnownPlace> VariableWatch::place_in(const FunctionCode& function,
                                                                 const ptx::Function& source,
                                                                 const ptx::DebugPlace& place) const {
  KnownPlace found;
  found.offset = place.offset;
  if (place.kind == ptx::DebugPlace::kRegister) {
    const auto at = place_of_register(function, place.name);
    if (!at) return std::nullopt;
    found.kind = KnownPlace::kRegister;
    found.at = *at;
    found.name = place.name;
    return found;
  }
  if (const auto local = offset_of_local(source, place.name)) {
    found.kind = KnownPlace::kLocal;
    found.offset += *local;
    return found;
  }
  const auto parameter = std::ranges::find(source.parameters, place.name, &ptx::Variable::name);
  if (parameter == source.parameters.end() || !source.is_entry) return std::nullopt;
  found.kind = KnownPlace::kParameter;
  found.parameter = static_cast<std::size_t>(parameter - source.parameters.begin());
  return found;
}

// ---- values --------------------------------------------------------------------------------------------

// A call begins with its function's first instruction.
VariableWatch::Call& VariableWatch::call_of(const Moment& moment, WarpTrace* trace) {
  const std::vector<std::uint32_t>& next = known(moment.function).next;
  const bool begins = moment.call != last_call_ && !next.empty() && moment.statement == next.front();
  last_call_ = moment.call;
  Call& call = calls_[moment.call];
  if (!begins) return call;
  if (trace)
    for (const auto& [local, value] : call.shown)
      if (value.lanes) trace->changes.push_back({local, moment.call, 0, 0});
  call = {};
  const auto first = moment.frame.local_base;
  written_.erase(written_.lower_bound(first), written_.lower_bound(first + moment.function.local_bytes));
  return call;
}

void VariableWatch::look(const Moment& moment, const Warp& warp, WarpTrace* trace) {
  Call& call = call_of(moment, trace);
  for (const TracedValue& value : moment.values)
    if (!value.is_number) call.registers[value.name] |= moment.executing;
  for (const TracedAccess& access : moment.accesses) {
    if (access.space != MemorySpace::kLocal || access.kind == AccessKind::kLoad) continue;
    for (std::size_t lane = 0; lane < access.address.size(); ++lane)
      for (std::uint32_t byte = 0; (access.lanes >> lane & 1) && byte < access.bytes; ++byte)
        written_[static_cast<std::uint32_t>(access.address[lane]) + byte] |= 1u << lane;
  }
  if (trace) add_changes(moment, warp, call, *trace);
}

void VariableWatch::add_changes(const Moment& moment, const Warp& warp, Call& call, WarpTrace& trace) {
  const KnownFunction& function = known(moment.function);
  const std::uint32_t next =
      may_go_elsewhere(moment.instruction) ? moment.statement : function.next.at(moment.statement + 1);
  for (const KnownVariable& variable : function.variables) {
    const auto at = [&](std::uint32_t statement) {
      return std::ranges::find_if(variable.places,
                                  [&](const KnownPlace& each) { return each.range.has(statement); });
    };
    // The location from now on; at the last instruction of its scope, the previous location.
    auto place = variable.places.end();
    if (variable.scope.has(moment.statement)) place = at(next);
    if (variable.scope.has(moment.statement) && place == variable.places.end()) place = at(moment.statement);
    for (std::size_t i = 0; i < variable.source->parts.size(); ++i) {
      const auto local = variable.first_local + static_cast<std::uint32_t>(i);
      Value value;
      if (place != variable.places.end()) value = read(moment, warp, call, *place, variable.source->parts[i]);
      Value& shown = call.shown[local];
      shown.place = place != variable.places.end() ? &*place : nullptr;
      shown.address = value.address;
      shown.in_register = value.in_register;
      const bool is_same = shown.lanes == value.lanes && !differ(shown.bits, value.bits, value.lanes);
      if (is_same) continue;
      shown.lanes = value.lanes;
      shown.bits = value.bits;
      trace.changes.push_back(
          {local, moment.call, value.lanes, static_cast<std::uint32_t>(trace.values.size())});
      trace.values.push_back(value.bits);
    }
  }
}

std::vector<LocalPlace> VariableWatch::places(std::uint32_t call) const {
  std::vector<LocalPlace> places;
  for (const auto& [number, known] : calls_)
    for (const auto& [local, value] : known.shown) {
      if (number > call || !value.lanes || !value.place) continue;
      places.push_back({local, number, value.lanes, value.in_register, value.address});
      places.back().is_parameter = value.place->kind == KnownPlace::kParameter && value.in_register.empty();
    }
  std::ranges::sort(places, {}, [](const LocalPlace& each) { return std::pair(each.call, each.local); });
  return places;
}

VariableWatch::Value VariableWatch::read_register(const Moment& moment, const Call& call,
                                                  const std::string& name, const RegisterPlace& at,
                                                  std::size_t bytes) const {
  Value value;
  const auto written = call.registers.find(name);
  if (written == call.registers.end()) return value;
  value.lanes = written->second;
  value.in_register = name;
  value.bits = read_lanes(moment.frame.registers.get(), at);
  if (bytes < sizeof value.bits[0])  // a char occupies a 32-bit register
    for (std::uint64_t& bits : value.bits) bits &= (std::uint64_t{1} << 8 * bytes) - 1;
  return value;
}

// In the register to which the kernel has copied it, which a debugger may have changed; before the copy, in
// the parameters of the launch.
VariableWatch::Value VariableWatch::read_parameter(const Moment& moment, const Warp& warp, const Call& call,
                                                   const KnownPlace& place,
                                                   const ptx::DebugPart& part) const {
  const std::size_t bytes = ptx::info(part.type).bytes;
  const ParameterCopies& copies = functions_.at(&moment.function).copies;
  if (const auto copy = copies.find({place.parameter, place.offset + part.offset}); copy != copies.end()) {
    Value value = read_register(moment, call, copy->second.name, copy->second.at, bytes);
    if ((value.lanes & moment.executing) == moment.executing && value.lanes) return value;
  }
  Value value;
  const auto& parameters = warp.launch->kernel->parameters;
  const std::uint64_t at = parameters.at(place.parameter).offset + place.offset + part.offset;
  if (at + bytes > warp.launch->kernel->parameter_bytes) return value;
  value.lanes = lanes_of(warp);
  value.bits.fill(bits_at(warp.parameters + at, bytes));
  return value;
}

VariableWatch::Value VariableWatch::read(const Moment& moment, const Warp& warp, const Call& call,
                                         const KnownPlace& place, const ptx::DebugPart& part) const {
  const std::size_t bytes = ptx::info(part.type).bytes;
  if (place.kind == KnownPlace::kParameter) return read_parameter(moment, warp, call, place, part);
  if (place.kind == KnownPlace::kRegister)
    return part.offset == 0 ? read_register(moment, call, place.name, place.at, bytes) : Value{};
  Value value;
  const auto at = static_cast<std::uint32_t>(moment.frame.local_base + place.offset + part.offset);
  if (at + bytes > warp.local_bytes) return value;
  value.address = kLocalWindow + at;
  const auto written = written_.find(at);
  value.lanes = written == written_.end() ? 0 : written->second;
  for (std::size_t lane = 0; lane < value.bits.size(); ++lane)
    value.bits[lane] = bits_at(warp.local + lane * warp.local_bytes + at, bytes);
  return value;
}

}  // namespace cudalab::vgpu
