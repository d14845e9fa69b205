#include "report/warp/variables.h"

#include <algorithm>
#include <set>

namespace cudalab::report {
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
  std::map<std::string, std::uint32_t> inner;  // the local that a name means
  for (const auto& [local, unused] : here) inner[trace_->locals[local].name] = local;
  std::vector<KnownValue> values;
  for (const auto& [local, change] : here)
    if (inner[trace_->locals[local].name] == local) values.push_back(known_value(*trace_, change));
  return values;
}

std::vector<KnownValue> Variables::changed_by(const Moment& moment) {
  std::set<std::uint32_t> changed;  // variables
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

}  // namespace cudalab::report
