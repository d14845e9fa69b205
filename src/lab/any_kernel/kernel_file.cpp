// What the compiler is asked, and what to do where it refuses.
#include "lab/any_kernel/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/compile_kernels.h"
#include "compile/diagnosis.h"
#include "core/error.h"
#include "lab/lab.h"

namespace cudalab::lab {
namespace {

// "mm<float,16>"
bool names_an_instance(const std::string& kernel) { return kernel.find('<') != std::string::npos; }

// The macro that an error asks for: NAME of `identifier "NAME" is undefined`, where it is written like a
// macro.
std::string undefined_macro(std::string_view error) {
  constexpr std::string_view kBefore = "identifier \"", kAfter = "\" is undefined";
  const std::size_t begin = error.find(kBefore), end = error.find(kAfter);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  const std::string_view name = error.substr(begin + kBefore.size(), end - begin - kBefore.size());
  const bool is_macro = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  });
  return is_macro ? std::string(name) : "";
}

}  // namespace

void progress(const KernelRequest& request, const std::string& what) {
  if (request.settings.progress) request.settings.progress(what);
}

compile::CompileRequest compile_request(const KernelRequest& request, std::string source,
                                        const device::DeviceInfo& device) {
  compile::CompileRequest compile;
  compile.source = std::move(source);
  compile.file_name = request.file;
  compile.defines = request.defines;
  compile.options = request.compiler_options;
  request.compiler.add_to(compile);
  if (request.settings.for_debugger) compile.options.emplace_back(compile::kForDebugger);
  compile.compute_major = device.compute_major;
  compile.compute_minor = device.compute_minor;
  compile.is_interpreted = device.card.has_value();
  compile.wants_resources = compile.is_interpreted && request.settings.predict;
  if (names_an_instance(request.kernel)) compile.name_expressions = {request.kernel};
  return compile;
}

Loaded load(const KernelRequest& request, const compile::CompileRequest& compile, const Machine& machine) {
  progress(request, "compiling " + request.file);
  try {
    const compile::CompiledSource compiled = machine.compile(compile);
    std::vector<std::string> warnings;
    for (const compile::Diagnosis& warning : compile::warnings_in(compiled.log, request.file))
      warnings.push_back(fmt::format("{}: {}", warning.place, warning.text));
    return {machine.device.load(compiled), std::string(name_in(compile::kCompilerNames, compiled.made_by)),
            std::move(warnings)};
  } catch (const compile::CompileError& error) {
    const std::string macro = undefined_macro(error.what());
    if (macro.empty()) throw;
    throw usage_error("{}; if it is a macro, give it with --define {}=VALUE", error.what(), macro);
  }
}

Machine this_machine(device::Device& device) {
  return {device, compile::compile_kernels, {}, describe_host()};
}

}  // namespace cudalab::lab
