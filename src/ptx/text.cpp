// Writes a parsed module, or a part of it, as PTX.
#include "ptx/text.h"

#include <fmt/format.h>

#include <array>

#include "core/text.h"

namespace cudalab::ptx {
namespace {

// In the order of the enumeration Space.
constexpr std::array<std::string_view, 8> kSpaceNames{"",       ".reg",   ".const",  ".global",
                                                      ".local", ".param", ".shared", ".tex"};

std::string with_offset(const std::string& base, std::int64_t offset) {
  if (offset == 0) return base;
  return base.empty() ? fmt::format("{}", offset)
                      : fmt::format("{}+{}", base, offset);  // `x+-4`: the notation of compilers
}

std::string list_text(const std::vector<Operand>& operands) {
  return joined(operands, ", ", [](const Operand& operand) { return to_text(operand); });
}

struct OperandText {
  std::string operator()(const std::monostate&) const { return {}; }
  std::string operator()(const Register& reg) const {
    return reg.part.empty() ? reg.name : reg.name + "." + reg.part;
  }
  std::string operator()(const Symbol& symbol) const { return with_offset(symbol.name, symbol.offset); }
  std::string operator()(const Negated& negated) const { return "!" + negated.name.name; }
  std::string operator()(const Underscore&) const { return "_"; }
  std::string operator()(const Vector& vector) const { return "{" + list_text(vector.elements) + "}"; }
  std::string operator()(const DestinationPair& pair) const {
    return to_text(pair.elements.at(0)) + "|" + to_text(pair.elements.at(1));
  }

  std::string operator()(const Immediate& immediate) const {
    switch (immediate.kind) {
      case Immediate::Kind::kF32Bits: return fmt::format("0f{:08X}", immediate.bits);
      case Immediate::Kind::kF64Bits: return fmt::format("0d{:016X}", immediate.bits);
      case Immediate::Kind::kInteger: break;
    }
    return fmt::format("{}", static_cast<std::int64_t>(immediate.bits));
  }

  std::string operator()(const Address& address) const {
    std::string text = with_offset(std::visit(*this, address.base), address.offset);
    if (text.empty()) text = "0";
    if (address.sampler.index() != 0) text += ", " + std::visit(*this, address.sampler);
    if (!address.coordinates.empty())
      text += ", {" + joined(address.coordinates, ", ", [&](const auto& c) { return std::visit(*this, c); }) +
              "}";
    return "[" + text + "]";
  }
};

std::string call_text(const Instruction& call) {
  std::string text = call.call_returns.empty() ? "" : "(" + list_text(call.call_returns) + "), ";
  text += call.call_target;
  if (!call.call_arguments.empty() || !call.call_prototype.empty())
    text += ", (" + list_text(call.call_arguments) + ")";
  return call.call_prototype.empty() ? text : text + ", " + call.call_prototype;
}

std::string element_text(const Initializer& element) {
  const Symbol* symbol = std::get_if<Symbol>(&element.value);
  if (symbol == nullptr) return OperandText{}(std::get<Immediate>(element.value));
  const std::string name = element.generic ? "generic(" + symbol->name + ")" : symbol->name;
  const std::string text = with_offset(name, symbol->offset);
  return element.mask == ~std::uint64_t{0} ? text : fmt::format("{:#x}({})", element.mask, text);
}

std::string initial_text(const Variable& variable) {
  if (variable.initial.empty()) return {};
  const std::string values = joined(variable.initial, ", ", element_text);
  return variable.dimensions.empty() && variable.vector_width == 1 ? " = " + values : " = {" + values + "}";
}

std::string vector_text(int width) { return width == 1 ? "" : fmt::format(".v{} ", width); }

template <class Item>
std::string linkage_text(const Item& item) {
  return fmt::format("{}{}{}", item.is_extern ? ".extern " : "", item.is_visible ? ".visible " : "",
                     item.is_weak ? ".weak " : "");
}

std::string parameters_text(const std::vector<Variable>& parameters) {
  return "(" + joined(parameters, ", ", [](const Variable& parameter) { return to_text(parameter); }) + ")";
}

std::string size_text(std::string_view directive, const Dim3& size) {
  return size.volume() == 0 ? "" : fmt::format("{} {}, {}, {}\n", directive, size.x, size.y, size.z);
}

std::string count_text(std::string_view directive, std::uint32_t count) {
  return count == 0 ? "" : fmt::format("{} {}\n", directive, count);
}

std::string directives_text(const Function& function) {
  return size_text(".maxntid", function.max_threads) + size_text(".reqntid", function.required_threads) +
         size_text(".reqnctapercluster", function.required_cluster) +
         count_text(".minnctapersm", function.min_blocks) + count_text(".maxnreg", function.max_registers) +
         (function.is_noreturn ? ".noreturn\n" : "");
}

std::string register_text(const RegisterRange& range) {
  const std::string count = range.count == 0 ? "" : fmt::format("<{}>", range.count);
  return fmt::format(".reg {}.{} {}{}", vector_text(range.vector_width), info(range.type).name, range.name,
                     count);
}

std::string prototype_text(const CallPrototype& prototype) {
  if (!prototype.targets.empty()) return prototype.label + ": .calltargets " + joined(prototype.targets);
  return prototype.label + ": .callprototype " + parameters_text(prototype.returns) + " _ " +
         parameters_text(prototype.parameters) + (prototype.is_noreturn ? " .noreturn" : "");
}

std::string statement_text(const Statement& statement) {
  if (const Label* label = std::get_if<Label>(&statement)) return label->name + ":\n";
  return "  " + to_text(std::get<Instruction>(statement)) + "\n";
}

std::string body_text(const Function& function) {
  std::string text = "{\n";
  for (const RegisterRange& range : function.registers) text += "  " + register_text(range) + ";\n";
  for (const Variable& variable : function.variables) text += "  " + to_text(variable) + ";\n";
  for (const CallPrototype& prototype : function.prototypes) text += prototype_text(prototype) + ";\n";
  for (const BranchTargets& list : function.branch_targets)
    text += list.label + ": .branchtargets " + joined(list.targets) + ";\n";
  for (const Statement& statement : function.body) text += statement_text(statement);
  return text + "}\n";
}

}  // namespace

std::string to_text(const Operand& operand) { return std::visit(OperandText{}, operand.value); }

std::string to_text(const Instruction& instruction) {
  std::string text;
  if (instruction.guard)
    text += (instruction.guard->negated ? "@!" : "@") + instruction.guard->predicate + " ";
  text += instruction.opcode;
  const std::string operands =
      instruction.call_target.empty() ? list_text(instruction.operands) : call_text(instruction);
  return operands.empty() ? text + ";" : text + " " + operands + ";";
}

std::string to_text(const Variable& variable) {
  const std::string align = variable.align == 0 ? "" : fmt::format(".align {} ", variable.align);
  const std::string type =
      fmt::format("{}.{} ", vector_text(variable.vector_width), info(variable.type).name);
  std::string text = fmt::format("{}{}{} {}", linkage_text(variable), variable.is_common ? ".common " : "",
                                 kSpaceNames[static_cast<std::size_t>(variable.space)],
                                 variable.is_managed ? ".attribute(.managed) " : "");
  text += variable.is_pointer ? type + ".ptr " + align : align + type;
  text += variable.name;
  for (std::uint64_t length : variable.dimensions) text += length == 0 ? "[]" : fmt::format("[{}]", length);
  return text + initial_text(variable);
}

std::string to_text(const Function& function) {
  std::string text = linkage_text(function) + (function.is_entry ? ".entry " : ".func ");
  if (!function.returns.empty()) text += parameters_text(function.returns) + " ";
  text += function.name + parameters_text(function.parameters) + "\n" + directives_text(function);
  return text + (function.is_declaration ? ";\n" : body_text(function));
}

std::string to_text(const Module& module) {
  std::string text =
      fmt::format(".version {}.{}\n.target {}{}{}\n.address_size {}\n", module.version_major,
                  module.version_minor, module.target, module.target_options.empty() ? "" : ", ",
                  joined(module.target_options), module.address_size);
  for (const Variable& variable : module.variables) text += to_text(variable) + ";\n";
  for (const Function& function : module.functions) text += to_text(function);
  for (const Alias& alias : module.aliases) text += fmt::format(".alias {}, {};\n", alias.name, alias.target);
  return text;
}

}  // namespace cudalab::ptx
