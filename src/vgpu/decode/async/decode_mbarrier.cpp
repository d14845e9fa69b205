// mbarrier objects, and cp.async that arrives at one.
#include <algorithm>

#include "vgpu/decode/async/async_operands.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/mbarrier.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t if_set(bool is_set, std::uint64_t flag) { return is_set ? flag : 0; }

// What the parts of the name say behind `mbarrier.OPERATION`.
struct MbarrierName {
  std::string_view operation, space;
  bool is_relaxed = false, expects_bytes = false, has_parity = false;
};

MbarrierName parse_mbarrier(const ptx::Instruction& instruction) {
  MbarrierName name;
  name.operation = part_of(instruction, 1);
  if (instruction.parts.back() != "b64") unsupported(instruction);
  for (std::size_t i = 2; i + 1 < instruction.parts.size(); ++i) {
    const std::string_view part = instruction.parts[i];
    name.is_relaxed = name.is_relaxed || part == "relaxed";
    name.expects_bytes = name.expects_bytes || part == "expect_tx";
    name.has_parity = name.has_parity || part == "parity";
    if (part.starts_with("shared")) name.space = part;
    const bool known =
        is_scope(part) || is_one_of(part, {"relaxed", "expect_tx", "parity", "release", "acquire",
                                           "noComplete", "shared", "shared::cta", "shared::cluster"});
    if (!known) unsupported(instruction);
  }
  return name;
}

constexpr int kObjectBytes = 8;

Inst on_object(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t operand,
               const MbarrierName& name) {
  Inst made;
  made.a = address_operand(scope, instruction, operand, name.space);
  made.site = add_uncounted_site(scope, SiteKind::kSharedAtomic, kObjectBytes);
  return made;
}

// mbarrier.{init,expect_tx,complete_tx} [a], count;   mbarrier.inval [a]
void decode_on_object(FunctionScope& scope, const ptx::Instruction& instruction, const MbarrierName& name,
                      Handler run, std::size_t operands) {
  if (instruction.operands.size() != operands) wrong_operands(instruction);
  Inst made = on_object(scope, instruction, 0, name);
  if (operands == 2) made.b = scope.operands.source(instruction.operands[1], ptx::Type::kU32);
  scope.code.add(made, run);
}

// mbarrier.{arrive,arrive_drop}{.expect_tx} {state,_}, [a]{, count}
void decode_mbarrier_arrive(FunctionScope& scope, const ptx::Instruction& instruction,
                            const MbarrierName& name, std::uint64_t flags) {
  const auto& operands = instruction.operands;
  const bool has_state = operands.size() > 1 && !std::holds_alternative<ptx::Address>(operands[0].value);
  const std::size_t at = has_state ? 1 : 0;
  if (operands.size() > at + 2 || (name.expects_bytes && operands.size() != at + 2))
    wrong_operands(instruction);
  Inst made = on_object(scope, instruction, at, name);
  made.imm = flags | if_set(name.expects_bytes, mbarrier::kExpectsBytes) |
             if_set(name.is_relaxed, mbarrier::kRelaxed);
  if (operands.size() > at + 1) made.b = scope.operands.source(operands[at + 1], ptx::Type::kU32);
  const bool is_wanted = has_state && !std::holds_alternative<ptx::Underscore>(operands[0].value);
  if (is_wanted) made.d = scope.operands.result(operands[0], ptx::Type::kB64);
  scope.code.add(made, mbarrier::arrive);
}

// mbarrier.{test_wait,try_wait} p, [a], state{, time};   ….parity p, [a], parity{, time}
void decode_mbarrier_wait(FunctionScope& scope, const ptx::Instruction& instruction,
                          const MbarrierName& name) {
  const auto& operands = instruction.operands;
  const std::size_t most = name.operation == "try_wait" ? 4 : 3;
  if (operands.size() < 3 || operands.size() > most) wrong_operands(instruction);
  Inst made = on_object(scope, instruction, 1, name);
  made.imm = if_set(name.has_parity, mbarrier::kParity) | if_set(name.is_relaxed, mbarrier::kIsRelaxed);
  made.b = scope.operands.source(operands[2], name.has_parity ? ptx::Type::kU32 : ptx::Type::kB64);
  made.d = scope.operands.result(operands[0], ptx::Type::kPred);
  scope.code.add(made, mbarrier::wait);
}

// mbarrier.pending_count.b64 count, state
void decode_pending_count(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) wrong_operands(instruction);
  Inst made;
  made.a = scope.operands.source(instruction.operands[1], ptx::Type::kB64);
  made.d = scope.operands.result(instruction.operands[0], ptx::Type::kU32);
  scope.code.add(made, mbarrier::pending_count);
}

}  // namespace

void decode_mbarrier(FunctionScope& scope, const ptx::Instruction& instruction) {
  const MbarrierName name = parse_mbarrier(instruction);
  if (name.operation == "init") return decode_on_object(scope, instruction, name, mbarrier::init, 2);
  if (name.operation == "inval") return decode_on_object(scope, instruction, name, mbarrier::invalidate, 1);
  if (name.operation == "expect_tx")
    return decode_on_object(scope, instruction, name, mbarrier::expect_bytes, 2);
  if (name.operation == "complete_tx")
    return decode_on_object(scope, instruction, name, mbarrier::complete_bytes, 2);
  if (name.operation == "arrive") return decode_mbarrier_arrive(scope, instruction, name, 0);
  if (name.operation == "arrive_drop")
    return decode_mbarrier_arrive(scope, instruction, name, mbarrier::kDrops);
  if (name.operation == "test_wait" || name.operation == "try_wait")
    return decode_mbarrier_wait(scope, instruction, name);
  if (name.operation == "pending_count") return decode_pending_count(scope, instruction);
  unsupported(instruction);
}

// cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [a]
void decode_async_arrive(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<std::string> parts = instruction.parts;
  const bool counted_already = std::erase(parts, "noinc") > 0;
  const bool in_shared = std::erase_if(parts, [](const std::string& part) {
                           return is_one_of(part, {"shared", "shared::cta"});
                         }) > 0;
  if (parts != std::vector<std::string>{"cp", "async", "mbarrier", "arrive", "b64"}) unsupported(instruction);
  Inst made = on_object(scope, instruction, 0, {.operation = {}, .space = in_shared ? "shared" : ""});
  made.imm = if_set(!counted_already, mbarrier::kCountsItself);
  scope.code.add(made, mbarrier::arrive_after_copies);
}

}  // namespace cudalab::vgpu
