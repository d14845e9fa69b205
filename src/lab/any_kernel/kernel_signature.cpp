// Knows how the types of CUDA C++ are called on the command line.
#include "lab/any_kernel/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text.h"
#include "device/kernel_table.h"

namespace cudalab::lab {
namespace {

using compile::DeclaredParameter;
using compile::KernelDeclaration;
using device::Kernel;

// Beside the names in core/scalar_type.h.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kOtherNames{{
    {"size_t", "u64"},
    {"uint8_t", "u8"},
    {"int8_t", "i8"},
    {"uint16_t", "u16"},
    {"int16_t", "i16"},
    {"uint32_t", "u32"},
    {"int32_t", "i32"},
    {"uint64_t", "u64"},
    {"int64_t", "i64"},
    {"unsigned", "u32"},
    {"uint", "u32"},
    {"bool", "u8"},
    {"char", "i8"},
    {"half", "f16"},
    {"long", "i64"},
}};

std::string without_blanks_at_its_end(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

// The words of a type, without qualifiers: "const unsigned int* __restrict__ x" -> "unsigned int".
std::string bare_type(const DeclaredParameter& parameter) {
  std::string text = parameter.text.substr(0, parameter.text.find('='));
  for (const std::string_view qualifier :
       {"const ", "volatile ", "__restrict__", "restrict ", "std::", "__grid_constant__ "})
    for (std::size_t at; (at = text.find(qualifier)) != std::string::npos;) text.erase(at, qualifier.size());
  if (const std::size_t mark = text.find_first_of("*&["); mark != std::string::npos) text.erase(mark);
  text = without_blanks_at_its_end(std::move(text));
  if (!parameter.name.empty() && text.ends_with(" " + parameter.name))
    text.erase(text.size() - parameter.name.size());
  return without_blanks_at_its_end(std::move(text));
}

std::string spec_type(const DeclaredParameter& parameter) {
  const std::string type = bare_type(parameter);
  for (const ScalarTypeInfo& row : kScalarTypes)
    if (row.cuda_name == type) return std::string(row.name);
  for (const auto& [name, spec] : kOtherNames)
    if (name == type) return std::string(spec);
  return "";
}

bool is_pointer(const DeclaredParameter& parameter) {
  return parameter.text.find_first_of("*[") != std::string::npos;
}

std::string example_argument(const DeclaredParameter& parameter) {
  const std::string type = spec_type(parameter);
  if (bare_type(parameter) == "cudaTextureObject_t") return "tex:f32:64x64:random";
  if (bare_type(parameter) == "cudaSurfaceObject_t") return "surf:f32:64x64";
  if (parameter.text.find("**") != std::string::npos)
    return fmt::format("[4*buf:{}:1024:zero]", type.empty() ? "f32" : type);
  if (is_pointer(parameter)) {
    const bool is_input =
        parameter.text.starts_with("const ") || parameter.text.find(" const *") != std::string::npos;
    return fmt::format("buf:{}:1024{}", type.empty() ? "f32" : type, is_input ? ":random" : ":zero");
  }
  if (type.empty()) return "TYPE:VALUE";
  return fmt::format("{}:{}", type, type.starts_with('f') || type == "u8" ? "1" : "1024");
}

std::string given(const ArgumentSpec& argument) {
  const std::size_t bytes = size_in_kernel(argument);
  switch (argument.kind) {
    case ArgumentKind::kBuffer: return "a buffer, which is a pointer of 8 bytes";
    case ArgumentKind::kPointers: return "a pointer of 8 bytes";
    case ArgumentKind::kTexture: return "a texture, whose handle has 8 bytes";
    case ArgumentKind::kSurface: return "a surface, whose handle has 8 bytes";
    case ArgumentKind::kStruct: return fmt::format("a structure of {} bytes", bytes);
    default: return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  }
}

// PTX calls a floating parameter f32 or f64; every other type may be bytes of anything.
std::string misfit(const device::KernelParameter& parameter, const ArgumentSpec& argument) {
  if (size_in_kernel(argument) != parameter.bytes)
    return fmt::format("is {}, and the parameter has {}", given(argument), parameter.bytes);
  const bool is_number = argument.kind == ArgumentKind::kValue;
  const bool wants_floating = parameter.ptx_type.starts_with('f');
  const bool wants_whole = parameter.ptx_type.starts_with('u') || parameter.ptx_type.starts_with('s');
  if (wants_floating && (!is_number || !is_floating(argument.type)))
    return "is no floating number, and the parameter is";
  if (wants_whole && is_number && argument.count == 1 && is_floating(argument.type))
    return "is a floating number, and the parameter is none";
  return "";
}

}  // namespace

const KernelDeclaration* declaration_of(std::span<const KernelDeclaration> declarations,
                                        const Kernel& kernel) {
  const KernelDeclaration* found = nullptr;
  for (const KernelDeclaration& declaration : declarations) {
    const bool is_named = declaration.name == device::without_template_arguments(kernel.name);
    if (!is_named || declaration.parameters.size() != kernel.parameters.size()) continue;
    if (found) return nullptr;
    found = &declaration;
  }
  return found;
}

std::vector<std::string> parameter_texts(const Kernel& kernel, const KernelDeclaration* declaration) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const device::KernelParameter& parameter = kernel.parameters[i];
    texts.push_back(declaration ? declaration->parameters[i].text
                                : fmt::format("{} bytes ({})", parameter.bytes,
                                              parameter.is_pointer ? "a pointer" : parameter.ptx_type));
  }
  return texts;
}

std::string signature(const std::string& name, const std::vector<std::string>& parameters) {
  return fmt::format("{}({})", name, joined(parameters));
}

std::string signature(const KernelDeclaration& declaration) {
  std::vector<std::string> texts;
  for (const DeclaredParameter& parameter : declaration.parameters) texts.push_back(parameter.text);
  const std::string arguments =
      declaration.template_parameters.empty() ? "" : "<" + declaration.template_parameters + ">";
  return signature(declaration.name + arguments, texts);
}

std::vector<std::string> argument_names(std::size_t count, const KernelDeclaration* declaration) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string declared = declaration ? declaration->parameters[i].name : "";
    names.push_back(declared.empty() ? fmt::format("arg{}", i + 1) : declared);
  }
  return names;
}

void require_fit(const Kernel& kernel, const std::vector<std::string>& parameters,
                 std::span<const ArgumentSpec> arguments) {
  const std::string wanted = signature(kernel.name, parameters);
  if (arguments.size() != kernel.parameters.size())
    throw usage_error("{} takes {} argument{}, and there {} {} --arg; it is {}", kernel.name,
                      kernel.parameters.size(), kernel.parameters.size() == 1 ? "" : "s",
                      arguments.size() == 1 ? "is" : "are", arguments.size(), wanted);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const std::string problem = misfit(kernel.parameters[i], arguments[i]); !problem.empty())
      throw usage_error("--arg {} {} (`{}`); the kernel is {}", arguments[i].text, problem, parameters[i],
                        wanted);
}

std::string example_arguments(const KernelDeclaration& declaration) {
  std::string text;
  for (const DeclaredParameter& parameter : declaration.parameters)
    text += fmt::format("{}--arg {}", text.empty() ? "" : " ", example_argument(parameter));
  return text;
}

std::string example_instance(const KernelDeclaration& declaration) {
  std::vector<std::string> arguments;
  std::string_view rest = declaration.template_parameters;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view one = rest.substr(0, comma);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const bool is_type = one.starts_with("class") || one.starts_with("typename");
    arguments.emplace_back(is_type ? "float" : one.starts_with("bool") ? "true" : "16");
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return fmt::format("{}<{}>", declaration.name, joined(arguments, ","));
}

}  // namespace cudalab::lab
