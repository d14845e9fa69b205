// Compiles and loads the file of a kernel, lists its kernels, and describes the arguments that they take.
#include "lab/any_kernel/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "compile/compile_kernels.h"
#include "compile/diagnosis.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "device/kernel_launch.h"
#include "lab/lab.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

using compile::DeclaredParameter;
using compile::KernelDeclaration;
using device::Kernel;

// In addition to the names in core/scalar_type.h.
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

Message given(const ArgumentSpec& argument) {
  const std::size_t bytes = size_in_kernel(argument);
  switch (argument.kind) {
    case ArgumentKind::kBuffer: return msg::given_buffer();
    case ArgumentKind::kPointers: return msg::given_pointer();
    case ArgumentKind::kTexture: return msg::given_texture();
    case ArgumentKind::kSurface: return msg::given_surface();
    case ArgumentKind::kStruct: return msg::given_structure(bytes);
    default: return msg::given_bytes(bytes);
  }
}

// PTX types a floating parameter as f32 or f64; parameters of every other type may hold any bytes.
Message misfit(const device::KernelParameter& parameter, const ArgumentSpec& argument) {
  if (size_in_kernel(argument) != parameter.bytes) return msg::misfit_size(given(argument), parameter.bytes);
  const bool is_number = argument.kind == ArgumentKind::kValue;
  const bool wants_floating = parameter.ptx_type.starts_with('f');
  const bool wants_whole = parameter.ptx_type.starts_with('u') || parameter.ptx_type.starts_with('s');
  if (wants_floating && (!is_number || !is_floating(argument.type))) return msg::misfit_not_floating();
  if (wants_whole && is_number && argument.count == 1 && is_floating(argument.type))
    return msg::misfit_floating();
  return {};
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

namespace {

bool is_declared_by(const KernelDeclaration& declaration, const Kernel& kernel) {
  return device::without_template_arguments(kernel.name) == declaration.name ||
         declaration.name.ends_with("::" + kernel.symbol);
}

}  // namespace

void require_compiled(const std::string& file, const std::string& name, const std::string& source,
                      const compile::DeviceCode& code, const device::Program& program) {
  const auto declared = std::ranges::find_if(code.kernels, [&](const KernelDeclaration& one) {
    return one.name == name && one.template_parameters.empty();
  });
  if (declared == code.kernels.end()) return;
  if (std::ranges::any_of(program.kernels(),
                          [&](const Kernel& one) { return is_declared_by(*declared, one); }))
    return;
  if (const auto condition = compile::condition_around(source, declared->line))
    throw usage_error(
        msg::kernel_left_out(Code{name}, declared->line, file, Code{condition->text}, condition->line));
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
    throw usage_error(
        msg::arguments_wrong_count(kernel.name, kernel.parameters.size(), arguments.size(), wanted));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (Message problem = misfit(kernel.parameters[i], arguments[i]); !problem.empty())
      throw usage_error(
          msg::argument_does_not_fit(arguments[i].text, std::move(problem), parameters[i], wanted));
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

// Lists the kernels of a file, and how to run one.

namespace {

Message listed(const KernelDeclaration& declaration) {
  return msg::kernels_line_of(signature(declaration), declaration.line);
}

std::string plain_name(const device::Kernel& kernel) { return kernel.name.substr(0, kernel.name.find('<')); }

bool has(std::span<const KernelDeclaration> declarations, const std::string& name) {
  return std::any_of(declarations.begin(), declarations.end(),
                     [&](const KernelDeclaration& declaration) { return declaration.name == name; });
}

// Corrects the declarations found in the text by the kernels that were compiled: removes those that
// preprocessor conditions leave out, and returns those from macros and included files.
std::vector<std::string> correct(std::vector<KernelDeclaration>& declarations,
                                 std::span<const device::Kernel> kernels) {
  std::vector<std::string> others;
  for (const device::Kernel& kernel : kernels)
    if (!has(declarations, plain_name(kernel)))
      others.push_back(signature(kernel.name, parameter_texts(kernel, nullptr)));
  std::erase_if(declarations, [&](const KernelDeclaration& declaration) {
    const auto is_its = [&](const Kernel& kernel) { return is_declared_by(declaration, kernel); };
    return declaration.template_parameters.empty() && std::none_of(kernels.begin(), kernels.end(), is_its);
  });
  return others;
}

void add_how_to_run(const KernelRequest& request, std::span<const KernelDeclaration> kernels,
                    std::vector<Message>& lines) {
  if (kernels.empty()) return;
  const KernelDeclaration& first = kernels.front();
  const bool is_template = !first.template_parameters.empty();
  lines.emplace_back();
  lines.push_back(msg::kernels_how_to_run());
  lines.push_back(Message::verbatim(
      fmt::format("  cudalab run {} --kernel {} --grid 4 --block 256 {}", shell_word(request.file),
                  shell_word(is_template ? example_instance(first) : first.name), example_arguments(first))));
  const auto has_parameters = [](const KernelDeclaration& kernel) {
    return !kernel.template_parameters.empty();
  };
  const auto one = std::find_if(kernels.begin(), kernels.end(), has_parameters);
  if (one != kernels.end())
    lines.push_back(msg::kernels_how_to_instantiate(shell_word(example_instance(*one))));
}

}  // namespace

std::vector<Message> list_kernels(const KernelRequest& request, const Machine& machine) {
  const compile::CompileRequest compile =
      compile_request(request, read_text(request.file), machine.device.info());
  std::vector<KernelDeclaration> declarations = compile::device_code_of(compile).kernels;
  std::vector<std::string> others;
  try {
    others = correct(declarations, load(request, compile, machine).program->kernels());
  } catch (const Error&) {
    if (declarations.empty()) throw;  // the text alone shows kernels; running one will report the error
  }
  std::vector<Message> lines;
  for (const KernelDeclaration& declaration : declarations) lines.push_back(listed(declaration));
  for (std::string& other : others) lines.push_back(Message::verbatim(std::move(other)));
  if (lines.empty()) throw usage_error(msg::file_shows_no_kernel(request.file));
  add_how_to_run(request, declarations, lines);
  return lines;
}

std::vector<Message> list_kernels(const KernelRequest& request) {
  read_text(request.file);
  const std::unique_ptr<device::Device> device =
      device::open_device(request.settings.device, request.settings.card);
  return list_kernels(request, this_machine(*device));
}

namespace {

// "mm<float,16>"
bool names_an_instance(const std::string& kernel) { return kernel.find('<') != std::string::npos; }

// Whether an identifier is written like a macro.
bool is_macro_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  });
}

}  // namespace

void progress(const KernelRequest& request, const Message& what) {
  if (request.settings.progress) request.settings.progress(what);
}

compile::CompileRequest compile_request(const KernelRequest& request, std::string source,
                                        const device::DeviceInfo& device) {
  compile::CompileRequest compile;
  compile.source = std::move(source);
  // The files become one: nothing needs to be linked, and each keeps its own lines.
  for (const std::string& other : request.others)
    compile.source += fmt::format("\n#include \"{}\"\n", absolute_path(other).generic_string());
  compile.file_name = request.file;
  compile.defines = request.defines;
  compile.options = request.compiler_options;
  request.compiler.add_to(compile);
  if (request.settings.for_debugger) compile.options.emplace_back(compile::kForDebugger);
  compile.compute_major = device.compute_major;
  compile.compute_minor = device.compute_minor;
  compile.is_interpreted = device.card.has_value();
  compile.wants_resources = compile.is_interpreted && request.settings.launch.predict;
  if (names_an_instance(request.kernel)) compile.name_expressions = {request.kernel};
  return compile;
}

Loaded load(const KernelRequest& request, const compile::CompileRequest& compile, const Machine& machine) {
  progress(request, msg::progress_compiling(request.file));
  try {
    const compile::CompiledSource compiled = machine.compile(compile);
    return {machine.device.load(compiled), std::string(name_in(compile::kCompilerNames, compiled.made_by)),
            compile::warnings_in(compiled.log, request.file)};
  } catch (const compile::CompileError& error) {
    const std::string& name = error.diagnosis().undefined_name;
    if (!is_macro_name(name)) throw;
    throw usage_error(msg::macro_undefined(error.message(), name));
  }
}

Machine this_machine(device::Device& device) {
  return {device, compile::compile_kernels, {}, describe_host()};
}

}  // namespace cudalab::lab
