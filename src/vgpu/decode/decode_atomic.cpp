// atom and red: what they do, where, whether anybody wants the old value, and whether the order of blocks
// matters.
#include <algorithm>
#include <bit>

#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/control.h"
#include "vgpu/opcodes/atomic.h"

namespace cudalab::vgpu {
namespace {

// Memory order, scope and cache hints change nothing here: an atomic is done before the next one begins.
bool is_hint(std::string_view part) {
  static constexpr std::string_view kHints[] = {"relaxed", "acquire", "release", "acq_rel", "volatile",
                                                "cta",     "cluster", "gpu",     "sys",     "noftz"};
  return part.starts_with("L2::") || part.starts_with("level::") ||
         std::find(std::begin(kHints), std::end(kHints), part) != std::end(kHints);
}

struct AtomicName {
  AtomicSpace space = kAtomicGeneric;
  std::string operation;
  std::string type;
};

// {atom,red}{.order}{.scope}{.space}.OP{.noftz}{.hint}.TYPE; nothing for other forms, such as vectors
std::optional<AtomicName> parse_name(const ptx::Instruction& instruction) {
  AtomicName name;
  name.type = instruction.parts.back();
  for (std::size_t i = 1; i + 1 < instruction.parts.size(); ++i) {
    const std::string& part = instruction.parts.at(i);
    if (part == "global")
      name.space = kAtomicGlobal;
    else if (part == "shared" || part == "shared::cta")
      name.space = kAtomicShared;
    else if (!is_hint(part) && name.operation.empty())
      name.operation = part;
    else if (!is_hint(part))
      return std::nullopt;
  }
  return name;
}

bool commutes(const AtomicName& name) {
  static constexpr std::string_view kCommutes[] = {"add", "min", "max", "and", "or", "xor"};
  const bool is_integer = name.type.find('f') == std::string::npos;
  return is_integer &&
         std::find(std::begin(kCommutes), std::end(kCommutes), name.operation) != std::end(kCommutes);
}

// Additions of signed and unsigned integers are the same; minima and maxima are not.
std::string reduction_kind(const AtomicName& name) {
  if (name.operation == "min" || name.operation == "max") return name.operation + "." + name.type;
  return name.operation + name.type.substr(1);
}

void count_names(std::unordered_map<std::string, int>& mentions, const ptx::Address& address) {
  if (const auto* base = std::get_if<ptx::Register>(&address.base)) ++mentions[base->name];
  if (const auto* base = std::get_if<ptx::Symbol>(&address.base)) ++mentions[base->name];
  for (const auto& coordinate : address.coordinates)
    if (const auto* name = std::get_if<ptx::Register>(&coordinate)) ++mentions[name->name];
}

void count_mention(std::unordered_map<std::string, int>& mentions, const ptx::Operand& operand) {
  if (const auto* name = std::get_if<ptx::Register>(&operand.value)) ++mentions[name->name];
  if (const auto* name = std::get_if<ptx::Symbol>(&operand.value)) ++mentions[name->name];
  if (const auto* negated = std::get_if<ptx::Negated>(&operand.value)) ++mentions[negated->name.name];
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) count_names(mentions, *address);
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value))
    for (const ptx::Operand& element : vector->elements) count_mention(mentions, element);
  if (const auto* pair = std::get_if<ptx::DestinationPair>(&operand.value))
    for (const ptx::Operand& element : pair->elements) count_mention(mentions, element);
}

std::unordered_map<std::string, int> count_mentions(const ptx::Function& function) {
  std::unordered_map<std::string, int> mentions;
  for (const ptx::Statement& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    if (instruction->guard) ++mentions[instruction->guard->predicate];
    ++mentions[instruction->call_target];
    for (const auto* operands :
         {&instruction->operands, &instruction->call_returns, &instruction->call_arguments})
      for (const ptx::Operand& operand : *operands) count_mention(mentions, operand);
  }
  return mentions;
}

}  // namespace

// A result that the function never names again.
bool FunctionDecoder::is_unused(const ptx::Operand& operand) {
  if (std::holds_alternative<ptx::Underscore>(operand.value)) return true;
  const auto* name = std::get_if<ptx::Register>(&operand.value);
  if (!name) return false;
  if (mentions_.empty()) mentions_ = count_mentions(source_);
  return mentions_[name->name] == 1;
}

void FunctionDecoder::note_communication(bool with_other_blocks) {
  traits_.communicates = traits_.communicates || with_other_blocks;
  emit(control::note_communication).imm = with_other_blocks;
}

// One site a space that the address may be in: as the instruction's name says, or global, shared, local.
std::uint32_t FunctionDecoder::add_atomic_sites(std::uint32_t space, std::size_t bytes, bool reduction) {
  const auto index = static_cast<std::uint32_t>(context_.program->sites.size());
  const auto add = [&](SiteKind kind) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = static_cast<int>(bytes);
    site.source = line_;
    site.volatile_or_atomic = true;
    site.residue_mask = static_cast<std::uint32_t>(
        kind == SiteKind::kSharedAtomic ? std::max<std::size_t>(bytes, kBankBytes) - 1 : kSectorBytes - 1);
    site.index_shift =
        static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(std::max<std::size_t>(bytes, 4))));
    context_.program->sites.push_back(site);
  };
  if (space != kAtomicShared) add(reduction ? SiteKind::kGlobalReduction : SiteKind::kGlobalAtomic);
  if (space != kAtomicGlobal) add(SiteKind::kSharedAtomic);
  if (space == kAtomicGeneric) add(SiteKind::kLocalStore);
  return index;
}

// The address of an operand in brackets, 64 bits wide; the displacement is not part of it.
Slot FunctionDecoder::wide_address(const ptx::Address& address) {
  if (const auto* base = std::get_if<ptx::Register>(&address.base))
    return source_register(base->name, ptx::Type::kU64);
  if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) {
    if (find_register(symbol->name)) return source_register(symbol->name, ptx::Type::kU64);
    return address_of(*symbol, 8);
  }
  return context_.constants.slot(0, 8);
}

// atom… d, [a], b{, c};   red… [a], b;   a cache policy may follow
void FunctionDecoder::decode_atomic(const ptx::Instruction& instruction) {
  const auto name = parse_name(instruction);
  const auto& operands = instruction.operands;
  const std::size_t at = instruction.parts.at(0) == "atom" ? 1 : 0;
  const bool swaps = name && name->operation == "cas";
  if (!name || operands.size() < at + (swaps ? 3u : 2u)) unsupported(instruction);
  const auto* address = std::get_if<ptx::Address>(&operands.at(at).value);
  const auto type = ptx::type_named(name->type);
  const Row* row = opcode_table().find("atom." + name->operation + "." + name->type);
  if (!address || !type || !row) unsupported(instruction);

  const bool wanted = at == 1 && !is_unused(operands.at(0));
  const bool reduction = !wanted && name->operation != "exch" && !swaps;
  if (name->space != kAtomicShared) {
    if (reduction && commutes(*name))
      traits_.reductions.insert(reduction_kind(*name));
    else
      traits_.communicates = true;
  }
  Inst made;
  made.a = wide_address(*address);
  made.imm = static_cast<std::uint64_t>(address->offset);
  made.b = source(operands.at(at + 1), *type);
  if (swaps) made.c = source(operands.at(at + 2), *type);
  if (wanted) made.d = result(operands.at(0), *type);
  made.e.bits = name->space;
  made.site = add_atomic_sites(name->space, ptx::info(*type).bytes, reduction);
  made.run = row->run;
  made.source = line_;
  pending_.push_back(made);
}

}  // namespace cudalab::vgpu
