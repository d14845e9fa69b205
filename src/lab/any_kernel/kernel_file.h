// Compiles and loads the file of a kernel, lists its kernels, and describes the arguments that they take.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "compile/sources/host_code.h"
#include "device/device.h"
#include "lab/any_kernel/any_kernel.h"
#include "lab/any_kernel/argument_spec.h"

namespace cudalab::lab {

// The parameters of a kernel as its source writes them, and whether arguments fit them.

// The declaration of a compiled kernel; null if the source shows none or several.
const compile::KernelDeclaration* declaration_of(std::span<const compile::KernelDeclaration> declarations,
                                                 const device::Kernel& kernel);

// Throws Error(kUsage) if the file's text shows the kernel but a preprocessor condition leaves it out.
void require_compiled(const std::string& file, const std::string& name, const std::string& source,
                      const compile::DeviceCode& code, const device::Program& program);

// One text per parameter: "const float* x", or "8 bytes (u64)" if the source does not show it.
std::vector<std::string> parameter_texts(const device::Kernel& kernel,
                                         const compile::KernelDeclaration* declaration);

// "saxpy(float a, const float* x)"
std::string signature(const std::string& name, const std::vector<std::string>& parameters);

// The name of each argument in messages, --dump and --print: its parameter's name, or "arg1".
std::vector<std::string> argument_names(std::size_t count, const compile::KernelDeclaration* declaration);

// Throws Error(kUsage), in one line with the kernel's parameters, unless the arguments match the parameters
// in number, size and floating type.
void require_fit(const device::Kernel& kernel, const std::vector<std::string>& parameters,
                 std::span<const ArgumentSpec> arguments);

// Arguments to try first for a declaration: "--arg f32:1 --arg buf:f32:1024:random".
std::string example_arguments(const compile::KernelDeclaration& declaration);
// "mm<float,16>"
std::string example_instance(const compile::KernelDeclaration& declaration);

// Reports progress to the user if a callback is set.
void progress(const KernelRequest& request, const Message& what);

compile::CompileRequest compile_request(const KernelRequest& request, std::string source,
                                        const device::DeviceInfo& device);

struct Loaded {
  std::unique_ptr<device::Program> program;
  std::string compiler;  // the compiler that made its PTX
  std::vector<compile::Diagnosis> warnings;
};

// Throws Error(kUsage) if the file does not compile.
Loaded load(const KernelRequest& request, const compile::CompileRequest& compile, const Machine& machine);

Machine this_machine(device::Device& device);

}  // namespace cudalab::lab
