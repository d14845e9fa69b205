// Instructions that compute: rows of the opcode table, and the forms of mov and cvta.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {

// Instructions whose operands do not follow a row's plan, by the first part of their name.
struct DecodeTable {
  static const std::map<std::string, FunctionDecoder::Decode, std::less<>>& rows() {
    using D = FunctionDecoder;
    static const std::map<std::string, D::Decode, std::less<>> table{
        {"mov", &D::decode_mov},
        {"cvta", &D::decode_cvta},
        {"ld", &D::decode_load},
        {"ldu", &D::decode_load},
        {"st", &D::decode_store},
        {"membar", &D::decode_fence},
        {"fence", &D::decode_fence},
        {"nanosleep", &D::decode_nothing},
        {"prefetch", &D::decode_nothing},
        {"prefetchu", &D::decode_nothing},
        {"set", &D::decode_set},
        {"wmma", &D::decode_wmma},
        {"mma", &D::decode_mma},
        {"ldmatrix", &D::decode_load_matrices},
        {"cp", &D::decode_async_copy},
        {"isspacep", &D::decode_is_space},
        {"createpolicy", &D::decode_cache_policy},
        {"discard", &D::decode_nothing},
        {"applypriority", &D::decode_nothing},
        {"pmevent", &D::decode_nothing},
        {"griddepcontrol", &D::decode_nothing},
        {"setmaxnreg", &D::decode_nothing},
        {"alloca", &D::decode_alloca},
        {"stacksave", &D::decode_stack_mark},
        {"stackrestore", &D::decode_stack_mark},
        {"atom", &D::decode_atomic},
        {"red", &D::decode_atomic},
        {"shfl", &D::decode_shuffle},
        {"vote", &D::decode_vote},
        {"match", &D::decode_match},
        {"tex", &D::decode_texture},
        {"tld4", &D::decode_texture},
        {"txq", &D::decode_texture_query},
        {"suld", &D::decode_surface},
        {"sust", &D::decode_surface},
        {"suq", &D::decode_texture_query},
        {"redux", &D::decode_redux},
        {"elect", &D::decode_elect},
        {"activemask", &D::decode_active_mask},
    };
    return table;
  }
};

ptx::Instruction FunctionDecoder::with_vectors(ptx::Instruction instruction) const {
  for (ptx::Operand& operand : instruction.operands) {
    const auto* name = std::get_if<ptx::Register>(&operand.value);
    const auto found = name ? vectors_.find(name->name) : vectors_.end();
    if (found != vectors_.end()) operand.value = found->second;
  }
  return instruction;
}

void FunctionDecoder::decode_instruction(const ptx::Instruction& written) {
  const ptx::Instruction expanded = vectors_.empty() ? ptx::Instruction{} : with_vectors(written);
  const ptx::Instruction& instruction = vectors_.empty() ? written : expanded;
  const auto special = DecodeTable::rows().find(instruction.parts.at(0));
  if (special != DecodeTable::rows().end())
    (this->*special->second)(instruction);
  else
    decode_row(instruction);
}

void FunctionDecoder::emit_statement(const ptx::Instruction& instruction) {
  try {
    decode_instruction(instruction);
  } catch (const Unsupported& reason) {
    return refuse(instruction, reason.what);
  } catch (const std::out_of_range&) {  // it has fewer operands than its form needs
    return refuse(instruction, "opcode `" + instruction.opcode + "` is not supported with these operands");
  }
  body_.insert(body_.end(), leading_.begin(), leading_.end());
  const std::size_t guarded = pending_.size() + following_.size();
  if (instruction.guard && guarded > 0) {
    Inst guard;
    guard.run = control::guard;
    guard.a = predicate_slot(instruction.guard->predicate);
    guard.imm = instruction.guard->negated;
    guard.site = static_cast<std::uint32_t>(guarded);
    guard.source = line_;
    body_.push_back(guard);
  }
  body_.insert(body_.end(), pending_.begin(), pending_.end());
  body_.insert(body_.end(), following_.begin(), following_.end());
  leading_.clear(), pending_.clear(), following_.clear();
}

void FunctionDecoder::refuse(const ptx::Instruction& instruction, const std::string& what) {
  const bool has_line = !instruction.where.file.empty();
  context_.unsupported.push_back(fmt::format("{} ({}:{})", what, has_line ? instruction.where.file : "PTX",
                                             has_line ? instruction.where.line : instruction.ptx_line));
  leading_.clear(), pending_.clear(), following_.clear();
}

void FunctionDecoder::unsupported(const ptx::Instruction& instruction) const {
  throw Unsupported{"opcode `" + instruction.opcode + "` is not supported"};
}

const Row& FunctionDecoder::internal_row(const std::string& name) const {
  const Row* row = opcode_table().find(name);
  if (!row) throw Unsupported{"opcode `" + name + "` is not supported"};
  return *row;
}

void FunctionDecoder::decode_nothing(const ptx::Instruction&) {}

// Memory is always up to date here; only the checks care.
void FunctionDecoder::decode_fence(const ptx::Instruction&) { emit(control::fence); }

// ---- rows --------------------------------------------------------------------------------------------
void FunctionDecoder::decode_row(const ptx::Instruction& instruction) {
  const Row* row = opcode_table().find(instruction.opcode);
  if (!row || row->shape == Shape::kInternal) {
    // setp.lt.and.s32: the combining operation is not part of the row's name.
    return decode_compare(instruction, row ? *row : Row{});
  }
  if (row->shape == Shape::kCompare || row->shape == Shape::kComparePairs)
    return decode_compare(instruction, *row);
  if (static_cast<int>(instruction.operands.size()) != row->source_count + 1) unsupported(instruction);
  Inst made;
  Slot* const sources[] = {&made.a, &made.b, &made.c, &made.e};
  for (int i = 0; i < row->source_count; ++i)
    *sources[i] = source(instruction.operands.at(i + 1), row->sources[i]);
  made.d = result(instruction.operands.at(0), row->result);
  made.run = row->run;
  made.source = line_;
  pending_.push_back(made);
}

namespace {

bool compares(const Row* row) {
  return row && (row->shape == Shape::kCompare || row->shape == Shape::kComparePairs);
}

// CompareCombination of opcodes/lanes.h.
constexpr std::uint64_t kAnd = 1, kOr = 2, kXor = 3, kNegateC = 8;

std::uint64_t take_combination(std::vector<std::string>& parts) {
  static constexpr std::pair<std::string_view, std::uint64_t> kNames[] = {
      {"and", kAnd}, {"or", kOr}, {"xor", kXor}};
  for (const auto& [name, value] : kNames) {
    const auto found = std::find(parts.begin() + 1, parts.end(), name);
    if (found == parts.end()) continue;
    parts.erase(found);
    return value;
  }
  return 0;
}

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ".")); }

}  // namespace

// setp.CMP{.BOOL}{.ftz}.TYPE p{|q}, a, b{, {!}c}
void FunctionDecoder::decode_compare(const ptx::Instruction& instruction, const Row& plain) {
  std::vector<std::string> parts = instruction.parts;
  const std::uint64_t combination = take_combination(parts);
  const Row* row = combination ? opcode_table().find(joined(parts)) : &plain;
  if (!compares(row)) unsupported(instruction);
  const auto& operands = instruction.operands;
  if (operands.size() != (combination ? 4u : 3u)) unsupported(instruction);
  Inst made;
  made.imm = combination;
  made.a = source(operands.at(1), row->sources[0]);
  made.b = source(operands.at(2), row->sources[1]);
  if (combination) {
    if (const auto* negated = std::get_if<ptx::Negated>(&operands.at(3).value)) {
      made.c = predicate_slot(negated->name.name);
      made.imm |= kNegateC;
    } else {
      made.c = source(operands.at(3), ptx::Type::kPred);
    }
  }
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operands.at(0).value)) {
    made.d = result(pair->elements[0], ptx::Type::kPred);
    made.d2 = result(pair->elements[1], ptx::Type::kPred);
  } else {
    made.d = result(operands.at(0), ptx::Type::kPred);
  }
  made.run = row->run;
  made.source = line_;
  pending_.push_back(made);
}

// ---- mov ---------------------------------------------------------------------------------------------
void FunctionDecoder::decode_mov(const ptx::Instruction& instruction) {
  if (instruction.parts.size() != 2 || instruction.operands.size() != 2) unsupported(instruction);
  const auto type = ptx::type_named(instruction.parts.at(1));
  if (!type) unsupported(instruction);
  const std::size_t bytes = ptx::info(*type).bytes;
  if (const auto* parts = std::get_if<ptx::Vector>(&instruction.operands.at(1).value))
    return decode_pack(instruction, *parts, bytes);
  if (const auto* parts = std::get_if<ptx::Vector>(&instruction.operands.at(0).value))
    return decode_unpack(instruction, *parts, bytes);
  const Row& row = internal_row(bytes == 0 ? "mov.pred" : "mov.b" + std::to_string(8 * bytes));
  Inst made;
  made.a = source(instruction.operands.at(1), *type);
  made.d = result(instruction.operands.at(0), *type);
  made.run = row.run;
  made.source = line_;
  pending_.push_back(made);
}

namespace {

// The type of one part of a packed value: 2 parts of 64 bits are 32 bits each.
ptx::Type part_type(std::size_t bytes) {
  switch (bytes) {
    case 1: return ptx::Type::kB8;
    case 2: return ptx::Type::kB16;
    case 4: return ptx::Type::kB32;
    default: return ptx::Type::kB64;
  }
}

}  // namespace

void FunctionDecoder::decode_pack(const ptx::Instruction& instruction, const ptx::Vector& parts,
                                  std::size_t bytes) {
  const std::size_t count = parts.elements.size();
  const Row& row = internal_row(fmt::format("pack.b{}.v{}", 8 * bytes, count));
  std::vector<Slot> slots;
  for (const ptx::Operand& part : parts.elements) slots.push_back(source(part, part_type(bytes / count)));
  Inst made;
  made.d = result(instruction.operands.at(0), part_type(bytes));
  made.slots = keep(std::move(slots));
  made.run = row.run;
  made.source = line_;
  pending_.push_back(made);
}

void FunctionDecoder::decode_unpack(const ptx::Instruction& instruction, const ptx::Vector& parts,
                                    std::size_t bytes) {
  const std::size_t count = parts.elements.size();
  const Row& row = internal_row(fmt::format("unpack.b{}.v{}", 8 * bytes, count));
  Inst made;
  made.a = source(instruction.operands.at(1), part_type(bytes));
  std::vector<Slot> slots;
  for (const ptx::Operand& part : parts.elements) slots.push_back(result(part, part_type(bytes / count)));
  made.slots = keep(std::move(slots));
  made.run = row.run;
  made.source = line_;
  pending_.push_back(made);
}

// ---- cvta --------------------------------------------------------------------------------------------
// cvta{.to}.SPACE.SIZE d, a: between an address in a space and a generic one. Only shared, local and
// parameter addresses differ from generic ones here (memory.h).
void FunctionDecoder::decode_cvta(const ptx::Instruction& instruction) {
  const bool to_space = instruction.parts.at(1) == "to";
  std::string space = instruction.parts.at(to_space ? 2 : 1);
  if (const auto colons = space.find("::"); colons != std::string::npos) space.resize(colons);
  if (instruction.parts.back() != "u64") unsupported(instruction);
  const std::uint64_t window = space == "shared" ? kSharedWindow : space == "local" ? kLocalWindow : 0;
  Inst made;
  made.a = source(instruction.operands.at(1), ptx::Type::kU64);
  made.d = result(instruction.operands.at(0), ptx::Type::kU64);
  made.run = internal_row(window == 0 ? "mov.b64" : "add.u64").run;
  if (window != 0) made.b = context_.constants.slot(to_space ? 0 - window : window, 8);
  made.source = line_;
  pending_.push_back(made);
}

}  // namespace cudalab::vgpu
