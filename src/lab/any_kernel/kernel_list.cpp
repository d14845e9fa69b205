// Lists the kernels of a file, and how to run one.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "compile/compile_kernels.h"
#include "core/files.h"
#include "core/words/shell_word.h"
#include "lab/any_kernel/kernel_file.h"
#include "lab/any_kernel/kernel_signature.h"

namespace cudalab::lab {
namespace {

using compile::KernelDeclaration;

std::string listed(const KernelDeclaration& declaration) {
  return fmt::format("{}  (line {})", signature(declaration), declaration.line);
}

std::string plain_name(const device::Kernel& kernel) { return kernel.name.substr(0, kernel.name.find('<')); }

bool has(std::span<const KernelDeclaration> declarations, const std::string& name) {
  return std::any_of(declarations.begin(), declarations.end(),
                     [&](const KernelDeclaration& declaration) { return declaration.name == name; });
}

// The compiler knows better than the text: leaves out what its conditions leave out, and adds what comes from
// macros and from included files.
std::vector<std::string> correct(std::vector<KernelDeclaration>& declarations,
                                 std::span<const device::Kernel> kernels) {
  std::vector<std::string> others;
  for (const device::Kernel& kernel : kernels)
    if (!has(declarations, plain_name(kernel)))
      others.push_back(signature(kernel.name, parameter_texts(kernel, nullptr)));
  std::erase_if(declarations, [&](const KernelDeclaration& declaration) {
    const auto is_its = [&](const device::Kernel& kernel) {
      return plain_name(kernel) == declaration.name || declaration.name.ends_with("::" + kernel.symbol);
    };
    return declaration.template_parameters.empty() && std::none_of(kernels.begin(), kernels.end(), is_its);
  });
  return others;
}

void add_how_to_run(const KernelRequest& request, std::span<const KernelDeclaration> kernels,
                    std::vector<std::string>& lines) {
  if (kernels.empty()) return;
  const KernelDeclaration& first = kernels.front();
  const bool is_template = !first.template_parameters.empty();
  lines.push_back("");
  lines.push_back("Run one, with numbers and sizes of your own:");
  lines.push_back(
      fmt::format("  cudalab run {} --kernel {} --grid 4 --block 256 {}", shell_word(request.file),
                  shell_word(is_template ? example_instance(first) : first.name), example_arguments(first)));
  const auto has_parameters = [](const KernelDeclaration& kernel) {
    return !kernel.template_parameters.empty();
  };
  const auto one = std::find_if(kernels.begin(), kernels.end(), has_parameters);
  if (one != kernels.end())
    lines.push_back(fmt::format("A template runs as an instance of your choice, as in --kernel {}.",
                                shell_word(example_instance(*one))));
}

}  // namespace

std::vector<std::string> list_kernels(const KernelRequest& request, const Machine& machine) {
  const compile::CompileRequest compile =
      compile_request(request, read_text(request.file), machine.device.info());
  std::vector<KernelDeclaration> declarations = compile::device_code_of(compile).kernels;
  std::vector<std::string> others;
  try {
    others = correct(declarations, load(request, compile, machine).program->kernels());
  } catch (const Error&) {
    if (declarations.empty()) throw;  // the text alone shows kernels; running one will say what is wrong
  }
  std::vector<std::string> lines;
  for (const KernelDeclaration& declaration : declarations) lines.push_back(listed(declaration));
  lines.insert(lines.end(), others.begin(), others.end());
  if (lines.empty())
    throw usage_error("{} has no kernel: no function in it is marked __global__ and has a body",
                      request.file);
  add_how_to_run(request, declarations, lines);
  return lines;
}

std::vector<std::string> list_kernels(const KernelRequest& request) {
  read_text(request.file);
  const std::unique_ptr<device::Device> device =
      device::open_device(request.settings.device, request.settings.card);
  return list_kernels(request, this_machine(*device));
}

}  // namespace cudalab::lab
