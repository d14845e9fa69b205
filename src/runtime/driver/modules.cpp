// The driver API's modules, libraries and linking. Modules and libraries are both device code that is loaded
// on a device when it is first used there. A kernel of a library is its function in every context.
#include "runtime/modules/modules.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/files.h"
#include "runtime/driver/driver.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

// ---- options of the compiler in the driver -----------------------------------------------------------

// Where the program wants the log of errors. The other options concern code generation, which the virtual GPU
// does not have.
struct ErrorLog {
  char* buffer = nullptr;
  std::size_t bytes = 0;
  void** told_bytes = nullptr;  // gets the number of bytes written

  void write(const std::string& text) const {
    if (!buffer || bytes == 0) return;
    const std::size_t length = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
    if (told_bytes) *told_bytes = reinterpret_cast<void*>(length + 1);
  }
};

ErrorLog log_from(unsigned count, const CUjit_option* options, void** values) {
  require(count == 0 || (options && values), cudaErrorInvalidValue, msg::pointer_null());
  ErrorLog log;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log.buffer = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      log.bytes = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(values[i]));
      log.told_bytes = &values[i];
    }
    if (options[i] == CU_JIT_INFO_LOG_BUFFER && values[i]) *static_cast<char*>(values[i]) = '\0';
  }
  return log;
}

// ---- loading -----------------------------------------------------------------------------------------

FatBinary& code_of(const void* handle) {
  auto* binary = static_cast<FatBinary*>(const_cast<void*>(handle));
  require(binary && the_runtime().modules.knows(binary), cudaErrorInvalidResourceHandle,
          msg::module_unknown());
  return *binary;
}

// Loads the code on the current device now, because its mistakes must be reported by this call.
FatBinary* loaded(Image image, const ErrorLog& log) {
  Modules& modules = the_runtime().modules;
  FatBinary* binary = modules.add(std::move(image));
  const auto refuse = [&](const Failure& why) {
    modules.remove(binary);
    log.write(why.why.text());
    throw why;
  };
  try {
    modules.load(*binary, this_thread().device);
  } catch (const Failure& why) {
    refuse(why);
  } catch (const Error& error) {
    refuse({cudaErrorInvalidPtx, error.message()});
  }
  return binary;
}

template <class Handle>
void load_image(Handle* handle, const void* image, const ErrorLog& log) {
  require(handle && image, cudaErrorInvalidValue, msg::pointer_null());
  *handle = reinterpret_cast<Handle>(loaded(image_at(image), log));
}

// The file's content, followed by a zero.
std::string content_of(const char* file) {
  require(file, cudaErrorInvalidValue, msg::pointer_null());
  std::optional<std::string> content = read_file(file);
  require(content.has_value(), cudaErrorFileNotFound, msg::module_file_missing(file));
  return *std::move(content);
}

template <class Handle>
void load_file(Handle* handle, const char* file, const ErrorLog& log) {
  const std::string content = content_of(file);
  load_image(handle, content.c_str(), log);
}

void unload(const void* handle) {
  FatBinary& binary = code_of(handle);
  if (the_runtime().lost == cudaSuccess) the_runtime().queue.wait_for_all();
  the_runtime().modules.unload(&binary);
}

// ---- what is in a module -----------------------------------------------------------------------------

template <class Handle>
void find_kernel(Handle* handle, const void* module, const char* name) {
  FatBinary& binary = code_of(module);
  require(handle && name, cudaErrorInvalidValue, msg::pointer_to_name_null());
  const KernelRef& kernel = the_runtime().modules.kernel_called(binary, name, this_thread().device);
  *handle = reinterpret_cast<Handle>(const_cast<KernelRef*>(&kernel));
}

void find_variable(CUdeviceptr* address, std::size_t* bytes, const void* module, const char* name) {
  FatBinary& binary = code_of(module);
  require(name, cudaErrorInvalidValue, msg::pointer_to_name_null());
  Modules& modules = the_runtime().modules;
  const vgpu::VariableInfo* variable = modules.variable_called(binary, name, this_thread().device);
  if (!variable) {
    const auto kernels = modules.load(binary, this_thread().device)->kernels();
    const bool is_kernel = std::ranges::find(kernels, name, &vgpu::KernelInfo::symbol) != kernels.end();
    throw Failure{is_kernel ? cudaErrorInvalidValue : cudaErrorSymbolNotFound,
                  msg::variable_not_in_ptx(Code{name})};
  }
  if (address) *address = variable->address;
  if (bytes) *bytes = variable->bytes;
}

std::span<const vgpu::KernelInfo> kernels_in(const void* module) {
  return the_runtime().modules.load(code_of(module), this_thread().device)->kernels();
}

template <class Handle>
void enumerate(Handle* handles, unsigned count, const void* module) {
  require(handles || count == 0, cudaErrorInvalidValue, msg::pointer_null());
  const auto kernels = kernels_in(module);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, kernels.size()); ++i)
    find_kernel(handles + i, module, kernels[i].symbol.c_str());
}

void count_kernels(unsigned* count, const void* module) {
  require(count, cudaErrorInvalidValue, msg::pointer_to_number_null());
  *count = static_cast<unsigned>(kernels_in(module).size());
}

// ---- linking -----------------------------------------------------------------------------------------

struct Linking {
  Image inputs;
  ErrorLog log;
  std::string result;  // the result of cuLinkComplete, kept until the linker state is destroyed
};

std::map<const void*, std::unique_ptr<Linking>>& linkings() {
  static auto& known = *new std::map<const void*, std::unique_ptr<Linking>>;
  return known;
}

Linking& linking_of(CUlinkState handle) {
  const auto found = linkings().find(handle);
  require(found != linkings().end(), cudaErrorInvalidResourceHandle, msg::linking_unknown());
  return *found->second;
}

void add_input(CUlinkState state, CUjitInputType type, const void* data) {
  Linking& linking = linking_of(state);
  require(data, cudaErrorInvalidValue, msg::pointer_null());
  require(type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY, cudaErrorNotSupported,
          msg::link_input_unsupported());
  Image image = image_at(data);
  require(!image.is_machine_code, cudaErrorNotSupported, msg::link_input_unsupported());
  std::ranges::move(image.ptx, std::back_inserter(linking.inputs.ptx));
  std::ranges::move(image.containers, std::back_inserter(linking.inputs.containers));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- modules -----------------------------------------------------------------------------------------

CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return drive(__func__, Needs::kContext, [&] { load_file(module, file, {}); });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return drive(__func__, Needs::kContext, [&] { load_image(module, image, {}); });
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                            void** values) {
  return drive(__func__, Needs::kContext,
               [&] { load_image(module, image, log_from(count, options, values)); });
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return drive(__func__, Needs::kContext, [&] { load_image(module, image, {}); });
}
CUresult cuModuleUnload(CUmodule module) {
  return drive(__func__, Needs::kContext, [&] { unload(module); });
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return drive(__func__, Needs::kInit, [&] {
    require(mode, cudaErrorInvalidValue, msg::pointer_to_answer_null());
    *mode = CU_MODULE_EAGER_LOADING;
  });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return drive(__func__, Needs::kContext, [&] { find_kernel(function, module, name); });
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return drive(__func__, Needs::kContext, [&] { count_kernels(count, module); });
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  return drive(__func__, Needs::kContext, [&] { enumerate(functions, count, module); });
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  return drive("cuModuleGetGlobal", Needs::kContext, [&] { find_variable(address, bytes, module, name); });
}

// ---- libraries ---------------------------------------------------------------------------------------

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options, void** values,
                           unsigned count, CUlibraryOption*, void**, unsigned) {
  return drive(__func__, Needs::kInit, [&] { load_image(library, image, log_from(count, options, values)); });
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                               unsigned count, CUlibraryOption*, void**, unsigned) {
  return drive(__func__, Needs::kInit, [&] { load_file(library, file, log_from(count, options, values)); });
}
CUresult cuLibraryUnload(CUlibrary library) {
  return drive(__func__, Needs::kInit, [&] { unload(library); });
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return drive(__func__, Needs::kInit, [&] { find_kernel(kernel, library, name); });
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return drive(__func__, Needs::kInit, [&] { count_kernels(count, library); });
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  return drive(__func__, Needs::kInit, [&] { enumerate(kernels, count, library); });
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return drive(__func__, Needs::kContext, [&] {
    require(module, cudaErrorInvalidValue, msg::pointer_null());
    *module = reinterpret_cast<CUmodule>(&code_of(library));
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library, const char* name) {
  return drive(__func__, Needs::kContext, [&] { find_variable(address, bytes, library, name); });
}

// ---- linking -----------------------------------------------------------------------------------------

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return drive("cuLinkCreate", Needs::kContext, [&] {
    require(state, cudaErrorInvalidValue, msg::pointer_null());
    auto linking = std::make_unique<Linking>();
    linking->log = log_from(count, options, values);
    *state = reinterpret_cast<CUlinkState>(linking.get());
    linkings()[*state] = std::move(linking);
  });
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t, const char*, unsigned,
                       CUjit_option*, void**) {
  return drive("cuLinkAddData", Needs::kContext, [&] { add_input(state, type, data); });
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* file, unsigned, CUjit_option*,
                       void**) {
  return drive("cuLinkAddFile", Needs::kContext, [&] { add_input(state, type, content_of(file).c_str()); });
}
// Links on the virtual GPU once, so this call reports the mistakes; the image holds the inputs.
CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes) {
  return drive(__func__, Needs::kContext, [&] {
    Linking& linking = linking_of(state);
    the_runtime().modules.unload(loaded(linking.inputs, linking.log));
    linking.result = linked_image(linking.inputs);
    if (image) *image = linking.result.data();
    if (bytes) *bytes = linking.result.size();
  });
}
CUresult cuLinkDestroy(CUlinkState state) {
  return drive(__func__, Needs::kContext, [&] {
    linking_of(state);
    linkings().erase(state);
  });
}

}  // extern "C"
#pragma GCC visibility pop
