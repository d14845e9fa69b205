// Decodes video instructions: the parts of their operands, and their operations.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/opcodes/video.h"

namespace cudalab::vgpu {
namespace {

struct NamedOperation {
  std::string_view name;
  VideoOperation operation;
  bool is_scalar, is_simd;
};
constexpr NamedOperation kOperations[] = {
    {"vadd", VideoOperation::kAdd, true, true},        {"vsub", VideoOperation::kSubtract, true, true},
    {"vmin", VideoOperation::kMinimum, true, true},    {"vmax", VideoOperation::kMaximum, true, true},
    {"vset", VideoOperation::kEqual, true, true},      {"vabsdiff", VideoOperation::kDifference, true, true},
    {"vshl", VideoOperation::kShiftLeft, true, false}, {"vshr", VideoOperation::kShiftRight, true, false},
    {"vavrg", VideoOperation::kAverage, false, true},  {"vmad", VideoOperation::kMultiplyAdd, true, false},
};
constexpr Meaning<VideoOperation> kComparisons[] = {
    {"eq", VideoOperation::kEqual},   {"ne", VideoOperation::kNotEqual},
    {"lt", VideoOperation::kLess},    {"le", VideoOperation::kLessEqual},
    {"gt", VideoOperation::kGreater}, {"ge", VideoOperation::kGreaterEqual},
};
constexpr Meaning<VideoEnd> kEnds[] = {
    {"add", VideoEnd::kAdd}, {"min", VideoEnd::kMinimum}, {"max", VideoEnd::kMaximum}};

template <class Value, std::size_t N>
std::optional<Value> find(const Meaning<Value> (&table)[N], Word word) {
  const auto* row = std::ranges::find(table, word, &Meaning<Value>::word);
  return row == std::end(table) ? std::nullopt : std::optional(row->value);
}

// ---- opcode names ------------------------------------------------------------------------------------
void set_operation(const ptx::Instruction& instruction, VideoOp& op) {
  std::string_view name = instruction.parts[0];
  op.is_simd = name.ends_with('2') || name.ends_with('4');
  if (op.is_simd) op.a_bits = op.b_bits = op.d_bits = name.back() == '2' ? 16 : 8, name.remove_suffix(1);
  for (const NamedOperation& row : kOperations)
    if (row.name == name && (op.is_simd ? row.is_simd : row.is_scalar)) {
      op.operation = row.operation;
      return;
    }
  unsupported(instruction);
}

// Sets the types of d, a and b; vset's d is unsigned and not written in the name.
std::size_t set_types(const ptx::Instruction& instruction, bool compares, VideoOp& op) {
  static constexpr VideoOp::Flag kFlags[] = {VideoOp::kSignedD, VideoOp::kSignedA, VideoOp::kSignedB};
  const std::size_t first = compares ? 1 : 0;
  for (std::size_t i = first; i < 3; ++i) {
    const Word type = part_of(instruction, 1 + i - first);
    if (!is_one_of(type, {"u32", "s32"})) unsupported(instruction);
    if (type == "s32") op.flags |= kFlags[i];
  }
  return 4 - first;
}

// vmad.DTYPE.ATYPE.BTYPE{.po}{.sat}{.shr7,.shr15}, after the types
void set_multiply_add(const ptx::Instruction& instruction, std::size_t next, VideoOp& op) {
  const auto take = [&](Word name, VideoOp::Flag flag) {
    if (part_of(instruction, next) == name) op.flags |= flag, ++next;
  };
  take("po", VideoOp::kPlusOne);
  take("sat", VideoOp::kSaturates);
  take("shr7", VideoOp::kShift7);
  if (!(op.flags & VideoOp::kShift7)) take("shr15", VideoOp::kShift15);
  if (next != instruction.parts.size()) unsupported(instruction);
}

// OP.DTYPE.ATYPE.BTYPE{.sat}{.clamp,.wrap}{.add,.min,.max};   vset.ATYPE.BTYPE.CMP{.add,.min,.max}
VideoOp parse_video_name(const ptx::Instruction& instruction) {
  VideoOp op;
  set_operation(instruction, op);
  const bool compares = instruction.parts[0].text().starts_with("vset");
  const bool shifts = is_one_of(instruction.parts[0], {"vshl", "vshr"});
  std::size_t next = set_types(instruction, compares, op);
  if (shifts && op.flags & VideoOp::kSignedB) unsupported(instruction);
  if (op.operation == VideoOperation::kMultiplyAdd) {
    set_multiply_add(instruction, next, op);
    return op;
  }
  const auto take = [&](Word name) { return part_of(instruction, next) == name && ++next; };
  if (!compares && take("sat")) op.flags |= VideoOp::kSaturates;
  if (shifts && take("wrap"))
    op.flags |= VideoOp::kWraps;
  else if (shifts && !take("clamp"))
    unsupported(instruction);
  if (compares) {
    const auto comparison = find(kComparisons, part_of(instruction, next++));
    if (!comparison) unsupported(instruction);
    op.operation = *comparison;
  }
  if (next == instruction.parts.size()) return op;
  const auto end = find(kEnds, part_of(instruction, next++));
  if (!end || next != instruction.parts.size() || (op.is_simd && *end != VideoEnd::kAdd))
    unsupported(instruction);
  op.end = *end;
  return op;
}

// ---- operands ----------------------------------------------------------------------------------------
// "h0" in `%r1.h0`, which becomes `%r1`; empty: the whole register.
std::string take_selector(ptx::Operand& operand) {
  auto* name = std::get_if<ptx::Register>(&operand.value);
  return name ? std::exchange(name->part, "") : "";
}

std::uint8_t bits_of_selector(std::string_view selector) {
  return selector.empty() ? 32 : selector[0] == 'b' ? 8 : 16;
}

// The digits of a selector, last one first; each must be below `most`.
std::vector<std::uint32_t> digits_of(const ptx::Instruction& instruction, std::string_view selector,
                                     char most) {
  std::vector<std::uint32_t> digits;
  for (std::size_t i = selector.size(); i-- > 1;) {
    if (selector[i] < '0' || selector[i] >= most) unsupported(instruction);
    digits.push_back(static_cast<std::uint32_t>(selector[i] - '0'));
  }
  return digits;
}

// For a scalar operand: .b0 to .b3, .h0 or .h1 of its register; `in_b`: 32 bits further.
std::uint32_t scalar_part(const ptx::Instruction& instruction, const std::string& selector, bool in_b) {
  const unsigned parts = 32u / bits_of_selector(selector);
  const auto digits = digits_of(instruction, selector, static_cast<char>('0' + parts));
  if (digits.size() > 1) unsupported(instruction);
  return (digits.empty() ? 0 : digits[0]) + (in_b ? parts : 0);
}

// For a vector operand: for each position a part of both registers, such as .b7610; without a selector, a's
// or b's own parts in order.
std::uint32_t simd_parts(const ptx::Instruction& instruction, const VideoOp& op, std::string selector,
                         bool in_b) {
  const unsigned parts = 32u / op.d_bits;
  if (selector.empty()) selector = parts == 2 ? (in_b ? "h32" : "h10") : (in_b ? "b7654" : "b3210");
  const auto digits = digits_of(instruction, selector, static_cast<char>('0' + 2 * parts));
  if (digits.size() != parts || bits_of_selector(selector) != op.d_bits) unsupported(instruction);
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) all |= digits[i] << (4 * i);
  return all;
}

std::uint32_t select_parts(const ptx::Instruction& instruction, VideoOp& op, const std::string& a,
                           const std::string& b) {
  if (op.is_simd)
    return video_parts(simd_parts(instruction, op, a, false), simd_parts(instruction, op, b, true));
  op.a_bits = bits_of_selector(a);
  op.b_bits = bits_of_selector(b);
  return video_parts(scalar_part(instruction, a, false), scalar_part(instruction, b, true));
}

void select_positions(const ptx::Instruction& instruction, VideoOp& op, const std::string& selector) {
  if (!op.is_simd) op.d_bits = bits_of_selector(selector);
  if (!selector.empty() && bits_of_selector(selector) != op.d_bits) unsupported(instruction);
  const unsigned parts = 32u / op.d_bits;
  const auto digits = digits_of(instruction, selector, static_cast<char>('0' + parts));
  if (!op.is_simd && digits.size() > 1) unsupported(instruction);
  if (!digits.empty()) op.positions = 0;
  if (digits.empty() && op.is_simd) op.positions = static_cast<std::uint8_t>((1u << parts) - 1);
  for (const std::uint32_t digit : digits) op.positions |= static_cast<std::uint8_t>(1u << digit);
}

}  // namespace

// v… d{.part}, a{.part}, b{.part}{, c};   vmad d, a{.part}, b{.part}, c
void decode_video(FunctionScope& scope, const ptx::Instruction& instruction) {
  VideoOp op = parse_video_name(instruction);
  std::vector<ptx::Operand> operands = instruction.operands;
  const std::string of_d = take_selector(operands[0]), of_a = take_selector(operands[1]),
                    of_b = take_selector(operands[2]);
  const bool ends = op.end != VideoEnd::kMerge || op.operation == VideoOperation::kMultiplyAdd;
  check_operand_count(instruction, op.is_simd || ends || !of_d.empty() ? 4 : 3);
  if (!op.is_simd && ends && !of_d.empty()) unsupported(instruction);
  Inst made;
  made.e.bits = select_parts(instruction, op, of_a, of_b);
  select_positions(instruction, op, of_d);
  made.a = scope.operands.source(operands[1], ptx::Type::kU32);
  made.b = scope.operands.source(operands[2], ptx::Type::kU32);
  made.c = operands.size() > 3 ? scope.operands.source(operands[3], ptx::Type::kU32)
                               : scope.operands.constant(0, 4);
  made.d = scope.operands.result(operands[0], ptx::Type::kU32);
  made.imm = std::bit_cast<std::uint64_t>(op);
  scope.code.add(made, video);
}

}  // namespace cudalab::vgpu
